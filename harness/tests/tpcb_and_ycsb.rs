//! The bundled workloads `tpcb` and `ycsb`, as real processes: natively, translated, under Tarantool.
//!
//! What is not installed is not tested, and the test says so.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const TPCB: &str = include_str!("../../lua/workloads/tpcb.lua");
const YCSB: &str = include_str!("../../lua/workloads/ycsb.lua");

/// Small records, few of them.
const SMALL_YCSB: [&str; 8] = [
    "--workload",
    "ycsb",
    "--set",
    "recordcount=300",
    "--set",
    "fieldlength=20",
    "--records",
    "600",
];

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A command of lycosa with one repetition of each arm, saved as `result.json` in the folder.
fn lycosa(folder: &Path, command: &str, arguments: &[&str]) -> Output {
    Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
        .current_dir(folder)
        .args([command, "--repeat", "1", "--cold", "0"])
        .args(arguments)
        .output()
        .unwrap()
}

/// Checksum of a run with these arguments.
fn checksum(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let all = [&["--json", "result.json"], arguments].concat();
    let output = lycosa(folder.path(), "run", &all);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    checksums(folder.path()).swap_remove(0)
}

/// Checksums of all runs of the saved result.
fn checksums(folder: &Path) -> Vec<String> {
    let bytes = fs::read(folder.join("result.json")).unwrap();
    let result: Value = serde_json::from_slice(&bytes).unwrap();
    let runs = result["runs"].as_array().unwrap().iter();
    runs.map(|run| run["checksum"].as_str().unwrap().to_owned())
        .collect()
}

/// The error of a run that fails with this exit code.
fn error(code: i32, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = lycosa(folder.path(), "run", arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{message}");
    let start = message.find("error: ").expect("an error is shown");
    message[start..].to_owned()
}

/// The arms that this machine has, `native` first.
fn arms() -> Vec<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let emulator = format!("qemu-{}", std::env::consts::ARCH);
    let others = [("qemu", emulator.as_str()), ("tarantool", "tarantool")];
    let installed = others.iter().filter(|(_, program)| {
        let found = std::env::split_paths(&path).any(|folder| folder.join(program).exists());
        if !found {
            eprintln!("{program} is not installed, so that it is not tested here");
        }
        found
    });
    std::iter::once("native")
        .chain(installed.map(|(arm, _)| *arm))
        .collect()
}

/// Checks that all arms leave the same data behind, with this checksum.
fn check_arms(arguments: &[&str], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let arms = arms();
    let mut all = vec!["--json", "result.json"];
    all.extend(arms.iter().flat_map(|arm| ["--arm", *arm]));
    if arms.len() == 1 {
        all.extend(["--arm", "again={lycosa}"]);
    }
    all.extend(arguments);
    let output = lycosa(folder.path(), "compare", &all);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for found in checksums(folder.path()) {
        assert_eq!(found, expected, "{arguments:?}");
    }
}

#[test]
fn tpcb_leaves_the_same_bank_everywhere() {
    let arguments = ["--workload", "tpcb", "--records", "500"];
    check_arms(&arguments, "2958770e08c70947");
    for (mode, expected) in [
        ("mode=simple-update", "94f4eafff481172e"),
        ("mode=select-only", "4a96c29adaf26c86"),
    ] {
        let all = [&arguments[..], &["--set", mode]].concat();
        assert_eq!(checksum(&all), expected, "{mode}");
    }
}

// What was done alike leaves the same: a and f write the same values, d and e insert the same records.
#[test]
fn ycsb_leaves_the_same_records_everywhere() {
    for (workload, expected) in [
        ("workload=a", "5ab42d0d31765a91"),
        ("workload=b", "069b243b99ee5b3b"),
        ("workload=c", "100cc0814aad3824"),
        ("workload=d", "6e749a8f87024336"),
        ("workload=e", "6e749a8f87024336"),
        ("workload=f", "5ab42d0d31765a91"),
    ] {
        let arguments = [&SMALL_YCSB[..], &["--set", workload]].concat();
        check_arms(&arguments, expected);
    }
}

#[test]
fn what_is_left_depends_on_the_seed_alone() {
    let tpcb = ["--workload", "tpcb", "--records", "300"];
    let ycsb = &SMALL_YCSB[..];
    for workload in [&tpcb[..], ycsb] {
        let expected = checksum(workload);
        for more in [
            &["--fibers", "1"][..],
            &["--fibers", "7", "--ops-per-txn", "11"],
            &["--jit", "off"],
            &["--index", "hash"],
        ] {
            assert_eq!(checksum(&[workload, more].concat()), expected, "{more:?}");
        }
        let seed = checksum(&[workload, &["--seed", "2"]].concat());
        assert_ne!(seed, expected);
    }
    let two = checksum(&[&tpcb[..], &["--set", "scale=2"]].concat());
    assert_ne!(two, checksum(&tpcb));
}

#[test]
fn keys_of_every_distribution_are_there() {
    for distribution in ["uniform", "zipfian", "latest"] {
        for workload in ["a", "d", "e"] {
            let workload = format!("workload={workload}");
            let distribution = format!("distribution={distribution}");
            let more = ["--set", &workload, "--set", &distribution];
            checksum(&[&SMALL_YCSB[..], &more].concat());
        }
    }
    // The smallest there can be.
    for workload in ["workload=a", "workload=d", "workload=e", "workload=f"] {
        let sizes = ["recordcount=1", "fieldcount=1", "fieldlength=1", workload];
        let settings = sizes.iter().flat_map(|size| ["--set", *size]);
        let arguments = ["--workload", "ycsb", "--records", "50"];
        checksum(&arguments.into_iter().chain(settings).collect::<Vec<_>>());
    }
}

