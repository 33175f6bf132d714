//! How long a measurement will take and how much memory it needs, from two small repetitions that
//! do not count.
//!
//! Times go up in a straight line here, though caches make large sizes a little dearer; the figure
//! is for people who decide whether to wait. Memory is exact but for what grows by doubling: the
//! small sizes are the largest one halved again and again, so that hash tables are as full.

use std::fmt;
use std::time::{Duration, Instant};

use lycosa_lua::worker::{IndexKind, WorkerError, WorkerOptions};

use crate::quantity::{Size, decimal_bytes, grouped};
use crate::report::failure::quota_for;
use crate::result::Record;
use crate::schedule::{Executor, Observer, Plan, Repetition, RepetitionError};

/// Most records of a small repetition: its memory lies far above what a process has anyway.
const PILOT_RECORDS_MAX: u64 = 100_000;

/// The smaller of the two takes this part of the larger one's records.
const PILOT_FRACTION: u64 = 16;

/// A larger small repetition that would take longer is left out.
const PILOT_S_MAX: f64 = 10.0;

/// After this long no further kind of points is tried.
const PILOTS_TIME_MAX: Duration = Duration::from_secs(10);

/// Resident memory over that of tuples and indexes: pages that are not full.
const RESIDENT_FACTOR: f64 = 1.1;

/// What Lua has not collected yet.
const LUA_BYTES: f64 = 10e6;

/// A hash table that grows holds its old half beside it until all is moved; a third of the
/// memory of short tuples in such a table.
const HASH_GROWTH_FACTOR: f64 = 4.0 / 3.0;

/// What a repetition of one arm costs, by its records.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Costs {
    start_s: f64,
    record_s: f64,
    start_bytes: f64,
    record_bytes: f64,
    /// Resident memory of the process beside tuples and indexes.
    process_bytes: f64,
}

/// One small repetition.
#[derive(Debug, Clone, Copy, Default)]
struct Sample {
    records: f64,
    wall_s: f64,
    process_s: f64,
    bytes: f64,
    resident_bytes: f64,
}

impl Sample {
    fn of(records: u64, repetition: &Repetition) -> Self {
        let measurement = &repetition.measurement;
        Self {
            records: records as f64,
            wall_s: measurement.wall_s,
            process_s: repetition.process_s,
            bytes: measurement.bytes_per_record * records as f64,
            resident_bytes: measurement.peak_rss_bytes as f64,
        }
    }
}

/// What the points of a plan cost one arm.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Pilot {
    /// One for each point.
    costs: Vec<Costs>,
    /// Kinds of points that were tried.
    tried: usize,
    /// Kinds of points that there are.
    kinds: usize,
}

