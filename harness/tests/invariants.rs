//! The invariants of every bundled workload hold however its run ends: after a time, and when Ctrl-C
//! stops it, by time, over records, or at a rate.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use started::Started;

#[path = "support/started.rs"]
mod started;

/// A workload, options that keep it small, and records that take it longer than a moment.
const WORKLOADS: [[&str; 3]; 7] = [
    ["insert", "", "100M"],
    ["tpcb", "", "20M"],
    ["ycsb", "--set recordcount=1000", "20M"],
    ["mixed", "--set keys=1000", "100M"],
    ["kv", "", "1M"],
    ["tpcc", "--set items=200 --set customers=20", "5M"],
    ["queue", "", "20M"],
];

/// The same with what makes them do other things.
const VARIANTS: [[&str; 2]; 8] = [
    ["tpcb", "--set mode=simple-update --ops-per-txn 7"],
    ["ycsb", "--set workload=d"],
    ["ycsb", "--set workload=e"],
    ["ycsb", "--set workload=f --set distribution=uniform"],
    ["mixed", "--set delete=50 --set select=0 --index hash"],
    ["kv", "--set operation=update --set key=str_num"],
    ["tpcc", "--set warehouses=2 --ops-per-txn 3"],
    ["queue", "--set consumers=1 --fibers 3 --ops-per-txn 4"],
];

fn words<'a>(options: &'a str, others: &[&'a str]) -> Vec<&'a str> {
    let words = options.split_whitespace();
    words.chain(others.iter().copied()).collect()
}

fn small(workload: &str) -> &'static str {
    let found = WORKLOADS.iter().find(|[name, ..]| *name == workload);
    found.map_or("", |[_, options, _]| options)
}

/// Stops a run as soon as its first interval shows that transactions run.
fn interrupted(arguments: &[&str]) -> String {
    let run = Started::run(&[arguments, &["--report-interval", "10ms"]].concat());
    run.wait_for("   p50 ");
    run.ctrl_c();
    let (code, shown, errors) = run.end();
    assert_eq!(code, Some(130), "{arguments:?}: {shown}{errors}");
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn after_a_run_by_time_the_invariants_of_every_workload_hold() {
    let all = WORKLOADS.iter().map(|[name, ..]| [*name, ""]);
    for [workload, options] in all.chain(VARIANTS) {
        let options = format!("{} {options}", small(workload));
        let time = ["--duration", "200ms", "--warmup", "50ms", "--cold", "0"];
        let mut arguments = vec!["run", "--workload", workload, "--repeat", "1"];
        arguments.extend(words(&options, &time));
        let output = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
            .args(&arguments)
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
        assert!(
            shown.contains("\nverified      after every repetition"),
            "{arguments:?}: {shown}"
        );
    }
}

#[test]
fn after_ctrl_c_the_invariants_of_every_workload_hold() {
    for [workload, options, records] in WORKLOADS {
        for length in [
            &["--duration", "60s"][..],
            &["--records", records],
            &["--records", records, "--rate", "20k/s"],
        ] {
            let arguments = words(options, &[&["--workload", workload], length].concat());
            let shown = interrupted(&arguments);
            assert!(
                shown.contains("its invariants held after "),
                "{arguments:?}: {shown}"
            );
        }
    }
    for [workload, options] in VARIANTS {
        let options = format!("{} {options}", small(workload));
        let arguments = words(&options, &["--workload", workload, "--duration", "60s"]);
        let shown = interrupted(&arguments);
        assert!(
            shown.contains("its invariants held after "),
            "{arguments:?}: {shown}"
        );
    }
}

/// Tarantool, driven by this program's own `run.lua`; `None` where it is not installed.
fn tarantool() -> Option<[&'static str; 5]> {
    let is_there = Command::new("tarantool").arg("--version").output().is_ok();
    if !is_there {
        eprintln!("tarantool is not installed, so that nothing is tested there");
    }
    is_there.then_some(["compare", "--arm", "tarantool", "--arm", "native"])
}

/// Starts a comparison whose first repetition runs under Tarantool.
fn under_tarantool(arm: [&str; 5], options: &[&str], folder: &Path) -> Started {
    let file = folder.join("c.json");
    let own = ["--cold", "0", "--json", file.to_str().unwrap()];
    Started::lycosa(&[&arm[..], &own, options].concat())
}

#[test]
fn a_repetition_under_tarantool_that_ctrl_c_stops_is_verified() {
    let Some(arm) = tarantool() else { return };
    let folder = tempfile::tempdir().unwrap();
    for options in [
        "--workload insert --duration 60s --report-interval 20ms",
        "--workload tpcb --records 20M --report-interval 20ms",
        "--workload queue --duration 60s --rate 1k/s --report-interval 20ms",
    ] {
        let run = under_tarantool(arm, &words(options, &[]), folder.path());
        run.wait_for("   p50 ");
        run.ctrl_c();
        let (code, shown, errors) = run.end();
        assert_eq!(code, Some(130), "{options}: {shown}{errors}");
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            shown.contains("its invariants held after "),
            "{options}: {shown}"
        );
    }
}

#[test]
fn under_tarantool_too_what_does_not_hold_is_an_error_and_what_does_not_stop_is_ended() {
    let Some(arm) = tarantool() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.lua");
    let begun = "if first == 1 then io.stdout:write('begun\\n') io.stdout:flush() end";
    for (prepare, transaction, code, expected) in [
        ("", begun.to_owned(), 1, "is odd"),
        ("", format!("{begun} while true do end"), 130, "interrupted"),
        (
            "",
            format!("{begun} while true do fiber.sleep(0.01) end"),
            130,
            "interrupted",
        ),
        (
            "io.stdout:write('begun\\n') io.stdout:flush() while true do fiber.sleep(0.01) end",
            String::new(),
            130,
            "interrupted",
        ),
    ] {
        let source = format!(
            "local fiber = require('fiber')
             return {{
                 prepare = function() {prepare} end,
                 transaction = function(ctx, fiber_id, n, first) {transaction} end,
                 verify = function(ctx)
                     if ctx.complete then return 'sum' end
                     return nil, ctx.done_ops .. ' is odd'
                 end,
             }}"
        );
        fs::write(&file, source).unwrap();
        let options = ["--workload", file.to_str().unwrap(), "--duration", "60s"];
        let run = under_tarantool(arm, &options, folder.path());
        run.wait_for("begun");
        let asked = Instant::now();
        run.ctrl_c();
        let (ended, shown, errors) = run.end();
        assert_eq!(ended, Some(code), "{transaction}: {shown}{errors}");
        let all = format!("{shown}{errors}");
        assert!(all.contains(expected), "{transaction}: {all}");
        assert!(asked.elapsed() < Duration::from_secs(20), "{transaction}");
    }
}
