//! The bundled workloads `mixed`, `kv`, `tpcc` and `queue` as real processes: the same data everywhere,
//! lost updates noticed, bad settings refused, the quota reached.
//!
//! What is not installed is not tested, and the test says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn lycosa(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

/// One repetition of a workload with these options, words separated by blanks.
fn run(folder: &Path, workload: &str, options: &str) -> Output {
    let words = format!("run --quiet --repeat 1 --cold 0 --workload {workload} {options}");
    lycosa(folder, &words.split_whitespace().collect::<Vec<_>>())
}

/// The error of a command that ended with this exit code.
fn error(output: &Output, code: i32) -> String {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{message}");
    let start = message.find("error: ").expect("an error is shown");
    message[start..].trim_end().to_owned()
}

/// Arms of which each leaves the data that `native` leaves.
fn arms() -> Vec<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_installed = |program: &str| {
        let found = std::env::split_paths(&path).any(|folder| folder.join(program).exists());
        if !found {
            eprintln!("{program} is not installed, so that nothing is tested there");
        }
        found
    };
    let mut arms = vec!["--arm", "native"];
    if is_installed(&format!("qemu-{}", std::env::consts::ARCH)) {
        arms.extend(["--arm", "qemu"]);
    }
    if is_installed("tarantool") {
        arms.extend(["--arm", "tarantool"]);
    }
    arms
}

/// Runs one repetition on each arm. That their checksums agree is checked by the command.
fn compare(options: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut words = vec!["compare", "--json", "result.json"];
    words.extend(["--repeat", "1", "--cold", "0"]);
    words.extend(arms());
    words.extend(options.split_whitespace());
    let output = lycosa(folder.path(), &words);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{options}: {}",
        text(&output.stderr)
    );
    let saved = fs::read(folder.path().join("result.json")).unwrap();
    let result: Value = serde_json::from_slice(&saved).unwrap();
    let runs = result["runs"].as_array().unwrap();
    assert_eq!(runs.len(), arms().len() / 2, "{options}");
    for run in runs {
        assert_eq!(run["checksum"], runs[0]["checksum"], "{options}");
        assert_eq!(run["checksum"].as_str().unwrap().len(), 16, "{options}");
    }
}

#[test]
fn mixed_leaves_the_same_data_everywhere() {
    compare("--workload mixed --records 2000 --set keys=500");
    compare(
        "--workload mixed --records 999 --fibers 7 --ops-per-txn 10 --index hash --set keys=300 \
         --set key_type=string --set value_size=1..99 --set distribution=zipfian",
    );
    compare(
        "--workload mixed --records 500 --jit off --seed 2 --set keys=1 --set replace=0 \
         --set update=100 --set delete=0 --set select=0 --set distribution=gaussian",
    );
}

#[test]
fn kv_leaves_the_same_data_everywhere() {
    for cell in [
        "key=num --set operation=replace",
        "key=str --set operation=select --index hash",
        "key=num_num --set operation=update",
        "key=num_str --set operation=delete",
        "key=str_num --set operation=replace --index hash",
        "key=str_str --set operation=update --index hash",
    ] {
        compare(&format!("--workload kv --records 600 --set {cell}"));
    }
}

#[test]
fn tpcc_leaves_the_same_data_everywhere() {
    let small = "--workload tpcc --set items=200 --set customers=20";
    compare(&format!("{small} --records 300"));
    compare(&format!(
        "{small} --records 100 --set warehouses=2 --index hash --fibers 3 --ops-per-txn 7 --seed 9"
    ));
}

#[test]
fn queue_leaves_the_same_data_everywhere() {
    for fibers in ["--fibers 50", "--fibers 1", "--fibers 3 --ops-per-txn 4"] {
        for consumers in ["consumers=1", "consumers=8 --index hash"] {
            compare(&format!(
                "--workload queue --records 301 {fibers} --set {consumers}"
            ));
        }
    }
}

