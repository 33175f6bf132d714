use std::collections::BTreeMap;

use lycosa_lua::worker::IndexKind;
use proptest::prelude::*;
use serde_json::Value;

use super::testing::{source, two_arms, two_arms_on};
use super::*;
use crate::report::{csv, google_benchmark, html, markdown, page::Page, side_by_side};
use crate::result::plan::PlanRecord;
use crate::result::testing::runs;

fn labels(dataset: &Dataset) -> Vec<&str> {
    dataset
        .subjects
        .iter()
        .map(|subject| subject.label.as_str())
        .collect()
}

fn dataset(sources: Vec<Source>) -> Dataset {
    Dataset::new(sources, Vec::new(), None).unwrap()
}

#[test]
fn a_file_of_two_arms_is_a_section_of_two_series_with_ratios() {
    let dataset = two_arms();
    assert_eq!(labels(&dataset), ["native", "rosetta"]);
    assert_eq!(dataset.sections.len(), 1);
    let section = &dataset.sections[0];
    assert_eq!(section.places().len(), 20);
    let ratio = section.series[1].points[4].ratio.as_ref().unwrap();
    assert!((ratio.pair.ratio - 1.6).abs() < 0.02);
    assert!(ratio.took_turns);
    assert!(section.series[0].points[4].ratio.is_none());
}

#[test]
fn machines_are_named_and_their_ratios_are_unpaired() {
    let dataset = dataset(vec![two_arms_on("m1", 1.0), two_arms_on("m3", 0.7)]);
    assert_eq!(
        labels(&dataset),
        ["native, m1", "rosetta, m1", "native, m3", "rosetta, m3"]
    );
    let ratio = dataset.sections[0].series[2].points[0]
        .ratio
        .as_ref()
        .unwrap();
    assert!((ratio.pair.ratio - 0.7).abs() < 0.02);
    assert!(!ratio.took_turns);
}

#[test]
fn an_arm_of_the_users_own_is_another_one_under_another_command() {
    let under = |command: &str, arm: &str, records| {
        let mut source = two_arms_on("m1", 1.0);
        source.path = format!("{records}.json");
        let runs = &mut source.document.runs;
        runs.retain(|run| run.arm == "native" && run.point.records == records);
        for run in runs {
            arm.clone_into(&mut run.arm);
        }
        let record = &mut source.document.arms[0];
        record.name = arm.to_owned();
        record.command = vec![command.to_owned()];
        source
    };
    let lines = |second: &str, arm| {
        let sources = vec![under("a", arm, 1_000_000), under(second, arm, 2_000_000)];
        dataset(sources).subjects.len()
    };
    assert_eq!(lines("a", "nice"), 1);
    assert_eq!(lines("b", "nice"), 2);
    // Where the binary of an arm lies that Lycosa knows by name says nothing.
    assert_eq!(lines("b", "native"), 1);
}

#[test]
fn long_names_are_cut_and_still_told_apart() {
    let long = "m".repeat(100);
    let dataset = dataset(vec![
        two_arms_on(&format!("{long}1"), 1.0),
        two_arms_on(&format!("{long}2"), 1.0),
    ]);
    let labels = labels(&dataset);
    let cut = format!("native, {}\u{2026}", "m".repeat(71));
    assert_eq!(labels[0], cut);
    assert_eq!(labels[2], format!("{cut} (2)"));
}

#[test]
fn two_files_of_one_arm_are_kept_apart_unless_they_say_the_same() {
    let first = source("a.json", "m1", runs(&[0.1; 6]));
    let mut copy = first.clone();
    copy.path = String::from("copy.json");
    let other = source("b.json", "m1", runs(&[0.2; 6]));
    let dataset = dataset(vec![first, copy, other]);
    assert_eq!(labels(&dataset), ["native, a", "native, b"]);
    assert_eq!(dataset.subjects[0].sources, [0, 1]);
}

#[test]
fn sizes_that_two_files_share_out_are_one_line() {
    let mut larger = runs(&[0.5; 6]);
    for run in &mut larger {
        run.point.records = 5_000_000;
        run.point.memory_bytes *= 4;
    }
    let dataset = dataset(vec![
        source("5M.json", "m1", larger),
        source("1M.json", "m1", runs(&[0.1; 6])),
    ]);
    assert_eq!(labels(&dataset), ["native"]);
    let places = dataset.sections[0].places().concat();
    let texts: Vec<String> = places.into_iter().map(|level| level.text).collect();
    assert_eq!(texts, ["1M", "5M"]);
}

#[test]
fn other_workloads_stand_apart() {
    let mut other = runs(&[0.5; 6]);
    for run in &mut other {
        run.point.fibers = 1;
    }
    let mut all = runs(&[0.1; 6]);
    all.extend(other);
    let dataset = dataset(vec![source("a.json", "m1", all)]);
    assert_eq!(labels(&dataset), ["native"]);
    assert_eq!(dataset.sections.len(), 2);
}

#[test]
fn quotas_are_no_reason_to_average() {
    let mut all = runs(&[0.1; 6]);
    let mut other = runs(&[0.5; 6]);
    for run in &mut other {
        run.point.memory_bytes = 1 << 30;
    }
    all.extend(other);
    let dataset = dataset(vec![source("a.json", "m1", all)]);
    assert_eq!(
        labels(&dataset),
        ["native, quota 4.29 GB", "native, quota 1.07 GB"]
    );
    assert_eq!(dataset.sections.len(), 1);
}

