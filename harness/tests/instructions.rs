//! What an insert costs in instructions, counted by Valgrind's `callgrind`: times here vary too much
//! to tell a cost that creeps in by a few per cent, and counts hardly vary at all (0.3 % over
//! repetitions, since hash seeds, addresses and the clock differ).
//!
//! A count is the difference of two runs over the difference of their sizes, so that neither the start
//! of the process nor its end is in it. It belongs to one compiler, profile and architecture: any
//! other is told so on standard error, and passes, as is a machine without `valgrind`.

use std::process::{Command, Stdio};

use serde_json::json;

/// How much more than recorded is still taken for the same.
const HEAD_ROOM: f64 = 0.05;

/// The compiler that the counts below were recorded with; any other may optimize otherwise.
const RECORDED_WITH: &str = "rustc 1.95.0";

/// Instructions of an insert from Rust: its share of a transaction of 100 and of the switches between
/// 50 fibers. The check of the stored data is in it, which the process always does.
const INSERT_FROM_RUST: f64 = 1_980.0;

/// Instructions of an insert from Lua that is interpreted, with its share of a transaction of 100.
/// What the compiler makes of it depends on where its heuristics happen to start, and is not counted.
const INSERT_FROM_LUA: f64 = 6_300.0;

/// Why nothing can be counted here, if so.
fn obstacle() -> Option<String> {
    let profile = env!("LYCOSA_PROFILE");
    let (architecture, compiler) = (std::env::consts::ARCH, env!("LYCOSA_RUSTC"));
    let is_recorded_build = cfg!(debug_assertions)
        && profile == "debug"
        && env!("LYCOSA_OPT_LEVEL") == "1"
        && env!("LYCOSA_FEATURES_BEYOND_BASELINE").is_empty()
        && architecture == "x86_64"
        && compiler.starts_with(RECORDED_WITH);
    if !is_recorded_build {
        return Some(format!(
            "the counts are those of {RECORDED_WITH} for plain x86_64 in the profile `dev`, and this \
             is {compiler} for {architecture}, {profile}, optimized at {}, with `{}`",
            env!("LYCOSA_OPT_LEVEL"),
            env!("LYCOSA_FEATURES_BEYOND_BASELINE"),
        ));
    }
    match Command::new("valgrind").arg("--version").output() {
        Ok(output) if output.status.success() => None,
        _ => Some(String::from("there is no valgrind")),
    }
}

/// Runs lycosa with `arguments` under `callgrind`, and answers with the instructions of all its threads.
/// What it prints must have `proof` in it. Its standard input stays open until it ends.
fn instructions(arguments: &[&str], proof: &str) -> u64 {
    let mut child = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env!("CARGO_BIN_EXE_lycosa"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let held_open = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(held_open);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stdout.contains(proof), "{proof}: {stdout}{stderr}");
    stderr
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, count)| count.trim().parse().ok())
        .unwrap_or_else(|| panic!("callgrind tells no count: {stderr}"))
}

/// Counts an insert by runs of two sizes and compares with the record.
fn assert_no_dearer(what: &str, recorded: f64, sizes: [u32; 2], count: impl Fn(u32) -> u64) {
    if let Some(obstacle) = obstacle() {
        eprintln!("instructions of an insert from {what} were not counted: {obstacle}");
        return;
    }
    let [few, many] = sizes.map(&count);
    let measured = (many as f64 - few as f64) / f64::from(sizes[1] - sizes[0]);
    eprintln!("an insert from {what} takes {measured:.0} instructions, recorded {recorded:.0}");
    assert!(
        measured <= recorded * (1.0 + HEAD_ROOM),
        "an insert from {what} takes {measured:.0} instructions, {:.1} % more than the recorded \
         {recorded:.0}. If that is worth it, record the new figure.",
        (measured / recorded - 1.0) * 100.0,
    );
}

#[test]
fn an_insert_from_rust_takes_no_more_instructions_than_recorded() {
    assert_no_dearer("Rust", INSERT_FROM_RUST, [10_000, 60_000], |records| {
        let options = json!({
            "workload": { "bundled": "insert" },
            "records": records,
            "fibers": 50,
            "ops_per_txn": 100,
            "index": "tree",
            "driver": "rust",
            "jit": false,
            "memory_bytes": 1 << 30,
            "seed": 1,
            "settings": [],
        });
        let request = json!({ "run": { "options": options, "cores": "any" } });
        let proof = format!("\"ops\":{records}");
        instructions(&["worker-internal", "nonce", &request.to_string()], &proof)
    });
}

#[test]
fn an_insert_from_interpreted_lua_takes_no_more_instructions_than_recorded() {
    assert_no_dearer("Lua", INSERT_FROM_LUA, [2_000, 12_000], |records| {
        let script = format!(
            "jit.off()
            -- Under callgrind a transaction takes long enough to be taken for one that hangs.
            require('fiber').set_max_slice(3600)
            box.cfg{{log_level = 0}}
            local format = {{{{'id', 'unsigned'}}, {{'payload', 'string'}}}}
            local space = box.schema.space.create('insert', {{format = format}})
            space:create_index('primary')
            for first = 1, {records}, 100 do
                box.begin()
                for id = first, first + 99 do
                    space:insert{{id, 'payload'}}
                end
                box.commit()
            end
            print('inserted', space:len())
            os.exit(0)"
        );
        instructions(&["exec", "-e", &script], &format!("inserted\t{records}\n"))
    });
}
