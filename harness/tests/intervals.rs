//! `--report-interval`: the course of a run, from the outside.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn lycosa(arguments: &[&str]) -> Output {
    Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A workload whose transactions take 5 ms each, so that the clock and not the machine's speed
/// decides on the number of intervals.
const SLOW: &str = "local clock = require('clock')\n\
    return {transaction = function()\n\
        local finish = clock.monotonic() + 0.005\n\
        while clock.monotonic() < finish do end\n\
    end}\n";

/// What the series of a run must be: operations that add up, times that rise.
fn check_series(run: &Value) {
    let series = run["series"].as_array().unwrap();
    assert!(series.len() >= 2, "{series:?}");
    let ops: u64 = series.iter().map(|s| s["ops"].as_u64().unwrap()).sum();
    assert_eq!(ops, run["ops"].as_u64().unwrap());
    let counts = series.iter().map(|s| s["txn_latency_ns"]["count"].as_u64());
    let count: u64 = counts.map(Option::unwrap).sum();
    assert_eq!(count, run["txn_latency_ns"]["count"].as_u64().unwrap());
    let mut begin_s = 0.0;
    for sample in series {
        let number = |name: &str| sample[name].as_f64().unwrap();
        assert!((number("t_s") - number("interval_s") - begin_s).abs() < 1e-6);
        begin_s = number("t_s");
        let latency = |name: &str| sample["txn_latency_ns"][name].as_u64().unwrap();
        let rising = ["p50", "p95", "p99", "p999", "max"].map(latency);
        assert!(rising.is_sorted() && rising[0] > 0, "{sample}");
    }
}

#[test]
fn the_intervals_of_a_run_add_up_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let (workload, result) = (folder.path().join("slow.lua"), folder.path().join("r.json"));
    std::fs::write(&workload, SLOW).unwrap();
    let (workload, path) = (workload.to_str().unwrap(), result.to_str().unwrap());
    let common = [
        "--workload",
        workload,
        "--ops-per-txn",
        "1",
        "--fibers",
        "2",
    ];
    let common = [
        &common[..],
        &["--repeat", "1", "--cold", "0", "--json", path],
    ]
    .concat();
    for pace in [
        &["--records", "100"][..],
        &["--duration", "450ms", "--warmup", "100ms"],
        &["--records", "60", "--rate", "150/s"],
    ] {
        let all = [&["run", "--report-interval", "100ms"], pace, &common].concat();
        let output = lycosa(&all);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let run = &json(&result)["runs"][0];
        check_series(run);
        let resources = &run["series"][0]["resources"];
        assert!(resources["cpu_user_s"].as_f64().is_some(), "{resources}");
        assert!(
            resources["lua_heap_bytes"].as_u64() > Some(0),
            "{resources}"
        );
        let shown = text(&output.stderr);
        let lines = shown.lines().filter(|line| line.contains("   p50 "));
        assert_eq!(lines.count(), run["series"].as_array().unwrap().len());
        assert!(shown.contains(" operations/s   p50 "), "{shown}");
    }
}

#[test]
fn from_rust_too() {
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("r.json");
    let path = result.to_str().unwrap();
    let output = lycosa(&[
        "run",
        "--driver",
        "rust",
        "--records",
        "300k",
        "--report-interval",
        "10ms",
        "--repeat",
        "1",
        "--cold",
        "0",
        "--quiet",
        "--json",
        path,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let run = &json(&result)["runs"][0];
    check_series(run);
    let last = run["series"].as_array().unwrap().last().unwrap();
    assert!(last["resources"]["index_bytes"].as_u64() > Some(0));
    assert!(!text(&output.stderr).contains("at 0."), "quiet");
}

#[test]
fn without_an_interval_there_is_no_course() {
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("r.json");
    let path = result.to_str().unwrap();
    let output = lycosa(&["run", "--records", "1000", "--repeat", "1", "--json", path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(json(&result)["runs"][0]["series"], Value::Array(Vec::new()));
}

#[test]
fn intervals_that_make_no_sense_are_refused() {
    for (interval, message) in [
        ("0s", "must be from 10ms to 3600s"),
        ("-1s", "must be"),
        ("1e300s", "unknown unit"),
        ("2h", "must be from 10ms to 3600s"),
        ("1", "has no unit"),
        ("", "is no time"),
        ("soon", "is no time"),
    ] {
        let output = lycosa(&["run", "--report-interval", interval]);
        assert_eq!(output.status.code(), Some(2), "{interval}");
        let shown = text(&output.stderr);
        assert!(shown.contains(message), "{interval}: {shown}");
    }
    let output = lycosa(&["run", "--duration", "5m", "--report-interval", "10ms"]);
    assert_eq!(output.status.code(), Some(2));
    let shown = text(&output.stderr);
    assert!(shown.contains("30000 pieces; the most is 10000"), "{shown}");
}
