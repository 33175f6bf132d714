//! The course of a run that is driven from Rust, as `workloads/run.lua` has it for Lua.

use std::time::{Duration, Instant};

use super::contract::Sample;
use super::measure::Latencies;

/// Samples of a run at most, so that an interval far too short fills no memory; the last one holds
/// all the rest.
const SAMPLES_MAX: u32 = 10_000;

/// Counts the transactions of the present interval.
pub(super) struct Intervals {
    interval: Duration,
    began: Instant,
    /// The present interval began and is to end so long after the beginning.
    from: Duration,
    until: Duration,
    samples: u32,
    ops: u64,
    latencies: Latencies,
}

impl Intervals {
    /// The first one begins.
    pub(super) fn begin(interval: Duration) -> Self {
        Self {
            interval,
            began: Instant::now(),
            from: Duration::ZERO,
            until: interval,
            samples: 0,
            ops: 0,
            latencies: Latencies::new(),
        }
    }

    /// A transaction has ended; answers with a sample if an interval has too.
    pub(super) fn observe(&mut self, latency: Duration, ops: u64, now: Instant) -> Option<Sample> {
        self.latencies.record(latency.as_nanos() as u64);
        self.ops += ops;
        let now = now.duration_since(self.began);
        (now >= self.until).then(|| self.sample(now))
    }

    /// The last one ends, if anything was done in it.
    pub(super) fn finish(&mut self, now: Instant) -> Option<Sample> {
        (self.ops > 0).then(|| self.sample(now.duration_since(self.began)))
    }

    fn sample(&mut self, now: Duration) -> Sample {
        let latencies = std::mem::replace(&mut self.latencies, Latencies::new());
        let sample = Sample {
            t_s: now.as_secs_f64(),
            interval_s: now.saturating_sub(self.from).as_secs_f64(),
            ops: std::mem::take(&mut self.ops),
            txn_latency_ns: latencies.percentiles(),
            resources: None,
        };
        self.from = now;
        self.samples += 1;
        let passed = now.as_nanos() / self.interval.as_nanos().max(1);
        self.until = if self.samples < SAMPLES_MAX - 1 {
            self.interval
                .saturating_mul(u32::try_from(passed + 1).unwrap_or(u32::MAX))
        } else {
            Duration::MAX
        };
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_ends_with_the_first_transaction_behind_it() {
        let mut intervals = Intervals::begin(Duration::from_millis(100));
        let began = intervals.began;
        let at = |ms: u64| began + Duration::from_millis(ms);
        let latency = Duration::from_micros(10);
        assert_eq!(intervals.observe(latency, 5, at(99)), None);
        let first = intervals.observe(latency, 5, at(250)).unwrap();
        assert_eq!((first.ops, first.txn_latency_ns.count), (10, 2));
        assert!((first.t_s - 0.25).abs() < 1e-9 && (first.interval_s - 0.25).abs() < 1e-9);
        // The next end is that of the interval that goes on, not a whole one later.
        assert_eq!(intervals.observe(latency, 1, at(299)), None);
        let second = intervals.observe(latency, 1, at(300)).unwrap();
        assert_eq!(second.ops, 2);
        assert!((second.interval_s - 0.05).abs() < 1e-9);
        assert_eq!(intervals.finish(at(310)), None);
        assert_eq!(intervals.observe(latency, 7, at(320)), None);
        let rest = intervals.finish(at(330)).unwrap();
        assert_eq!(rest.ops, 7);
        assert!(rest.txn_latency_ns.max >= 10_000);
    }

    #[test]
    fn an_interval_far_too_short_ends_in_one_that_holds_the_rest() {
        let mut intervals = Intervals::begin(Duration::from_nanos(1));
        let began = intervals.began;
        let samples = (1..=u64::from(SAMPLES_MAX) + 5)
            .filter_map(|ms| {
                intervals.observe(Duration::ZERO, 1, began + Duration::from_millis(ms))
            })
            .count();
        assert_eq!(samples, SAMPLES_MAX as usize - 1);
        let rest = intervals.finish(began + Duration::from_mins(1)).unwrap();
        assert_eq!(rest.ops, 6);
    }
}
