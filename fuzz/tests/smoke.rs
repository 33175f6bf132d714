//! A few seeds, where Tarantool is installed.

use std::process::{Command, Stdio};

#[test]
fn the_first_seeds_give_the_same_results_on_both_sides() {
    let is_installed = Command::new("tarantool")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !is_installed {
        return;
    }
    let scratch = tempfile::tempdir().expect("a temporary directory can be made");
    assert_cmd::cargo::cargo_bin_cmd!("lycosa-fuzz")
        .current_dir(scratch.path())
        .args(["--seeds", "1..30", "--no-shrink"])
        .assert()
        .success();
}

#[test]
fn a_seed_always_makes_the_same_script() {
    let script = || {
        let output = assert_cmd::cargo::cargo_bin_cmd!("lycosa-fuzz")
            .args(["--seed", "7", "--print"])
            .output()
            .expect("the program starts");
        assert!(output.status.success());
        output.stdout
    };
    let first = script();
    assert!(!first.is_empty());
    assert_eq!(first, script());
}
