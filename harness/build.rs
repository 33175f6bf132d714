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
    let rustc_version = output_line(Command::new(rustc).arg("--version"));
    println!(
        "cargo:rustc-env=LYCOSA_RUSTC={}",
        rustc_version.as_deref().unwrap_or("unknown")
    );
    println!(
        "cargo:rustc-env=LYCOSA_PROFILE={}",
        env::var("PROFILE").as_deref().unwrap_or("unknown")
    );
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
