//! The command line from the outside: help, refusals, exit codes, output into closed pipes.

use std::fs;
use std::process::{Output, Stdio};

use assert_cmd::Command;

fn lycosa(arguments: &[&str]) -> Output {
    Command::cargo_bin("lycosa")
        .unwrap()
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// The one line with which wrong usage is refused.
fn refusal(arguments: &[&str]) -> String {
    let output = lycosa(arguments);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert_eq!(stdout(&output), "", "{arguments:?}");
    assert_eq!(message.lines().count(), 1, "{arguments:?}: {message}");
    assert!(!message.contains('\u{1b}'), "{arguments:?}: {message:?}");
    message
        .strip_prefix("error: ")
        .unwrap()
        .trim_end()
        .to_owned()
}

#[test]
fn help_names_every_command_and_not_the_internal_one() {
    let output = lycosa(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    for command in [
        "run",
        "sweep",
        "compare",
        "selftest",
        "report",
        "workloads",
        "exec",
        "console",
        "env",
        "completions",
    ] {
        assert!(
            stdout(&output).contains(&format!("\n  {command} ")),
            "{command}"
        );
    }
    assert!(!stdout(&output).contains("worker"));
}

#[test]
fn help_of_run_has_examples_and_exit_codes_in_80_columns() {
    let output = lycosa(&["run", "--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("Examples:\n  lycosa run "));
    assert!(stdout(&output).contains("130 interrupted"));
    for line in stdout(&output).lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn without_a_command_the_help_is_shown_as_an_error() {
    let output = lycosa(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Usage: lycosa <COMMAND>"));
}

#[test]
fn numbers_that_make_no_run_are_refused() {
    for option in [
        "--records",
        "--fibers",
        "--ops-per-txn",
        "--repeat",
        "--memory",
    ] {
        for value in ["0", "-1"] {
            let message = refusal(&["run", option, value]);
            assert!(message.contains(option), "{message}");
            let least = if option == "--memory" { "1MiB" } else { "1" };
            assert!(
                message.ends_with(&format!("must be at least {least}")),
                "{message}"
            );
        }
        let message = refusal(&["run", option, "99999999999999999999999"]);
        assert!(message.contains("is too large; the most is"), "{message}");
        let message = refusal(&["run", option, "many"]);
        assert!(
            message.contains("is not a number; write for example"),
            "{message}"
        );
    }
    assert!(refusal(&["run", "--cold", "-1"]).ends_with("must be at least 0"));
    assert!(refusal(&["run", "--seed", "-1"]).contains("is no whole number from 0"));
    assert!(refusal(&["run", "--memory", "4 gigs"]).contains("unknown unit `gigs`"));
}

#[test]
fn misspellings_are_answered_with_the_nearest_name() {
    assert_eq!(
        refusal(&["run", "--workload", "inserts"]),
        "no workload named `inserts`; did you mean `insert`?  (lycosa workloads lists them)"
    );
    assert!(refusal(&["run", "--fibres", "3"]).contains("'--fibers'"));
    assert!(refusal(&["run", "--index", "tre"]).contains("'tree'"));
    assert!(refusal(&["rum"]).contains("'run'"));
}

#[test]
fn settings_without_a_value_or_of_no_option_are_refused() {
    assert!(refusal(&["run", "--set", "payload"]).ends_with("has no `=`; write KEY=VALUE"));
    assert!(refusal(&["run", "--set", "=x"]).ends_with("has no key; write KEY=VALUE"));
    let message = refusal(&["run", "--set", "zzzz=1"]);
    assert!(
        message.starts_with("workload `insert` has no option `zzzz`"),
        "{message}"
    );
}

#[test]
fn a_workload_file_that_cannot_be_read_is_refused() {
    assert!(refusal(&["run", "--workload", "none.lua"]).starts_with("cannot read workload file"));
    assert!(refusal(&["run", "--workload", "/"]).contains("is a folder"));
}

#[test]
fn a_result_file_that_cannot_be_written_is_found_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none/result.json");
    let message = refusal(&["run", "--json", missing.to_str().unwrap()]);
    assert!(
        message.ends_with("its folder does not exist; create it first"),
        "{message}"
    );
    let message = refusal(&["run", "--json", folder.path().to_str().unwrap()]);
    assert!(
        message.ends_with("it is a folder; name a file in it"),
        "{message}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_rust_driver_is_refused_for_a_users_workload() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.lua");
    fs::write(&file, "return { transaction = function() end }").unwrap();
    let message = refusal(&[
        "run",
        "--driver",
        "rust",
        "--workload",
        file.to_str().unwrap(),
    ]);
    assert!(
        message.starts_with("--driver rust exists for the bundled workload"),
        "{message}"
    );
}

#[test]
fn the_bundled_workloads_are_listed() {
    let output = lycosa(&["workloads"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output)
            .lines()
            .any(|line| line.starts_with("insert "))
    );
}

#[test]
fn the_environment_is_shown_for_people_and_as_json() {
    let output = lycosa(&["env"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("architecture  "));
    let output = lycosa(&["env", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["binary_arch"], std::env::consts::ARCH);
    assert_eq!(json["jit"], true);
    for field in [
        "date",
        "host_name",
        "os",
        "cpu",
        "host_arch",
        "translator",
        "rustc",
    ] {
        assert!(json[field].is_string(), "{field}");
    }
    for (object, number) in [
        ("machine", "page_size_bytes"),
        ("timer", "step_ns"),
        ("conditions", "load_average"),
    ] {
        assert!(json[object][number].is_number(), "{object}.{number}");
    }
    assert!(json["luajit"]["machine_code"].is_object());
    let own = serde_json::Value::from(std::env::consts::ARCH);
    let held = json["binary_architectures"].as_array().unwrap();
    assert!(held.contains(&own), "{held:?}");
}

#[test]
fn completions_are_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = lycosa(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(stdout(&output).contains("ops-per-txn"), "{shell}");
    }
    assert!(!stdout(&lycosa(&["completions", "zsh"])).contains("internal"));
    assert!(refusal(&["completions", "bas"]).contains("bash"));
}

#[test]
fn a_script_that_cannot_be_read_fails() {
    let output = lycosa(&["exec", "none.lua", "--flag"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: cannot read script `none.lua`"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for command in [["completions", "zsh"], ["env", "--json"]] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
            .args(command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(stderr(&output), "", "{command:?}");
        assert_eq!(output.status.code(), Some(0), "{command:?}");
    }
}

#[test]
fn a_worker_that_is_started_by_hand_says_what_is_missing() {
    let output = lycosa(&["worker-internal", "n0", "{}"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: this is no request to a worker"));
}