#[test]
fn every_cell_of_kv_verifies() {
    let folder = tempfile::tempdir().unwrap();
    for index in ["tree", "hash"] {
        for key in ["num", "str", "num_num", "num_str", "str_num", "str_str"] {
            for operation in ["replace", "select", "update", "delete"] {
                let options = format!(
                    "--records 250 --index {index} --set key={key} --set operation={operation}"
                );
                let output = run(folder.path(), "kv", &options);
                assert_eq!(
                    output.status.code(),
                    Some(0),
                    "{options}: {}",
                    text(&output.stderr)
                );
            }
        }
    }
}

/// A copy of a bundled workload in which one text is replaced by another.
fn broken(folder: &Path, name: &str, was: &str, becomes: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../lua/workloads/{name}.lua"));
    let original = fs::read_to_string(source).unwrap();
    assert_eq!(original.matches(was).count(), 1, "{name}: {was}");
    let path = folder.join("broken.lua");
    fs::write(&path, original.replace(was, becomes)).unwrap();
    path
}

/// A workload, its options, what is changed in it and into what, and what its check says then.
type Broken = [&'static str; 5];

const BROKEN: &[Broken] = &[
    [
        "mixed",
        "",
        "space:delete(key)",
        "if number % 50 ~= 0 then space:delete(key) end",
        "selects found other tuples than were written",
    ],
    [
        "mixed",
        "--set replace=100 --set update=0 --set delete=0 --set select=0",
        "space:replace({key, number, values[value]})",
        "if number < 990 then space:replace({key, number, values[value]}) end",
        "was written last by operation 9",
    ],
    [
        "kv",
        "--set operation=update",
        "{{'+', 2, 1}}",
        "{{'+', 2, position == 5 and 0 or 1}}",
        "key number 5 was updated 0 times, not 1",
    ],
    [
        "kv",
        "--set operation=update --set key=num_str",
        "{{'+', 3, 1}}",
        "{{'+', 3, position == 5 and 2 or position == 6 and 0 or 1}}",
        "key number 5 was updated 2 times, not 1",
    ],
    [
        "kv",
        "",
        "space:replace({first[position], 0})",
        "if position ~= 5 then space:replace({first[position], 0}) end",
        "the space holds 999 tuples, not 1000",
    ],
    [
        "tpcc",
        "",
        "{{'+', 'd_ytd', amount}}",
        "{{'+', 'd_ytd', operation % 50 == 0 and 0 or amount}}",
        "condition ",
    ],
    [
        "tpcc",
        "",
        "{{'+', 'w_ytd', amount}}",
        "{{'+', 'w_ytd', operation % 50 == 0 and 0 or amount}}",
        "condition 1: warehouse 1: W_YTD is not the sum of D_YTD",
    ],
    [
        "tpcc",
        "",
        "spaces.new_order:insert({w, d, line.o})",
        "if operation % 5 > 0 then spaces.new_order:insert({w, d, line.o}) end",
        "condition ",
    ],
    [
        "tpcc",
        "",
        "operation, box.NULL, lines, is_local",
        "operation, box.NULL, operation % 50 < 9 and lines - 1 or lines, is_local",
        "condition ",
    ],
    [
        "tpcc",
        "",
        "spaces.customer:update({customer_w, customer_d, customer.c_id}, changes)",
        "if operation % 50 > 0 then \
             spaces.customer:update({customer_w, customer_d, customer.c_id}, changes) end",
        "condition 10: warehouse 1, district",
    ],
    [
        "tpcc",
        "",
        "{'+', 's_ytd', quantity}",
        "{'+', 's_ytd', quantity == 7 and 0 or quantity}",
        "S_YTD adds to another number than was ordered",
    ],
    [
        "tpcc",
        "",
        "if oldest ~= nil then",
        "if false then",
        "deliveries: warehouse 1, district 1: ",
    ],
    [
        "tpcc",
        "",
        "{{'=', 'o_carrier_id', carrier}}",
        "{{'=', 'o_all_local', 1}}",
        "condition 5: warehouse 1, district 1: ",
    ],
    [
        "tpcc",
        "",
        "{{'=', 'ol_delivery_d', operation}}",
        "{{'=', 'ol_delivery_d', number > 1 and operation or box.NULL}}",
        "condition 7: warehouse 1, district 1: ",
    ],
    [
        "tpcc",
        "",
        "{'+', 'c_delivery_cnt', 1}",
        "{'+', 'c_delivery_cnt', o % 5 == 0 and 0 or 1}",
        "C_DELIVERY_CNT of customer ",
    ],
    [
        "queue",
        "",
        "ctx.acknowledgements[producer]:put(id)",
        "if id == 7 then ctx.done:delete(id) end ctx.acknowledgements[producer]:put(id)",
        "999 messages were acknowledged, not 1000",
    ],
    [
        "queue",
        "",
        "{{'=', 2, TAKEN}}",
        "{{'=', 2, READY}}",
        "Duplicate key exists",
    ],
    [
        "queue",
        "--ops-per-txn 5",
        "ready:min(",
        "ready:max(",
        "was taken out of order",
    ],
];

#[test]
fn what_a_workload_loses_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    for [name, options, was, becomes, expected] in BROKEN.iter().copied() {
        let small = match name {
            "mixed" => "--set keys=100",
            "tpcc" => "--set items=100 --set customers=10",
            _ => "",
        };
        let path = broken(folder.path(), name, was, becomes);
        let options = format!("--records 1000 {small} {options}");
        let output = run(folder.path(), path.to_str().unwrap(), &options);
        assert_ne!(output.status.code(), Some(0), "{name}: {becomes}");
        let message = error(&output, 1);
        assert!(message.contains(expected), "{name}: {becomes}: {message}");
    }
}

