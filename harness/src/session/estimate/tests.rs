//! Estimates from made-up repetitions, and what is refused by them.

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
        let mut repetition = repetition(options.duration_s.unwrap_or(1e-9));
        repetition.process_s = costs_of_linear().seconds(options);
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

fn sized(records: u64) -> WorkerOptions {
    WorkerOptions {
        records,
        ..options()
    }
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
    let limited = |limit_bytes| {
        let mut plan = plan_of(&[20_000_000, 1_000]);
        plan.points[0].limit_memory_bytes = limit_bytes;
        let estimate = estimate(&plan, &Record::default(), &[linear(&plan)]);
        estimate.unwrap().check(None)
    };
    assert_eq!(limited(None), Ok(()));
    assert_eq!(limited(Some(1 << 30)), Ok(()));
    assert_eq!(
        limited(Some(512 << 20)).unwrap_err().to_string(),
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
    assert!(
        (costs.seconds(&sized(100)) - 0.1).abs() < 1e-12,
        "{costs:?}"
    );
    assert!(
        (costs.seconds(&sized(1_000_100)) - 500.1).abs() < 1e-6,
        "{costs:?}"
    );
}

#[test]
fn a_time_and_a_rate_are_what_repetitions_take() {
    let mut plan = plan_of(&[0, 0]);
    for (point, duration_s) in plan.points.iter_mut().zip([10.0, 20.0]) {
        point.duration_s = Some(duration_s);
        point.warmup_s = 5.0;
    }
    let mut executor = Linear::default();
    let pilots = [pilot(&plan, 0, &mut executor, &mut Nobody).unwrap()];
    // One of no records tells what both take beside their time.
    assert_eq!(executor.asked, [0]);
    let found = estimate(&plan, &Record::default(), &pilots).unwrap();
    let seconds = 16.0 * 15.02 + 15.0 * 25.02;
    assert!((found.duration.as_secs_f64() - seconds).abs() < 1e-6);
    assert_eq!((found.records, found.check(None)), (0, Ok(())));

    let mut plan = plan_of(&[1_000_000, 1_000_000]);
    plan.points[0].rate_per_s = Some(1e5);
    plan.points[1].rate_per_s = Some(1e9);
    let found = estimate(&plan, &Record::default(), &[linear(&plan)]).unwrap();
    let seconds = 16.0 * 10.02 + 15.0 * 0.22;
    assert!((found.duration.as_secs_f64() - seconds).abs() < 1e-6);
}
