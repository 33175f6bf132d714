//! The JSON form of a result. Its shape is stable: fields are added, never renamed or removed.

use lycosa_lua::worker::{Driver, IndexKind, LatencyNs, WorkerOptions};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Figures, per_second, workload_name};
use crate::environment::Context;
use crate::schedule::{Ending, Run};

/// A whole result.
#[derive(Debug, Serialize)]
pub(crate) struct Document<'a> {
    /// Machine and build.
    context: &'a Context,
    /// Whether every repetition that was asked for is here.
    status: Status,
    /// Every repetition, in order of time.
    runs: Vec<RunRecord>,
    /// One entry for each arm, workload and number of records; none if nothing was counted.
    summary: Vec<SummaryRecord>,
}

/// How the run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// All is here.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// A repetition failed.
    Failed,
}

impl From<&Ending> for Status {
    fn from(ending: &Ending) -> Self {
        match ending {
            Ending::Complete => Self::Complete,
            Ending::Interrupted => Self::Interrupted,
            Ending::Failed(_) => Self::Failed,
        }
    }
}

#[derive(Debug, Serialize)]
struct RunRecord {
    arm: &'static str,
    workload: String,
    records: u64,
    fibers: u32,
    ops_per_txn: u32,
    index: IndexKind,
    driver: Driver,
    jit: bool,
    memory_bytes: u64,
    seed: u64,
    settings: Map<String, Value>,
    repetition: u32,
    cold: bool,
    wall_s: f64,
    cpu_s: f64,
    ops: u64,
    ops_per_s: f64,
    peak_rss_bytes: u64,
    bytes_per_record: f64,
    checksum: String,
    txn_latency_ns: LatencyNs,
    jit_traces: u64,
    jit_aborts: u64,
}

#[derive(Debug, Serialize)]
struct SummaryRecord {
    arm: &'static str,
    workload: String,
    records: u64,
    n: usize,
    wall_s: WallRecord,
    ops_per_s: f64,
    txn_latency_ns: LatencyNs,
}

#[derive(Debug, Serialize)]
struct WallRecord {
    median: f64,
    ci_low: Option<f64>,
    ci_high: Option<f64>,
    min: f64,
    max: f64,
    mad: f64,
    cv: f64,
}

/// Puts a result together. The arm is named after the translator that the workers ran under.
pub(crate) fn document<'a>(
    context: &'a Context,
    options: &WorkerOptions,
    runs: &[Run],
    figures: Option<&Figures>,
    status: Status,
) -> Document<'a> {
    let arm = context.translator.name();
    Document {
        context,
        status,
        runs: runs
            .iter()
            .map(|run| run_record(arm, options, run))
            .collect(),
        summary: figures
            .map(|figures| summary_record(arm, options, figures))
            .into_iter()
            .collect(),
    }
}

fn run_record(arm: &'static str, options: &WorkerOptions, run: &Run) -> RunRecord {
    let measurement = &run.measurement;
    RunRecord {
        arm,
        workload: workload_name(&options.workload),
        records: options.records,
        fibers: options.fibers,
        ops_per_txn: options.ops_per_txn,
        index: options.index,
        driver: options.driver,
        jit: measurement.jit,
        memory_bytes: options.memory_bytes,
        seed: options.seed,
        settings: options
            .settings
            .iter()
            .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
            .collect(),
        repetition: run.slot.repetition,
        cold: run.slot.cold,
        wall_s: measurement.wall_s,
        cpu_s: measurement.cpu_s,
        ops: measurement.ops,
        ops_per_s: per_second(measurement.ops as f64, measurement.wall_s),
        peak_rss_bytes: measurement.peak_rss_bytes,
        bytes_per_record: measurement.bytes_per_record,
        checksum: measurement.checksum.clone(),
        txn_latency_ns: measurement.txn_latency_ns,
        jit_traces: measurement.jit_traces,
        jit_aborts: measurement.jit_aborts,
    }
}

