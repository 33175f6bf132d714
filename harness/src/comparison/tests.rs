//! Comparisons of made-up runs with known answers.

use lycosa_lua::worker::Driver;

use super::baseline::{
    Mismatch, against, other_machine, plan_mismatches, worker_mismatches, worst,
};
use super::*;
use crate::environment::{NoiseFloor, Translator};
use crate::result::file::Document;
use crate::result::{ArmRecord, Record, Status, testing};
use crate::statistics::Regression;
use crate::worker::testing::context;

/// Fifteen times within 0.4 % of `centre`, in an order that has no trend.
fn around(centre: f64) -> Vec<f64> {
    (0..15)
        .map(|number| centre * (1.0 + 0.0005 * f64::from(number * 7 % 15 - 7)))
        .collect()
}

fn runs(arm: &str, records: u64, driver: Driver, times: &[f64]) -> Vec<Run> {
    (1..)
        .zip(times)
        .map(|(number, time)| {
            let mut run = testing::run(arm, false, number, *time);
            run.point.records = records;
            run.point.driver = driver;
            run
        })
        .collect()
}

fn cold(arm: &str, process_s: f64, translator: Translator) -> Run {
    Run {
        process_s,
        translator: Some(translator),
        ..testing::run(arm, true, 1, 0.1)
    }
}

/// Native against Rosetta at two sizes, with both drivers.
fn measured() -> Vec<Run> {
    let mut all = vec![
        cold("native", 0.15, Translator::Native),
        cold("rosetta", 0.93, Translator::Rosetta),
    ];
    for (driver, factor) in [(Driver::Lua, 1.6), (Driver::Rust, 1.2)] {
        for (records, time) in [(1_000_000, 0.1), (5_000_000, 0.5)] {
            all.extend(runs("native", records, driver, &around(time)));
            all.extend(runs("rosetta", records, driver, &around(time * factor)));
        }
    }
    all
}

fn floor(relative: f64) -> NoiseFloor {
    NoiseFloor {
        relative,
        date: String::from("2026-11-30T12:00:00+01:00"),
        records: None,
        repetitions: None,
    }
}

fn close(value: f64, expected: f64) -> bool {
    (value / expected - 1.0).abs() < 1e-9
}

#[test]
fn each_point_has_its_ratio_and_each_driver_its_mean() {
    let all = comparisons(&measured(), None);
    assert_eq!(all.len(), 1);
    let comparison = &all[0];
    assert_eq!(
        (comparison.arm.as_str(), comparison.reference.as_str()),
        ("rosetta", "native")
    );
    let ratios: Vec<f64> = comparison.points.iter().map(|pair| pair.ratio).collect();
    assert!(
        ratios
            .iter()
            .zip([1.6, 1.6, 1.2, 1.2])
            .all(|(ratio, expected)| close(*ratio, expected)),
        "{ratios:?}"
    );
    for pair in &comparison.points {
        assert_eq!(pair.verdict, Verdict::Difference);
        assert_eq!((pair.wall_s.n, pair.reference_wall_s.n), (15, 15));
        assert!(pair.p < 0.001 && pair.ci_low < Some(pair.ratio));
        assert!(pair.noise_floor.is_some_and(|floor| floor < 0.01));
    }
    let [lua, rust] = &comparison.geometric_means[..] else {
        panic!("two drivers: {comparison:?}");
    };
    assert_eq!((lua.driver, lua.points), (Driver::Lua, 2));
    assert_eq!((rust.driver, rust.points), (Driver::Rust, 2));
    assert!(close(lua.ratio, 1.6) && close(rust.ratio, 1.2));
    assert_eq!(lua.verdict, Verdict::Difference);
}

#[test]
fn a_difference_below_the_measured_noise_floor_is_none() {
    let mut all = runs("a", 1_000, Driver::Lua, &around(0.1));
    all.extend(runs("b", 1_000, Driver::Lua, &around(0.102)));
    let verdict = |measured: Option<&NoiseFloor>| {
        let comparison = comparisons(&all, measured).remove(0);
        let (pair, mean) = (&comparison.points[0], &comparison.geometric_means[0]);
        assert_eq!(pair.verdict, mean.verdict);
        (pair.verdict, pair.noise_floor)
    };
    assert_eq!(
        verdict(Some(&floor(0.01))),
        (Verdict::Difference, Some(0.01))
    );
    assert_eq!(
        verdict(Some(&floor(0.05))),
        (Verdict::NoDifference, Some(0.05))
    );
}

