//! How long a measurement will take and how much memory it needs, from two small repetitions that
//! do not count.
//!
//! Times go up in a straight line here, though caches make large sizes a little dearer; the figure
//! is for people who decide whether to wait. Memory is exact but for what grows by doubling: the
//! small sizes are the largest one halved again and again, so that hash tables are as full.
//!
//! Where the time ends a repetition, that time is what it takes beside what one that is over at once
//! takes; what it fills is not known before.

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

/// Time of a small repetition that is over at once.
const PILOT_DURATION_S: f64 = 0.001;

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
/// kind that differ in records, pace, quota, limit and seed alone. When that takes long, the kinds that are left
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
            let limit = |point: &WorkerOptions| point.limit_memory_bytes.unwrap_or(u64::MAX);
            let largest = own.max_by_key(|point| (point.records, point.memory_bytes, limit(point)));
            if let Some(largest) = largest {
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
    other.limit_memory_bytes = one.limit_memory_bytes;
    other.seed = one.seed;
    other.rate_per_s = one.rate_per_s;
    other.warmup_s = one.warmup_s;
    if let (Some(duration_s), Some(_)) = (one.duration_s, other.duration_s) {
        other.duration_s = Some(duration_s);
    }
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
            // The rate is what would take long.
            rate_per_s: None,
            warmup_s: 0.0,
            duration_s: largest.duration_s.map(|_| PILOT_DURATION_S),
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
    if largest.is_by_time() {
        return Ok(Costs::before_time(measure(0)?));
    }
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

    /// What a repetition that is over at once takes.
    fn before_time(sample: Sample) -> Self {
        Self {
            start_s: (sample.process_s - sample.wall_s).max(0.0),
            process_bytes: sample.resident_bytes,
            ..Self::default()
        }
    }

    /// The life of a process at a point.
    fn seconds(&self, options: &WorkerOptions) -> f64 {
        let records = options.records as f64;
        let transactions_s = match (options.duration_s, options.rate_per_s) {
            (Some(duration_s), _) => options.warmup_s + duration_s,
            // No operation begins before it is due.
            (None, Some(rate_per_s)) => (self.record_s * records).max(records / rate_per_s),
            (None, None) => self.record_s * records,
        };
        self.start_s + transactions_s
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
    /// Records of the largest size that is left; 0 where the time ends all.
    pub(crate) records: u64,
    /// Tuples and indexes of that size.
    pub(crate) quota_bytes: u64,
    /// The whole process of that size.
    pub(crate) resident_bytes: u64,
    /// Quota of that size.
    pub(crate) memory_bytes: u64,
    /// The size that exceeds its quota the most: its records, what it needs, and the quota.
    over_quota: Option<(u64, u64, u64)>,
    /// The same of the limit on the whole process.
    over_limit: Option<(u64, u64, u64)>,
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
        .map(|(costs, point)| costs.seconds(point))
        .sum();
    let (largest, options) = of_slots
        .iter()
        .max_by(|(a, at), (b, bt)| a.resident_bytes(at).total_cmp(&b.resident_bytes(bt)))?;
    let over_quota = exceeding(of_slots.iter().map(|(costs, point)| {
        let needed = costs.quota_bytes(point) as u64;
        (point.records, needed, point.memory_bytes)
    }));
    let over_limit = exceeding(of_slots.iter().filter_map(|(costs, point)| {
        let needed = costs.resident_bytes(point) as u64;
        Some((point.records, needed, point.limit_memory_bytes?))
    }));
    Some(Estimate {
        duration: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        is_whole: pilots.iter().all(|pilot| pilot.tried == pilot.kinds),
        records: options.records,
        quota_bytes: largest.quota_bytes(options) as u64,
        resident_bytes: largest.resident_bytes(options) as u64,
        memory_bytes: options.memory_bytes,
        over_quota,
        over_limit,
    })
}

/// The one that exceeds what it may have the most, of records, what they need, and what they may have.
fn exceeding(needs: impl Iterator<Item = (u64, u64, u64)>) -> Option<(u64, u64, u64)> {
    needs
        .filter(|(_, needed, given)| needed > given)
        .max_by_key(|(_, needed, given)| needed - given)
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
    /// Whether all sizes fit their quotas, the limits on their processes and, where it is known, the
    /// largest one the memory that is free.
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
        if let Some((records, needed_bytes, quota_bytes)) = self.over_quota {
            return Err(Unfit::Quota {
                records,
                needed_bytes,
                quota_bytes,
            });
        }
        match self.over_limit {
            Some((records, needed_bytes, limit_bytes)) => Err(Unfit::Limit {
                records,
                needed_bytes,
                limit_bytes,
            }),
            None => Ok(()),
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
mod tests;
