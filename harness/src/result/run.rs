//! One repetition that gave figures, as it is kept in memory and in result files.

use std::collections::BTreeMap;

use lycosa_lua::worker::{
    Driver, IndexKind, LatencyNs, Measurement, Resources, Sample, WorkerOptions, WorkloadSource,
};
use serde::{Deserialize, Serialize};

use crate::environment::{Conditions, Translator};
use crate::quantity::grouped;
use crate::worker::limit::LimitedBy;

/// What was measured. Figures of different points are never averaged or compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Name of the workload.
    pub(crate) workload: String,
    /// Operations in all; 0 where the time ends it.
    pub(crate) records: u64,
    /// Concurrent fibers.
    pub(crate) fibers: u32,
    /// Operations of one transaction.
    pub(crate) ops_per_txn: u32,
    /// Primary index.
    pub(crate) index: IndexKind,
    /// Who issued the statements.
    pub(crate) driver: Driver,
    /// Whether compiling just in time was asked for; [`Run::jit`] says whether it happened.
    #[serde(default = "asked_for_by_default")]
    pub(crate) jit_requested: bool,
    /// Quota for tuples and indexes.
    pub(crate) memory_bytes: u64,
    /// Seed of the workload.
    pub(crate) seed: u64,
    /// `--set KEY=VALUE`.
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, String>,
    /// Time that ends it, in seconds from the end of the warm-up; null where `records` does.
    #[serde(default)]
    pub(crate) duration_s: Option<f64>,
    /// Time before it that is not counted, in seconds.
    #[serde(default)]
    pub(crate) warmup_s: f64,
    /// Operations that become due in a second; null where they begin as soon as they can.
    #[serde(default)]
    pub(crate) rate_per_s: Option<f64>,
    /// Limit on the memory of the whole process, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limit_memory_bytes: Option<u64>,
    /// What its operations are called.
    #[serde(default)]
    pub(crate) unit: Unit,
}

/// A word for operations, if the file holds one. It is for readers and no part of what was measured,
/// so that all are equal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Unit(Option<String>);

impl PartialEq for Unit {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Files of 0.1.0 do not hold it; what is compiled by default was asked for.
fn asked_for_by_default() -> bool {
    true
}

impl Point {
    /// The point that a worker with these options measures.
    pub(crate) fn of(options: &WorkerOptions) -> Self {
        Self {
            workload: workload_name(&options.workload),
            records: options.records,
            fibers: options.fibers,
            ops_per_txn: options.ops_per_txn,
            index: options.index,
            driver: options.driver,
            jit_requested: options.jit,
            memory_bytes: options.memory_bytes,
            seed: options.seed,
            settings: options.settings.iter().cloned().collect(),
            duration_s: options.duration_s,
            warmup_s: options.warmup_s,
            rate_per_s: options.rate_per_s,
            limit_memory_bytes: options.limit_memory_bytes,
            unit: Unit(options.unit.clone()),
        }
    }

    /// Whether the time ends it: how many operations it does is then chance.
    pub(crate) fn is_by_time(&self) -> bool {
        self.duration_s.is_some()
    }

    /// Whether runs of both must have the same checksum: all that decides on the data is equal.
    pub(crate) fn leaves_the_same_data_as(&self, other: &Self) -> bool {
        !self.is_by_time()
            && !other.is_by_time()
            && self.workload == other.workload
            && self.records == other.records
            && self.fibers == other.fibers
            && self.ops_per_txn == other.ops_per_txn
            && self.index == other.index
            && self.seed == other.seed
            && self.settings == other.settings
    }

    /// What the workload's operations are called.
    pub(crate) fn operation_noun(&self) -> &str {
        match (&self.unit.0, self.workload.as_str()) {
            (Some(noun), _) => noun,
            // Files of 0.1.0 hold no word.
            (None, "insert") => "inserts",
            (None, _) => "operations",
        }
    }

    /// What its size counts: records, which is what inserts leave, or the operations themselves.
    pub(crate) fn size_noun(&self) -> &str {
        match self.operation_noun() {
            "inserts" => "records",
            noun => noun,
        }
    }