fn summary_record(arm: &'static str, options: &WorkerOptions, figures: &Figures) -> SummaryRecord {
    let wall_s = figures.wall_s;
    SummaryRecord {
        arm,
        workload: workload_name(&options.workload),
        records: options.records,
        n: figures.n,
        wall_s: WallRecord {
            median: wall_s.median,
            ci_low: wall_s.interval.map(|(low, _)| low),
            ci_high: wall_s.interval.map(|(_, high)| high),
            min: wall_s.min,
            max: wall_s.max,
            mad: wall_s.mad,
            cv: wall_s.cv,
        },
        ops_per_s: figures.ops_per_s,
        txn_latency_ns: figures.txn_latency_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{self, Facts};
    use crate::report::{figures, testing};

    fn value(walls: &[f64]) -> Value {
        let mut context = environment::context(&Facts::default());
        context.jit = Some(true);
        let runs = testing::runs(walls);
        let figures = figures(&runs).unwrap();
        let document = document(
            &context,
            &testing::options(),
            &runs,
            figures.as_ref(),
            Status::Complete,
        );
        serde_json::to_value(&document).unwrap()
    }

    fn keys(value: &Value) -> Vec<&str> {
        let mut keys: Vec<&str> = value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn the_shape_is_the_documented_one() {
        let value = value(&[0.1; 6]);
        assert_eq!(keys(&value), ["context", "runs", "status", "summary"]);
        assert_eq!(
            keys(&value["context"]),
            [
                "binary_arch",
                "conditions",
                "cpu",
                "date",
                "git_revision",
                "host_arch",
                "host_name",
                "jit",
                "kernel",
                "load_average",
                "lycosa_version",
                "machine",
                "os",
                "profile",
                "rustc",
                "translator",
            ]
        );
        assert_eq!(
            keys(&value["runs"][1]),
            [
                "arm",
                "bytes_per_record",
                "checksum",
                "cold",
                "cpu_s",
                "driver",
                "fibers",
                "index",
                "jit",
                "jit_aborts",
                "jit_traces",
                "memory_bytes",
                "ops",
                "ops_per_s",
                "ops_per_txn",
                "peak_rss_bytes",
                "records",
                "repetition",
                "seed",
                "settings",
                "txn_latency_ns",
                "wall_s",
                "workload",
            ]
        );
        assert_eq!(
            keys(&value["runs"][0]["txn_latency_ns"]),
            ["count", "max", "p50", "p95", "p99", "p999"]
        );
        assert_eq!(
            keys(&value["summary"][0]),
            [
                "arm",
                "n",
                "ops_per_s",
                "records",
                "txn_latency_ns",
                "wall_s",
                "workload"
            ]
        );
        assert_eq!(
            keys(&value["summary"][0]["wall_s"]),
            ["ci_high", "ci_low", "cv", "mad", "max", "median", "min"]
        );
    }

    #[test]
    fn raw_repetitions_are_all_there_and_the_cold_one_is_marked() {
        let value = value(&[0.1, 0.2]);
        let cold: Vec<&Value> = value["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| &run["cold"])
            .collect();
        assert_eq!(cold, [true, false, false]);
        assert_eq!(value["runs"][2]["wall_s"], 0.2);
        assert_eq!(value["runs"][2]["settings"]["payload"], "short");
        assert_eq!(value["summary"][0]["n"], 2);
    }

    #[test]
    fn below_six_repetitions_the_interval_is_null() {
        assert_eq!(
            value(&[0.1; 5])["summary"][0]["wall_s"]["ci_low"],
            Value::Null
        );
        assert_eq!(value(&[0.1; 6])["summary"][0]["wall_s"]["ci_low"], 0.1);
    }

    #[test]
    fn with_nothing_counted_the_summary_is_empty() {
        assert_eq!(value(&[])["summary"], Value::Array(Vec::new()));
    }
}