#[test]
fn the_reference_is_a_label_an_arm_or_a_file_and_nothing_else() {
    let sources = || vec![two_arms_on("m1", 1.0), two_arms_on("m3", 0.7)];
    for (name, position) in [("rosetta, m1", 1), ("rosetta", 1), ("m3.json", 2)] {
        let dataset = Dataset::new(sources(), Vec::new(), Some(name)).unwrap();
        assert_eq!(dataset.sections[0].reference, position, "{name}");
    }
    let error = Dataset::new(sources(), Vec::new(), Some("x")).unwrap_err();
    assert!(error.to_string().contains("`x`") && error.to_string().contains("rosetta, m3"));
}

/// Every form of a report, thrown away.
fn write_all(dataset: &Dataset) {
    html::page(dataset).unwrap();
    markdown::write(&mut String::new(), dataset).unwrap();
    csv::write(Vec::new(), dataset).unwrap();
    google_benchmark::document(dataset).unwrap();
    for width in [0, 20, 80, 200] {
        side_by_side::write(&mut Page::new(&mut Vec::new(), width), dataset).unwrap();
    }
}

/// Replaces the scalar number `at` of a document.
fn replace(value: &mut Value, at: &mut usize, by: &Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| replace(value, at, by)),
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, at, by)),
        scalar => {
            if *at == 0 {
                *scalar = by.clone();
            }
            *at = at.wrapping_sub(1);
        }
    }
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        Just(Value::from(0)),
        Just(Value::from(u64::MAX)),
        any::<i64>().prop_map(Value::from),
        Just(Value::from(1e308)),
        Just(Value::from(-1e308)),
        Just(Value::from(5e-324)),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::from("hash")),
        Just(Value::from("rosetta")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_a_file_that_can_be_read_holds_every_form_is_written(
        changes in prop::collection::vec((0_usize..260, scalar()), 1..6)
    ) {
        let source = source("a.json", "m1", runs(&[0.1, 0.2, 0.3, 0.1, 0.2, 0.3]));
        let mut value = serde_json::to_value(&source.document).unwrap();
        for (at, by) in changes {
            replace(&mut value, &mut at.clone(), &by);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("changed.json");
        std::fs::write(&path, value.to_string()).unwrap();
        if let Ok(document) = crate::result::file::read(&path) {
            let changed = Source { path: String::from("changed.json"), document };
            write_all(&dataset(vec![source, changed]));
        }
    }
}

#[test]
fn a_file_without_runs_and_hostile_names_are_written_in_every_form() {
    write_all(&dataset(vec![source("a.json", "m1", Vec::new())]));
    write_all(&testing::named("<b>|`\u{1b}[2J\n"));
    write_all(&testing::named(""));
    let mut none = runs(&[0.1]);
    for run in &mut none {
        run.point.records = 0;
        run.wall_s = 0.0;
    }
    write_all(&dataset(vec![source("a.json", "m1", none)]));
}

/// Two by two points, measured as words and numbers come, along these axes.
fn matrix(axes: Vec<Parameter>) -> Source {
    let mut all = Vec::new();
    for fibers in [10, 1] {
        for index in [IndexKind::Hash, IndexKind::Tree] {
            let mut own = runs(&[0.1; 6]);
            for run in &mut own {
                run.point.fibers = fibers;
                run.point.index = index;
            }
            all.extend(own);
        }
    }
    let mut source = source("m.json", "m1", all);
    source.document.plan = Some(PlanRecord {
        arms: vec![String::from("native")],
        points: Vec::new(),
        cold: 1,
        counted: 6,
        workload_digest: None,
        axes,
        arm_options: BTreeMap::new(),
        report_interval_s: None,
    });
    source
}

#[test]
fn a_file_that_names_its_axes_is_one_section_along_them() {
    let dataset = dataset(vec![matrix(vec![Parameter::Fibers, Parameter::Index])]);
    let [section] = &dataset.sections[..] else {
        panic!("several sections");
    };
    let places = section.places();
    let texts: Vec<String> = places
        .iter()
        .map(|place| format!("{} {}", place[0].text, place[1].text))
        .collect();
    // Numbers rise; words stay in the order in which they were measured.
    assert_eq!(texts, ["1 hash", "1 tree", "10 hash", "10 tree"]);
    let page = html::page(&dataset).unwrap();
    assert_eq!(page.matches("<figure class=\"heat\">").count(), 1);
}

#[test]
fn without_axes_or_with_too_many_points_stand_apart() {
    assert_eq!(dataset(vec![matrix(Vec::new())]).sections.len(), 4);
    let setting = |name: &str| Parameter::Setting(name.to_owned());
    let many = vec![setting("a"), setting("b"), Parameter::Fibers];
    assert_eq!(dataset(vec![matrix(many)]).sections.len(), 4);
}

#[test]
fn axes_from_a_file_are_text() {
    let name = "<script>\u{1b}[2J\u{202e}";
    let axes = vec![Parameter::Fibers, Parameter::Setting(name.to_owned())];
    let dataset = dataset(vec![matrix(axes)]);
    let page = html::page(&dataset).unwrap();
    let mut text = String::new();
    markdown::write(&mut text, &dataset).unwrap();
    let mut terminal = Vec::new();
    side_by_side::write(&mut Page::new(&mut terminal, 80), &dataset).unwrap();
    let terminal = String::from_utf8(terminal).unwrap();
    assert!(!page.contains("<script"));
    for shown in [page, text, terminal] {
        assert!(!shown.contains("\u{1b}[2J") && !shown.contains('\u{202e}'));
    }
}
