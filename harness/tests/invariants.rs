//! The invariants of every bundled workload hold however its run ends: after a time, and when Ctrl-C
//! stops it, by time, over records, or at a rate.

use std::process::Command;

use started::Started;

#[path = "support/started.rs"]
mod started;

/// A workload, options that keep it small, and records that take it longer than a moment.
const WORKLOADS: [[&str; 3]; 7] = [
    ["insert", "", "100M"],
    ["tpcb", "", "20M"],
    ["ycsb", "--set recordcount=1000", "20M"],
    ["mixed", "--set keys=1000", "100M"],
    ["kv", "", "1M"],
    ["tpcc", "--set items=200 --set customers=20", "5M"],
    ["queue", "", "20M"],
];

/// The same with what makes them do other things.
const VARIANTS: [[&str; 2]; 8] = [
    ["tpcb", "--set mode=simple-update --ops-per-txn 7"],
    ["ycsb", "--set workload=d"],
    ["ycsb", "--set workload=e"],
    ["ycsb", "--set workload=f --set distribution=uniform"],
    ["mixed", "--set delete=50 --set select=0 --index hash"],
    ["kv", "--set operation=delete --set key=str_num"],
    ["tpcc", "--set warehouses=2 --ops-per-txn 3"],
    ["queue", "--set consumers=1 --fibers 3 --ops-per-txn 4"],
];

fn words<'a>(options: &'a str, others: &[&'a str]) -> Vec<&'a str> {
    let words = options.split_whitespace();
    words.chain(others.iter().copied()).collect()
}

fn small(workload: &str) -> &'static str {
    let found = WORKLOADS.iter().find(|[name, ..]| *name == workload);
    found.map_or("", |[_, options, _]| options)
}

/// Stops a run as soon as its first interval shows that transactions run.
fn interrupted(arguments: &[&str]) -> String {
    let run = Started::run(&[arguments, &["--report-interval", "10ms"]].concat());
    run.wait_for("   p50 ");
    run.ctrl_c();
    let (code, shown, errors) = run.end();
    assert_eq!(code, Some(130), "{arguments:?}: {shown}{errors}");
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn after_a_run_by_time_the_invariants_of_every_workload_hold() {
    let all = WORKLOADS.iter().map(|[name, ..]| [*name, ""]);
    for [workload, options] in all.chain(VARIANTS) {
        let options = format!("{} {options}", small(workload));
        let time = ["--duration", "200ms", "--warmup", "50ms", "--cold", "0"];
        let mut arguments = vec!["run", "--workload", workload, "--repeat", "1"];
        arguments.extend(words(&options, &time));
        let output = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
            .args(&arguments)
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
        assert!(
            shown.contains("\nverified      after every repetition"),
            "{arguments:?}: {shown}"
        );
    }
}

#[test]
fn after_ctrl_c_the_invariants_of_every_workload_hold() {
    for [workload, options, records] in WORKLOADS {
        for length in [
            &["--duration", "60s"][..],
            &["--records", records],
            &["--records", records, "--rate", "20k/s"],
        ] {
            let arguments = words(options, &[&["--workload", workload], length].concat());
            let shown = interrupted(&arguments);
            assert!(
                shown.contains("its invariants held after "),
                "{arguments:?}: {shown}"
            );
        }
    }
    for [workload, options] in VARIANTS {
        let options = format!("{} {options}", small(workload));
        let arguments = words(&options, &["--workload", workload, "--duration", "60s"]);
        let shown = interrupted(&arguments);
        assert!(
            shown.contains("its invariants held after "),
            "{arguments:?}: {shown}"
        );
    }
}
