//! Whole runs from the outside, workers and all.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Long enough for any machine; nothing waits this long unless it is broken.
const PATIENCE: Duration = Duration::from_mins(1);

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"));
    command.args(arguments);
    command
}

/// A run of three repetitions of 1,000 records, but for what `arguments` say.
fn run(arguments: &[&str]) -> Output {
    let mut command = command(&["run"]);
    for default in [["--records", "1000"], ["--repeat", "3"]] {
        if !arguments.contains(&default[0]) {
            command.args(default);
        }
    }
    command.args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_run_shows_its_report_and_saves_the_documented_shape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let output = run(&["--json", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for label in [
        "cold",
        "wall time",
        "throughput",
        "CPU time",
        "transaction",
        "resources",
        "verified",
    ] {
        let found = text(&output.stdout)
            .lines()
            .any(|line| line.starts_with(label));
        assert!(found, "{label}: {}", text(&output.stdout));
    }
    let result = json(&path);
    assert_eq!(result["status"], "complete");
    assert_eq!(result["context"]["translator"], "native");
    let runs = result["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 4);
    for run in runs {
        assert_eq!(run["records"], 1000);
        assert_eq!(run["ops"], 1000);
        assert_latency(&run["txn_latency_ns"], 10);
        assert_eq!(run["checksum"], runs[0]["checksum"]);
        assert!(run["wall_s"].as_f64().unwrap() > 0.0);
        assert!(run["peak_rss_bytes"].as_u64().unwrap() > 0);
        assert_resources(run);
    }
    let summary = &result["summary"][0];
    assert_eq!(summary["n"], 3);
    assert_eq!(summary["wall_s"]["ci_low"], Value::Null);
    assert_latency(&summary["txn_latency_ns"], 30);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// The worker tells what it took, and was seen from outside; what nobody knows is null.
fn assert_resources(run: &Value) {
    let (own, outside) = (&run["resources"], &run["process_resources"]);
    for name in ["transaction_thread_cpu_s", "cpu_user_s"] {
        assert!(own[name].as_f64().unwrap() >= 0.0, "{own}");
    }
    for name in [
        "resident_bytes",
        "tuple_bytes",
        "index_bytes",
        "lua_heap_bytes",
    ] {
        assert!(own[name].as_u64().unwrap() > 0, "{name}: {own}");
    }
    let used = own["quota_used_bytes"].as_u64().unwrap();
    assert!(used >= own["tuple_bytes"].as_u64().unwrap(), "{own}");
    let faults = |of: &Value| of["minor_faults"].as_u64().unwrap();
    assert!(faults(outside) > faults(own), "{outside} {own}");
    assert_eq!(outside["lua_heap_bytes"], Value::Null);
    assert_eq!(own.as_object().unwrap().len(), 19);
}

/// Percentiles of `count` transactions rise, and no hundred inserts take less than 100 ns.
fn assert_latency(latency_ns: &Value, count: u64) {
    assert_eq!(latency_ns["count"], count);
    let percentiles =
        ["p50", "p95", "p99", "p999", "max"].map(|name| latency_ns[name].as_u64().unwrap());
    assert!(
        percentiles.is_sorted() && percentiles[0] >= 100,
        "{latency_ns}"
    );
}

#[test]
fn six_repetitions_give_an_interval() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let output = run(&[
        "--repeat",
        "6",
        "--cold",
        "0",
        "--json",
        path.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("95 % ["),
        "{}",
        text(&output.stdout)
    );
    let wall_s = &json(&path)["summary"][0]["wall_s"];
    assert_eq!(wall_s["ci_low"], wall_s["min"]);
    assert_eq!(wall_s["ci_high"], wall_s["max"]);
}

#[test]
fn every_driver_index_and_compiler_setting_leaves_the_same_data() {
    let checksum = |arguments: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let output = run(&[arguments, &["--quiet", "--json", path.to_str().unwrap()]].concat());
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        json(&path)["runs"][0]["checksum"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let expected = checksum(&[]);
    for arguments in [["--driver", "rust"], ["--index", "hash"], ["--jit", "off"]] {
        assert_eq!(checksum(&arguments), expected, "{arguments:?}");
    }
}

#[test]
fn a_quiet_run_prints_its_median_line_alone() {
    let output = run(&["--quiet", "--repeat", "6"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    assert!(text(&output.stdout).starts_with("wall time     "));
    assert!(
        text(&output.stdout).lines().count() <= 2,
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_quota_that_is_too_small_fails_with_one_that_fits() {
    let output = run(&["--records", "1M", "--memory", "8MiB"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("error: memory quota of 8 MiB reached after "),
        "{message}"
    );
    assert!(
        message.contains(" of 1,000,000 records; raise it with --memory "),
        "{message}"
    );
}

#[test]
fn a_workload_file_with_a_syntax_error_fails_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.lua");
    fs::write(&file, "print('loading')\nlocal = 1\n").unwrap();
    let output = run(&["--workload", file.to_str().unwrap()]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("error: workload ") && message.contains("broken.lua:2:"),
        "{message}"
    );
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn what_a_workload_file_prints_is_shown_and_is_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("noisy.lua");
    fs::write(
        &file,
        "print('loading')\nio.stderr:write('on error')\nerror('boom')\n",
    )
    .unwrap();
    let output = run(&["--workload", file.to_str().unwrap()]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("loading\n") && message.contains("on error\n"),
        "{message}"
    );
    assert!(
        message.contains("noisy.lua:3:") && message.contains("boom"),
        "{message}"
    );
    assert_eq!(text(&output.stdout), "");
}

/// A workload of one's own: `transaction` is the body of that hook, `verify` that of the other.
fn workload_file(folder: &Path, transaction: &str, verify: &str) -> String {
    let file = folder.join("mine.lua");
    let source = format!(
        "local workload = {{ help = 'a test', options = {{
             {{ name = 'greeting', default = 'hello', help = 'what it says' }} }} }}
         function workload.prepare(ctx) end
         function workload.transaction(ctx, fiber_id, n, first)
             {transaction}
         end
         function workload.verify(ctx)
             {verify}
         end
         return workload\n"
    );
    fs::write(&file, source).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_save_that_fails_is_told_at_once_even_by_a_quiet_run() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let remove = format!("os.execute('rm -rf {}') return 'sum'", inner.display());
    let file = workload_file(folder.path(), "", &remove);
    let path = inner.join("result.json");
    let output = run(&[
        "--workload",
        &file,
        "--quiet",
        "--json",
        path.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert_eq!(message.matches("warning: cannot write").count(), 1);
    assert!(message.starts_with("warning: cannot write"), "{message}");
}

#[test]
fn a_workload_may_print_what_it_likes_and_leave_a_line_unfinished() {
    let folder = tempfile::tempdir().unwrap();
    let file = workload_file(
        folder.path(),
        "if first == 1 then print(ctx.options.greeting) end",
        "io.write('unfinished') return '00000000000000ff'",
    );
    let output = run(&[
        "--workload",
        &file,
        "--set",
        "greeting=good day",
        "--repeat",
        "1",
    ]);
    let shown = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert_eq!(shown.matches("good day\n").count(), 2, "{shown}");
    assert_eq!(shown.matches("unfinished\n").count(), 2, "{shown}");
    assert!(text(&output.stdout).contains("checksum 00000000000000ff"));
    assert!(!text(&output.stdout).contains("unfinished"));
}

#[test]
fn a_stack_overflow_in_any_hook_fails_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let endless = "local function f() return 1 + f() end f()";
    for (transaction, verify) in [(endless, "return ''"), ("", endless)] {
        let file = workload_file(folder.path(), transaction, verify);
        let output = run(&["--workload", &file]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("stack overflow"), "{message}");
    }
}

#[test]
fn a_workload_without_verify_is_not_called_verified() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bare.lua");
    fs::write(&file, "return {transaction = function() end}").unwrap();
    let output = run(&["--workload", file.to_str().unwrap()]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(shown.contains("not verified"), "{shown}");
}

#[test]
fn an_option_with_a_number_or_boolean_as_default_takes_only_such() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("typed.lua");
    let source = "return {
        options = {{name = 'size', default = 1}, {name = 'fast', default = true}},
        transaction = function() end,
        verify = function(ctx) return type(ctx.options.size) .. tostring(ctx.options.fast) end,
    }";
    fs::write(&file, source).unwrap();
    let with = |setting: &str| run(&["--workload", file.to_str().unwrap(), "--set", setting]);
    let output = with("fast=false");
    assert!(text(&output.stdout).contains("checksum numberfalse"));
    for (setting, message) in [
        ("size=big", "option size takes a number, not big"),
        ("fast=maybe", "option fast takes a boolean, not maybe"),
    ] {
        let output = with(setting);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains(message),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn an_error_that_a_workload_throws_has_its_line_its_hook_and_its_fiber() {
    let folder = tempfile::tempdir().unwrap();
    let file = workload_file(folder.path(), "local t; return t.field", "return ''");
    let output = run(&["--workload", &file]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("error: workload ") && message.contains("mine.lua:5:"),
        "{message}"
    );
    assert!(
        message.contains("\n       in transaction(), fiber "),
        "{message}"
    );
}

#[test]
fn repetitions_that_leave_different_data_fail_the_run_and_what_was_measured_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let file = workload_file(
        folder.path(),
        "",
        "local name = debug.getinfo(1, 'S').source:sub(2) .. '.count'
         local file = io.open(name, 'a+')
         file:write('x')
         local size = file:seek('end')
         file:close()
         return ('%016x'):format(size)",
    );
    let output = run(&["--workload", &file, "--json", path.to_str().unwrap()]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("checksum 0000000000000002 (arm `native`) after 0000000000000001"),
        "{message}"
    );
    assert_eq!(json(&path)["status"], "failed");
    assert_eq!(json(&path)["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_workload_that_leaves_the_process_fails_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = workload_file(folder.path(), "os.exit(7)", "return ''");
    let output = run(&["--workload", &file]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("died without an answer: it left with exit code 7"),
        "{message}"
    );
}

#[test]
fn an_option_that_a_workload_file_does_not_have_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = workload_file(folder.path(), "", "return ''");
    let output = run(&["--workload", &file, "--set", "greting=x"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(
        message.contains("no option `greting`; did you mean `greeting`?"),
        "{message}"
    );
}

/// A long run in a process group of its own, which is what a shell makes of a command.
fn start_long_run(json: &Path) -> Child {
    use std::os::unix::process::CommandExt;
    command(&["run", "--records", "20000", "--repeat", "100000", "--json"])
        .arg(json)
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(name: &str, target: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), "--", target])
        .status()
        .unwrap();
    assert!(sent.success(), "kill -{name} {target}");
}

/// Waits until `condition` holds.
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Members of a process group, by `ps`.
fn group_members(group: u32) -> Vec<u32> {
    let output = Command::new("ps")
        .args(["-A", "-o", "pid=,pgid=,stat="])
        .output()
        .unwrap();
    text(&output.stdout)
        .lines()
        .filter_map(|line| {
            let mut fields = line.split_whitespace();
            let process = fields.next()?.parse().ok()?;
            let process_group: u32 = fields.next()?.parse().ok()?;
            let is_dead = fields.next()?.starts_with('Z');
            (process_group == group && !is_dead).then_some(process)
        })
        .collect()
}

/// Reads standard error until a counted repetition is done, and drains the rest behind it.
fn wait_for_a_repetition(child: &mut Child) -> thread::JoinHandle<()> {
    use std::io::{BufRead, BufReader};
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let seen = lines
        .by_ref()
        .map_while(Result::ok)
        .any(|line| line.starts_with("1/100000"));
    assert!(seen, "the run ended before its first repetition did");
    thread::spawn(move || lines.for_each(drop))
}

/// Interrupts a run with a signal to `target` (made from its process id) and checks its end.
fn interrupt_with(name: &str, target: fn(u32) -> String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let mut child = start_long_run(&path);
    let group = child.id();
    let drained = wait_for_a_repetition(&mut child);
    signal(name, &target(group));
    let output = child.wait_with_output().unwrap();
    drained.join().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stdout));
    assert!(
        text(&output.stdout).contains("interrupted   after "),
        "{}",
        text(&output.stdout)
    );
    assert!(
        text(&output.stdout).contains("wall time "),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(json(&path)["status"], "interrupted");
    wait_until("the worker's end", || group_members(group).is_empty());
}

#[test]
fn ctrl_c_ends_the_worker_and_keeps_what_was_measured() {
    interrupt_with("INT", |group| format!("-{group}"));
}

#[test]
fn sigterm_to_the_parent_alone_ends_the_worker_too() {
    interrupt_with("TERM", |process| process.to_string());
}

#[test]
fn a_worker_does_not_outlive_a_parent_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start_long_run(&folder.path().join("result.json"));
    let group = child.id();
    wait_until("a worker's start", || {
        assert_eq!(child.try_wait().unwrap(), None, "the run ended by itself");
        group_members(group).len() > 1
    });
    signal("KILL", &group.to_string());
    child.wait().unwrap();
    wait_until("the worker's end", || group_members(group).is_empty());
}

#[test]
fn a_workload_has_defaults_and_a_word_for_its_operations() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bank.lua");
    let source = "return {
        defaults = {records = 30, ops_per_txn = 1}, unit = 'transfers',
        transaction = function(ctx, fiber_id, n) assert(n == ctx.ops_per_txn) end,
        verify = function(ctx) return ctx.records .. '/' .. ctx.ops_per_txn end,
    }";
    fs::write(&file, source).unwrap();
    let result = folder.path().join("result.json");
    let with = |more: &[&str]| {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
            .args(["run", "--repeat", "1", "--cold", "0"])
            .args(["--workload", file.to_str().unwrap()])
            .args(["--json", result.to_str().unwrap()])
            .args(more)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let shown = format!("{}{}", text(&output.stderr), text(&output.stdout));
        let saved: Value = serde_json::from_slice(&fs::read(&result).unwrap()).unwrap();
        (shown, saved["runs"][0].clone())
    };
    let (shown, run) = with(&[]);
    assert!(shown.contains("50 fibers x 1 transfer "), "{shown}");
    assert!(shown.contains(" transfers/s"), "{shown}");
    assert_eq!(run["checksum"], "30/1");
    assert_eq!(run["unit"], "transfers");
    let (shown, run) = with(&["--records", "40", "--ops-per-txn", "10"]);
    assert!(shown.contains("50 fibers x 10 transfers"), "{shown}");
    assert_eq!(run["checksum"], "40/10");
}

#[test]
fn defaults_that_no_option_takes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.lua");
    for (described, message) in [
        ("defaults = 1", "`defaults` must be a table"),
        (
            "defaults = {records = 0}",
            "`defaults.records` must be a whole number from 1",
        ),
        (
            "defaults = {ops_per_txn = 1.5}",
            "`defaults.ops_per_txn` must be a whole",
        ),
        (
            "defaults = {records = '10'}",
            "`defaults.records` must be a whole",
        ),
        (
            "defaults = {fibers = 1}",
            "takes records and ops_per_txn, not `fibers`",
        ),
        ("help = {}", "`help` must be a string"),
        (
            "options = {{name = 'x', default = 1, help = 1}}",
            "option `x`: `help` must be a string",
        ),
        (
            "options = {{name = 'x', default = 1}, {name = 'x', default = 2}}",
            "two options are named `x`",
        ),
        (
            "options = {{name = 'x', default = 3, range = {5, 1}}}",
            "option `x`: `range` must be {LOWEST, HIGHEST}",
        ),
        (
            "options = {{name = 'x', default = 1, range = {1}}}",
            "option `x`: `range` must be",
        ),
        (
            "options = {{name = 'x', default = 1, range = {'1', '5'}}}",
            "option `x`: `range` must be",
        ),
        (
            "options = {{name = 'x', default = 9, range = {1, 5}}}",
            "the default a whole number between them",
        ),
        (
            "options = {{name = 'x', default = 'a', range = {1, 5}}}",
            "option `x`: `range` must be",
        ),
        (
            "options = {{name = 'x', default = 'x', choices = 'x'}}",
            "option `x`: `choices` must be a list",
        ),
        (
            "options = {{name = 'x', default = 'c', choices = {'a', 'b'}}}",
            "option `x`: `choices` must be a list",
        ),
        (
            "options = {{name = 'x', default = 'a', choices = {'a', 1}}}",
            "option `x`: `choices` must be a list",
        ),
        ("unit = 1", "`unit` must be a plural noun"),
        ("unit = ('x'):rep(99)", "`unit` must be a plural noun"),
        ("unit = 'two\\nlines'", "`unit` must be a plural noun"),
    ] {
        let source = format!("return {{ {described}, transaction = function() end }}");
        fs::write(&file, source).unwrap();
        let output = run(&["--workload", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{described}");
        let shown = text(&output.stderr);
        assert!(shown.contains(message), "{shown}");
    }
}
