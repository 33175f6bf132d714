//! The course of a point: the intervals of its median repetition.

use lycosa_lua::worker::{Resources, Sample};

use super::SeriesPoint;
use crate::result::Run;
use crate::result::run::per_second;

/// A piece of a course: one interval, or several where they would stand too close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Piece {
    /// Its end, in seconds since counting began.
    pub(crate) t_s: f64,
    /// Operations a second.
    pub(crate) ops_per_s: f64,
    /// Largest percentiles of its intervals, in nanoseconds: p50, p95, p99.
    pub(crate) latency_ns: [f64; 3],
    /// CPU time over time: 1 is one core.
    pub(crate) cores: Option<f64>,
    /// Resident memory at its end.
    pub(crate) resident_bytes: Option<u64>,
    /// Memory of tuples and indexes at its end.
    pub(crate) data_bytes: Option<u64>,
}

/// The course of one repetition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Course {
    /// In order of time.
    pub(crate) pieces: Vec<Piece>,
    /// Intervals in each, but for the last, which may have fewer.
    pub(crate) intervals_each: usize,
    /// Intervals in all.
    pub(crate) intervals: usize,
}

impl SeriesPoint {
    /// The course of the counted repetition whose throughput is the median, in at most
    /// `pieces_max` pieces; `None` where no intervals were asked for.
    pub(crate) fn course(&self, pieces_max: usize) -> Option<Course> {
        let told = |run: &&Run| run.is_counted() && !run.series.is_empty();
        let mut runs: Vec<&Run> = self.runs.iter().filter(told).collect();
        runs.sort_by(|a, b| a.ops_per_s.total_cmp(&b.ops_per_s));
        let median = runs.get(runs.len().saturating_sub(1) / 2)?;
        let intervals = median.series.len();
        let intervals_each = intervals.div_ceil(pieces_max.max(1));
        let pieces = median.series.chunks(intervals_each).filter_map(piece);
        Some(Course {
            pieces: pieces.collect(),
            intervals_each,
            intervals,
        })
    }
}

fn piece(samples: &[Sample]) -> Option<Piece> {
    let last = samples.last()?;
    let ops: f64 = samples.iter().map(|sample| sample.ops as f64).sum();
    let seconds: f64 = samples.iter().map(|sample| sample.interval_s).sum();
    let largest = |percentile: fn(&Sample) -> u64| {
        let values = samples.iter().map(percentile);
        values.max().unwrap_or_default() as f64
    };
    let told = |value: fn(&Resources) -> Option<u64>| last.resources.as_ref().and_then(value);
    let cpu_s: Option<f64> = samples
        .iter()
        .map(|sample| sample.resources.as_ref()?.cpu_s())
        .sum();
    Some(Piece {
        t_s: last.t_s,
        ops_per_s: per_second(ops, seconds),
        latency_ns: [
            largest(|sample| sample.txn_latency_ns.p50),
            largest(|sample| sample.txn_latency_ns.p95),
            largest(|sample| sample.txn_latency_ns.p99),
        ],
        cores: cpu_s.map(|cpu_s| per_second(cpu_s, seconds)),
        resident_bytes: told(|resources| resources.resident_bytes),
        data_bytes: told(|resources| resources.tuple_bytes?.checked_add(resources.index_bytes?)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_courses;
    use super::*;

    #[test]
    fn the_median_repetition_is_told() {
        let mut dataset = with_courses(4);
        let point = &mut dataset.sections[0].series[0].points[0];
        let counted = |run: &&mut Run| run.is_counted();
        for (number, run) in point.runs.iter_mut().filter(counted).enumerate() {
            // 7, 0, 1, 2, ... over 15 repetitions: the median is none of the ends.
            run.ops_per_s = f64::from((number as u32 + 7) % 8);
            run.series[0].ops = run.ops_per_s as u64 * 1_000;
            run.series[0].interval_s = 1.0;
        }
        let course = point.course(100).unwrap();
        assert_eq!((course.intervals, course.intervals_each), (4, 1));
        assert!((course.pieces[0].ops_per_s - 3_000.0).abs() < 1e-9);
        point.runs.iter_mut().for_each(|run| run.series.clear());
        assert_eq!(point.course(100), None);
        let other = &dataset.sections[0].series[1].points[0];
        assert!(other.course(100).is_some());
    }

    #[test]
    fn intervals_that_stand_too_close_are_put_together_and_no_peak_is_lost() {
        let mut dataset = with_courses(10);
        let point = &mut dataset.sections[0].series[0].points[0];
        for run in &mut point.runs {
            run.series[4].txn_latency_ns.p99 = 9_000_000;
        }
        let course = point.course(3).unwrap();
        assert_eq!((course.pieces.len(), course.intervals_each), (3, 4));
        assert!((course.pieces[1].latency_ns[2] - 9e6).abs() < 1.0);
        let whole = point.course(10).unwrap();
        let mean = |pieces: &[Piece]| -> f64 {
            pieces.iter().map(|piece| piece.ops_per_s).sum::<f64>() / pieces.len() as f64
        };
        let (joined, single) = (course.pieces[0].ops_per_s, mean(&whole.pieces[..4]));
        assert!((joined - single).abs() < single * 1e-9, "{joined} {single}");
        assert_eq!(
            course.pieces[2].t_s.to_bits(),
            whole.pieces[9].t_s.to_bits()
        );
        assert!((course.pieces[0].cores.unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_a_program_does_not_tell_stays_open() {
        let mut dataset = with_courses(2);
        let point = &mut dataset.sections[0].series[0].points[0];
        for run in &mut point.runs {
            run.series[1].resources = None;
        }
        let course = point.course(1).unwrap();
        assert_eq!(course.pieces[0].cores, None);
        assert_eq!(course.pieces[0].data_bytes, None);
    }
}
