//! A search for the memory wall, as it is kept in a result file.

use lycosa_lua::worker::{AtQuota, WallCurve, WallEnding, WallOptions, WallStep};
use serde::{Deserialize, Serialize};

use super::run::per_second;
use crate::worker::limit::LimitedBy;

/// Why no larger size was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WallEnd {
    /// The throughput halved.
    Halved,
    /// The quota had no room left.
    Quota,
    /// The limit on the process, or the system, refused memory or ended the worker.
    Limit,
    /// The user stopped it.
    Interrupted,
    /// It failed.
    Failed,
}

impl From<WallEnding> for WallEnd {
    fn from(ending: WallEnding) -> Self {
        match ending {
            WallEnding::Halved => Self::Halved,
            WallEnding::Quota => Self::Quota,
            WallEnding::System => Self::Limit,
        }
    }
}

/// The curve, and what it was measured with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WallRecord {
    /// What was asked for.
    #[serde(flatten)]
    pub(crate) options: WallOptions,
    /// What held the process to the limit, if there was one.
    #[serde(default)]
    pub(crate) limited_by: Option<LimitedBy>,
    /// xxHash of the executables that measured, 16 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) binary_digest: Option<String>,
    /// Every size that was measured, ascending.
    pub(crate) steps: Vec<WallStep>,
    /// How it ended; null while it goes on.
    pub(crate) ending: Option<WallEnd>,
    /// Position of the wall among `steps`, from 0; null where the throughput did not halve.
    // Made from `steps` whenever a file is read: there is one truth.
    #[serde(skip_deserializing)]
    pub(crate) wall_step: Option<usize>,
    /// What the quota refused at the end and what it still allowed.
    #[serde(default)]
    pub(crate) at_quota: Option<AtQuota>,
}

impl WallRecord {
    /// A search that has measured nothing yet.
    pub(crate) fn new(options: WallOptions) -> Self {
        Self {
            options,
            limited_by: None,
            binary_digest: None,
            steps: Vec::new(),
            ending: None,
            wall_step: None,
            at_quota: None,
        }
    }

    /// Whether nothing is left to measure.
    pub(crate) fn is_whole(&self) -> bool {
        let ending = self.ending;
        matches!(
            ending,
            Some(WallEnd::Halved | WallEnd::Quota | WallEnd::Limit)
        )
    }

    /// Takes over what a worker has told last.
    pub(crate) fn take(&mut self, curve: WallCurve) {
        self.steps = curve.steps;
        self.ending = curve.ending.map(WallEnd::from);
        self.at_quota = curve.at_quota;
        self.find_wall();
    }

    /// Finds the wall: the first size whose throughput is half of the best before it, or less.
    pub(crate) fn find_wall(&mut self) {
        let mut best = 0.0_f64;
        self.wall_step = self.steps.iter().position(|step| {
            let throughput = ops_per_s(step);
            let is_wall = best > 0.0 && throughput <= best / 2.0;
            best = best.max(throughput);
            is_wall
        });
    }

    /// The wall.
    pub(crate) fn wall(&self) -> Option<&WallStep> {
        self.steps.get(self.wall_step?)
    }

    /// The best throughput before the wall, or of all where there is none.
    pub(crate) fn best_ops_per_s(&self) -> f64 {
        let before = self.wall_step.unwrap_or(self.steps.len());
        let rates = self.steps.iter().take(before).map(ops_per_s);
        rates.fold(0.0, f64::max)
    }

    /// The first figure that nothing measured can have.
    pub(super) fn damage(&self) -> Option<String> {
        (1..).zip(&self.steps).find_map(|(number, step)| {
            let is_time = |seconds: f64| (0.0..=super::file::TIME_S_MAX).contains(&seconds);
            let key = if !is_time(step.wall_s) || step.wall_s == 0.0 {
                "wall_s"
            } else if !is_time(step.cpu_s) {
                "cpu_s"
            } else if step.records == 0 || step.ops == 0 {
                "records or ops"
            } else {
                return None;
            };
            Some(format!("step {number} of the wall: {key} cannot be"))
        })
    }
}

/// Reads and updates a second.
pub(crate) fn ops_per_s(step: &WallStep) -> f64 {
    per_second(step.ops as f64, step.wall_s)
}

/// Made-up searches for tests.
#[cfg(test)]
pub(crate) mod testing {
    use lycosa_lua::worker::{IndexKind, LatencyNs};

    use super::*;

    /// A search with so many thousand operations a second at each size.
    pub(crate) fn record(thousands: &[f64]) -> WallRecord {
        let steps = (1..).zip(thousands).map(|(number, thousands)| WallStep {
            records: number * 1_000_000,
            data_bytes: number * 150_000_000,
            quota_used_bytes: number * 160_000_000,
            peak_rss_bytes: number * 170_000_000,
            wall_s: 100.0 / thousands,
            cpu_s: 0.1,
            ops: 100_000,
            txn_latency_ns: LatencyNs {
                p50: 20_000,
                p95: 50_000 * number,
                p99: 90_000 * number,
                p999: 100_000,
                max: 900_000,
                count: 1_000,
            },
        });
        let mut record = WallRecord::new(WallOptions {
            memory_bytes: 4 << 30,
            limit_memory_bytes: None,
            step_count: 20,
            operations: 100_000,
            payload_bytes: 100,
            fibers: 50,
            ops_per_txn: 100,
            index: IndexKind::Tree,
            jit: true,
            seed: 1,
        });
        record.steps = steps.collect();
        record.find_wall();
        record
    }
}

#[cfg(test)]
mod tests {
    use super::testing::record;
    use super::*;

    #[test]
    fn the_wall_is_the_first_size_with_half_of_the_best_before_it() {
        let found = record(&[900.0, 1000.0, 700.0, 500.0, 300.0]);
        assert_eq!(found.wall_step, Some(3));
        assert_eq!(found.wall().map(|step| step.records), Some(4_000_000));
        assert!((found.best_ops_per_s() - 1e6).abs() < 1.0);
        assert_eq!(record(&[900.0, 1000.0, 501.0]).wall_step, None);
        assert_eq!(record(&[]).wall_step, None);
    }

    #[test]
    fn a_record_is_read_back_and_its_wall_is_found_again() {
        let mut written = record(&[900.0, 400.0]);
        written.ending = Some(WallEnd::Halved);
        let text = serde_json::to_string(&written).unwrap();
        assert!(text.contains("\"wall_step\":1"), "{text}");
        let mut read: WallRecord = serde_json::from_str(&text).unwrap();
        read.find_wall();
        assert_eq!(read, written);
    }

    #[test]
    fn impossible_figures_are_damage() {
        assert_eq!(record(&[1.0]).damage(), None);
        let mut damaged = record(&[1.0, 2.0]);
        damaged.steps[1].wall_s = f64::NAN;
        let text = damaged.damage().unwrap();
        assert_eq!(text, "step 2 of the wall: wall_s cannot be");
    }
}
