//! `LYCOSA_HUGE_PAGES`: a run with it works the same data, and its result says that it was set.

use std::fs;
use std::process::Command;

use serde_json::Value;

fn result_with(value: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let output = Command::new(assert_cmd::cargo::cargo_bin!("lycosa"))
        .args(["run", "--repeat", "1", "--cold", "0", "--records", "200k"])
        .args(["--index", "hash", "--json", path.to_str().unwrap()])
        .env("LYCOSA_HUGE_PAGES", value)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    serde_json::from_slice(&fs::read(&path).unwrap()).unwrap()
}

#[test]
fn a_run_with_huge_pages_makes_the_same_data_and_its_result_says_so() {
    let (with, without) = (result_with("1"), result_with("0"));
    assert_eq!(with["runs"][0]["checksum"], without["runs"][0]["checksum"]);
    let allocator = |result: &Value| result["context"]["build"]["allocator"].clone();
    assert_eq!(
        allocator(&with),
        "mimalloc, huge pages for tuples and indexes"
    );
    assert_eq!(allocator(&without), "mimalloc");
}
