//! Runs by the clock from the outside: `--duration`, `--warmup`, `--rate`, and runs that Ctrl-C stops.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use started::Started;

#[path = "support/started.rs"]
mod started;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"));
    command.args(arguments);
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A workload whose hooks have these bodies.
fn workload(folder: &Path, transaction: &str, verify: &str) -> PathBuf {
    let file = folder.join("mine.lua");
    let source = format!(
        "local clock = require('clock')
         local fiber = require('fiber')
         local function busy(seconds)
             local ends = clock.monotonic() + seconds
             while clock.monotonic() < ends do end
         end
         return {{
             transaction = function(ctx, fiber_id, n, first) {transaction} end,
             verify = function(ctx) {verify} end,
         }}\n"
    );
    fs::write(&file, source).unwrap();
    file
}

/// Runs one repetition and reads what was saved of it.
fn measured(folder: &Path, arguments: &[&str]) -> (Value, Output) {
    let path = folder.join("result.json");
    let output = command(&["run", "--repeat", "1", "--cold", "0", "--json"])
        .arg(&path)
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    (result["runs"][0].clone(), output)
}

#[test]
fn a_run_by_time_shows_its_throughput_and_counts_nothing_of_its_warm_up() {
    let folder = TempDir::new().unwrap();
    let file = workload(
        folder.path(),
        "busy(0.001)",
        "return ('%d %s %s'):format(ctx.done_ops, tostring(ctx.complete), type(ctx.records))",
    );
    let file = file.to_str().unwrap();
    let time = ["--duration", "200ms", "--warmup", "100ms"];
    let arguments = [&["--workload", file, "--ops-per-txn", "3"][..], &time].concat();
    let (run, output) = measured(folder.path(), &arguments);
    let shown = text(&output.stdout);
    assert!(shown.starts_with("throughput    "), "{shown}");
    assert!(!shown.contains("wall time"), "{shown}");
    assert_eq!(
        (&run["records"], &run["duration_s"]),
        (&0.into(), &0.2.into())
    );
    assert_eq!(run["warmup_s"], 0.1);
    assert_eq!(run["rate_per_s"], Value::Null);
    assert_eq!(run["txn_latency_corrected_ns"], Value::Null);
    assert!(run["wall_s"].as_f64().unwrap() >= 0.2, "{run}");
    let ops = run["ops"].as_u64().unwrap();
    assert_eq!(ops, 3 * run["txn_latency_ns"]["count"].as_u64().unwrap());
    let mut verified = run["checksum"].as_str().unwrap().split(' ');
    let done_ops: u64 = verified.next().unwrap().parse().unwrap();
    assert!(done_ops > ops, "{done_ops} done, {ops} counted");
    assert_eq!(verified.collect::<Vec<_>>(), ["false", "nil"]);
}

#[test]
fn at_a_rate_what_is_due_is_done_or_left_over() {
    let folder = TempDir::new().unwrap();
    let (run, output) = measured(folder.path(), &["--duration", "500ms", "--rate", "2k/s"]);
    let (ops, backlog) = (
        run["ops"].as_u64().unwrap(),
        run["backlog_ops"].as_u64().unwrap(),
    );
    // Ten transactions of a hundred, the last due at 450 ms.
    assert_eq!(ops.div_ceil(100) * 100, ops);
    assert!(
        ops <= 1_000 && ops + backlog >= 900,
        "{ops} done, {backlog} left"
    );
    assert_eq!(
        run["txn_latency_corrected_ns"]["count"],
        run["txn_latency_ns"]["count"]
    );
    assert!(
        !run["txn_latency_corrected_histogram"]
            .as_str()
            .unwrap()
            .is_empty()
    );
    let shown = text(&output.stdout);
    assert!(
        shown.contains("\ntransaction   p50 ") && shown.contains("\ncorrected     p50 "),
        "{shown}"
    );

    let (run, _) = measured(folder.path(), &["--records", "300", "--rate", "2k/s"]);
    assert_eq!((&run["ops"], &run["backlog_ops"]), (&300.into(), &0.into()));
    assert!(run["wall_s"].as_f64().unwrap() >= 0.15, "{run}");
}

