//! The repetition at hand, interval by interval: sparklines beneath the bar, lines elsewhere.

use lycosa_lua::worker::Sample;

use crate::quantity::{decimal_bytes, rate, significant};
use crate::report::page::LABEL_WIDTH;
use crate::report::sparkline::sparkline;
use crate::report::terminal::latency_unit;
use crate::result::run::per_second;

/// Columns of a sparkline at most.
const COLUMNS_MAX: usize = 30;

/// Throughput and latency so far.
#[derive(Debug, Default)]
pub(super) struct Course {
    ops_per_s: Vec<f64>,
    p95_ns: Vec<f64>,
}

impl Course {
    /// Takes the next interval.
    pub(super) fn push(&mut self, sample: &Sample) {
        if self.ops_per_s.len() == COLUMNS_MAX {
            self.ops_per_s.remove(0);
            self.p95_ns.remove(0);
        }
        self.ops_per_s.push(ops_per_s(sample));
        self.p95_ns.push(sample.txn_latency_ns.p95 as f64);
    }

    /// `throughput    ▆▇██ 1.35 M inserts/s   p95 ▂▁▁█ 50.5 us`, in at most `columns`.
    pub(super) fn sparklines(&self, columns: usize, noun: &str) -> String {
        let (Some(ops_per_s), Some(p95_ns)) = (self.ops_per_s.last(), self.p95_ns.last()) else {
            return String::new();
        };
        let throughput = format!("{} {noun}/s", rate(*ops_per_s));
        let (divisor, unit) = latency_unit(*p95_ns as u64);
        let p95 = format!("{} {unit}", significant(p95_ns / divisor));
        let label = "throughput";
        let words = LABEL_WIDTH + throughput.chars().count() + p95.chars().count();
        // Blanks between the words, and the name of the second row.
        let rest = columns.saturating_sub(words + "   p95 ".len() + 2);
        let width = (rest / 2).min(COLUMNS_MAX);
        let row = |values: &[f64]| sparkline(values, width);
        let line = format!(
            "{label:<LABEL_WIDTH$}{} {throughput}   p95 {} {p95}",
            row(&self.ops_per_s),
            row(&self.p95_ns)
        );
        line.chars().take(columns).collect()
    }
}

fn ops_per_s(sample: &Sample) -> f64 {
    per_second(sample.ops as f64, sample.interval_s)
}

/// `at 1.0 s      1.35 M inserts/s   p50 16.6   p95 50.5   p99 156   max 30,914 us   23.3 MB`.
pub(super) fn line(sample: &Sample, place: &str, noun: &str) -> String {
    let latency = sample.txn_latency_ns;
    let (divisor, unit) = latency_unit(latency.p50);
    let show = |value_ns: u64| significant(value_ns as f64 / divisor);
    let time = format!("at {:.1} s", sample.t_s);
    let memory = sample
        .resources
        .as_ref()
        .and_then(|resources| resources.resident_bytes)
        .map_or_else(String::new, |bytes| format!("   {}", decimal_bytes(bytes)));
    format!(
        "{time:<LABEL_WIDTH$}{place}{} {noun}/s   p50 {}   p95 {}   p99 {}   max {} {unit}{memory}",
        rate(ops_per_s(sample)),
        show(latency.p50),
        show(latency.p95),
        show(latency.p99),
        show(latency.max)
    )
}

#[cfg(test)]
mod tests {
    use lycosa_lua::worker::{LatencyNs, Resources};

    use super::*;

    fn sample(ops: u64, p95: u64) -> Sample {
        Sample {
            t_s: 1.0,
            interval_s: 0.5,
            ops,
            txn_latency_ns: LatencyNs {
                p50: 16_600,
                p95,
                p99: 156_000,
                p999: 1,
                max: 30_914_000,
                count: 9,
            },
            resources: Some(Resources {
                resident_bytes: Some(23_300_000),
                ..Resources::default()
            }),
        }
    }

    #[test]
    fn an_interval_is_one_line() {
        assert_eq!(
            line(&sample(675_000, 50_500), "1k   ", "inserts"),
            "at 1.0 s      1k   1.35 M inserts/s   p50 16.6   p95 50.5   p99 156   max 30,914 us   \
             23.3 MB"
        );
        let bare = Sample {
            interval_s: 0.0,
            resources: None,
            ..sample(1, 1)
        };
        assert!(line(&bare, "", "operations").contains("0.00 operations/s"));
    }

    #[test]
    fn sparklines_keep_within_the_columns_and_show_the_last_values() {
        let mut course = Course::default();
        assert_eq!(course.sparklines(80, "inserts"), "");
        for number in 1..=100 {
            course.push(&sample(6_750 * number, 500 * number));
        }
        let line = course.sparklines(80, "inserts");
        assert!(line.starts_with("throughput    "), "{line}");
        assert!(line.contains("█ 1.35 M inserts/s   p95 "), "{line}");
        assert!(line.ends_with("█ 50.0 us"), "{line}");
        for columns in [0, 5, 40, 60, 80, 200] {
            let line = course.sparklines(columns, "inserts");
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
        assert_eq!(course.ops_per_s.len(), COLUMNS_MAX);
    }
}