    /// `50 fibers x 100 inserts`: how the operations are spread over fibers and transactions.
    pub(crate) fn concurrency(&self) -> String {
        let noun = self.operation_noun();
        let noun = match (self.ops_per_txn, noun.strip_suffix('s')) {
            (1, Some(singular)) => singular,
            _ => noun,
        };
        let fibers = if self.fibers == 1 { "fiber" } else { "fibers" };
        format!(
            "{} {fibers} x {} {noun}",
            grouped(u64::from(self.fibers)),
            grouped(u64::from(self.ops_per_txn))
        )
    }
}

/// Name of a workload in results: the bundled one's, or the file's without its folders.
pub(crate) fn workload_name(source: &WorkloadSource) -> String {
    match source {
        WorkloadSource::Bundled(name) => name.clone(),
        WorkloadSource::File(path) => path.file_name().map_or_else(
            || path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        ),
    }
}

/// Operations whose time runs of a given time are compared by.
pub(crate) const TIMED_OPS: f64 = 1e6;

/// A repetition that gave figures. Fields that 0.1.0 did not write have defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Name of its arm.
    pub(crate) arm: String,
    /// What was measured.
    #[serde(flatten)]
    pub(crate) point: Point,
    /// The plan's point, where its arm has options of its own that made another of it; null where
    /// both are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shared: Option<Point>,
    /// Number among its arm's repetitions of the point, cold and counted apart, from 1.
    pub(crate) repetition: u32,
    /// Whether it only warmed the machine; shown and not counted.
    pub(crate) cold: bool,
    /// Why it does not count, if it does not: the machine changed while it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) void: Option<String>,
    /// When it started, RFC 3339 with the local offset.
    #[serde(default)]
    pub(crate) date: String,
    /// Wall-clock time of the transactions, in seconds.
    pub(crate) wall_s: f64,
    /// CPU time of the same, in seconds.
    pub(crate) cpu_s: f64,
    /// Life of the worker process from its start to its end, in seconds: with what the system, a
    /// translator and the workload need before and behind the transactions.
    #[serde(default)]
    pub(crate) process_s: f64,
    /// Operations done.
    pub(crate) ops: u64,
    /// Operations a second.
    pub(crate) ops_per_s: f64,
    /// Largest resident memory of the process.
    pub(crate) peak_rss_bytes: u64,
    /// Tuple and index memory over records.
    pub(crate) bytes_per_record: f64,
    /// Checksum over what the workload left behind; empty if it verifies nothing.
    pub(crate) checksum: String,
    /// Latency of whole transactions.
    pub(crate) txn_latency_ns: LatencyNs,
    /// The same as a base64 `HdrHistogram` (V2); empty where the arm gives none.
    #[serde(default)]
    pub(crate) txn_latency_histogram: String,
    /// With a rate: the same from the time at which each transaction was due; null without.
    #[serde(default)]
    pub(crate) txn_latency_corrected_ns: Option<LatencyNs>,
    /// The same as a base64 `HdrHistogram` (V2); empty without a rate.
    #[serde(default)]
    pub(crate) txn_latency_corrected_histogram: String,
    /// With a rate: operations that were due before the end and had not begun; null without.
    #[serde(default)]
    pub(crate) backlog_ops: Option<u64>,
    /// Traces that the compiler made.
    pub(crate) jit_traces: u64,
    /// Traces that it gave up.
    pub(crate) jit_aborts: u64,
    /// Whether Lua was compiled.
    pub(crate) jit: bool,
    /// Architecture of the binary that ran, by its own account.
    #[serde(default)]
    pub(crate) binary_arch: String,
    /// Translator that it ran under, by its own account; null for programs that tell none.
    #[serde(default)]
    pub(crate) translator: Option<Translator>,
    /// What held its process to the limit of the point, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limited_by: Option<LimitedBy>,
    /// What the process took from the start to the end of the transactions, by its own account;
    /// null for programs that tell nothing.
    #[serde(default)]
    pub(crate) resources: Option<Resources>,
    /// The course of the run in the intervals that were asked for; empty if none were.
    #[serde(default)]
    pub(crate) series: Vec<Sample>,
    /// What the process took in all its life, seen from outside.
    #[serde(default)]
    pub(crate) process_resources: Option<Resources>,
    /// The machine just before it.
    #[serde(default)]
    pub(crate) before: Conditions,
    /// The machine just after it.
    #[serde(default)]
    pub(crate) after: Conditions,
}

impl Run {
    /// The point of the plan that it stands for: what the arms are compared at.
    pub(crate) fn shared_point(&self) -> &Point {
        self.shared.as_ref().unwrap_or(&self.point)
    }

    /// Whether its figures enter medians and comparisons.
    pub(crate) fn is_counted(&self) -> bool {
        !self.cold && self.void.is_none()
    }

