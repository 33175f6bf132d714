use std::fs;
use std::time::Duration;

use super::super::conversation::testing::Lines;
use super::*;
use crate::result::testing::options;

/// Runs a shell script as a program; it finds the workload's file as `$0`.
fn programs(script: &str) -> Programs {
    let words = ["sh", "-c", script, "{workload}", "{records}", "{settings}"];
    let command = shlex::try_join(words).unwrap();
    with_command(&command, Interrupt::default())
}

fn with_command(command: &str, interrupt: Interrupt) -> Programs {
    let lycosa = Launcher::new(None, PathBuf::from("/opt/lycosa"));
    Programs::new("other", command.parse().unwrap(), lycosa, interrupt)
}

fn run(script: &str) -> (Result<Repetition, RepetitionError>, Vec<String>) {
    let mut lines = Lines::default();
    let outcome = programs(script).repetition(&options(), &mut lines);
    (outcome, lines.0)
}

fn failure(script: &str) -> String {
    run(script).0.unwrap_err().to_string()
}

#[test]
fn the_least_answer_is_a_wall_time() {
    let (outcome, lines) = run("echo ready; echo careful >&2; echo '{\"wall_s\": 5e-4}'");
    let repetition = outcome.unwrap();
    assert!((repetition.measurement.wall_s - 5e-4).abs() < 1e-9);
    assert_eq!(repetition.measurement.ops, 1_000_000);
    assert_eq!(repetition.measurement.txn_latency_histogram, "");
    assert!(repetition.measurement.jit, "it is as it was asked for");
    assert_eq!(repetition.program.as_deref(), Some("sh"));
    assert_eq!(repetition.command[3], "{workload}");
    assert!(repetition.process_s > 0.0 && repetition.context.is_none());
    assert_eq!(lines, ["ready", "careful"]);
}

#[test]
fn a_full_answer_is_kept() {
    let answer = r#"{"wall_s":2e-4,"cpu_s":1.5,"ops":1e6,"checksum":"5f3a","program":"Other 1.0",
        "binary_arch":"arm64","jit":true,"jit_traces":3,"index":"TREE","seed":1,
        "txn_latency_counts":[[1000,9000],[2000,1000]],"txn_latency_ns":{"max":2001},
        "resources":{"lua_heap_bytes":1.5e6,"cpu_user_s":0.5,"minor_faults":null,"other":3}}"#;
    let (outcome, _) = run(&format!("echo '{}'", answer.replace('\n', " ")));
    let repetition = outcome.unwrap();
    assert_eq!(repetition.program.as_deref(), Some("Other 1.0"));
    let measurement = repetition.measurement;
    assert_eq!((measurement.ops, measurement.cpu_s), (1_000_000, 1.5));
    assert_eq!(
        (measurement.checksum.as_str(), measurement.jit),
        ("5f3a", true)
    );
    assert_eq!(measurement.binary_arch, "aarch64");
    let expected = Resources {
        lua_heap_bytes: Some(1_500_000),
        cpu_user_s: Some(0.5),
        ..Resources::default()
    };
    assert_eq!(measurement.resources, Some(expected));
    assert!(repetition.process_resources.unwrap().cpu_s() > Some(0.0));
    let latency = measurement.txn_latency_ns;
    assert_eq!(
        (latency.p50, latency.max, latency.count),
        (1_000, 2_001, 10_000)
    );
    assert_eq!(
        latency::decode(&measurement.txn_latency_histogram)
            .unwrap()
            .len(),
        10_000
    );
}

