//! Comparisons, self-tests and baselines from the outside, workers and all.
//!
//! No test asks which of two times is longer, unless one is an emulator's or was written by hand.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use bench::Bench;

#[path = "support/bench.rs"]
mod bench;

/// Long enough for any machine; nothing waits this long unless it is broken.
const PATIENCE: Duration = Duration::from_mins(2);

impl Bench {
    /// What there is in a folder.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder));
        let mut names: Vec<String> = entries
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// A baseline of a run of 1,000 records with other times.
    fn rewrite_baseline(&self, name: &str, change: impl Fn(usize, &mut Value)) {
        let file = format!("state/baselines/{name}.json");
        let mut document = self.json(&file);
        for (number, run) in document["runs"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .enumerate()
        {
            change(number, run);
        }
        fs::write(self.path(&file), document.to_string()).unwrap();
    }
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn assert_code(output: &Output, code: i32) {
    let text = (stdout(output), stderr(output));
    assert_eq!(output.status.code(), Some(code), "{text:?}");
}

/// Two arms that are this binary, small sizes, few repetitions, and more arguments.
fn twins<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["compare", "--arm", "a={lycosa}", "--arm", "b={lycosa}"];
    for default in [["--records", "1k,2k"], ["--repeat", "6"]] {
        if !more.contains(&default[0]) {
            arguments.extend(default);
        }
    }
    arguments.extend(more);
    arguments
}

fn order(document: &Value) -> Vec<String> {
    let runs = document["runs"].as_array().unwrap();
    runs.iter()
        .map(|run| {
            let cold = if run["cold"] == true { "cold " } else { "" };
            format!("{cold}{}", run["arm"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn an_arm_of_another_program_goes_on_under_the_same_command_alone() {
    let bench = Bench::new();
    let print = |text: &str| format!("b=sh -c 'echo {text}' {{workload}}");
    let compare = |arm: &str| {
        bench.output(&[
            "compare",
            "--arm",
            "native",
            "--arm",
            arm,
            "--records",
            "1k",
            "--repeat",
            "1",
            "--cold",
            "0",
            "--resume",
            "c.json",
        ])
    };
    let first = print("{\\\"wall_s\\\":1e-6}");
    assert_code(&compare(&first), 0);
    let output = compare(&print("{\\\"wall_s\\\":2e-6}"));
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("another arm `b`"),
        "{}",
        stderr(&output)
    );
    assert_code(&compare(&first), 0);
}

#[test]
fn arms_take_turns_and_are_compared_at_every_size() {
    let bench = Bench::new();
    let output = bench.output(&twins(&["--json", "c.json"]));
    assert_code(&output, 0);
    let text = stdout(&output);
    let starts = [
        "a against b   insert   50 fibers x 100 inserts   TREE",
        "records  a",
        "     1k  ",
        "     2k  ",
        "         geometric mean",
        "cold start    a ",
        "checksums     agree in all 26 repetitions",
        "saved         c.json",
    ];
    for start in starts {
        assert!(
            text.lines().any(|line| line.starts_with(start)),
            "{start}\n{text}"
        );
    }
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let document = bench.json("c.json");
    assert_eq!(document["status"], "complete");
    let order = order(&document);
    assert_eq!(order[..6], ["cold a", "cold b", "a", "b", "b", "a"]);
    let comparison = &document["comparisons"][0];
    assert_eq!(
        (&comparison["arm"], &comparison["reference"]),
        (&json!("b"), &json!("a"))
    );
    let points = comparison["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    for point in points {
        assert_eq!(point["wall_s"]["n"], 6);
        assert!(point["ci_low"].as_f64() <= point["ratio"].as_f64());
        assert!(point["p"].as_f64().unwrap() <= 1.0);
        assert_eq!(point["noise_floor"], Value::Null);
    }
    assert_eq!(comparison["geometric_means"][0]["points"], 2);
    assert_eq!(
        comparison["cold_start"]["process_s"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn without_a_name_a_comparison_is_saved_under_its_own() {
    let bench = Bench::new();
    let output = bench.output(&twins(&["--records", "1k", "--repeat", "2"]));
    assert_code(&output, 0);
    let names = bench.names("");
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(names[0].starts_with("compare-insert-"), "{names:?}");
    assert_eq!(Path::new(&names[0]).extension().unwrap(), "json");
    assert!(stdout(&output).contains(&names[0]));
    assert!(
        stdout(&output).contains("(no interval)"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn both_drivers_split_the_ratio() {
    let bench = Bench::new();
    let output = bench.output(&twins(&["--driver", "both", "--json", "c.json", "--quiet"]));
    assert_code(&output, 0);
    let text = stdout(&output);
    for part in [
        "Lua-driven\nrecords",
        "engine only, driven from Rust\nrecords",
        "\nengine only   ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert_eq!(stderr(&output), "");
    let means = &bench.json("c.json")["comparisons"][0]["geometric_means"];
    assert_eq!(
        (&means[0]["driver"], &means[1]["driver"]),
        (&json!("lua"), &json!("rust"))
    );
}

#[test]
fn what_cannot_be_compared_is_refused_before_anything_runs() {
    let bench = Bench::new();
    for (arguments, message) in [
        (
            &["compare", "--arm", "a={lycosa}"][..],
            "nothing to be compared with",
        ),
        (
            &["compare", "--arm", "natve", "--arm", "native"],
            "did you mean `native`?",
        ),
        (&twins(&["--records", "5..1"]), "runs backwards"),
        (
            &twins(&["--driver", "both", "--workload", "none.lua"]),
            "none.lua",
        ),
        (
            &twins(&["--baseline", "main"]),
            "no baseline named `main`; there are none yet",
        ),
        (&twins(&["--baseline", "../main"]), "is no name"),
        (
            &twins(&["--fail-above", "5%%"]),
            "is no percentage from 0 to 1000",
        ),
        (&twins(&["--fail-above", "x"]), "is no percentage"),
        (
            &["run", "--fail-above", "5%"],
            "--fail-above needs --baseline",
        ),
        (&["selftest", "--repeat", "5"], "takes 6 repetitions"),
    ] {
        let output = bench.output(arguments);
        assert_code(&output, 2);
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
    assert_eq!(bench.names(""), Vec::<String>::new());
}

#[test]
fn a_comparison_that_was_stopped_goes_on_where_it_was() {
    let bench = Bench::new();
    let arguments = twins(&[
        "--records",
        "40k,50k",
        "--repeat",
        "8",
        "--resume",
        "c.json",
    ]);
    let mut child = bench
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + PATIENCE;
    let measured = || match fs::read(bench.path("c.json")) {
        Ok(bytes) => serde_json::from_slice::<Value>(&bytes).unwrap()["runs"]
            .as_array()
            .map_or(0, Vec::len),
        Err(_) => 0,
    };
    while measured() < 4 {
        assert!(Instant::now() < deadline, "it never began");
        thread::sleep(Duration::from_millis(5));
    }
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
    assert!(
        text.contains("go on with    ") && text.contains("--resume c.json"),
        "{text}"
    );
    let before = bench.json("c.json");
    assert_eq!(before["status"], "interrupted");

    let other = twins(&["--records", "40k", "--repeat", "8", "--resume", "c.json"]);
    let output = bench.output(&other);
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("was asked for something else"),
        "{}",
        stderr(&output)
    );
    let changed: Vec<&str> = arguments
        .iter()
        .map(|word| {
            if *word == "b={lycosa}" {
                "b=env {lycosa}"
            } else {
                word
            }
        })
        .collect();
    let output = bench.output(&changed);
    assert!(order(&before).iter().any(|arm| arm.ends_with('b')));
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("another arm `b`"),
        "{}",
        stderr(&output)
    );

    assert_code(&bench.output(&arguments), 0);
    let after = bench.json("c.json");
    assert_eq!(after["status"], "complete");
    assert_eq!(after["runs"].as_array().unwrap().len(), 2 * (1 + 2 * 8));
    let kept = before["runs"].as_array().unwrap().len();
    assert_eq!(
        after["runs"].as_array().unwrap()[..kept],
        before["runs"].as_array().unwrap()[..]
    );
    // A file that lacks nothing is only shown.
    let output = bench.output(&arguments);
    assert_code(&output, 0);
    assert!(
        stdout(&output).contains("geometric mean"),
        "{}",
        stdout(&output)
    );
    assert_eq!(bench.json("c.json"), after);
}

#[test]
fn an_emulator_is_slower_and_a_comparison_says_so() {
    let emulator = format!("qemu-{}", std::env::consts::ARCH);
    if Command::new(&emulator).arg("--version").output().is_err() {
        eprintln!("{emulator} is not installed; nothing was tested");
        return;
    }
    let bench = Bench::new();
    let output = bench.output(&[
        "compare",
        "--arm",
        "native",
        "--arm",
        "qemu",
        "--records",
        "10k",
        "--repeat",
        "6",
        "--json",
        "c.json",
        "--fail-above",
        "10%",
    ]);
    assert_code(&output, 3);
    let document = bench.json("c.json");
    let comparison = &document["comparisons"][0];
    assert_eq!(comparison["arm"], "qemu");
    let point = &comparison["points"][0];
    assert!(point["ci_low"].as_f64().unwrap() > 1.0, "{point}");
    assert_eq!(point["verdict"], "difference");
    assert_eq!(document["arms"][1]["context"]["translator"], "qemu-user");
    let text = stdout(&output);
    assert!(text.contains("regression    qemu at 10k takes "), "{text}");
    assert!(
        text.contains("times as long as native; 10 % are let pass"),
        "{text}"
    );
}

#[test]
fn a_self_test_is_kept_and_comparisons_use_it() {
    let bench = Bench::new();
    let output = bench.output(&["selftest", "--records", "1k", "--repeat", "6"]);
    assert_code(&output, 0);
    let text = stdout(&output);
    for start in ["A   ", "B   ", "ratio  ", "noise floor   ", "kept  "] {
        assert!(
            text.lines().any(|line| line.starts_with(start)),
            "{start}\n{text}"
        );
    }
    let names = bench.names("state/selftest");
    assert_eq!(names.len(), 1);
    let output = bench.output(&["env"]);
    assert!(
        stdout(&output).contains("\nnoise floor   ") && stdout(&output).contains(", 1k x 6\n"),
        "{}",
        stdout(&output)
    );
    let file = format!("state/selftest/{}", names[0]);
    let mut kept = bench.json(&file);
    assert!(kept["noise_floor"]["relative"].as_f64().unwrap() > 0.0);
    // With a floor that high nothing is a difference any more.
    kept["noise_floor"]["relative"] = json!(1000.0);
    fs::write(bench.path(&file), kept.to_string()).unwrap();
    let output = bench.output(&twins(&["--json", "c.json"]));
    assert_code(&output, 0);
    assert!(
        stdout(&output).contains("by the self-test of"),
        "{}",
        stdout(&output)
    );
    let document = bench.json("c.json");
    assert_eq!(document["context"]["noise_floor"]["relative"], 1000.0);
    for point in document["comparisons"][0]["points"].as_array().unwrap() {
        assert_eq!(point["verdict"], "no_difference");
        assert_eq!(point["noise_floor"], 1000.0);
    }
    kept["noise_floor"]["date"] = json!("2020-01-01T00:00:00Z");
    fs::write(bench.path(&file), kept.to_string()).unwrap();
    let output = bench.output(&twins(&["--records", "1k"]));
    assert!(
        stdout(&output).contains("older than 30 days"),
        "{}",
        stdout(&output)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_self_test_that_cannot_be_saved_fails_however_quiet() {
    let bench = Bench::new();
    let output = bench.output(&[
        "selftest",
        "--records",
        "1k",
        "--repeat",
        "6",
        "--quiet",
        "--json",
        "/dev/full",
    ]);
    assert_code(&output, 1);
    assert!(
        stderr(&output).contains("cannot write `/dev/full`"),
        "{}",
        stderr(&output)
    );
    assert_eq!(bench.names("state/selftest").len(), 1);
}

/// A run of 1,000 records, six times.
fn run<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "--records", "1k", "--repeat", "6"];
    arguments.extend(more);
    arguments
}

#[test]
fn a_baseline_ten_times_faster_makes_a_regression_and_ten_times_slower_none() {
    let bench = Bench::new();
    let output = bench.output(&run(&["--save-baseline", "main"]));
    assert_code(&output, 0);
    assert!(
        stdout(&output).contains("baseline      main   "),
        "{}",
        stdout(&output)
    );
    let compared = run(&["--baseline", "main", "--fail-above", "5%"]);
    for (wall_s, code, word) in [
        (1e-7, 3, "regression"),
        (1e3, 0, "passed        nothing is more than 5 %"),
    ] {
        bench.rewrite_baseline("main", |number, run| {
            run["wall_s"] = json!(wall_s * (1.0 + 0.001 * number as f64));
        });
        let output = bench.output(&compared);
        assert_code(&output, code);
        assert!(stdout(&output).contains(word), "{}", stdout(&output));
        assert!(
            stdout(&output).contains("now / then"),
            "{}",
            stdout(&output)
        );
    }
    // What did not pass does not become what later ones are compared with.
    bench.rewrite_baseline("main", |_, run| run["wall_s"] = json!(1e-7));
    let before = bench.json("state/baselines/main.json");
    let replacing = [&compared[..], &["--save-baseline", "main"]].concat();
    assert_code(&bench.output(&replacing), 3);
    assert_eq!(bench.json("state/baselines/main.json"), before);
    let output = bench.output(&run(&["--save-baseline", "main"]));
    assert!(
        stdout(&output).contains("main was replaced"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_baseline_that_is_all_noise_is_inconclusive() {
    let bench = Bench::new();
    assert_code(&bench.output(&run(&["--save-baseline", "main"])), 0);
    bench.rewrite_baseline("main", |number, run| {
        run["wall_s"] = json!(if number % 2 == 0 { 1e-9 } else { 1e3 });
    });
    let output = bench.output(&run(&["--baseline", "main", "--fail-above", "5%"]));
    assert_code(&output, 4);
    assert!(
        stdout(&output).contains("inconclusive"),
        "{}",
        stdout(&output)
    );
    // Without a limit it is shown and nothing is judged.
    assert_code(&bench.output(&run(&["--baseline", "main"])), 0);
}

#[test]
fn a_baseline_of_something_else_is_refused_key_by_key() {
    let bench = Bench::new();
    assert_code(&bench.output(&run(&["--save-baseline", "main"])), 0);
    let output = bench.output(&run(&[
        "--baseline",
        "main",
        "--fibers",
        "7",
        "--index",
        "hash",
    ]));
    assert_code(&output, 2);
    let text = stderr(&output);
    assert!(text.contains("fibers: 7 now, 50 in the baseline"), "{text}");
    assert!(
        text.contains("index: hash now, tree in the baseline"),
        "{text}"
    );
    assert!(!text.contains("records:"), "{text}");
    // What only a worker can tell is refused once it has told.
    bench.rewrite_baseline("main", |_, run| run["jit"] = json!(false));
    let output = bench.output(&run(&["--baseline", "main"]));
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("jit: on now, off in the baseline"),
        "{}",
        stderr(&output)
    );
    fs::write(bench.path("state/baselines/main.json"), "{").unwrap();
    let output = bench.output(&run(&["--baseline", "main"]));
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("is no result of lycosa"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_workload_that_was_edited_is_another_one() {
    let bench = Bench::new();
    let file = bench.path("w.lua");
    fs::write(&file, "return {transaction = function() end}").unwrap();
    let own = ["--workload", "w.lua"];
    let saving = [&own[..], &["--save-baseline", "w"]].concat();
    assert_code(&bench.output(&run(&saving)), 0);
    let comparing = [&own[..], &["--baseline", "w"]].concat();
    assert_code(&bench.output(&run(&comparing)), 0);
    fs::write(&file, "return {transaction = function() local _ = 1 end}").unwrap();
    let output = bench.output(&run(&comparing));
    assert_code(&output, 2);
    let text = stderr(&output);
    assert!(text.contains("workload_digest: "), "{text}");
}

#[test]
fn comparisons_have_baselines_too() {
    let bench = Bench::new();
    let small = ["--records", "1k", "--json", "/dev/null"];
    assert_code(
        &bench.output(&twins(&[&small[..], &["--save-baseline", "v1"]].concat())),
        0,
    );
    bench.rewrite_baseline("v1", |number, run| {
        run["wall_s"] = json!(1e-7 * (1.0 + 0.001 * number as f64));
    });
    let compared = [&small[..], &["--baseline", "v1", "--fail-above", "5%"]].concat();
    let output = bench.output(&twins(&compared));
    assert_code(&output, 3);
    let text = stdout(&output);
    assert!(text.contains("regression    a at 1k takes "), "{text}");
    assert!(text.contains("regression    b at 1k takes "), "{text}");
}

/// The documents that a baseline is made of stay where they were put.
#[test]
fn the_state_folder_is_the_users_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"));
    command
        .env_remove("LYCOSA_STATE_DIR")
        .env("HOME", folder.path())
        .env("XDG_STATE_HOME", folder.path().join("xdg"))
        .args(run(&["--save-baseline", "main"]));
    assert_code(&command.output().unwrap(), 0);
    let base = if cfg!(target_os = "macos") {
        folder.path().join("Library/Application Support")
    } else {
        folder.path().join("xdg")
    };
    assert!(
        Path::new(&base)
            .join("lycosa/baselines/main.json")
            .is_file()
    );
}
