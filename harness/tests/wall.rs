//! `lycosa wall` with real workers and small quotas.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use kills::kill_again_and_again;

#[path = "support/kills.rs"]
mod kills;

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
    // A form that has no place for it says so.
    let report = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
        .args(["report", "--format", "csv"])
        .arg(&path)
        .output()
        .unwrap();
    assert_eq!(report.status.code(), Some(2));
    assert!(text(&report.stderr).contains("markdown and html show it"));
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
fn a_search_that_is_killed_again_and_again_goes_on_to_the_same_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wall.json");
    let arguments = |file: &'static str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"));
        command
            .current_dir(folder.path())
            .args([
                "wall", "--memory", "64MiB", "--steps", "20", "--fibers", "5",
            ])
            .args(["--operations", "20k", file, "wall.json"]);
        command
    };
    kill_again_and_again(
        || arguments("--resume"),
        |_| path.exists() && json(&path)["status"] == "complete",
    );
    let result = json(&path);
    let steps = result["wall"]["steps"].as_array().unwrap().clone();
    let sizes: Vec<u64> = steps
        .iter()
        .map(|step| step["records"].as_u64().unwrap())
        .collect();
    assert!(sizes.is_sorted_by(|one, other| one < other), "{sizes:?}");
    if result["wall"]["ending"] == "quota" {
        assert!((19..=20).contains(&sizes.len()), "{sizes:?}");
    }
    let again = arguments("--resume").output().unwrap();
    assert!(done(&again).contains("holds the whole curve"));
    assert_eq!(json(&path), result);

    let other = arguments("--resume").args(["--index", "hash"]).output();
    let other = other.unwrap();
    assert_eq!(other.status.code(), Some(2));
    let message = text(&other.stderr);
    assert!(
        message.contains("--index: tree in the file, hash here"),
        "{message}"
    );
    // One that was stopped is not overwritten.
    let mut stopped = result.clone();
    stopped["status"] = "interrupted".into();
    stopped["wall"]["ending"] = "interrupted".into();
    fs::write(&path, stopped.to_string()).unwrap();
    let output = arguments("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("go on with --resume"));
}

#[test]
fn tuples_that_fill_the_quota_at_once_are_measured_or_explained() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wall.json");
    let large = ["--payload", "1000000"];
    let small = ["--ops-per-txn", "2", "--operations", "200"];
    let output = command(
        &path,
        &[&["--memory", "64MiB"][..], &large, &small].concat(),
    )
    .output()
    .unwrap();
    assert!(!done(&output).contains("the system had no more memory"));
    assert!(!json(&path)["wall"]["steps"].as_array().unwrap().is_empty());
    for (memory, quota) in [("64MiB", "64 MiB"), ("1MiB", "1 MiB")] {
        let output = command(&path, &[&["--memory", memory][..], &large].concat())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        let expected = format!("the quota of {quota} was reached, before a size was");
        assert!(message.contains(&expected), "{message}");
    }
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