#[test]
fn equal_arms_show_no_difference() {
    let mut all = runs("a", 1_000, Driver::Lua, &around(0.1));
    all.extend(runs("b", 1_000, Driver::Lua, &around(0.1)));
    let comparison = comparisons(&all, None).remove(0);
    assert_eq!(comparison.points[0].verdict, Verdict::NoDifference);
    assert!(close(comparison.points[0].ratio, 1.0));
}

#[test]
fn few_repetitions_have_a_ratio_and_no_interval() {
    let mut all = runs("a", 1_000, Driver::Lua, &[0.1; 5]);
    all.extend(runs("b", 1_000, Driver::Lua, &[0.2; 15]));
    let pair = comparisons(&all, None).remove(0).points.remove(0);
    assert!(close(pair.ratio, 2.0));
    assert_eq!(pair.ci_low.or(pair.ci_high), None);
    assert_eq!(pair.verdict, Verdict::TooFewSamples);
}

#[test]
fn of_one_arm_and_of_none_there_is_nothing_to_say() {
    assert_eq!(comparisons(&[], None), []);
    assert_eq!(comparisons(&testing::runs(&[0.1; 6]), None), []);
}

#[test]
fn void_and_cold_runs_and_points_of_one_arm_enter_no_ratio() {
    let mut all = measured();
    let mut void = runs("rosetta", 1_000_000, Driver::Lua, &[9.0]).remove(0);
    void.void = Some(String::from("the load rose"));
    all.extend([void.clone(), void]);
    all.extend(runs("native", 20_000_000, Driver::Lua, &around(2.0)));
    assert_eq!(comparisons(&all, None), comparisons(&measured(), None));
    let voids = voids(&all);
    assert_eq!(voids.len(), 1);
    assert_eq!((voids[0].arm.as_str(), voids[0].count), ("rosetta", 2));
    assert_eq!(voids[0].reasons, ["the load rose"]);
}

#[test]
fn three_arms_are_all_compared_with_the_first() {
    let mut all = runs("a", 1_000, Driver::Lua, &around(0.1));
    all.extend(runs("b", 1_000, Driver::Lua, &around(0.2)));
    all.extend(runs("c", 1_000, Driver::Lua, &around(0.05)));
    let ratios: Vec<(String, String, bool)> = comparisons(&all, None)
        .into_iter()
        .map(|one| (one.arm, one.reference, one.points[0].ratio > 1.0))
        .collect();
    assert_eq!(
        ratios,
        [
            (String::from("b"), String::from("a"), true),
            (String::from("c"), String::from("a"), false)
        ]
    );
}

#[test]
fn a_first_launch_that_stands_out_is_translation_under_a_translator_only() {
    let comparison = comparisons(&measured(), None).remove(0);
    let translated = comparison.cold_start.unwrap();
    assert!(
        close(translated.warm_process_s.unwrap(), 0.18),
        "{translated:?}"
    );
    assert!(
        close(translated.translation_s.unwrap(), 0.75),
        "{translated:?}"
    );
    let native = comparison.reference_cold_start.unwrap();
    assert_eq!(native.process_s, [0.15]);
    assert_eq!(native.translation_s, None);
    let mut all = measured();
    all[1].process_s = 0.1801;
    assert_eq!(cold_start(&all, "rosetta").unwrap().translation_s, None);
    assert_eq!(cold_start(&all[2..], "rosetta"), None);
}

#[test]
fn what_a_median_describes_badly_is_noted() {
    let mut times = around(0.1);
    times[3] = 0.2;
    let all = runs("a", 1_000, Driver::Lua, &times);
    let found = notes(&all);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].outliers.len(), 1);
    assert_eq!(found[0].outliers[0].0, 4);
    let rising: Vec<f64> = (0..15)
        .map(|number| 0.1 + 0.001 * f64::from(number))
        .collect();
    let found = notes(&runs("a", 1_000, Driver::Lua, &rising));
    assert!(found[0].drift.is_some() && found[0].groups.is_none());
    let two: Vec<f64> = (0..16)
        .map(|number| 0.1 + 0.02 * f64::from(number % 2) + 0.0001 * f64::from(number))
        .collect();
    let found = notes(&runs("a", 1_000, Driver::Lua, &two));
    assert!(found[0].groups.is_some(), "{found:?}");
    assert_eq!(notes(&runs("a", 1_000, Driver::Lua, &around(0.1))), []);
}