/// Measures what an arm costs at the largest of each kind of the plan's points. Points are of one
/// kind that differ in records, quota and seed alone. When that takes long, the kinds that are left
/// are taken to cost what the last one did.
pub(crate) fn pilot(
    plan: &Plan,
    arm: usize,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Pilot, RepetitionError> {
    let points: Vec<WorkerOptions> = plan
        .points
        .iter()
        .map(|point| plan.arms[arm].at(point))
        .collect();
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    for (position, point) in points.iter().enumerate() {
        let is_of = |kind: &&mut Vec<usize>| is_of_one_kind(&points[kind[0]], point);
        match kinds.iter_mut().find(is_of) {
            Some(kind) => kind.push(position),
            None => kinds.push(vec![position]),
        }
    }
    let started = Instant::now();
    let mut pilot = Pilot {
        costs: vec![Costs::default(); points.len()],
        tried: 0,
        kinds: kinds.len(),
    };
    let mut last = Costs::default();
    for kind in &kinds {
        if pilot.tried == 0 || started.elapsed() < PILOTS_TIME_MAX {
            let own = kind.iter().map(|position| &points[*position]);
            let largest = own.max_by_key(|point| (point.records, point.memory_bytes));
            if let Some(largest) = largest.filter(|largest| !largest.is_by_time()) {
                last = costs(largest, arm, executor, observer)?;
                pilot.tried += 1;
            }
        }
        for position in kind {
            pilot.costs[*position] = last;
        }
    }
    Ok(pilot)
}

/// Whether what is measured at one tells what the other costs.
fn is_of_one_kind(one: &WorkerOptions, other: &WorkerOptions) -> bool {
    let mut other = other.clone();
    other.records = one.records;
    other.memory_bytes = one.memory_bytes;
    other.seed = one.seed;
    *one == other
}

/// Costs by two small repetitions. A quota that is too small even for those is told as one that is
/// too small for the point itself.
fn costs(
    largest: &WorkerOptions,
    arm: usize,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Costs, RepetitionError> {
    let mut measure = |records: u64| {
        let options = WorkerOptions {
            records,
            report_interval_s: None,
            ..largest.clone()
        };
        match executor.repetition(arm, &options, observer) {
            Ok(repetition) => Ok(Sample::of(records, &repetition)),
            Err(RepetitionError::Worker(WorkerError::Memory {
                quota_bytes,
                records_done,
                ..
            })) => Err(RepetitionError::Worker(WorkerError::Memory {
                quota_bytes,
                records_done,
                records: largest.records,
            })),
            Err(RepetitionError::Worker(WorkerError::Stopped { .. })) => {
                Err(RepetitionError::Interrupted)
            }
            Err(error) => Err(error),
        }
    };
    let large = pilot_records(largest.records);
    let small = measure((large / PILOT_FRACTION).max(1))?;
    if large < PILOT_FRACTION || small.process_s * PILOT_FRACTION as f64 > PILOT_S_MAX {
        return Ok(Costs::between(Sample::default(), small));
    }
    Ok(Costs::between(small, measure(large)?))
}

/// The largest size halved until it is small.
fn pilot_records(mut records: u64) -> u64 {
    while records > PILOT_RECORDS_MAX {
        records /= 2;
    }
    records
}

impl Costs {
    /// The line through two samples. A difference below zero is noise.
    fn between(small: Sample, large: Sample) -> Self {
        let more = (large.records - small.records).max(1.0);
        // The lives of two short processes are noisy; the transactions are a part of each.
        let each_s =
            ((large.process_s - small.process_s) / more).max(large.wall_s / large.records.max(1.0));
        let each_bytes = ((large.bytes - small.bytes) / more).max(0.0);
        Self {
            start_s: (large.process_s - each_s * large.records).max(0.0),
            record_s: each_s,
            start_bytes: (large.bytes - each_bytes * large.records).max(0.0),
            record_bytes: each_bytes,
            process_bytes: (large.resident_bytes - large.bytes).max(0.0),
        }
    }

    fn seconds(&self, records: u64) -> f64 {
        self.start_s + self.record_s * records as f64
    }

    /// Tuples and indexes at their largest.
    fn quota_bytes(&self, options: &WorkerOptions) -> f64 {
        let growth = match options.index {
            IndexKind::Tree => 1.0,
            IndexKind::Hash => HASH_GROWTH_FACTOR,
        };
        (self.start_bytes + self.record_bytes * options.records as f64) * growth
    }

    /// The whole process at its largest.
    fn resident_bytes(&self, options: &WorkerOptions) -> f64 {
        let latencies = options
            .records
            .div_ceil(u64::from(options.ops_per_txn.max(1)))
            * 8;
        self.process_bytes
            + LUA_BYTES
            + latencies as f64
            + self.quota_bytes(options) * RESIDENT_FACTOR
    }
}

/// What a measurement will take.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    /// Time for all that is left.
    pub(crate) duration: Duration,
    /// Whether all kinds of points were tried; else the time of some is a guess.
    pub(crate) is_whole: bool,
    /// Records of the largest size that is left.
    pub(crate) records: u64,
    /// Tuples and indexes of that size.
    pub(crate) quota_bytes: u64,
    /// The whole process of that size.
    pub(crate) resident_bytes: u64,
    /// Quota of that size.
    pub(crate) memory_bytes: u64,
    /// The size that exceeds its quota the most: its records, what it needs, and the quota.
    over_quota: Option<(u64, u64, u64)>,
}

/// What is left of a plan will take; `None` if nothing is left. `pilots` are those of the plan's
/// arms, in order.
pub(crate) fn estimate(plan: &Plan, record: &Record, pilots: &[Pilot]) -> Option<Estimate> {
    let missing = plan.missing(record);
    let of_slots: Vec<(Costs, WorkerOptions)> = missing
        .iter()
        .filter_map(|slot| {
            let costs = pilots.get(slot.arm)?.costs.get(slot.point)?;
            Some((*costs, plan.arms[slot.arm].at(&plan.points[slot.point])))
        })
        .collect();
    let seconds: f64 = of_slots
        .iter()
        .map(|(costs, point)| costs.seconds(point.records))
        .sum();
    let (largest, options) = of_slots
        .iter()
        .max_by(|(a, at), (b, bt)| a.resident_bytes(at).total_cmp(&b.resident_bytes(bt)))?;
    let over_quota = of_slots
        .iter()
        .map(|(costs, point)| {
            let needed = costs.quota_bytes(point) as u64;
            (point.records, needed, point.memory_bytes)
        })
        .filter(|(_, needed, quota)| needed > quota)
        .max_by_key(|(_, needed, quota)| needed - quota);
    Some(Estimate {
        duration: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        is_whole: pilots.iter().all(|pilot| pilot.tried == pilot.kinds),
        records: options.records,
        quota_bytes: largest.quota_bytes(options) as u64,
        resident_bytes: largest.resident_bytes(options) as u64,
        memory_bytes: options.memory_bytes,
        over_quota,
    })
}

/// A size that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// Into the quota.
    Quota {
        records: u64,
        needed_bytes: u64,
        quota_bytes: u64,
    },
    /// Into the machine.
    Machine {
        records: u64,
        needed_bytes: u64,
        available_bytes: u64,
    },
    /// Into what `--limit-memory` allows.
    Limit {
        records: u64,
        needed_bytes: u64,
        limit_bytes: u64,
    },
}

