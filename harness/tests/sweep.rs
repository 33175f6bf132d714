//! Sweeps from the outside: real processes, stopped and killed at any moment.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use kills::kill_again_and_again;

#[path = "support/kills.rs"]
mod kills;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"));
    command.arg("sweep").args(arguments);
    command
}

/// A sweep of 1,000 and 2,000 records, three times each, but for what `arguments` say.
fn sweep(arguments: &[&str]) -> Output {
    command(&with_defaults(arguments)).output().unwrap()
}

fn with_defaults<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let mut all = arguments.to_vec();
    for default in [["--records", "1k,2k"], ["--repeat", "3"]] {
        if !arguments.contains(&default[0]) {
            all.extend(default);
        }
    }
    all
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn assert_done(output: &Output) {
    let shown = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{shown:?}");
}

/// The message of a sweep that is refused before anything is measured.
fn refusal(arguments: &[&str]) -> String {
    let output = sweep(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    let (_, message) = message.split_once("error: ").unwrap();
    message.to_owned()
}

/// Sizes of the rows of a table.
fn sizes(output: &Output) -> Vec<&str> {
    let lines = text(&output.stdout).lines();
    lines
        .skip_while(|line| !line.starts_with("records "))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| word.ends_with('k'))
        .collect()
}

#[test]
fn a_sweep_shows_a_row_a_size_and_saves_the_documented_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.json");
    let output = sweep(&["--json", path.to_str().unwrap(), "--records", "1k..3k:1k"]);
    assert_done(&output);
    assert_eq!(sizes(&output), ["1k", "2k", "3k"]);
    for line in [text(&output.stdout), text(&output.stderr)]
        .concat()
        .lines()
    {
        let is_wide = line.chars().count() > 80 && !line.starts_with("sav");
        assert!(!is_wide, "{line}");
    }
    assert!(text(&output.stderr).contains("\nestimate      about "));
    let result = json(&path);
    assert_eq!(result["status"], "complete");
    assert_eq!(result["runs"].as_array().unwrap().len(), 10);
    assert_eq!(result["summary"].as_array().unwrap().len(), 3);
    assert_eq!(result["plan"]["points"].as_array().unwrap().len(), 3);
    assert_eq!(result["plan"]["arms"][0], "native");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn without_a_file_named_it_saves_to_one_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(&with_defaults(&["--repeat", "1", "--cold", "0"]))
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_done(&output);
    let mut entries = fs::read_dir(folder.path()).unwrap();
    let name = entries.next().unwrap().unwrap().file_name();
    let name = name.to_str().unwrap();
    assert!(name.starts_with("sweep-insert-native-2"), "{name}");
    assert!(text(&output.stderr).contains(&format!("saving to     {name}")));
    assert!(text(&output.stdout).contains(&format!("saved         {name}")));
    assert!(entries.next().is_none());
}

#[test]
fn a_whole_file_is_shown_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.json");
    let resume = ["--resume", path.to_str().unwrap()];
    assert_done(&sweep(&resume));
    let before = fs::read(&path).unwrap();
    let output = sweep(&resume);
    assert_done(&output);
    assert_eq!(sizes(&output), ["1k", "2k"]);
    let shown = text(&output.stdout);
    assert!(shown.contains("holds all 7 repetitions"), "{shown}");
    assert!(!text(&output.stderr).contains("estimate"));
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// The runs of a file, each as one text; void ones are told by theirs.
fn runs(path: &Path) -> Vec<String> {
    let document = json(path);
    let runs = document["runs"].as_array().unwrap();
    runs.iter().map(Value::to_string).collect()
}

