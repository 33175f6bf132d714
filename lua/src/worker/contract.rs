//! The contract between the harness and its worker processes; the types travel as JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::resources::Resources;

/// Kind of the primary index that the workload's space gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexKind {
    /// B+tree, ordered.
    Tree,
    /// Hash table, exact keys only.
    Hash,
}

impl IndexKind {
    /// As schemas call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "TREE",
            Self::Hash => "HASH",
        }
    }
}

/// Who issues the statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Driver {
    /// The workload's Lua file.
    Lua,
    /// The same statements from Rust, to tell the engine's share from Lua's. Bundled `insert` only.
    Rust,
}

/// Where the workload's Lua comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkloadSource {
    /// One that is compiled in; see [`bundled`](super::bundled).
    Bundled(String),
    /// A user's file.
    File(PathBuf),
}

/// Most fibers of a repetition; the main fiber comes beside them. Each takes two memory mappings, of
/// which Linux grants a process 65,530.
pub const FIBERS_MAX: u32 = 29_999;

/// What one repetition shall do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkerOptions {
    /// The workload.
    pub workload: WorkloadSource,
    /// Operations in all; for `insert` the records of the filled space. 0 where `duration_s` is what
    /// ends the run.
    pub records: u64,
    /// Concurrent fibers, from 1 to [`FIBERS_MAX`].
    pub fibers: u32,
    /// Operations in one transaction, at least 1.
    pub ops_per_txn: u32,
    /// Kind of the primary index.
    pub index: IndexKind,
    /// Lua or Rust.
    pub driver: Driver,
    /// Whether `LuaJIT` may compile.
    pub jit: bool,
    /// Quota for tuples and indexes.
    pub memory_bytes: u64,
    /// Seed for whatever the workload draws at random.
    pub seed: u64,
    /// `--set KEY=VALUE`, in order.
    pub settings: Vec<(String, String)>,
    /// Time after which no transaction begins, in seconds from the end of the warm-up.
    #[serde(default)]
    pub duration_s: Option<f64>,
    /// Time before it whose transactions are done and not counted, in seconds.
    #[serde(default)]
    pub warmup_s: f64,
    /// Operations that become due in a second, however long those before them take; `None` begins
    /// each when a fiber is free.
    #[serde(default)]
    pub rate_per_s: Option<f64>,
    /// Length of the intervals in which the run is told, in seconds; `None`: it is not.
    #[serde(default)]
    pub report_interval_s: Option<f64>,
    /// Limit on the memory of the whole process; whoever starts the process holds it to that.
    #[serde(default)]
    pub limit_memory_bytes: Option<u64>,
    /// What the workload calls its operations, for those who show figures; see [`WorkloadInfo::unit`].
    #[serde(default)]
    pub unit: Option<String>,
}

impl WorkerOptions {
    /// Whether the time ends the run, so that nobody knows beforehand what it will have done.
    pub fn is_by_time(&self) -> bool {
        self.duration_s.is_some()
    }

    /// Whether transactions begin or end by the clock.
    pub fn is_by_clock(&self) -> bool {
        self.is_by_time() || self.rate_per_s.is_some()
    }
}

/// Percentiles of the time of one transaction, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyNs {
    /// Median.
    pub p50: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p999: u64,
    /// Largest.
    pub max: u64,
    /// Transactions recorded.
    pub count: u64,
}

/// What one interval of a run brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Its end, in seconds since counting began.
    pub t_s: f64,
    /// Its length, in seconds.
    pub interval_s: f64,
    /// Operations done in it.
    pub ops: u64,
    /// Latency of the transactions that ended in it.
    pub txn_latency_ns: LatencyNs,
    /// What the process took in it, and the levels at its end.
    pub resources: Option<Resources>,
}