#[test]
fn a_program_that_gives_no_figures_says_why() {
    for (script, expected) in [
        (
            "echo garbage",
            "left with exit code 0 and printed no result",
        ),
        ("exit 3", "gave no figures: it left with exit code 3"),
        ("kill -SEGV $$", "killed by SIGSEGV"),
        (
            "echo '{\"wall_s\":1e-4}'; echo '{\"wall_s\":1e-4}'",
            "it printed 2 results",
        ),
        (
            "echo '{\"wall_s\":1e-4}'; exit 3",
            "printed a result and then failed",
        ),
        ("echo '{\"wall_s\":\"1\"}'", "what it printed is no result"),
        ("echo '{\"wall_s\":0}'", "its `wall_s` is 0"),
        ("echo '{\"wall_s\":-1}'", "its `wall_s` is -1"),
        ("echo '{\"wall_s\":null}'", "its result has no `wall_s`"),
        (
            "echo '{\"wall_s\":2000}'",
            "its `wall_s` is 2000, but it lived for 0.",
        ),
        ("echo '{\"wall_s\":1e-4,\"cpu_s\":-1}'", "its `cpu_s` is -1"),
        (
            "echo '{\"wall_s\":1e-4,\"txn_latency_ns\":{\"count\":-1}}'",
            "its `txn_latency_ns.count` is -1",
        ),
        (
            "echo '{\"wall_s\":1e-4,\"binary_arch\":\"vax\"}'",
            "its `binary_arch` is `vax`",
        ),
        (
            "echo '{\"wall_s\":1e-4,\"ops\":7}'",
            "is of ops 7, not 1000000",
        ),
        (
            "echo '{\"wall_s\":1e-4,\"index\":\"HASH\"}'",
            "is of index HASH, not tree",
        ),
    ] {
        let message = failure(script);
        assert!(message.starts_with("`sh` gave no figures: "), "{message}");
        assert!(message.contains(expected), "{script}: {message}");
    }
}

#[test]
fn the_last_lines_of_its_errors_stand_below_the_failure() {
    let message = failure("seq 1 15 >&2; printf 'out of luck' >&2; exit 1");
    assert!(
        message.ends_with("\n         14\n         15\n         out of luck"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 13, "{message}");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let mut programs = with_command(
        "no-such-program {workload} {settings}",
        Interrupt::default(),
    );
    let error = programs
        .repetition(&options(), &mut Lines::default())
        .unwrap_err();
    assert!(error.to_string().contains("no-such-program"), "{error}");
}

#[test]
fn placeholders_and_settings_reach_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let script = format!(
        "echo \"$@\" >{0}; head -c 2 \"$0\" >>{0}; echo '{{\"wall_s\":1e-4}}'",
        out.display()
    );
    run(&script).0.unwrap();
    let text = fs::read_to_string(out).unwrap();
    assert_eq!(text, "1000000 --set payload=short\n--");
}

#[test]
fn with_a_prefix_only_what_stands_behind_it_is_the_answer() {
    let command = "sh -c 'echo \"{\\\"wall_s\\\":1e-4}\"; echo \"$1{\\\"wall_s\\\":2e-4}\"' {workload} {prefix} {settings}";
    let mut lines = Lines::default();
    let outcome = with_command(command, Interrupt::default()).repetition(&options(), &mut lines);
    assert!((outcome.unwrap().measurement.wall_s - 2e-4).abs() < 1e-9);
    assert_eq!(lines.0, ["{\"wall_s\":1e-4}"]);
}

#[test]
fn what_a_program_cannot_do_is_refused() {
    let mut asked = options();
    let without = with_command("x {workload}", Interrupt::default());
    assert!(
        without
            .refusal(&asked)
            .unwrap()
            .contains("put {settings} into its command")
    );
    asked.settings.clear();
    assert_eq!(without.refusal(&asked), None);
    asked.driver = Driver::Rust;
    assert!(
        without
            .refusal(&asked)
            .unwrap()
            .contains("leave --driver rust out")
    );
}

#[test]
fn temporary_folders_of_a_program_go_with_it() {
    let (outcome, lines) = run("mktemp -d; echo '{\"wall_s\":1e-4}'");
    outcome.unwrap();
    assert!(!Path::new(&lines[0]).exists(), "{}", lines[0]);
}

#[test]
fn an_interruption_ends_a_program_and_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let interrupt = Interrupt::default();
    let command = format!(
        "sh -c 'sleep 600 & echo $! >{0}.new; mv {0}.new {0}; wait' {{workload}} {{settings}}",
        started.display()
    );
    let mut programs = with_command(&command, interrupt.clone());
    let watcher = std::thread::spawn({
        let started = started.clone();
        move || {
            while !started.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            interrupt.raise();
        }
    });
    let error = programs
        .repetition(&options(), &mut Lines::default())
        .unwrap_err();
    assert!(matches!(error, RepetitionError::Interrupted), "{error}");
    watcher.join().unwrap();
    let child = fs::read_to_string(started).unwrap();
    // It is gone as soon as its new parent has taken note of it.
    let gone = (0..1_000).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        stat.map_or(true, |stat| stat.contains(") Z "))
    });
    assert!(gone, "process {child} lives");
}