#[test]
fn a_sweep_that_is_killed_again_and_again_loses_nothing_and_counts_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.json");
    let arguments = ["--records", "1k,2k,3k", "--repeat", "4", "--resume"];
    let mut kept: Vec<String> = Vec::new();
    let goes_on = || {
        let mut command = command(&arguments);
        command.arg(&path);
        command
    };
    kill_again_and_again(goes_on, |start| {
        if !path.exists() {
            return false;
        }
        let found = runs(&path);
        assert_eq!(found[..kept.len()], kept, "after start {start}");
        kept = found;
        json(&path)["status"] == "complete"
    });
    assert_done(&command(&arguments).arg(&path).output().unwrap());
    assert_eq!(runs(&path)[..kept.len()], kept);
    let document = json(&path);
    let mut places: Vec<String> = document["runs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["void"].is_null())
        .map(|run| format!("{} {} {}", run["records"], run["cold"], run["repetition"]))
        .collect();
    assert_eq!(places.len(), 13);
    places.sort();
    places.dedup();
    assert_eq!(places.len(), 13);
    assert_eq!(document["status"], "complete");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn ctrl_c_shows_the_table_so_far_and_the_command_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a sweep.json");
    let file = path.to_str().unwrap();
    let child = command(&["--records", "1k,20k", "--repeat", "40", "--json", file])
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !path.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let group = format!("-{}", child.id());
    let sent = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{shown}");
    assert!(shown.contains("interrupted   after "), "{shown}");
    assert_eq!(json(&path)["status"], "interrupted");
    let message = refusal(&["--records", "1k,20k", "--repeat", "40", "--json", file]);
    assert!(
        message.contains("holds an unfinished measurement; go on"),
        "{message}"
    );

    let go_on = shown
        .lines()
        .find_map(|line| line.strip_prefix("go on with"));
    let output = Command::new("/bin/sh")
        .args(["-c", go_on.unwrap()])
        .output()
        .unwrap();
    assert_done(&output);
    assert_eq!(sizes(&output), ["1k", "20k"]);
    assert_eq!(json(&path)["status"], "complete");
}

#[test]
fn a_file_that_is_being_written_is_nobody_elses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    let file = path.to_str().unwrap();
    let arguments = ["--records", "1k,20k", "--repeat", "40", "--resume", file];
    let mut child = command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !path.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let message = refusal(&arguments);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        message.ends_with("s.json` is being written by another lycosa\n"),
        "{message}"
    );
    // The system has unlocked it.
    assert_done(&command(&arguments).output().unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_is_no_result_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let workload = folder.path().join("w.lua");
    let lua = "return {transaction = function() end}";
    fs::write(&workload, lua).unwrap();
    let file = workload.to_str().unwrap();
    let message = refusal(&["--workload", file, "--json", file]);
    assert!(
        message.contains("is no result of lycosa and would be lost"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(&workload).unwrap(), lua);
}

#[test]
fn another_plan_machine_or_build_is_refused_and_the_file_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.json");
    let file = path.to_str().unwrap();
    assert_done(&sweep(&["--resume", file, "--repeat", "1"]));
    let whole = fs::read_to_string(&path).unwrap();
    let message = refusal(&["--resume", file, "--repeat", "2", "--fibers", "7"]);
    assert!(
        message.contains("was asked for something else"),
        "{message}"
    );
    assert!(
        message.contains("\n       --repeat: 1 in the file, 2 here\n"),
        "{message}"
    );
    assert!(
        message.contains("\n       --fibers: 50 in the file, 7 here\n"),
        "{message}"
    );
    for (key, part) in [
        ("host_name", "was measured on another machine"),
        ("cpu", "was measured on another machine"),
        ("git_revision", "was measured by another build"),
        ("rustc", "was measured by another build"),
    ] {
        let mut document = json(&path);
        document["context"][key] = Value::from("another");
        fs::write(&path, document.to_string()).unwrap();
        let message = refusal(&["--resume", file, "--repeat", "1"]);
        assert!(message.contains(part), "{message}");
        fs::write(&path, &whole).unwrap();
    }
    for damaged in ["", "{}", &whole[..whole.len() / 2]] {
        fs::write(&path, damaged).unwrap();
        let message = refusal(&["--resume", file, "--repeat", "1"]);
        assert!(message.contains("is no result of lycosa"), "{message}");
        assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
    }
}