#[test]
fn what_a_warm_up_left_undone_is_not_worked_off_in_the_time_that_counts() {
    let folder = TempDir::new().unwrap();
    // Of the 200 that are due in the warm-up, twenty fill it.
    let transaction = "if first <= 20 then busy(0.01) end";
    let file = workload(
        folder.path(),
        transaction,
        "return ('%d'):format(ctx.done_ops)",
    );
    let arguments = ["--workload", file.to_str().unwrap(), "--ops-per-txn", "1"];
    let time = ["--warmup", "200ms", "--duration", "200ms", "--rate", "1k/s"];
    let (run, output) = measured(folder.path(), &[&arguments[..], &time].concat());
    let (ops, backlog) = (
        run["ops"].as_u64().unwrap(),
        run["backlog_ops"].as_u64().unwrap(),
    );
    assert!(
        ops <= 200 && ops + backlog >= 199,
        "{ops} done, {backlog} left"
    );
    let done_ops: u64 = run["checksum"].as_str().unwrap().parse().unwrap();
    assert!(
        (ops + 1..=ops + 20).contains(&done_ops),
        "{done_ops} in all"
    );
    assert!(run["wall_s"].as_f64().unwrap() >= 0.2, "{run}");
    assert!(!text(&output.stdout).contains("up to 0 operations"));
}

#[test]
fn a_rate_that_is_too_high_is_said_to_be() {
    let folder = TempDir::new().unwrap();
    let file = workload(folder.path(), "busy(0.01)", "return 'sum'");
    let arguments = [
        "--workload",
        file.to_str().unwrap(),
        "--duration",
        "300ms",
        "--rate",
        "1000/s",
        "--ops-per-txn",
        "1",
    ];
    let (run, output) = measured(folder.path(), &arguments);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("rate          1.00 k/s were asked for and "),
        "{shown}"
    );
    assert!(run["backlog_ops"].as_u64().unwrap() >= 200, "{run}");

    let (_, output) = measured(folder.path(), &["--records", "20k", "--rate", "100M/s"]);
    let shown = text(&output.stdout);
    assert!(
        shown.contains("rate          100 M/s were asked for and ") && !shown.contains("not begun"),
        "{shown}"
    );
}

#[test]
fn a_stall_is_one_slow_transaction_and_many_late_ones() {
    let folder = TempDir::new().unwrap();
    let file = workload(
        folder.path(),
        "if first == 20 then busy(0.2) end",
        "return 'sum'",
    );
    let arguments = [
        "--workload",
        file.to_str().unwrap(),
        "--records",
        "200",
        "--rate",
        "200/s",
        "--ops-per-txn",
        "1",
    ];
    let (run, _) = measured(folder.path(), &arguments);
    let p99 = |name: &str| run[name]["p99"].as_u64().unwrap();
    let (from_begin, from_due) = (p99("txn_latency_ns"), p99("txn_latency_corrected_ns"));
    assert!(from_due > 100_000_000, "{run}");
    assert!(from_begin < from_due / 2, "{run}");
}

/// The driver over a clock that only sleeping, yielding and transactions move: prints p99 of both
/// latencies in microseconds.
const MADE_UP_CLOCK: &str = "
local stall_at, file = tonumber(arg[1]), arg[2]
local now = 0ULL
package.loaded.clock = {
    monotonic64 = function() return now end,
    monotonic = function() return tonumber(now) / 1e9 end,
    proc = function() return tonumber(now) / 1e9 end,
}
local fiber = require('fiber')
local yield = fiber.yield
fiber.yield = function() now = now + 1000; yield() end
fiber.sleep = function(seconds) now = now + math.floor(seconds * 1e9) + 900000; yield() end
box.cfg({log_level = 'error'})
local workload = {
    transaction = function(ctx, fiber_id, n, first)
        now = now + 100000 + (first == stall_at and 200000000 or 0)
    end,
}
-- The driver keeps its address alone.
local stop = require('ffi').new('uint8_t[1]')
local measured, failed = assert(loadfile(file))({
    workload = workload, settings = {}, pace = {warmup_s = 0, rate_per_s = 100},
    ctx = {records = 1000, ops_per_txn = 1, fibers = 10},
    host = {
        stop = stop, enter = function() end, begin = function() end, finish = function() end,
        peak_rss_bytes = function() return 0 end,
    },
})
assert(stop[0] == 0 and measured ~= nil, failed and failed.message)
assert(measured.ops == 1000 and measured.backlog_ops == 0)
local function p99(histogram)
    local counts = require('ffi').cast('const double *', histogram.counts)
    local seen = 0
    for bucket = 0, 53 * 1024 - 1 do
        seen = seen + counts[bucket]
        if seen >= 990 then
            local doubling, position = math.floor(bucket / 1024), bucket % 1024
            return math.floor(2 ^ doubling * (1 + position / 1024) / 1000)
        end
    end