/// The error of the verification of a workload that is broken: `from` replaced by `to`.
fn error_of_broken(source: &str, from: &str, to: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(source.matches(from).count(), 1, "{from}");
    let file = folder.path().join("broken.lua");
    fs::write(&file, source.replace(from, to)).unwrap();
    let file = file.to_str().unwrap();
    error(1, &[arguments, &["--workload", file]].concat())
}

#[test]
fn a_bank_that_loses_an_update_does_not_pass() {
    for (from, to, message) in [
        (
            "    ctx.tellers:update(teller, add_to_balance)\n",
            "if operation ~= 77 then ctx.tellers:update(teller, add_to_balance) end\n",
            "verification failed: tellers ",
        ),
        (
            "    ctx.branches:update(branch, add_to_balance)\n",
            "if operation ~= 77 then ctx.branches:update(branch, add_to_balance) end\n",
            "verification failed: branches 1 has the balance",
        ),
        (
            "    ctx.accounts:get(account)\n    ctx.tellers",
            "if operation == 77 then ctx.accounts:update(account, {{'+', 3, 1}}) end ctx.tellers",
            "verification failed: accounts ",
        ),
        (
            "    box.commit()\n",
            "if first == 77 then box.rollback() else box.commit() end\n",
            "verification failed: history holds 199 rows, not 200",
        ),
        (
            "return account, branch, teller, generator:uniform(-DELTA_MAX, DELTA_MAX)",
            "return account, branch, teller, math.random(-DELTA_MAX, DELTA_MAX)",
            "is not what that transaction drew",
        ),
    ] {
        let shown = error_of_broken(TPCB, from, to, &["--records", "200"]);
        assert!(shown.contains(message), "{shown}");
    }
}

#[test]
fn records_that_lose_an_update_do_not_pass() {
    let few = |workload| {
        let mut arguments = vec!["--records", "400", "--set", "recordcount=50"];
        arguments.extend(["--set", workload]);
        arguments
    };
    for (from, to, workload, message) in [
        (
            "    ctx.space:update(key, set_field)\n",
            "ctx.writes = (ctx.writes or 0) + 1
             if ctx.writes ~= 150 then ctx.space:update(key, set_field) end\n",
            "workload=a",
            "is not what was last written",
        ),
        (
            "    box.commit()\n",
            "if first % 10 == 7 then box.rollback() else box.commit() end\n",
            "workload=f",
            "is not what was last written",
        ),
        (
            "    ctx.space:insert(record_of(ctx, generator, ctx.options.recordcount + operation))\n",
            "local record = record_of(ctx, generator, ctx.options.recordcount + operation)
             record[2] = 'wrong' ctx.space:insert(record)\n",
            "workload=e",
            "is not what was last written",
        ),
        (
            "    scan_options.limit = length\n",
            "    scan_options.limit = 1\n",
            "workload=e",
            "verification failed: scans found ",
        ),
    ] {
        let shown = error_of_broken(YCSB, from, to, &few(workload));
        assert!(shown.contains("verification failed: "), "{shown}");
        assert!(shown.contains(message), "{shown}");
    }
}

#[test]
fn settings_that_make_no_sense_are_one_clear_line() {
    for (workload, setting, message) in [
        (
            "tpcb",
            "scale=0",
            "option scale takes a whole number from 1 to",
        ),
        (
            "tpcb",
            "scale=1.5",
            "option scale takes a whole number from 1 to",
        ),
        (
            "tpcb",
            "scale=nan",
            "option scale takes a whole number from 1 to",
        ),
        ("tpcb", "scale=big", "option scale takes a number, not big"),
        (
            "tpcb",
            "mode=write",
            "option mode takes one of read-write, ",
        ),
        (
            "ycsb",
            "workload=g",
            "option workload takes one of a, b, c, ",
        ),
        (
            "ycsb",
            "recordcount=0",
            "option recordcount takes a whole number from 1",
        ),
        (
            "ycsb",
            "fieldlength=-1",
            "option fieldlength takes a whole number from 1",
        ),
        (
            "ycsb",
            "distribution=x",
            "option distribution takes one of own, ",
        ),
    ] {
        let arguments = ["--workload", workload, "--set", setting];
        let shown = error(2, &arguments);
        assert!(shown.starts_with("error: option "), "{shown}");
        assert!(shown.contains(message), "{shown}");
        assert_eq!(shown.trim_end().lines().count(), 1, "{shown}");
    }
    let more = ["--set", "workload=e", "--index", "hash"];
    let shown = error(2, &[&SMALL_YCSB[..], &more].concat());
    assert!(shown.contains("take --index tree"), "{shown}");
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_loaded() {
    for (workload, setting, expected) in [
        (
            "tpcb",
            "scale=10",
            "the accounts of 10 branches take at least 105 MiB",
        ),
        (
            "ycsb",
            "recordcount=1000000",
            "1000000 records take at least",
        ),
        (
            "ycsb",
            "fieldlength=1000000",
            "a tuple holds 1048576 at most",
        ),
    ] {
        let memory = ["--memory", "16MiB"];
        let arguments = ["--workload", workload, "--set", setting];
        let shown = error(2, &[&arguments[..], &memory].concat());
        assert!(shown.contains(expected), "{shown}");
        assert_eq!(shown.trim_end().lines().count(), 1, "{shown}");
    }
    // What is only known when it is loaded names what to raise, and where it was.
    let shown = error(1, &["--workload", "tpcb", "--memory", "11MiB"]);
    assert!(
        shown.starts_with(
            "error: memory quota of 11 MiB reached in prepare(); raise it with --memory 64MiB"
        ),
        "{shown}"
    );
    assert!(shown.contains("tpcb.lua:"), "{shown}");
}
