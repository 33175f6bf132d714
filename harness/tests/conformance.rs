//! Lua scripts whose output is known: run by `lycosa exec`, and by Tarantool where it is installed.
//!
//! A script stands in `lua/tests/conformance`, what it prints beside it as `NAME.out`. Scripts
//! whose first line begins with `-- differs from 2.6:` follow a later Tarantool and are not run
//! under the installed one.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MARKER: &str = "-- differs from 2.6:";

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../lua/tests/conformance")
}

/// The scripts, by name.
fn scripts() -> Vec<PathBuf> {
    let mut scripts: Vec<PathBuf> = std::fs::read_dir(directory())
        .expect("the scripts are there")
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension() == Some(OsStr::new("lua")))
        .collect();
    scripts.sort();
    scripts
}

fn is_marked(script: &Path) -> bool {
    let source = std::fs::read_to_string(script).expect("a script can be read");
    source.starts_with(MARKER)
}

/// What is wrong with the run of one script by `command`; nothing when all is as stored.
fn difference(mut command: Command, script: &Path) -> Option<String> {
    let name = script.file_stem().unwrap_or_default().to_string_lossy();
    let expected = std::fs::read(script.with_extension("out")).unwrap_or_default();
    let scratch = tempfile::tempdir().expect("a temporary directory can be made");
    let support = directory().join("support/?.lua");
    // What of Lycosa's own modules runs under Tarantool too.
    let modules = directory().join("../../workloads/?.lua");
    let output = command
        .current_dir(scratch.path())
        .env(
            "LUA_PATH",
            format!("{};{};;", support.display(), modules.display()),
        )
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    if output.status.success() && output.stdout == expected {
        return None;
    }
    let mut report = format!("{name}: {}\n", output.status);
    let expected = String::from_utf8_lossy(&expected).into_owned();
    let actual = String::from_utf8_lossy(&output.stdout).into_owned();
    let (mut wanted, mut found) = (expected.lines(), actual.lines());
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => break,
            (wanted, found) if wanted == found => {}
            (wanted, found) => {
                let _ = writeln!(report, "  expected {}", wanted.unwrap_or("(no line)"));
                let _ = writeln!(report, "  printed  {}", found.unwrap_or("(no line)"));
            }
        }
    }
    report.push_str(&String::from_utf8_lossy(&output.stderr));
    Some(report)
}

fn assert_no_differences(differences: &[String]) {
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

#[test]
fn every_script_prints_what_is_stored_beside_it() {
    let differences: Vec<String> = scripts()
        .iter()
        .filter_map(|script| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_lycosa"));
            // A slow machine is no reason to fail.
            command.args(["exec", "-e", "require('fiber').set_max_slice(3600)"]);
            command.arg(script);
            difference(command, script)
        })
        .collect();
    assert_no_differences(&differences);
}

#[test]
fn tarantool_prints_the_same_where_it_is_installed() {
    let is_installed = Command::new("tarantool")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !is_installed {
        return;
    }
    let differences: Vec<String> = scripts()
        .iter()
        .filter(|script| !is_marked(script))
        .filter_map(|script| {
            let mut command = Command::new("tarantool");
            command.arg(script);
            difference(command, script)
        })
        .collect();
    assert_no_differences(&differences);
}

#[test]
fn every_stored_output_has_its_script() {
    let orphans: Vec<PathBuf> = std::fs::read_dir(directory())
        .expect("the scripts are there")
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension() == Some(OsStr::new("out")))
        .filter(|path| !path.with_extension("lua").exists())
        .collect();
    assert!(orphans.is_empty(), "{orphans:?}");
}
