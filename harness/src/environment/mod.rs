//! What a result must say of the machine and the build that gave it.
//!
//! `linux` and `macos` ask the system; what they find out is put together here.

use serde::{Deserialize, Serialize};

mod conditions;
#[cfg(any(target_os = "linux", test))]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod noise_floor;
mod translator;

use std::path::PathBuf;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(target_os = "macos")]
use macos as platform;

pub(crate) use conditions::Conditions;
pub(crate) use noise_floor::NoiseFloor;
pub(crate) use translator::Translator;

/// Facts that only the platform knows. What cannot be found out is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    /// Name of the machine.
    pub(crate) host_name: Option<String>,
    /// Operating system and version.
    pub(crate) os: Option<String>,
    /// Model of the chip.
    pub(crate) cpu: Option<String>,
    /// Runnable processes, averaged over 1, 5 and 15 minutes.
    pub(crate) load_average: Vec<f64>,
    /// Architecture of the chip, where it is known to differ from the binary's.
    pub(crate) host_arch: Option<String>,
    /// Emulator that must be named to start this binary again.
    pub(crate) emulator: Option<PathBuf>,
    /// Translator of this process.
    pub(crate) translator: Option<Translator>,
}

/// The `context` block of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Context {
    /// When the run started, RFC 3339 with the local offset.
    pub(crate) date: String,
    /// Name of the machine.
    pub(crate) host_name: String,
    /// Operating system and version.
    pub(crate) os: String,
    /// Model of the chip.
    pub(crate) cpu: String,
    /// Architecture the binary was built for.
    pub(crate) binary_arch: String,
    /// Architecture of the chip.
    pub(crate) host_arch: String,
    /// What translates the one into the other.
    pub(crate) translator: Translator,
    /// Whether the just-in-time compiler ran; `None` while nothing has run.
    pub(crate) jit: Option<bool>,
    /// Version of this program.
    pub(crate) lycosa_version: String,
    /// Commit it was built from, or `unknown`.
    pub(crate) git_revision: String,
    /// Compiler it was built with.
    pub(crate) rustc: String,
    /// Build profile: `release` or `debug`.
    pub(crate) profile: String,
    /// Runnable processes, averaged over 1, 5 and 15 minutes; empty if unknown.
    pub(crate) load_average: Vec<f64>,
    /// What equal programs differ by here; `None` if no self-test has measured it lately.
    #[serde(default)]
    pub(crate) noise_floor: Option<NoiseFloor>,
}

/// Asks the platform.
pub(crate) fn facts() -> Facts {
    platform::facts()
}

/// What the machine is like now.
pub(crate) fn conditions() -> Conditions {
    Conditions {
        load_average: platform::facts().load_average.first().copied(),
    }
}

/// Puts facts and build together, as of now.
pub(crate) fn context(facts: &Facts) -> Context {
    let unknown = || String::from("unknown");
    let binary_arch = std::env::consts::ARCH;
    Context {
        date: now(),
        host_name: facts.host_name.clone().unwrap_or_else(unknown),
        os: facts.os.clone().unwrap_or_else(unknown),
        cpu: facts.cpu.clone().unwrap_or_else(unknown),
        binary_arch: binary_arch.to_owned(),
        host_arch: facts
            .host_arch
            .clone()
            .unwrap_or_else(|| binary_arch.to_owned()),
        translator: facts.translator.unwrap_or(Translator::Native),
        jit: None,
        lycosa_version: String::from(env!("CARGO_PKG_VERSION")),
        git_revision: String::from(env!("LYCOSA_GIT_REVISION")),
        rustc: String::from(env!("LYCOSA_RUSTC")),
        profile: String::from(env!("LYCOSA_PROFILE")),
        load_average: facts.load_average.clone(),
        noise_floor: None,
    }
}

/// An architecture as the people who use it call it.
pub(crate) fn arch_title(arch: &str) -> &str {
    match arch {
        "aarch64" => "arm64",
        other => other,
    }
}

/// This moment, RFC 3339 with the local offset.
pub(crate) fn now() -> String {
    jiff::Zoned::now()
        .strftime("%Y-%m-%dT%H:%M:%S%:z")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_of_this_machine_is_complete() {
        let context = context(&facts());
        assert_eq!(context.binary_arch, std::env::consts::ARCH);
        assert!(!context.os.is_empty() && !context.cpu.is_empty());
        assert!(context.rustc.starts_with("rustc "), "{}", context.rustc);
        assert!(
            context.date.parse::<jiff::Timestamp>().is_ok(),
            "{}",
            context.date
        );
    }

    #[test]
    fn what_the_platform_does_not_tell_is_said_to_be_unknown() {
        let context = context(&Facts::default());
        assert_eq!(context.cpu, "unknown");
        assert_eq!(context.host_arch, context.binary_arch);
        assert_eq!(context.translator, Translator::Native);
    }
}