end
print(p99(measured.histogram), p99(measured.corrected))
os.exit(0)
";

#[test]
fn below_capacity_both_latencies_are_alike_and_a_stall_parts_them() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("clock.lua");
    fs::write(&script, MADE_UP_CLOCK).unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lua/workloads/run.lua");
    let p99 = |stall_at: &str| -> (f64, f64) {
        let output = command(&["exec", script.to_str().unwrap(), stall_at])
            .arg(&driver)
            .output()
            .unwrap();
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let (plain, corrected) = shown.trim().split_once('\t').unwrap();
        (plain.parse().unwrap(), corrected.parse().unwrap())
    };
    let (plain, corrected) = p99("0");
    assert!((98.0..102.0).contains(&plain), "{plain}");
    assert!(
        (0.9..1.1).contains(&(corrected / plain)),
        "{corrected} {plain}"
    );
    let (plain, corrected) = p99("500");
    assert!((98.0..102.0).contains(&plain), "{plain}");
    assert!(corrected > 20.0 * plain, "{corrected} {plain}");
}

#[test]
fn odd_times_and_rates_are_refused() {
    for (arguments, message) in [
        (&["--duration", "0s"][..], "is too short; the least is 1ms"),
        (&["--duration", "-1s"], "must be at least 0s"),
        (&["--duration", "1e300s"], "has the unknown unit `e300s`"),
        (&["--duration", "300"], "has no unit"),
        (&["--duration", "999999h"], "is too long"),
        (&["--warmup", "1s"], "--duration <TIME>"),
        (
            &["--warmup", "1s", "--records", "5"],
            "--warmup is the time before --duration",
        ),
        (
            &["--warmup", "1s", "--records", "5", "--rate", "5/s"],
            "--warmup is the time before --duration",
        ),
        (
            &["--duration", "1s", "--warmup", "-1s"],
            "must be at least 0s",
        ),
        (
            &["--duration", "1s", "--records", "5"],
            "cannot be used with",
        ),
        (&["--rate", "0"], "must be at least 0.001/s"),
        (&["--rate", "-5/s"], "must be at least 0.001/s"),
        (&["--rate", "1e300"], "has the unknown unit `e300`"),
        (&["--rate", "nan"], "is no rate"),
        (
            &["--duration", "1s", "--driver", "rust"],
            "--driver rust runs over a number",
        ),
        (
            &["--rate", "5/s", "--driver", "rust"],
            "--driver rust runs over a number",
        ),
    ] {
        let output = command(&["run"]).args(arguments).output().unwrap();
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {shown}");
        assert!(shown.contains(message), "{arguments:?}: {shown}");
    }
    let output = command(&["selftest", "--duration", "1s"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_warm_up_may_be_longer_than_the_time_that_counts() {
    let folder = TempDir::new().unwrap();
    let (run, _) = measured(folder.path(), &["--duration", "50ms", "--warmup", "150ms"]);
    assert!(run["wall_s"].as_f64().unwrap() >= 0.05, "{run}");
    assert!(run["process_s"].as_f64().unwrap() >= 0.2, "{run}");
}

#[test]
fn sweeps_and_comparisons_take_a_time_and_compare_throughput() {
    let folder = TempDir::new().unwrap();
    let output = command(&[
        "sweep",
        "--duration",
        "50ms",
        "--repeat",
        "2",
        "--json",
        "s.json",
    ])
    .current_dir(folder.path())
    .output()
    .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("by time"),
        "{}",
        text(&output.stdout)
    );
    let arms = ["--arm", "native", "--arm", "again={lycosa}"];
    let time = ["--duration", "50ms", "--repeat", "2", "--json", "c.json"];
    let output = command(&["compare"])
        .args(arms)
        .args(time)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for form in ["r.md", "r.csv", "r.html", "r.json", "r.txt"] {
        let output = command(&["report", "c.json", "--output", form])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{form}: {}",
            text(&output.stderr)
        );
    }
}

const BEGIN: &str = "if first == 1 then io.stderr:write('begun\\n') end";

#[test]
fn a_repetition_that_ctrl_c_stops_is_verified() {
    let folder = TempDir::new().unwrap();
    let transaction = format!("{BEGIN} box.space.sums:update(1, {{{{'+', 2, n}}}})");
    let file = folder.path().join("sums.lua");
    let source = format!(
        "return {{
            prepare = function()
                box.schema.space.create('sums'):create_index('primary')
                box.space.sums:insert({{1, 0}})
            end,
            transaction = function(ctx, fiber_id, n, first) {transaction} end,
            verify = function(ctx)
                local sum = box.space.sums:get(1)[2]
                return sum == ctx.done_ops and 'sum' or nil, 'the sum is wrong'
            end,
        }}"
    );
    fs::write(&file, source).unwrap();
    let file = file.to_str().unwrap();
    let endless = ["--duration", "10h"];
    let slow = ["--duration", "10h", "--rate", "0.01/s"];
    for length in [&["--records", "2G"][..], &endless, &slow] {
        let run = Started::run(&[&["--workload", file], length].concat());
        run.wait_for("begun");
        run.ctrl_c();
        let (code, shown, _) = run.end();
        assert_eq!(code, Some(130), "{shown}");
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            shown.contains("its invariants held after "),
            "{length:?}: {shown}"
        );
    }
    let bundled = Started::run(&["--records", "100M", "--driver", "rust"]);
    thread::sleep(Duration::from_millis(500));
    bundled.ctrl_c();
    assert_eq!(bundled.end().0, Some(130));
}

