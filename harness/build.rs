//! Records what a result must name to be reproducible: git revision, compiler, build profile.
//!
//! A build from a tarball has no git revision; it then says `unknown` and builds all the same.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let manifest_dir = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let git_revision = git_revision(&manifest_dir).unwrap_or_else(|| String::from("unknown"));
    println!("cargo:rustc-env=LYCOSA_GIT_REVISION={git_revision}");

    let rustc = env::var("RUSTC").unwrap_or_else(|_| String::from("rustc"));
    let rustc_version = output_line(Command::new(&rustc).arg("--version"));
    println!(
        "cargo:rustc-env=LYCOSA_RUSTC={}",
        rustc_version.as_deref().unwrap_or("unknown")
    );
    println!(
        "cargo:rustc-env=LYCOSA_PROFILE={}",
        env::var("PROFILE").as_deref().unwrap_or("unknown")
    );
    record_target(&rustc);
}

/// Records for which chips the compiler was allowed to build.
fn record_target(rustc: &str) {
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let target = variable("TARGET");
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    let baseline = baseline_features(rustc, &target);
    let beyond: Vec<&str> = features
        .split(',')
        .filter(|feature| !baseline.iter().any(|known| known == feature))
        .collect();
    let cpu = target_cpu(&variable("CARGO_ENCODED_RUSTFLAGS"));
    println!("cargo:rustc-env=LYCOSA_TARGET={target}");
    println!("cargo:rustc-env=LYCOSA_TARGET_CPU={cpu}");
    println!("cargo:rustc-env=LYCOSA_TARGET_FEATURES={features}");
    println!(
        "cargo:rustc-env=LYCOSA_FEATURES_BEYOND_BASELINE={}",
        beyond.join(",")
    );
    println!("cargo:rustc-env=LYCOSA_OPT_LEVEL={}", variable("OPT_LEVEL"));
}

/// Extensions that a target has without any flags, as the compiler tells.
fn baseline_features(rustc: &str, target: &str) -> Vec<String> {
    let output = Command::new(rustc)
        .args(["--print", "cfg", "--target", target])
        .output();
    let text = output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    );
    text.lines()
        .filter_map(|line| {
            line.strip_prefix("target_feature=")?
                .strip_prefix('"')?
                .strip_suffix('"')
        })
        .map(str::to_owned)
        .collect()
}

/// The chip that flags name (`-C target-cpu=native`), the last one if several do.
fn target_cpu(encoded_flags: &str) -> String {
    encoded_flags
        .split('\u{1f}')
        .filter_map(|flag| flag.trim_start_matches("-C").strip_prefix("target-cpu="))
        .next_back()
        .unwrap_or_default()
        .to_owned()
}

/// The commit that is checked out, if this directory's parent is itself the root of a repository:
/// a tarball unpacked inside somebody else's repository must not report that one's revision.
///
/// Whether files differ from the commit is left out: cargo reruns this program only when the
/// commit changes, so the answer would soon be wrong.
fn git_revision(manifest_dir: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        output_line(
            Command::new("git")
                .args(arguments)
                .current_dir(manifest_dir),
        )
    };
    let top_level = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    if top_level.canonicalize().ok()? != manifest_dir.parent()?.canonicalize().ok()? {
        return None;
    }
    // HEAD changes on a checkout, its log on a commit; both live elsewhere in a linked worktree.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            let path = manifest_dir.join(path);
            if path.exists() {
                println!("cargo:rerun-if-changed={}", path.display());
            }
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// First line that a command prints, if it succeeds and prints one.
fn output_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