impl Estimate {
    /// Whether all sizes fit their quotas and, where it is known, the largest one the memory that is
    /// free.
    pub(crate) fn check(&self, available_bytes: Option<u64>) -> Result<(), Unfit> {
        if let Some(available_bytes) =
            available_bytes.filter(|available| self.resident_bytes > *available)
        {
            return Err(Unfit::Machine {
                records: self.records,
                needed_bytes: self.resident_bytes,
                available_bytes,
            });
        }
        match self.over_quota {
            Some((records, needed_bytes, quota_bytes)) => Err(Unfit::Quota {
                records,
                needed_bytes,
                quota_bytes,
            }),
            None => Ok(()),
        }
    }

    /// Whether the largest size fits the limit on its process, if there is one.
    pub(crate) fn check_limit(&self, limit_bytes: Option<u64>) -> Result<(), Unfit> {
        match limit_bytes.filter(|limit| self.resident_bytes > *limit) {
            None => Ok(()),
            Some(limit_bytes) => Err(Unfit::Limit {
                records: self.records,
                needed_bytes: self.resident_bytes,
                limit_bytes,
            }),
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quota {
                records,
                needed_bytes,
                quota_bytes,
            } => write!(
                formatter,
                "{} records need about {} of tuples and indexes, and the quota is {}; raise it with --memory {}",
                grouped(*records),
                decimal_bytes(*needed_bytes),
                Size(*quota_bytes),
                quota_for(u128::from(*needed_bytes) * 21 / 20).as_option()
            ),
            Self::Machine {
                records,
                needed_bytes,
                available_bytes,
            } => write!(
                formatter,
                "{} records need about {} of memory, and this machine has {} to give; name smaller sizes with --records",
                grouped(*records),
                decimal_bytes(*needed_bytes),
                decimal_bytes(*available_bytes)
            ),
            Self::Limit {
                records,
                needed_bytes,
                limit_bytes,
            } => write!(
                formatter,
                "{} records need about {} of memory, and --limit-memory gives {}; raise it, or name smaller sizes with --records",
                grouped(*records),
                decimal_bytes(*needed_bytes),
                Size(*limit_bytes)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::testing::options;
    use crate::schedule::testing::{Nobody, Script, plan, repetition};

    /// An arm that takes 20 ms and 200 ns a record, 41 bytes each and 14 MB beside.
    fn costs_of_linear() -> Costs {
        Costs {
            start_s: 0.02,
            record_s: 200e-9,
            start_bytes: 0.0,
            record_bytes: 41.0,
            process_bytes: 14e6,
        }
    }

    /// Answers with the costs above, exactly.
    #[derive(Default)]
    struct Linear {
        asked: Vec<u64>,
    }

    impl Executor for Linear {
        fn repetition(
            &mut self,
            _: usize,
            options: &WorkerOptions,
            _: &mut dyn Observer,
        ) -> Result<Repetition, RepetitionError> {
            self.asked.push(options.records);
            let mut repetition = repetition(1e-9);
            repetition.process_s = costs_of_linear().seconds(options.records);
            repetition.measurement.bytes_per_record = 41.0;
            repetition.measurement.peak_rss_bytes = 14_000_000 + 41 * options.records;
            Ok(repetition)
        }

        fn conditions(&mut self) -> crate::environment::Conditions {
            crate::environment::Conditions::default()
        }
    }

    fn plan_of(sizes: &[u64]) -> Plan {
        let mut plan = plan(&["native"], 0, 1, 15);
        let point = |records: &u64| WorkerOptions {
            records: *records,
            ..options()
        };
        plan.points = sizes.iter().map(point).collect();
        plan
    }

    fn linear(plan: &Plan) -> Pilot {
        Pilot {
            costs: vec![costs_of_linear(); plan.points.len()],
            tried: 1,
            kinds: 1,
        }
    }

    #[test]
    fn each_kind_of_points_is_tried_once_whatever_its_quota() {
        let mut plan = plan_of(&[1_000, 2_000, 1_000]);
        plan.points[2].fibers = 7;
        plan.points[1].memory_bytes = 1 << 20;
        let mut executor = Linear::default();
        let pilot = pilot(&plan, 0, &mut executor, &mut Nobody).unwrap();
        assert_eq!((pilot.tried, pilot.kinds), (2, 2));
        assert_eq!(executor.asked, [125, 2_000, 62, 1_000]);
    }

    #[test]
    fn two_small_repetitions_tell_what_a_large_one_costs() {
        let plan = plan_of(&[1_000_000, 20_000_000]);
        let found = pilot(&plan, 0, &mut Linear::default(), &mut Nobody)
            .unwrap()
            .costs[0];
        let expected = costs_of_linear();
        let close = |a: f64, b: f64| (a - b).abs() <= b.abs() * 1e-6 + 1e-12;
        assert!(close(found.start_s, expected.start_s), "{found:?}");
        assert!(close(found.record_s, expected.record_s), "{found:?}");
        assert!(
            close(found.record_bytes, expected.record_bytes),
            "{found:?}"
        );
        assert!(
            close(found.process_bytes, expected.process_bytes),
            "{found:?}"
        );
    }

    #[test]
    fn the_small_sizes_are_the_largest_one_halved() {
        assert_eq!(pilot_records(20_000_000), 78_125);
        assert_eq!(pilot_records(100_000), 100_000);
        let mut executor = Linear::default();
        pilot(&plan_of(&[10, 20_000_000]), 0, &mut executor, &mut Nobody).unwrap();
        assert_eq!(executor.asked, [4_882, 78_125]);
        let mut executor = Linear::default();
        pilot(&plan_of(&[5]), 0, &mut executor, &mut Nobody).unwrap();
        assert_eq!(executor.asked, [1]);
    }

    #[test]
    fn a_slow_workload_is_not_tried_at_the_larger_size() {
        let mut executor = Script::answering(|_| Ok(repetition(1.0)));
        let costs = pilot(&plan_of(&[1_000_000]), 0, &mut executor, &mut Nobody).unwrap();
        assert_eq!(executor.repetitions, 1);
        assert!(costs.costs[0].record_s > 1e-4);
    }

    #[test]
    fn a_quota_that_is_too_small_for_the_small_sizes_is_told_for_the_largest() {
        let mut executor = Script::answering(|_| {
            Err(RepetitionError::Worker(WorkerError::Memory {
                quota_bytes: 1 << 20,
                records_done: 8_000,
                records: 78_125,
            }))
        });
        let error = pilot(&plan_of(&[20_000_000]), 0, &mut executor, &mut Nobody).unwrap_err();
        assert_eq!(
            crate::report::failure::repetition(&error),
            "memory quota of 1 MiB reached after 8,000 of 20,000,000 records; raise it with --memory 3GiB"
        );
    }

    #[test]
    fn the_estimate_covers_what_is_left_and_its_largest_size() {
        let plan = plan_of(&[1_000_000, 20_000_000]);
        let all = estimate(&plan, &Record::default(), &[linear(&plan)]).unwrap();
        let seconds = 16.0 * 0.22 + 15.0 * 4.02;
        assert!((all.duration.as_secs_f64() - seconds).abs() < 1e-6);
        assert_eq!((all.records, all.quota_bytes), (20_000_000, 820_000_000));
        assert!((850_000_000..1_000_000_000).contains(&all.resident_bytes));
        let mut executor = Script::answering(|_| Ok(repetition(1.0)));
        let whole = crate::schedule::run(
            &plan,
            Record::default(),
            &mut executor,
            &crate::interrupt::Interrupt::default(),
            &mut Nobody,
        );
        assert_eq!(estimate(&plan, &whole.record, &[linear(&plan)]), None);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        let estimated = |quota| {
            let mut plan = plan_of(&[20_000_000]);
            plan.points[0].memory_bytes = quota;
            estimate(&plan, &Record::default(), &[linear(&plan)]).unwrap()
        };
        assert_eq!(estimated(4 << 30).check(Some(1 << 40)), Ok(()));
        assert_eq!(estimated(4 << 30).check(None), Ok(()));
        let message = |quota, available| {
            let unfit = estimated(quota).check(available).unwrap_err();
            unfit.to_string()
        };
        assert_eq!(
            message(512 << 20, None),
            "20,000,000 records need about 820 MB of tuples and indexes, and the quota is 512 MiB; raise it with --memory 1GiB"
        );
        assert_eq!(
            message(4 << 30, Some(500_000_000)),
            "20,000,000 records need about 928 MB of memory, and this machine has 500 MB to give; name smaller sizes with --records"
        );
        let estimate = estimated(4 << 30);
        assert_eq!(estimate.check_limit(None), Ok(()));
        assert_eq!(estimate.check_limit(Some(1 << 30)), Ok(()));
        assert_eq!(
            estimate
                .check_limit(Some(512 << 20))
                .unwrap_err()
                .to_string(),
            "20,000,000 records need about 928 MB of memory, and --limit-memory gives 512 MiB; raise it, or name smaller sizes with --records"
        );
    }

    #[test]
    fn samples_that_noise_has_turned_around_break_nothing() {
        let sample = |records, process_s| Sample {
            records,
            wall_s: process_s / 2.0,
            process_s,
            ..Sample::default()
        };
        let costs = Costs::between(sample(10.0, 0.5), sample(100.0, 0.1));
        assert!((costs.seconds(100) - 0.1).abs() < 1e-12, "{costs:?}");
        assert!((costs.seconds(1_000_100) - 500.1).abs() < 1e-6, "{costs:?}");
    }
}
