//! What repetitions come to, taken together: one arm at one point.

use lycosa_lua::worker::{LatencyNs, Resources};
use serde::Serialize;

use super::latency::{self, LatencyError};
use super::resources;
use super::run::{TIMED_OPS, per_second};
use super::{Point, Run};
use crate::statistics::{self, Summary};

/// Figures of the counted repetitions of one arm at one point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figures {
    /// Repetitions counted.
    pub(crate) n: usize,
    /// Wall-clock time, in seconds; of runs of a given time, that of a million operations.
    pub(crate) wall_s: Summary,
    /// Operations a second at the median time.
    pub(crate) ops_per_s: f64,
    /// Median CPU time, in seconds.
    pub(crate) cpu_s: f64,
    /// Largest resident memory of any repetition.
    pub(crate) peak_rss_bytes: u64,
    /// Median of tuple and index memory over records.
    pub(crate) bytes_per_record: f64,
    /// Latency over every transaction.
    pub(crate) txn_latency_ns: LatencyNs,
    /// With a rate: the same from the times at which transactions were due.
    pub(crate) txn_latency_corrected_ns: Option<LatencyNs>,
    /// With a rate: the largest backlog that was left at the end of any repetition.
    pub(crate) backlog_ops: Option<u64>,
    /// Medians of what was taken of the machine.
    pub(crate) resources: Resources,
    /// Relative change from the first to the last third, if it is more than noise.
    pub(crate) drift: Option<f64>,
    /// Repetitions (from 1) far from the median, with their relative distance.
    pub(crate) outliers: Vec<(u32, f64)>,
}

impl Figures {
    /// The 95 % interval of the operations a second: the rate falls as the time rises, so that the
    /// bounds swap.
    pub(crate) fn ops_per_s_interval(&self) -> Option<(f64, f64)> {
        let (low, high) = self.wall_s.interval?;
        let operations = self.ops_per_s * self.wall_s.median;
        Some((per_second(operations, high), per_second(operations, low)))
    }
}

/// Figures of the counted ones among `runs`, which are one arm's at one point; `None` if there are
/// none.
pub(crate) fn figures<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
) -> Result<Option<Figures>, LatencyError> {
    let counted: Vec<&Run> = runs.into_iter().filter(|run| run.is_counted()).collect();
    let column =
        |value: fn(&Run) -> f64| -> Vec<f64> { counted.iter().map(|run| value(run)).collect() };
    let times = column(Run::compared_s);
    let is_by_time = counted.iter().any(|run| run.point.is_by_time());
    let Some(wall_s) = statistics::summarize(&times) else {
        return Ok(None);
    };
    let median = |value| statistics::median(&column(value)).unwrap_or(0.0);
    let outliers = statistics::outliers(&times)
        .into_iter()
        .map(|at| (counted[at].repetition, times[at] / wall_s.median - 1.0))
        .collect();
    Ok(Some(Figures {
        n: counted.len(),
        wall_s,
        ops_per_s: if is_by_time {
            per_second(TIMED_OPS, wall_s.median)
        } else {
            per_second(median(|run| run.ops as f64), wall_s.median)
        },
        cpu_s: median(|run| run.cpu_s),
        peak_rss_bytes: counted
            .iter()
            .map(|run| run.peak_rss_bytes)
            .max()
            .unwrap_or(0),
        bytes_per_record: median(|run| run.bytes_per_record),
        txn_latency_ns: latency::merge(counted.iter().copied())?,
        txn_latency_corrected_ns: latency::merge_corrected(counted.iter().copied())?,
        backlog_ops: counted.iter().filter_map(|run| run.backlog_ops).max(),
        resources: resources::medians(&counted),
        drift: statistics::drift(&times),
        outliers,
    }))
}

/// An entry of a result file's `summary`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SummaryRecord {
    arm: String,
    #[serde(flatten)]
    point: Point,
    n: usize,
    wall_s: WallRecord,
    ops_per_s: f64,
    txn_latency_ns: LatencyNs,
    txn_latency_corrected_ns: Option<LatencyNs>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct WallRecord {
    median: f64,
    ci_low: Option<f64>,
    ci_high: Option<f64>,
    min: f64,
    max: f64,
    mad: f64,
    cv: f64,
}

/// Every pair of arm and point among the runs, in order of its first run.
pub(crate) fn groups(runs: &[Run]) -> Vec<(&str, &Point)> {
    let mut groups: Vec<(&str, &Point)> = Vec::new();
    for run in runs {
        let group = (run.arm.as_str(), &run.point);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups
}

/// One entry for each arm and point with counted repetitions.
pub(crate) fn summaries(runs: &[Run]) -> Result<Vec<SummaryRecord>, LatencyError> {
    let mut records = Vec::new();
    for (arm, point) in groups(runs) {
        let own = runs
            .iter()
            .filter(|run| run.arm == arm && run.point == *point);
        if let Some(figures) = figures(own)? {
            records.push(summary_record(arm, point, &figures));
        }
    }
    Ok(records)
}

fn summary_record(arm: &str, point: &Point, figures: &Figures) -> SummaryRecord {
    let wall_s = figures.wall_s;
    SummaryRecord {
        arm: arm.to_owned(),
        point: point.clone(),
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
        txn_latency_corrected_ns: figures.txn_latency_corrected_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn only_counted_repetitions_make_the_figures() {
        let mut runs = testing::runs(&[0.1, 0.3, 0.2, 9.0]);
        runs[4].void = Some(String::from("the battery took over"));
        let figures = figures(&runs).unwrap().unwrap();
        assert_eq!(figures.n, 3);
        assert!((figures.wall_s.median - 0.2).abs() < 1e-12);
        assert!((figures.ops_per_s - 5_000.0).abs() < 1e-6);
        assert_eq!(figures.txn_latency_ns.count, 6);
    }

    #[test]
    fn with_only_a_cold_repetition_there_are_no_figures() {
        assert_eq!(figures(&testing::runs(&[])).unwrap(), None);
    }

    #[test]
    fn arms_and_points_are_never_put_together() {
        let mut runs = testing::runs(&[0.1, 0.2]);
        runs.push(testing::run("rosetta", false, 1, 0.3));
        let mut larger = testing::run("native", false, 1, 0.4);
        larger.point.records = 2_000_000;
        runs.push(larger);
        let counts: Vec<(String, u64, usize)> = summaries(&runs)
            .unwrap()
            .into_iter()
            .map(|record| (record.arm, record.point.records, record.n))
            .collect();
        assert_eq!(
            counts,
            [
                (String::from("native"), 1_000_000, 2),
                (String::from("rosetta"), 1_000_000, 1),
                (String::from("native"), 2_000_000, 1),
            ]
        );
    }

    #[test]
    fn a_rate_over_no_time_is_a_number() {
        assert!(per_second(5.0, 0.0).abs() < f64::EPSILON);
    }
}
