//! The example workload of the README is run as it stands there.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The first Lua block of the README.
fn example() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = fs::read_to_string(readme).expect("the README is there");
    let (_, rest) = text.split_once("```lua\n").expect("it has a Lua block");
    let (block, _) = rest.split_once("```").expect("which ends");
    block.to_owned()
}

#[test]
fn the_example_workload_of_the_readme_has_twenty_lines_and_runs() {
    let example = example();
    assert_eq!(example.lines().count(), 20);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("counters.lua");
    let json = folder.path().join("result.json");
    fs::write(&file, example).expect("the file is written");
    let output = Command::new(env!("CARGO_BIN_EXE_lycosa"))
        .args([
            "run",
            "--set",
            "counters=100",
            "--records",
            "5k",
            "--repeat",
            "1",
            "--cold",
            "0",
        ])
        .arg("--workload")
        .arg(&file)
        .arg("--json")
        .arg(&json)
        .output()
        .expect("lycosa starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let result: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).expect("the result")).expect("JSON");
    assert_eq!(result["runs"][0]["checksum"], "5000");
}
