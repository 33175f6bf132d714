//! Arms as real processes: translated, misled, foreign, failing, hanging.
//!
//! What is not installed is not tested, and the test says so.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Long enough for any machine; nothing waits this long unless it is broken.
const PATIENCE: Duration = Duration::from_mins(1);

/// A folder to work in, with a folder of programs and one for temporary files.
struct Workshop(tempfile::TempDir);

impl Workshop {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Puts a shell script first on the path.
    fn script(&self, name: &str, text: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A comparison of small repetitions, one of each arm, saved as `result.json`.
    fn compare(&self, arms: &[&str], more: &[&str]) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.path("bin")).chain(std::env::split_paths(&path));
        // One that failed before would have to be gone on with.
        let _ = fs::remove_file(self.path("result.json"));
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"));
        command
            .current_dir(self.0.path())
            .env("PATH", std::env::join_paths(folders).unwrap())
            .env("TMPDIR", self.path("tmp"))
            .args([
                "compare",
                "--records",
                "2000",
                "--repeat",
                "1",
                "--cold",
                "0",
            ])
            .args(["--json", "result.json"])
            .args(arms.iter().flat_map(|arm| ["--arm", *arm]))
            .args(more)
            .stdin(Stdio::null());
        command
    }

    fn result(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path("result.json")).unwrap()).unwrap()
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The error of a command that ended with this exit code.
fn error(output: &Output, code: i32) -> String {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{message}");
    let start = message.find("error: ").expect("an error is shown");
    message[start..].to_owned()
}

/// Whether a program is installed; says that its test is left out if not.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).exists());
    if !found {
        eprintln!("{program} is not installed, so that nothing is tested here");
    }
    found
}

fn emulator() -> String {
    format!("qemu-{}", std::env::consts::ARCH)
}

/// Checks a comparison of these arms: each ran, all left the same data. Answers with their records.
fn arms(workshop: &Workshop, output: &Output, names: &[&str]) -> Vec<Value> {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result = workshop.result();
    let arms = result["arms"].as_array().unwrap().clone();
    let found: Vec<&str> = arms
        .iter()
        .map(|arm| arm["name"].as_str().unwrap())
        .collect();
    assert_eq!(found, names);
    let runs = result["runs"].as_array().unwrap();
    assert!(runs.len() >= names.len());
    for run in runs {
        assert_eq!(run["checksum"], runs[0]["checksum"]);
        assert_eq!(run["txn_latency_ns"]["count"], 20, "{run}");
        assert_ne!(run["txn_latency_histogram"], "", "{run}");
        assert_eq!(run["binary_arch"], std::env::consts::ARCH);
    }
    arms
}

#[test]
fn qemu_is_detected_by_the_worker_that_runs_under_it() {
    if !is_installed(&emulator()) {
        return;
    }
    let workshop = Workshop::new();
    let output = workshop.compare(&[], &[]).output().unwrap();
    let arms = arms(&workshop, &output, &["native", "qemu"]);
    assert_eq!(arms[0]["context"]["translator"], "native");
    assert_eq!(arms[1]["context"]["translator"], "qemu-user");
    assert!(
        arms[1]["command"][0]
            .as_str()
            .unwrap()
            .ends_with(&emulator())
    );
}

#[test]
fn under_qemu_native_is_still_native() {
    if !is_installed(&emulator()) {
        return;
    }
    let workshop = Workshop::new();
    let plain = workshop.compare(&["native", "same={lycosa}"], &[]);
    let output = Command::new(emulator())
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(workshop.0.path())
        .output()
        .unwrap();
    let arms = arms(&workshop, &output, &["native", "same"]);
    assert_eq!(arms[0]["context"]["translator"], "native");
    assert_eq!(arms[1]["context"]["translator"], "qemu-user");
}

#[test]
fn a_worker_that_is_not_what_its_arm_asks_for_ends_the_comparison() {
    let workshop = Workshop::new();
    workshop.script(&emulator(), "exec \"$@\"");
    let output = workshop.compare(&["native", "qemu"], &[]).output().unwrap();
    let message = error(&output, 1);
    let arch = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        other => other,
    };
    let expected =
        format!("error: arm `qemu` answered as {arch}, native; it must be {arch}, qemu-user");
    assert!(message.starts_with(&expected), "{message}");
    let runs = workshop.result()["runs"].clone();
    let of_qemu = runs
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["arm"] == "qemu");
    assert_eq!(of_qemu.count(), 0);
}

#[test]
fn tarantool_leaves_the_same_data_and_nothing_behind() {
    if !is_installed("tarantool") {
        return;
    }
    let workshop = Workshop::new();
    for options in [
        &["--set", "payload=other"][..],
        &["--index", "hash", "--jit", "off"],
    ] {
        let output = workshop
            .compare(&["native", "tarantool"], options)
            .output()
            .unwrap();
        let arms = arms(&workshop, &output, &["native", "tarantool"]);
        assert!(
            arms[1]["program"]
                .as_str()
                .unwrap()
                .starts_with("Tarantool ")
        );
        assert_eq!(arms[1]["context"], Value::Null);
        let is_compiled = options[0] == "--set";
        for run in workshop.result()["runs"].as_array().unwrap() {
            assert_eq!(run["jit"], is_compiled, "{run}");
        }
        assert_eq!(fs::read_dir(workshop.path("tmp")).unwrap().count(), 0);
    }
}

