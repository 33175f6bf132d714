//! `lycosa wall` with real workers and small quotas.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Long enough for any machine; nothing waits this long unless it is broken.
const PATIENCE: Duration = Duration::from_mins(1);

fn command(path: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"));
    command.args(["wall", "--fibers", "5"]);
    for default in [["--operations", "2k"], ["--steps", "4"]] {
        if !arguments.contains(&default[0]) {
            command.args(default);
        }
    }
    command.arg("--json").arg(path).args(arguments);
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn done(output: &Output) -> &str {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn the_data_grows_until_the_quota_ends_it_which_goes_on_after_deletes() {
    let folder = tempfile::tempdir().unwrap();
    for index in ["tree", "hash"] {
        let path = folder.path().join("wall.json");
        let output = command(&path, &["--memory", "32MiB", "--index", index])
            .output()
            .unwrap();
        let shown = done(&output);
        assert!(shown.contains("data  records"), "{shown}");
        let result = json(&path);
        assert_eq!(result["status"], "complete");
        let wall = &result["wall"];
        let steps = wall["steps"].as_array().unwrap();
        assert!(!steps.is_empty() && steps.iter().all(|step| step["ops"] == 2000));
        // A machine whose speed halves in between has found a wall.
        if wall["ending"] == "halved" {
            assert_eq!(wall["wall_step"], steps.len() - 1);
            continue;
        }
        assert_eq!(wall["ending"], "quota");
        assert!(steps.len() == 3 || steps.len() == 4, "{}", steps.len());
        let end = &wall["at_quota"];
        assert_eq!(end["code"], 2);
        assert_eq!(end["records_kept"], end["records"]);
        assert!(end["deleted"].as_u64() > Some(0) && end["inserted_again"].as_u64() > Some(0));
        for sign in [
            "the quota of 32 MiB ended it at ",
            "at the quota  error 2: ",
            "was rolled back",
        ] {
            assert!(shown.contains(sign), "{sign}: {shown}");
        }
    }
}

#[test]
fn a_report_shows_the_curve_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wall.json");
    done(
        &command(&path, &["--memory", "16MiB", "--quiet"])
            .output()
            .unwrap(),
    );
    for (format, sign) in [
        ("terminal", "memory wall"),
        ("markdown", "## Memory wall"),
        ("html", "Throughput, million reads and updates a second"),
    ] {
        let report = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
            .args(["report", "--format", format])
            .arg(&path)
            .output()
            .unwrap();
        assert!(done(&report).contains(sign), "{format}");
        assert_eq!(text(&report.stderr), "", "{format}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_limit_that_ends_the_worker_leaves_the_curve() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wall.json");
    let arguments = [
        "--memory",
        "4GiB",
        "--limit-memory",
        "128MiB",
        "--steps",
        "8",
    ];
    let shown = command(&path, &arguments).output().unwrap();
    let shown = done(&shown);
    let result = json(&path);
    let wall = &result["wall"];
    assert!(
        wall["limited_by"] == "cgroup" || wall["limited_by"] == "rlimit",
        "{wall}"
    );
    assert!(!wall["steps"].as_array().unwrap().is_empty());
    if wall["ending"] != "halved" {
        assert_eq!(wall["ending"], "limit");
        assert!(shown.contains("the limit of 128 MiB ended it, "), "{shown}");
    }
}

#[test]
fn an_interruption_leaves_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wall.json");
    let mut child = command(
        &path,
        &["--memory", "4GiB", "--steps", "1000", "--operations", "20k"],
    )
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    let deadline = Instant::now() + PATIENCE;
    while !path.exists() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(10));
    }
    let pid = i32::try_from(child.id()).unwrap();
    let killed = Command::new("kill")
        .args(["-INT", &pid.to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let result = json(&path);
    assert_eq!(result["status"], "interrupted");
    assert!(!result["wall"]["steps"].as_array().unwrap().is_empty());
}

#[test]
fn what_cannot_be_measured_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wall.json");
    for (arguments, sign) in [
        (["--memory", "0"], "'--memory <SIZE>'"),
        (
            ["--limit-memory", "1MiB"],
            "--limit-memory 1 MiB is less than a worker",
        ),
        (["--payload", "2000000"], "'--payload <N>'"),
        (["--steps", "0"], "'--steps <N>'"),
        (["--steps", "2k"], "the most is 1000"),
    ] {
        let output = command(&path, &arguments).output().unwrap();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(errors.contains(sign), "{errors}");
    }
    assert!(!path.exists());
}