    /// What repetitions of a point are compared by, in seconds: their wall time, or where the time
    /// was given, that of [`TIMED_OPS`] operations.
    pub(crate) fn compared_s(&self) -> f64 {
        if self.point.is_by_time() {
            self.wall_s / self.ops as f64 * TIMED_OPS
        } else {
            self.wall_s
        }
    }

    /// Puts together where a repetition stood, what surrounded it and what it measured.
    pub(crate) fn new(place: Place, surroundings: Surroundings, measurement: Measurement) -> Self {
        Self {
            arm: place.arm,
            point: place.point,
            shared: place.shared,
            repetition: place.repetition,
            cold: place.cold,
            void: Conditions::worsened(&surroundings.before, &surroundings.after),
            date: surroundings.date,
            wall_s: measurement.wall_s,
            cpu_s: measurement.cpu_s,
            process_s: surroundings.process_s,
            ops: measurement.ops,
            ops_per_s: per_second(measurement.ops as f64, measurement.wall_s),
            peak_rss_bytes: measurement.peak_rss_bytes,
            bytes_per_record: measurement.bytes_per_record,
            checksum: measurement.checksum,
            txn_latency_ns: measurement.txn_latency_ns,
            txn_latency_histogram: measurement.txn_latency_histogram,
            txn_latency_corrected_ns: measurement.txn_latency_corrected_ns,
            txn_latency_corrected_histogram: measurement.txn_latency_corrected_histogram,
            backlog_ops: measurement.backlog_ops,
            jit_traces: measurement.jit_traces,
            jit_aborts: measurement.jit_aborts,
            jit: measurement.jit,
            binary_arch: measurement.binary_arch,
            translator: surroundings.translator,
            limited_by: surroundings.limited_by,
            resources: measurement.resources,
            series: measurement.series,
            process_resources: surroundings.process_resources,
            before: surroundings.before,
            after: surroundings.after,
        }
    }
}

/// Where a repetition stands among the others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    /// Name of its arm.
    pub(crate) arm: String,
    /// What it measures.
    pub(crate) point: Point,
    /// The plan's point, if that is another.
    pub(crate) shared: Option<Point>,
    /// Number among its kind, from 1.
    pub(crate) repetition: u32,
    /// Whether it only warms the machine.
    pub(crate) cold: bool,
}

/// What surrounded a repetition.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Surroundings {
    /// When it started.
    pub(crate) date: String,
    /// Life of the process.
    pub(crate) process_s: f64,
    /// What the process took in all its life.
    pub(crate) process_resources: Option<Resources>,
    /// Translator by the worker's own account.
    pub(crate) translator: Option<Translator>,
    /// What held the process to its limit.
    pub(crate) limited_by: Option<LimitedBy>,
    /// The machine before.
    pub(crate) before: Conditions,
    /// The machine after.
    pub(crate) after: Conditions,
}

/// A rate; 0 where no time passed, since JSON has no infinity.
pub(crate) fn per_second(ops: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { ops / seconds } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::testing;

    fn point(workload: &str, unit: Option<&str>, ops_per_txn: u32) -> Point {
        Point {
            workload: workload.to_owned(),
            unit: Unit(unit.map(str::to_owned)),
            ops_per_txn,
            ..Point::of(&testing::options())
        }
    }

    #[test]
    fn operations_are_called_as_the_workload_calls_them() {
        let noun = |workload, unit| point(workload, unit, 1).operation_noun().to_owned();
        assert_eq!(noun("bank", Some("transfers")), "transfers");
        assert_eq!(noun("bank", None), "operations");
        assert_eq!(noun("insert", None), "inserts");
        assert_eq!(point("insert", None, 1).size_noun(), "records");
        assert_eq!(
            point("tpcb", Some("transactions"), 1).size_noun(),
            "transactions"
        );
    }

    #[test]
    fn one_operation_is_called_in_the_singular() {
        let text = |unit, ops_per_txn| point("bank", Some(unit), ops_per_txn).concurrency();
        assert_eq!(text("transactions", 1), "50 fibers x 1 transaction");
        assert_eq!(text("transactions", 1000), "50 fibers x 1,000 transactions");
        assert_eq!(text("people", 1), "50 fibers x 1 people");
    }

    #[test]
    fn a_file_that_holds_no_word_holds_the_same_point() {
        assert_eq!(
            point("insert", None, 1),
            point("insert", Some("inserts"), 1)
        );
    }
}
