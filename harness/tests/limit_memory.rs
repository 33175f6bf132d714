//! `--limit-memory` with real workers: what it holds, what it ends, and what it refuses.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

/// One run of 1,000 records without a cold one, but for what `arguments` say.
fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"));
    command.args(["run", "--repeat", "1", "--cold", "0"]);
    if !arguments.contains(&"--records") {
        command.args(["--records", "1000"]);
    }
    command.args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The last line of a failure.
fn failure(output: &Output, code: i32) -> String {
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}");
    let line = errors.lines().find(|line| line.starts_with("error: "));
    line.unwrap_or_else(|| panic!("{errors}")).to_owned()
}

#[test]
fn a_run_below_its_limit_says_what_held_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let output = run(&["--limit-memory", "512MiB", "--json", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(
        shown.contains("\nlimit         512 MiB for each process, held by "),
        "{shown}"
    );
    let result: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let run = &result["runs"][0];
    assert_eq!(run["limit_memory_bytes"], 512 << 20);
    assert!(
        run["limited_by"] == "cgroup" || run["limited_by"] == "rlimit",
        "{run}"
    );
    assert_eq!(result["summary"][0]["limit_memory_bytes"], 512 << 20);
}

#[test]
fn a_worker_that_outgrows_its_limit_is_said_to_have_ended_by_it() {
    let started = failure(&run(&["--limit-memory", "192MiB", "--records", "20M"]), 1);
    assert!(
        started.starts_with("error: the limit of 192 MiB ended the worker"),
        "{started}"
    );

    let folder = tempfile::tempdir().unwrap();
    let hoard = folder.path().join("hoard.lua");
    let source = "local kept = {}\n\
        return {transaction = function(ctx, fiber_id, n, first)\n\
            for id = first, first + n - 1 do kept[id] = ('x'):rep(100000) .. id end\n\
        end}\n";
    fs::write(&hoard, source).unwrap();
    let workload = hoard.to_str().unwrap();
    let arguments = [
        "--limit-memory",
        "192MiB",
        "--records",
        "20k",
        "--workload",
        workload,
    ];
    let message = failure(&run(&arguments), 1);
    assert!(
        message.starts_with("error: the limit of 192 MiB ended the worker"),
        "{message}"
    );
}

#[test]
fn a_limit_that_is_none_or_too_small_to_start_is_refused_in_one_line() {
    for size in [
        "0",
        "1",
        "1KiB",
        "-5",
        "none",
        "99999999999999TiB",
        "18446744073709551616",
    ] {
        let message = failure(&run(&["--limit-memory", size]), 2);
        assert!(
            message.contains("'--limit-memory <SIZE>'"),
            "{size}: {message}"
        );
    }
    let message = failure(&run(&["--limit-memory", "1MiB"]), 2);
    assert!(
        message.contains("--limit-memory 1 MiB is less than a worker with 50 fibers")
            && message.contains("give it at least "),
        "{message}"
    );
    let message = failure(&run(&["--limit-memory", "1MiB", "--fibers", "1"]), 2);
    assert!(!message.contains("fewer --fibers"), "{message}");
}

#[test]
fn the_limit_that_is_named_as_the_least_is_enough() {
    for fibers in ["1", "50", "1000"] {
        let message = failure(&run(&["--limit-memory", "1MiB", "--fibers", fibers]), 2);
        let (_, rest) = message.split_once("give it at least ").unwrap();
        let least = rest.split([',', ' ']).next().unwrap();
        let output = run(&["--limit-memory", least, "--fibers", fibers]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{least}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_limit_larger_than_the_machine_holds_nothing_up() {
    let output = run(&["--limit-memory", "3TiB", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}
