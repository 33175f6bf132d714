//! Building lycosa for another architecture: the commands, as they are shown or run.

use std::path::{Path, PathBuf};

use super::host::Host;
use super::{ArmError, ResolveOptions};

/// One build that is missing.
#[derive(Debug)]
pub(super) struct Build {
    triple: String,
    profile: &'static str,
    /// Cargo's target folder.
    target: Option<PathBuf>,
    /// Folder of the sources.
    sources: Option<PathBuf>,
}

impl Build {
    /// The build for `arch`, in the profile of this binary.
    pub(super) fn new(arch: &str, host: &Host) -> Self {
        let sources = sources(host);
        Self {
            triple: triple(arch, host.is_macos),
            profile: host.profile,
            target: target(host).or_else(|| Some(sources.as_ref()?.join("target"))),
            sources,
        }
    }

    /// Where its result will be.
    pub(super) fn result(&self) -> PathBuf {
        let target = self
            .target
            .clone()
            .unwrap_or_else(|| PathBuf::from("target"));
        target.join(&self.triple).join(self.profile).join("lycosa")
    }

    /// The commands as a user types them in the folder of the sources.
    fn commands(&self) -> Vec<Vec<String>> {
        commands(&self.triple, self.profile)
    }

    /// What to do, in lines below an error.
    pub(super) fn advice(&self) -> String {
        advice(&self.commands())
    }

    /// Runs the commands; what they print is shown as it comes.
    pub(super) fn run(&self, host: &Host, options: &ResolveOptions) -> Result<(), ArmError> {
        let Some(sources) = &self.sources else {
            return Err(ArmError::Usage(String::from(
                "--build needs lycosa's sources; start it in their folder, or name a binary with \
                 --binary ARCH=PATH",
            )));
        };
        for mut command in self.commands() {
            if command[0] == "cargo"
                && let Some(target) = &self.target
            {
                command.push(String::from("--target-dir"));
                command.push(target.display().to_string());
            }
            let line = command.join(" ");
            let succeeded = host
                .probe
                .run(&command, sources)
                .map_err(|error| ArmError::Failed(format!("cannot run `{line}`: {error}")))?;
            if options.interrupt.is_raised() {
                return Err(ArmError::Interrupted);
            }
            if !succeeded {
                return Err(ArmError::Failed(format!("`{line}` failed")));
            }
        }
        Ok(())
    }
}

/// What builds a lycosa for `triple`. No flags are given, so that the code runs on the least of the
/// architecture's chips: translators do not have all instructions of the greatest.
fn commands(triple: &str, profile: &str) -> Vec<Vec<String>> {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    let profile = if profile == "release" {
        "--release "
    } else {
        ""
    };
    vec![
        words(&format!("rustup target add {triple}")),
        words(&format!("cargo build {profile}--target {triple}")),
    ]
}

fn advice(commands: &[Vec<String>]) -> String {
    let mut text = String::from(". Build one with");
    for command in commands {
        text.push_str("\n         ");
        text.push_str(&command.join(" "));
    }
    text.push_str("\n       or let `lycosa compare --build` do it.");
    text
}

/// What to do when a Mac started another architecture than `arch`, in lines below an error.
pub(crate) fn advice_on_mac(arch: &str) -> String {
    advice(&commands(&triple(arch, true), "release"))
}

/// The target as Rust names it.
pub(super) fn triple(arch: &str, is_macos: bool) -> String {
    match (arch, is_macos) {
        (_, true) => format!("{arch}-apple-darwin"),
        ("riscv64", false) => String::from("riscv64gc-unknown-linux-gnu"),
        (_, false) => format!("{arch}-unknown-linux-gnu"),
    }
}

/// Cargo's target folder that this binary stands in.
fn target(host: &Host) -> Option<PathBuf> {
    let profile = host.binary.parent()?;
    let target = profile
        .parent()
        .filter(|_| profile.ends_with(host.profile))?;
    if target.ends_with(triple(&host.binary_arch, host.is_macos)) {
        return target.parent().map(Path::to_path_buf);
    }
    Some(target.to_path_buf())
}

/// The sources that this binary was built from, or that the user stands in.
fn sources(host: &Host) -> Option<PathBuf> {
    host.folder
        .ancestors()
        .chain(host.binary.ancestors())
        .find(|folder| host.probe.exists(&folder.join("harness/Cargo.toml")))
        .map(Path::to_path_buf)
}
