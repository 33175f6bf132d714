//! Files that are gone on with, and what is said to those that are not.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::interrupt::Interrupt;
use crate::schedule;
use crate::schedule::testing::{Nobody, Script, plan, repetition};
use crate::worker::testing::context;

/// A file of three of the seven repetitions of `whole()`, changed by `change`; what is said
/// to it by one who wants `whole()` here.
fn said(change: impl FnOnce(&mut Document)) -> Option<String> {
    let whole = whole();
    let mut executor = Script::answering(|number| Ok(repetition(f64::from(number))));
    let interrupt = Interrupt::default();
    let mut record = schedule::run(
        &whole,
        Record::default(),
        &mut executor,
        &interrupt,
        &mut Nobody,
    )
    .record;
    record.runs.truncate(3);
    let mut document = Document::running(&context(), &PlanRecord::of(&whole), &record);
    change(&mut document);
    check("f.json", &document, &whole, &context())
        .err()
        .map(|error| error.to_string())
}

fn whole() -> Plan {
    plan(&["native"], 2, 1, 3)
}

#[test]
fn a_file_of_the_same_plan_machine_and_build_is_gone_on_with() {
    assert_eq!(said(|_| {}), None);
    // The system may have been updated, the load is another, time has passed.
    assert_eq!(
        said(|document| {
            document.context.os = String::from("another");
            document.context.date = String::from("long ago");
            document.context.load_average = vec![9.0];
        }),
        None
    );
}

#[test]
fn every_key_that_differs_is_named_with_both_values() {
    let message = said(|document| {
        let plan = document.plan.as_mut().unwrap();
        plan.counted = 15;
        plan.points.pop();
        for point in &mut plan.points {
            point.fibers = 7;
            point.memory_bytes = 1 << 30;
            point.jit_requested = false;
            point.settings.clear();
        }
    })
    .unwrap();
    assert_eq!(
        message,
        "`f.json` was asked for something else; repeat its options, or name another file
       --records: 1k in the file, 1k, 2k here
       --repeat: 15 in the file, 3 here
       --fibers: 7 in the file, 50 here
       --jit: off in the file, on here
       --memory: 1GiB in the file, 4GiB here
       --set: nothing in the file, payload=short here"
    );
}

#[test]
fn an_option_that_only_one_side_has_is_told_from_its_neighbours() {
    let message = said(|document| {
        let plan = document.plan.as_mut().unwrap();
        plan.report_interval_s = Some(1.0);
        for point in &mut plan.points {
            point.limit_memory_bytes = Some(1 << 30);
        }
    })
    .unwrap();
    assert_eq!(
        message,
        "`f.json` was asked for something else; repeat its options, or name another file
       --report-interval: 1s in the file, none here
       --limit-memory: 1GiB in the file, none here"
    );
    let differences = differing(&vec![], &vec![(String::from("--unit"), String::from("x"))]);
    assert_eq!(
        differences[0].to_string(),
        "--unit: none in the file, x here"
    );
}

#[test]
fn another_machine_or_build_is_refused() {
    let message = said(|document| document.context.host_name = String::from("apollo")).unwrap();
    assert_eq!(
        message,
        "`f.json` was measured on another machine; go on there, or name another file
       host: apollo in the file, unknown here"
    );
    let message = said(|document| {
        document.context.translator = Translator::Rosetta;
        document.context.git_revision = String::from("0123456789ab");
    })
    .unwrap();
    assert!(message.contains("by another build; go on with that one"));
    assert!(message.contains("\n       translator: Rosetta in the file, native here"));
    assert!(message.contains("\n       revision: 0123456789ab in the file, "));
}

#[test]
fn a_file_that_is_not_whole_in_itself_is_refused() {
    for (change, part) in [
        (
            (|document| document.runs.push(document.runs[1].clone())) as fn(&mut Document),
            "repetition 1 of 1k records (arm `native`) is there twice",
        ),
        (
            |document| document.runs[1].repetition = 4,
            "repetition 4 of 1k records (arm `native`) is not part of its plan",
        ),
        (
            |document| document.runs[2].point.records = 5,
            "repetition 2 of 5 records (arm `native`) is not part",
        ),
        (
            |document| document.runs[2].arm = String::from("qemu"),
            "(arm `qemu`) is not part",
        ),
        (
            |document| document.runs[0].point.records = 2_000,
            "repetition 1 of 2k records (arm `native`) is not part",
        ),
        (
            |document| document.runs[2].checksum = String::from("x"),
            "left other data",
        ),
        (
            |document| document.runs[2].binary_arch = String::from("riscv64"),
            "(arm `native`) ran as something else",
        ),
    ] {
        let message = said(change).unwrap();
        assert!(message.starts_with("`f.json` is damaged: "), "{message}");
        assert!(message.contains(part), "{message}");
    }
    assert!(
        said(|document| document.plan = None)
            .unwrap()
            .contains("does not say")
    );
}

#[test]
fn runs_without_a_checksum_are_gone_on_with() {
    assert_eq!(said(|document| document.runs[1].checksum.clear()), None);
}

#[test]
fn another_binary_at_the_same_place_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (program, path) = (folder.path().join("p"), folder.path().join("f.json"));
    let write = |text: &str| {
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("one");
    let command = vec![program.display().to_string()];
    let plan = whole();
    let record = Record {
        arms: vec![ArmRecord {
            name: String::from("native"),
            binary_digest: binary::digest(&command),
            command: command.clone(),
            context: None,
            program: None,
        }],
        runs: Vec::new(),
    };
    let document = Document::running(&context(), &PlanRecord::of(&plan), &record);
    fs::write(&path, serde_json::to_string(&document).unwrap()).unwrap();
    let load = || load(&path, &plan, &context(), std::slice::from_ref(&command));
    assert!(load().unwrap().is_some());
    write("two");
    let message = load().unwrap_err().to_string();
    assert!(
        message.contains("was measured by other programs"),
        "{message}"
    );
    assert!(
        message.contains("\n       program of arm `native` (xxHash): "),
        "{message}"
    );
}

#[test]
fn a_void_repetition_may_stand_beside_its_rerun() {
    assert_eq!(
        said(|document| {
            let mut void = document.runs[1].clone();
            void.void = Some(String::from("the load rose"));
            document.runs.insert(1, void.clone());
            document.runs.insert(1, void);
        }),
        None
    );
}

#[test]
fn long_lists_of_sizes_are_named_by_their_ends() {
    let points = |step| {
        let mut points = PlanRecord::of(&plan(&["native"], 20, 1, 3)).points;
        points[3].records += step;
        points
    };
    assert_eq!(sizes(&points(0)), "20 sizes from 1k to 20k, 210k in all");
    assert_ne!(sizes(&points(1)), sizes(&points(0)));
}

#[test]
fn without_a_file_there_is_nothing_and_a_broken_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.json");
    assert!(load(&path, &whole(), &context(), &[]).unwrap().is_none());
    for text in ["", "{\"format\": 1, \"runs\": [", "null"] {
        std::fs::write(&path, text).unwrap();
        let message = load(&path, &whole(), &context(), &[])
            .unwrap_err()
            .to_string();
        assert!(message.contains("is no result of lycosa"), "{message}");
    }
}
