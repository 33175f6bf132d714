//! Tables of made-up comparisons.

use super::*;
use crate::result::testing;

/// Runs of arms at sizes, each arm so many times as slow as the first.
fn runs(arms: &[(&str, f64)], sizes: &[u64], driver: Driver) -> Vec<Run> {
    let mut all = Vec::new();
    for records in sizes {
        for (arm, factor) in arms {
            for number in 1..=15_u32 {
                let jitter = 1.0 + 0.001 * f64::from(number * 7 % 15);
                let wall_s = *records as f64 * 1e-7 * factor * jitter;
                let mut run = testing::run(arm, false, number, wall_s);
                run.point.records = *records;
                run.point.driver = driver;
                all.push(run);
            }
        }
    }
    all
}

fn table(runs: &[Run]) -> Table {
    let arms = crate::comparison::arms(runs);
    let points = crate::comparison::points(runs);
    Table::new(
        arms.into_iter().map(str::to_owned).collect(),
        points.into_iter().cloned().collect(),
        15,
    )
}

fn lines(out: &[u8]) -> usize {
    String::from_utf8_lossy(out).lines().count()
}

fn finished(runs: &[Run]) -> String {
    let mut out = Vec::new();
    table(runs).finish(runs, None, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn two_arms_stand_beside_each_other_within_80_columns() {
    let arms = [("native", 1.0), ("rosetta", 1.6)];
    let text = finished(&runs(&arms, &[1_000, 1_000_000, 20_000_000], Driver::Lua));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert!(lines[0].contains("native") && lines[0].contains("rosetta / native"));
    assert!(lines[1].starts_with("     1k  0.1007 ms +-0.4 %"), "{text}");
    assert!(lines[2].contains("0.1611 s +-0.4 %"), "{text}");
    assert!(lines[2].contains("1.600 [1.5"), "{text}");
    assert!(lines[3].contains("<0.001"), "{text}");
    assert!(lines[4].contains("geometric mean") && lines[4].contains("1.600 [1.5"));
    for line in lines {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn more_arms_stand_below_each_other() {
    let arms = [
        ("native", 1.0),
        ("again", 1.0),
        ("a-name-that-is-far-too-long", 2.0),
    ];
    let text = finished(&runs(&arms, &[1_000_000], Driver::Lua));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert_eq!(lines[1], "     1M  native             0.1007 s +-0.4 %");
    assert!(
        lines[2].contains("again") && lines[2].contains("~     [0.9"),
        "{text}"
    );
    assert!(lines[3].contains("a-name-that-is-..  0.2014 s"), "{text}");
    for line in lines {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_row_appears_when_its_size_is_complete_and_once() {
    let all = runs(&[("a", 1.0), ("b", 2.0)], &[1_000, 2_000], Driver::Lua);
    let mut table = table(&all);
    let mut out = Vec::new();
    let mut rows = Vec::new();
    for known in 0..=all.len() {
        table.grow(&all[..known], None, &mut out).unwrap();
        rows.push(lines(&out));
    }
    assert_eq!((rows[29], rows[30], rows[59]), (0, 2, 2));
    // The last row brings the mean with it.
    assert_eq!(rows[60], 4);
    table.finish(&all, None, &mut out).unwrap();
    assert_eq!(lines(&out), 4);
}

#[test]
fn both_drivers_have_a_part_of_the_table_and_a_common_line() {
    let mut all = runs(&[("a", 1.0), ("b", 1.6)], &[1_000], Driver::Lua);
    all.extend(runs(&[("a", 1.0), ("b", 1.2)], &[1_000], Driver::Rust));
    let text = finished(&all);
    assert!(text.starts_with("Lua-driven\nrecords"), "{text}");
    assert!(
        text.contains("\nengine only, driven from Rust\nrecords"),
        "{text}"
    );
    let mut out = Vec::new();
    drivers(&mut Page::new(&mut out, 80), &all, None).unwrap();
    let text = String::from_utf8(out).unwrap();
    let text = anstream::adapter::strip_str(&text).to_string();
    assert!(text.starts_with("engine only   1.200 ["), "{text}");
    assert!(text.contains("Lua-driven 1.600 ["), "{text}");
}

#[test]
fn figures_are_told_with_what_they_are_worth() {
    let shown = |value, verdict| ratio(value, Some((0.9, 1.1)), verdict);
    assert_eq!(shown(1.0, Verdict::NoDifference), "~     [0.900, 1.100]");
    assert_eq!(shown(1.05, Verdict::Difference), "1.050 [0.900, 1.100]");
    assert_eq!(
        ratio(0.463, Some((0.2, 12.992)), Verdict::NoDifference),
        "~    [0.20, 12.99]"
    );
    assert_eq!(
        (floor(None), floor(Some(0.3)), floor(Some(10.0))),
        ("-".into(), "30 %".into(), ">999%".into())
    );
    assert_eq!(
        ratio(2.0, None, Verdict::TooFewSamples),
        "2.000 (no interval)"
    );
    assert_eq!(
        (p_value(0.0004), p_value(0.04)),
        ("<0.001".into(), "0.040".into())
    );
    assert_eq!(
        (percent(0.005), percent(0.123)),
        ("0.5 %".into(), "12 %".into())
    );
}