fn mismatch(key: &str, now: &str, then: &str) -> Mismatch {
    Mismatch {
        key: key.to_owned(),
        now: now.to_owned(),
        then: then.to_owned(),
    }
}

#[test]
fn a_baseline_of_something_else_is_refused_with_the_nearest_differences() {
    let baseline = measured();
    let point = &baseline[0].point;
    assert_eq!(
        plan_mismatches(&[("native", point), ("rosetta", point)], &baseline),
        []
    );
    let mut other = point.clone();
    other.records = 2_000_000;
    other
        .settings
        .insert(String::from("payload"), String::from("long"));
    other
        .settings
        .insert(String::from("skew"), String::from("1"));
    assert_eq!(
        plan_mismatches(&[("native", point), ("native", &other)], &baseline),
        [
            mismatch("records", "2,000,000", "1,000,000 and 5,000,000"),
            mismatch("settings.payload", "long", "short"),
            mismatch("settings.skew", "1", "not set"),
        ]
    );
    let mut other = point.clone();
    other.jit_requested = false;
    other.memory_bytes = 1 << 30;
    assert_eq!(
        plan_mismatches(&[("qemu", &other)], &baseline),
        [
            mismatch("arm", "qemu", "native and rosetta"),
            mismatch("jit_requested", "false", "true"),
            mismatch("memory_bytes", "1 GiB", "4 GiB"),
        ]
    );
}

fn record(arm: &str, runs: Vec<Run>) -> Record {
    Record {
        arms: vec![ArmRecord {
            name: arm.to_owned(),
            command: Vec::new(),
            context: Some(context()),
            program: None,
        }],
        runs,
    }
}

#[test]
fn data_that_differs_from_the_baselines_is_refused() {
    let then = record("native", testing::runs(&[0.1; 6]));
    let baseline = Document::new(&context(), &then, Status::Complete).unwrap();
    let mut now = then.clone();
    for run in &mut now.runs {
        run.checksum = String::from("0000000000000001");
    }
    let checksum = &then.runs[0].checksum;
    assert_eq!(
        worker_mismatches(&now, &baseline),
        [mismatch("checksum", "0000000000000001", checksum)]
    );
    for run in &mut now.runs {
        run.checksum = String::new();
    }
    assert_eq!(worker_mismatches(&now, &baseline), []);
}

#[test]
fn workers_of_another_build_are_refused_and_another_machine_is_told() {
    let then = record("native", testing::runs(&[0.1; 6]));
    let baseline = Document::new(&context(), &then, Status::Complete).unwrap();
    assert_eq!(worker_mismatches(&then, &baseline), []);
    let mut now = then.clone();
    let own = now.arms[0].context.as_mut().unwrap();
    own.profile = String::from("other");
    for run in &mut now.runs {
        run.jit = false;
    }
    let profile = context().profile;
    assert_eq!(
        worker_mismatches(&now, &baseline),
        [
            mismatch("profile", "other", &profile),
            mismatch("jit", "off", "on")
        ]
    );
    let mut machine = context();
    machine.cpu = String::from("Apple M2");
    let unknown = context().cpu;
    assert_eq!(
        other_machine(&machine, &context()),
        [mismatch("cpu", "Apple M2", &unknown)]
    );
}

#[test]
fn a_slower_measurement_is_a_regression_and_a_noisy_one_is_inconclusive() {
    let then = measured();
    let judged = |now: &[Run]| -> Vec<Regression> {
        against(now, &then, Some(&floor(0.01)))
            .iter()
            .map(|one| crate::statistics::regression(&one.pair.comparison(), 0.05))
            .collect()
    };
    assert_eq!(judged(&then), [Regression::No; 8]);
    let slower = runs("native", 5_000_000, Driver::Lua, &around(0.6));
    assert_eq!(judged(&slower), [Regression::Yes]);
    let noisy: Vec<f64> = (0..15)
        .map(|number| 0.4 + 0.02 * f64::from(number * 7 % 15))
        .collect();
    assert_eq!(
        judged(&runs("native", 5_000_000, Driver::Lua, &noisy)),
        [Regression::Inconclusive]
    );
}

#[test]
fn one_regression_is_enough_and_nothing_proves_nothing() {
    use Regression::{Inconclusive, No, Yes};
    assert_eq!(worst(&[No, Inconclusive, Yes]), Yes);
    assert_eq!(worst(&[No, Inconclusive]), Inconclusive);
    assert_eq!(worst(&[No, No]), No);
    assert_eq!(worst(&[]), Inconclusive);
}