#[test]
fn a_workload_that_fails_under_tarantool_says_where() {
    if !is_installed("tarantool") {
        return;
    }
    let workshop = Workshop::new();
    let workload = "local function transaction() error('no luck') end\n\
                    return {transaction = transaction}\n";
    fs::write(workshop.path("unlucky.lua"), workload).unwrap();
    let options = ["--workload", "unlucky.lua"];
    let output = workshop
        .compare(&["tarantool", "native"], &options)
        .output()
        .unwrap();
    let message = error(&output, 1);
    assert!(
        message.contains("`tarantool` gave no figures: it left with exit code 1"),
        "{message}"
    );
    assert!(message.contains("unlucky.lua:1: no luck"), "{message}");
}

#[test]
fn what_an_arm_cannot_do_is_said_before_anything_runs() {
    let workshop = Workshop::new();
    workshop.script("other", "echo '{\"wall_s\":1e-4}'");
    let program = "other=other {workload}";
    for (arms, options, expected) in [
        (["native", "zzz"], &[][..], "there is no arm `zzz`"),
        (["native", "native"], &[], "given twice"),
        (
            ["native", program],
            &["--driver", "rust"],
            "leave --driver rust out",
        ),
        (
            ["native", "a=--driver rust"],
            &["--driver", "both"],
            "arm `a`: --driver of its own stands beside --driver for all arms",
        ),
        (
            ["native", program],
            &["--set", "payload=x"],
            "put {settings} into its command",
        ),
        (
            ["native", "x=no-such-program {lycosa}"],
            &[],
            "arm `x`: `no-such-program` is no program on PATH",
        ),
        (
            ["native", "x=./nothing {workload}"],
            &[],
            "arm `x`: `./nothing` is not there",
        ),
        (
            ["native", "x=/etc/passwd {workload}"],
            &[],
            "arm `x`: `/etc/passwd` is no file that can be executed",
        ),
        (
            ["native", "a={lycosa}"],
            &["--memory", "5TiB"],
            "the most is 4398046510080 bytes, 1 KiB less than 4 TiB",
        ),
    ] {
        let output = workshop.compare(&arms, options).output().unwrap();
        let message = error(&output, 2);
        assert!(message.contains(expected), "{message}");
        assert!(!workshop.path("result.json").exists());
    }
}

#[test]
fn a_program_that_fails_ends_the_comparison() {
    let workshop = Workshop::new();
    for (script, expected) in [
        ("echo garbage", "printed no result"),
        (
            "echo out of luck >&2; exit 3",
            "exit code 3\n         out of luck",
        ),
        (
            "echo '{\"wall_s\":1e-4}'; echo '{\"wall_s\":1e-4}'",
            "it printed 2 results",
        ),
        (
            "echo '{\"wall_s\":1e-4,\"checksum\":\"x\"}'",
            "do not agree: checksum x (arm `other`)",
        ),
    ] {
        workshop.script("other", script);
        let output = workshop
            .compare(&["native", "other=other {workload}"], &[])
            .output()
            .unwrap();
        let message = error(&output, 1);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_command_that_starts_no_worker_is_named_with_its_arm_and_size() {
    let workshop = Workshop::new();
    for (arm, expected) in [
        ("x=true", "`true` does not start a lycosa worker: it left"),
        (
            "x=echo",
            "`echo` does not start a lycosa worker: it printed",
        ),
    ] {
        let output = workshop.compare(&["native", arm], &[]).output().unwrap();
        let message = error(&output, 1);
        let expected = format!("error: arm `x` at 2k: {expected}");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_command_leaves_running_ends_with_it() {
    let workshop = Workshop::new();
    let pid = workshop.path("pid");
    workshop.script(
        "wrapped",
        &format!(
            "sleep 600 >/dev/null 2>&1 & echo $! >{}; \"$@\"",
            pid.display()
        ),
    );
    let output = workshop
        .compare(&["native", "x=wrapped {lycosa}"], &[])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let left = fs::read_to_string(&pid).unwrap();
    wait_until(|| is_gone(left.trim()));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_ends_what_a_wrapper_has_started() {
    let workshop = Workshop::new();
    let pid = workshop.path("pid");
    let script = format!(
        "sleep 600 & echo $! >{0}.new; mv {0}.new {0}; wait",
        pid.display()
    );
    workshop.script("wrapped", &script);
    let child = workshop
        .compare(&["x=wrapped", "native"], &[])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| pid.exists());
    send("-INT", &child.id().to_string());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let hangs = fs::read_to_string(&pid).unwrap();
    wait_until(|| is_gone(hangs.trim()));
}

/// A comparison whose program hangs, and the number of the process that hangs.
fn hanging(workshop: &Workshop) -> (Child, String) {
    let pid = workshop.path("pid");
    let script = format!(
        "echo $$ >{0}.new; mv {0}.new {0}; exec sleep 600",
        pid.display()
    );
    workshop.script("other", &script);
    let child = workshop
        .compare(&["other=other {workload}", "native"], &[])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| pid.exists());
    let hangs = fs::read_to_string(pid).unwrap().trim().to_owned();
    (child, hangs)
}

fn wait_until(is_done: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_done() {
        assert!(Instant::now() < deadline, "it does not happen");
        thread::sleep(Duration::from_millis(10));
    }
}

fn send(signal: &str, pid: &str) {
    let status = Command::new("kill").args([signal, pid]).status().unwrap();
    assert!(status.success());
}

/// Whether a process has ended, its parent's notice of it or not.
fn is_gone(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.map_or(true, |stat| stat.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_ends_a_program_that_hangs() {
    let workshop = Workshop::new();
    let (child, hangs) = hanging(&workshop);
    send("-INT", &child.id().to_string());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    wait_until(|| is_gone(&hangs));
    assert_eq!(fs::read_dir(workshop.path("tmp")).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_does_not_outlive_a_lycosa_that_is_killed() {
    let workshop = Workshop::new();
    let (mut child, hangs) = hanging(&workshop);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until(|| is_gone(&hangs));
}