#[test]
fn a_workload_that_was_edited_since_is_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let (workload, path) = (folder.path().join("w.lua"), folder.path().join("s.json"));
    let arguments = [
        "--workload",
        workload.to_str().unwrap(),
        "--resume",
        path.to_str().unwrap(),
    ];
    fs::write(&workload, "return {transaction = function() end}").unwrap();
    assert_done(&sweep(&arguments));
    assert_done(&sweep(&arguments));
    fs::write(&workload, "return {transaction = function() return 1 end}").unwrap();
    let message = refusal(&arguments);
    assert!(
        message.contains("\n       text of the workload (xxHash): "),
        "{message}"
    );
}

#[test]
fn what_does_not_fit_is_refused_before_it_starts() {
    let message = refusal(&["--records", "1k,20M", "--memory", "64MiB"]);
    assert!(
        message.starts_with("20,000,000 records need about 8")
            && message.contains("the quota is 64 MiB; raise it with --memory 1GiB"),
        "{message}"
    );
    let message = refusal(&["--records", "1k,90G", "--memory", "4000GiB"]);
    assert!(
        message.starts_with("90,000,000,000 records need about ")
            && message.contains(" of memory, and this machine has "),
        "{message}"
    );
}

#[test]
fn sizes_that_are_none_are_refused_in_one_line() {
    for (arguments, part) in [
        (&["--records", "5M..1M"][..], "runs backwards; write 1M..5M"),
        (&["--records", ""], "names no size"),
        (&["--records", "1..9k:1"], "is 9000 sizes; the most is 1000"),
        (&["--points", "5"], "--points is for a range without a step"),
        (&["--json", "a", "--resume", "b"], "cannot be used with"),
    ] {
        let message = refusal(arguments);
        assert!(message.contains(part), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn a_pipe_gets_one_document_and_is_nothing_to_go_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let message = refusal(&["--resume", pipe.to_str().unwrap()]);
    assert!(
        message.contains("is no file that can be gone on with"),
        "{message}"
    );
    let reader = thread::spawn({
        let pipe = pipe.clone();
        move || json(&pipe)
    });
    assert_done(&sweep(&["--json", pipe.to_str().unwrap()]));
    assert_eq!(reader.join().unwrap()["status"], "complete");
}

#[test]
fn a_workload_that_fails_at_once_fails_the_sweep_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (workload, path) = (folder.path().join("w.lua"), folder.path().join("s.json"));
    fs::write(
        &workload,
        "return {transaction = function() error('boom') end}",
    )
    .unwrap();
    let output = sweep(&[
        "--workload",
        workload.to_str().unwrap(),
        "--json",
        path.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("boom"));
    assert!(!path.exists());
}

#[test]
fn help_has_examples_and_exit_codes_in_80_columns() {
    let output = command(&["--help"]).output().unwrap();
    assert_done(&output);
    let shown = text(&output.stdout);
    assert!(shown.contains("Examples:\n  lycosa sweep "), "{shown}");
    assert!(shown.contains("130 interrupted"), "{shown}");
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_complete_file_takes_a_cost_and_no_other_interval() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    let file = path.to_str().unwrap();
    assert_done(&sweep(&["--json", file]));
    let cost = |result: &Value| result["context"]["costs"]["native"]["per_hour"].clone();
    assert_eq!(cost(&json(&path)), Value::Null);
    let runs = json(&path)["runs"].clone();
    assert_done(&sweep(&["--resume", file, "--cost", "2/h"]));
    // Without a cost the file stays as it is.
    assert_done(&sweep(&["--resume", file]));
    let result = json(&path);
    assert_eq!(cost(&result), 2.0);
    assert_eq!(result["runs"], runs);
    assert_eq!(result["status"], "complete");
    let message = refusal(&["--resume", file, "--report-interval", "1s"]);
    assert!(
        message.contains("--report-interval: none in the file, 1s here"),
        "{message}"
    );
}