#[test]
fn a_setting_that_makes_no_sense_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (workload, setting, expected) in [
        (
            "mixed",
            "replace=200",
            "option replace takes a whole number from 0 to 100, not 200",
        ),
        (
            "mixed",
            "replace=41",
            "replace, update, delete and select add to 101 %, not to 100 %",
        ),
        ("mixed", "keys=many", "option keys takes a number, not many"),
        ("mixed", "keys=1e8", "100000000 keys take at least"),
        (
            "mixed",
            "value_size=9..2",
            "option value_size takes bytes from 1 to 1000000, or a range of them as in 16..1024, not 9..2",
        ),
        (
            "kv",
            "key=text",
            "option key takes one of num, str, num_num, num_str, str_num, str_str, not text",
        ),
        ("kv", "key=str --records 1G", "1000000000 keys take about"),
        (
            "kv",
            "operation=delete --duration 1s",
            "operation=delete ends when all keys are deleted; give --records in place of --duration",
        ),
        (
            "tpcc",
            "warehouses=0",
            "option warehouses takes a whole number from 1 to 100000, not 0",
        ),
        (
            "tpcc",
            "warehouses=nan",
            "option warehouses takes a whole number from 1 to 100000, not nan",
        ),
        ("tpcc", "warehouses=5000", "5000 warehouses take at least"),
        (
            "tpcc",
            "items=1.5",
            "option items takes a whole number from 1 to 100000, not 1.5",
        ),
        (
            "queue",
            "consumers=0",
            "option consumers takes a whole number from 1 to 10000, not 0",
        ),
        ("queue", "size=", "option size takes a number, not"),
    ] {
        let output = run(folder.path(), workload, &format!("--set {setting}"));
        let message = error(&output, 2);
        assert!(
            message.starts_with(&format!("error: {expected}")),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn at_the_quota_each_workload_says_so() {
    let folder = tempfile::tempdir().unwrap();
    // What `mixed` holds does not grow.
    for (workload, options) in [
        ("kv", ""),
        ("tpcc", "--set items=100 --set customers=10"),
        ("queue", "--set consumers=3"),
    ] {
        let options = format!("--records 200k --memory 2MiB {options}");
        let message = error(&run(folder.path(), workload, &options), 1);
        assert!(
            message.starts_with("error: memory quota of 2 MiB reached after "),
            "{workload}: {message}"
        );
    }
}
