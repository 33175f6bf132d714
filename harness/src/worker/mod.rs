//! Processes that measure. Workers of lycosa, from both ends: [`process`] starts one, [`inside`] is
//! one, [`answer`] is what passes between them. [`program`] starts other programs by a [`template`];
//! [`conversation`] holds either from its start to its end, [`limit`] to a limit of memory.

use lycosa_lua::worker::{WallOptions, WallStep, WorkerOptions, WorkloadSource};
use serde::{Deserialize, Serialize};

use crate::environment::scheduling::Cores;

pub(crate) mod answer;
mod conversation;
pub(crate) mod inside;
pub(crate) mod limit;
mod outside;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod template;
mod told;
pub(crate) mod wall;

/// Name of the hidden subcommand that makes a process a worker.
pub(crate) const SUBCOMMAND: &str = "worker-internal";

/// What a worker finds on its standard input when no more transactions shall begin.
const STOP: &[u8] = b"s";

/// What a worker is asked. A user's Lua runs in workers only: what it prints, breaks or never
/// finishes must not be this process's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// One repetition; the answer holds a `Measurement`.
    Run {
        /// What to measure.
        options: WorkerOptions,
        /// Where to measure it.
        cores: Cores,
    },
    /// Help and options of a workload; the answer holds a `WorkloadInfo`.
    Describe(WorkloadSource),
    /// The search for the memory wall; each answer holds the `WallCurve` so far.
    Wall {
        /// What to look for.
        options: WallOptions,
        /// Sizes that are measured already.
        done: Vec<WallStep>,
    },
}

/// Made-up figures for tests of what stands above the worker.
#[cfg(test)]
pub(crate) mod testing {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::{Serializer as _, V2Serializer};
    use lycosa_lua::worker::{LatencyNs, Measurement, Resources};

    use crate::environment::{self, Context, Facts};

    /// A machine that says nothing of itself.
    pub(crate) fn context() -> Context {
        environment::context(&Facts::default())
    }

    /// A V2 histogram in base64, as a worker sends it.
    pub(crate) fn histogram(values_ns: &[u64]) -> String {
        let mut histogram = Histogram::<u64>::new(3).unwrap();
        for value in values_ns {
            histogram.record(*value).unwrap();
        }
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&histogram, &mut bytes)
            .unwrap();
        STANDARD.encode(bytes)
    }

    /// A repetition of 1,000 records that took `wall_s`.
    pub(crate) fn measurement(wall_s: f64) -> Measurement {
        Measurement {
            wall_s,
            cpu_s: wall_s,
            ops: 1_000,
            peak_rss_bytes: 71_000_000,
            bytes_per_record: 44.1,
            checksum: String::from("5f3a09c100000000"),
            txn_latency_ns: LatencyNs {
                p50: 9_800,
                p95: 11_000,
                p99: 13_200,
                p999: 41_000,
                max: 1_930_000,
                count: 2,
            },
            txn_latency_histogram: histogram(&[9_800, 1_930_000]),
            jit_traces: 12,
            jit_aborts: 3,
            binary_arch: String::from("x86_64"),
            jit: true,
            txn_latency_corrected_ns: None,
            txn_latency_corrected_histogram: String::new(),
            backlog_ops: None,
            series: Vec::new(),
            resources: Some(Resources {
                cpu_user_s: Some(wall_s * 0.75),
                cpu_system_s: Some(wall_s * 0.25),
                transaction_thread_cpu_s: Some(wall_s),
                other_threads_cpu_s: Some(0.0),
                minor_faults: Some(17_303),
                major_faults: Some(0),
                voluntary_switches: Some(2),
                involuntary_switches: Some(13),
                ..Resources::default()
            }),
        }
    }
}
