//! What a result must say of the machine and the build that gave it.
//!
//! `linux` and `macos` know what to ask, [`system::System`] how; what they find out is put together
//! here. Both are compiled everywhere, so that their tests are too.

mod build;
mod conditions;
mod executable;
mod linux;
mod mach_o;
mod machine;
mod macos;
mod memory;
mod noise_floor;
pub(crate) mod scheduling;
mod system;
mod timer;
mod translator;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cost::Cost;
use lycosa_lua::worker::{self, LuaJit};
use serde::{Deserialize, Serialize};

use system::{Host, System};

pub(crate) use build::Build;
pub(crate) use conditions::{Conditions, PowerSource, ThermalPressure};
pub(crate) use machine::{Cache, CacheContent, CoreKind, Machine};
pub(crate) use noise_floor::NoiseFloor;
pub(crate) use timer::Timer;
pub(crate) use translator::Translator;

/// Facts that only the platform knows. What cannot be found out is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    /// Name of the machine.
    pub(crate) host_name: Option<String>,
    /// Operating system and version.
    pub(crate) os: Option<String>,
    /// Kernel and its version.
    pub(crate) kernel: Option<String>,
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
    /// Cores, caches, memory.
    pub(crate) machine: Machine,
    /// Architectures that the binary's file holds.
    pub(crate) binary_architectures: Vec<String>,
    /// Clock of this process.
    pub(crate) timer: Option<Timer>,
    /// `LuaJIT` in this process.
    pub(crate) luajit: Option<LuaJit>,
}

/// The `context` block of a result. Results of older versions lack the fields that have a default.
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
    /// Kernel and its version.
    #[serde(default)]
    pub(crate) kernel: Option<String>,
    /// Cores, caches, memory.
    #[serde(default)]
    pub(crate) machine: Machine,
    /// Power, heat and load when the run started; a worker is not asked.
    #[serde(default)]
    pub(crate) conditions: Conditions,
    /// Architectures that the binary's file holds: several in a universal binary of macOS.
    #[serde(default)]
    pub(crate) binary_architectures: Vec<String>,
    /// The clock, measured.
    #[serde(default)]
    pub(crate) timer: Option<Timer>,
    /// What of the build changes its speed.
    #[serde(default)]
    pub(crate) build: Build,
    /// `LuaJIT`, and where it puts machine code.
    #[serde(default)]
    pub(crate) luajit: Option<LuaJit>,
    /// What running each arm costs, by its name, where the user said so.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) costs: BTreeMap<String, Cost>,
}

/// Asks the platform, the clock and `LuaJIT`. Costs about a millisecond, and under Rosetta a process.
pub(crate) fn facts() -> Facts {
    let head = std::env::current_exe().map(|path| Host.head(&path));
    Facts {
        binary_architectures: executable::architectures(&head.unwrap_or_default())
            .into_iter()
            .map(str::to_owned)
            .collect(),
        timer: timer::measure(),
        luajit: worker::luajit(),
        ..choose(linux::facts, macos::facts)(&Host)
    }
}

/// Power, heat and load now. Costs up to 5 ms on Linux, about 20 on macOS.
pub(crate) fn conditions() -> Conditions {
    choose(linux::conditions, macos::conditions)(&Host)
}

/// Architectures that an executable file holds; none for what is no executable.
pub(crate) fn executable_architectures(path: &Path) -> Vec<&'static str> {
    executable::architectures(&Host.head(path))
}

/// What suits this system, out of two ways of asking.
fn choose<T>(
    on_linux: fn(&dyn System) -> T,
    on_macos: fn(&dyn System) -> T,
) -> fn(&dyn System) -> T {
    if cfg!(target_os = "macos") {
        on_macos
    } else {
        on_linux
    }
}

/// Puts facts and build together, as of now. Conditions are for the caller to add, since workers
/// must not spend time on them.
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
        lycosa_version: env!("CARGO_PKG_VERSION").to_owned(),
        git_revision: env!("LYCOSA_GIT_REVISION").to_owned(),
        rustc: env!("LYCOSA_RUSTC").to_owned(),
        profile: env!("LYCOSA_PROFILE").to_owned(),
        load_average: facts.load_average.clone(),
        noise_floor: None,
        kernel: facts.kernel.clone(),
        machine: facts.machine.clone(),
        conditions: Conditions::default(),
        binary_architectures: facts.binary_architectures.clone(),
        timer: facts.timer,
        build: build::build(),
        luajit: facts.luajit.clone(),
        costs: BTreeMap::new(),
    }
}

/// An architecture as the people who use it call it.
pub(crate) fn arch_title(arch: &str) -> &str {
    match arch {
        "aarch64" => "arm64",
        other => other,
    }
}

/// Memory that a new process can have, in bytes; `None` where it is not told.
pub(crate) fn memory_available_bytes() -> Option<u64> {
    memory::available_bytes(&Host)
}

/// The present moment, RFC 3339 with the local offset.
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

    #[test]
    fn the_context_survives_its_json() {
        let context = context(&facts());
        let json = serde_json::to_string(&context).unwrap();
        assert_eq!(serde_json::from_str::<Context>(&json).unwrap(), context);
    }

    #[test]
    fn the_context_of_an_older_result_is_read() {
        let json = r#"{"date": "2026-01-02T03:04:05+00:00", "host_name": "h", "os": "Linux",
            "cpu": "c", "binary_arch": "x86_64", "host_arch": "x86_64", "translator": "qemu-user",
            "jit": null, "lycosa_version": "0.1.0", "git_revision": "unknown", "rustc": "rustc 1",
            "profile": "release", "load_average": [0.1], "a_field_of_the_future": {}}"#;
        let context: Context = serde_json::from_str(json).unwrap();
        assert_eq!(context.translator, Translator::QemuUser);
        assert_eq!(context.machine, Machine::default());
        assert_eq!(context.conditions, Conditions::default());
    }
}