#[test]
fn invariants_that_do_not_hold_after_an_interruption_are_an_error() {
    let folder = TempDir::new().unwrap();
    let verify = "if ctx.complete then return 'sum' end return nil, ctx.done_ops .. ' is odd'";
    let file = workload(folder.path(), BEGIN, verify);
    let run = Started::run(&["--workload", file.to_str().unwrap(), "--duration", "10h"]);
    run.wait_for("begun");
    run.ctrl_c();
    let (code, _, errors) = run.end();
    assert_eq!(code, Some(1), "{errors}");
    assert!(
        errors.contains("verification failed: ") && errors.contains(" is odd"),
        "{errors}"
    );
}

#[test]
fn a_second_ctrl_c_waits_for_no_verification() {
    let folder = TempDir::new().unwrap();
    let file = workload(folder.path(), BEGIN, "while true do fiber.sleep(0.01) end");
    let run = Started::run(&["--workload", file.to_str().unwrap(), "--duration", "10h"]);
    run.wait_for("begun");
    run.ctrl_c();
    run.wait_for("Ctrl-C again ends it at once");
    run.ctrl_c();
    let (code, shown, _) = run.end();
    assert_eq!(code, Some(130), "{shown}");
    assert!(shown.contains("before anything was measured\n"), "{shown}");
}

#[test]
fn one_ctrl_c_ends_what_would_not_stop() {
    let folder = TempDir::new().unwrap();
    for body in [
        "io.stderr:write('begun\\n') while true do end",
        "io.stderr:write('begun\\n') while true do fiber.sleep(0.01) end",
    ] {
        let file = workload(folder.path(), body, "return 'sum'");
        let run = Started::run(&["--workload", file.to_str().unwrap()]);
        run.wait_for("begun");
        run.ctrl_c();
        let (code, shown, _) = run.end();
        assert_eq!(code, Some(130), "{body}: {shown}");
    }
}

#[test]
fn a_baseline_of_runs_by_time_is_compared_whatever_data_they_left() {
    let folder = TempDir::new().unwrap();
    let run = |options: &[&str]| {
        let time = ["run", "--duration", "50ms", "--cold", "0", "--repeat", "2"];
        let mut command = command(&[&time[..], options].concat());
        command.current_dir(folder.path());
        command.env("LYCOSA_STATE_DIR", folder.path());
        command.output().unwrap()
    };
    let saved = run(&["--save-baseline", "main"]);
    assert_eq!(saved.status.code(), Some(0), "{}", text(&saved.stderr));
    let compared = run(&["--baseline", "main"]);
    assert_eq!(
        compared.status.code(),
        Some(0),
        "{}",
        text(&compared.stderr)
    );
    let other = run(&["--baseline", "main", "--rate", "10k/s"]);
    assert_eq!(other.status.code(), Some(2));
    let message = text(&other.stderr);
    assert!(
        message.contains("10000/s now, none in the baseline"),
        "{message}"
    );
}

#[test]
fn a_transaction_that_is_due_behind_the_end_is_not_waited_for() {
    for (rate, each) in [("1/s", "1000"), ("0.01/s", "1")] {
        let started = std::time::Instant::now();
        let time = [
            "run",
            "--duration",
            "100ms",
            "--warmup",
            "50ms",
            "--cold",
            "0",
        ];
        let pace = ["--rate", rate, "--ops-per-txn", each, "--repeat", "1"];
        let output = command(&[&time[..], &pace].concat()).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.contains("no transaction was due and done"),
            "{message}"
        );
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