/// What one repetition measured. Every figure covers the transactions alone: not the start of the
/// process, nor `prepare`, nor `verify`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Wall-clock time, in seconds.
    pub wall_s: f64,
    /// CPU time of the process (user and system), in seconds.
    pub cpu_s: f64,
    /// Operations done, without those of the warm-up.
    pub ops: u64,
    /// Largest resident memory of the process up to the end of the transactions, in bytes.
    pub peak_rss_bytes: u64,
    /// Tuple memory and index memory over the number of operations done.
    pub bytes_per_record: f64,
    /// Checksum over all tuples, 16 hexadecimal digits; equal on every architecture.
    pub checksum: String,
    /// Latency of whole transactions.
    pub txn_latency_ns: LatencyNs,
    /// The same as a base64 `HdrHistogram` (V2), so that repetitions can be merged.
    pub txn_latency_histogram: String,
    /// Traces that `LuaJIT` compiled; 0 with the JIT off or from Rust.
    pub jit_traces: u64,
    /// Traces that it gave up.
    pub jit_aborts: u64,
    /// Architecture of the binary that ran, for example `aarch64`.
    pub binary_arch: String,
    /// Whether the JIT was on and worked.
    pub jit: bool,
    /// With a rate: the latency of whole transactions from the time at which each was due, so that
    /// what waited behind a slow one counts as slow too.
    #[serde(default)]
    pub txn_latency_corrected_ns: Option<LatencyNs>,
    /// The same as a base64 `HdrHistogram` (V2); empty without a rate.
    #[serde(default)]
    pub txn_latency_corrected_histogram: String,
    /// With a rate: operations that were due before the end and had not begun.
    #[serde(default)]
    pub backlog_ops: Option<u64>,
    /// What the process took of its machine; `None` where a program does not tell.
    #[serde(default)]
    pub resources: Option<Resources>,
    /// The course of the run, where intervals were asked for; their operations add up to `ops`.
    #[serde(default)]
    pub series: Vec<Sample>,
}

/// Why a repetition gave no figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkerError {
    /// The workload file cannot be read, has a syntax error, is no workload, or threw.
    /// `message` has file and line; `hook` is the hook's name, `fiber` the fiber's.
    #[error("workload {message}")]
    Workload {
        /// File, line and message.
        message: String,
        /// Hook that threw, for example `transaction`.
        hook: Option<String>,
        /// Fiber in which it threw.
        fiber: Option<String>,
        /// Lua traceback, innermost first, one frame a line.
        traceback: Vec<String>,
    },
    /// The memory quota was reached.
    #[error(
        "memory quota of {quota_bytes} bytes reached after {records_done} of {records} records"
    )]
    Memory {
        /// The quota.
        quota_bytes: u64,
        /// Operations that were committed.
        records_done: u64,
        /// Operations asked for.
        records: u64,
    },
    /// The memory quota was reached elsewhere than in transactions.
    #[error("memory quota of {quota_bytes} bytes reached in {hook}()")]
    MemoryOf {
        /// The quota.
        quota_bytes: u64,
        /// Hook that reached it, for example `prepare`.
        hook: String,
        /// Lua traceback, innermost first, one frame a line.
        traceback: Vec<String>,
    },
    /// After the run the data was not what it must be.
    #[error("verification failed: {message}")]
    Verification {
        /// What was found and what was expected.
        message: String,
    },
    /// The user stopped it between two transactions, and what was done until then was verified.
    #[error("stopped after {done_ops} operations")]
    Stopped {
        /// Operations done.
        done_ops: u64,
        /// Whether the workload has a `verify`, which then held.
        is_verified: bool,
    },
    /// An option the workload does not have, or a value it does not take.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// Nearest valid name, if one is near.
        suggestion: Option<String>,
    },
}

/// One option of a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkloadOption {
    /// Name, as `--set` takes it.
    pub name: String,
    /// Default, as text.
    pub default: String,
    /// One line of help.
    pub help: String,
}

/// What `lycosa workloads` shows of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkloadInfo {
    /// Name, as `--workload` takes it.
    pub name: String,
    /// One line of help.
    pub help: String,
    /// Its own options.
    pub options: Vec<WorkloadOption>,
    /// What it takes for options of every workload that are not given.
    #[serde(default)]
    pub defaults: WorkloadDefaults,
    /// What its operations are called, a noun in the plural; `None` for `operations`.
    #[serde(default)]
    pub unit: Option<String>,
}

/// Defaults of a workload that differ from those of the defining run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkloadDefaults {
    /// Operations in one transaction.
    #[serde(default)]
    pub ops_per_txn: Option<u32>,
    /// Operations in all.
    #[serde(default)]
    pub records: Option<u64>,
}
