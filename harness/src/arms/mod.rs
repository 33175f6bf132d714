//! Arms: ways to run a workload, by name. [`spec`] reads what the user wrote; here it becomes what
//! starts the processes and what these must say of themselves.
//!
//! A Mac starts both of its architectures through `arch`: a translated parent would pass its own on.

mod build;
mod host;
mod slices;
mod spec;

use std::path::{Path, PathBuf};

use lycosa_lua::worker::WorkerOptions;

use crate::environment::scheduling::Cores;
use crate::environment::{Translator, arch_title};
use crate::interrupt::Interrupt;
use crate::schedule::{Arm, Expected};
use crate::worker::process::{Launcher, Starter, Workers};
use crate::worker::program::Programs;
use crate::worker::template::{Placeholder, Template};
pub(crate) use build::advice_on_mac;
pub(crate) use host::Host;
pub(crate) use spec::ArmSpec;
use spec::{Way, architecture};

/// Apple's program that starts one of a file's architectures.
const ARCH: &str = "/usr/bin/arch";

/// An arm that can be run.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Its name and what its processes must be.
    pub(crate) arm: Arm,
    /// What starts them.
    pub(crate) starter: Starter,
}

/// What finding arms may use.
#[derive(Debug, Default)]
pub(crate) struct ResolveOptions {
    /// `--binary ARCH=PATH`.
    pub(crate) binaries: Vec<(String, PathBuf)>,
    /// `--build`: whether a missing binary is built.
    pub(crate) build: bool,
    /// Ends the processes.
    pub(crate) interrupt: Interrupt,
}

/// Why there is no such arm.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArmError {
    /// This machine cannot do what was asked for, as it was asked.
    #[error("{0}")]
    Usage(String),
    /// Something went wrong on the way.
    #[error("{0}")]
    Failed(String),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// Parses `--binary ARCH=PATH`.
pub(crate) fn parse_binary(text: &str) -> Result<(String, PathBuf), String> {
    let Some((arch, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
        return Err(String::from(
            "is not ARCH=PATH; for example x86_64=build/lycosa",
        ));
    };
    match architecture(arch) {
        Some(arch) => Ok((arch.to_owned(), PathBuf::from(path))),
        None => Err(format!(
            "`{arch}` is no architecture; there are arm64 and x86_64"
        )),
    }
}

/// Finds what starts each arm; with no arms asked for, the two of this machine: native and translated.
pub(crate) fn resolve(
    specs: &[ArmSpec],
    host: &Host,
    options: &ResolveOptions,
) -> Result<Vec<Resolved>, ArmError> {
    let own;
    let specs = if specs.is_empty() {
        own = defaults(host)?;
        &own
    } else {
        specs
    };
    for (position, spec) in specs.iter().enumerate() {
        if specs[..position]
            .iter()
            .any(|other| other.label == spec.label)
        {
            let label = &spec.label;
            return Err(ArmError::Usage(format!(
                "arm `{label}` is given twice; for the same once more, give it a label: \
                 again={{lycosa}}"
            )));
        }
    }
    let one = |spec: &ArmSpec| resolve_one(spec, host, options);
    let mut resolved = specs.iter().map(one).collect::<Result<Vec<_>, _>>()?;
    for (resolved, spec) in resolved.iter_mut().zip(specs) {
        resolved.arm.options.clone_from(&spec.options);
    }
    Ok(resolved)
}

/// Checks that all arms can measure all points, before anything runs.
pub(crate) fn check(arms: &[Resolved], points: &[WorkerOptions]) -> Result<(), ArmError> {
    let refusal = arms.iter().find_map(|resolved| match &resolved.starter {
        Starter::Lycosa(workers) => {
            let label = &resolved.arm.name;
            let refusal = workers.refusal();
            refusal.map(|reason| format!("arm `{label}`: {reason}"))
        }
        Starter::Program(programs) => points
            .iter()
            .find_map(|point| programs.refusal(&resolved.arm.at(point))),
    });
    refusal.map_or(Ok(()), |message| Err(ArmError::Usage(message)))
}

/// Native and translated, as far as this machine has both.
fn defaults(host: &Host) -> Result<Vec<ArmSpec>, ArmError> {
    let translated = if host.is_apple_silicon() {
        "rosetta"
    } else if host.is_macos {
        return Err(ArmError::Usage(String::from(
            "this Mac has an Intel chip, for which nothing is translated; say what to compare: \
             --arm native --arm LABEL=COMMAND",
        )));
    } else if emulator(&host.binary_arch, host).is_some() {
        "qemu"
    } else {
        return Err(ArmError::Usage(format!(
            "there is nothing to compare native with: qemu-{} is not installed (package qemu-user \
             or qemu-user-static); or say what to compare: --arm native --arm LABEL=COMMAND",
            host.binary_arch
        )));
    };
    ["native", translated]
        .iter()
        .map(|name| name.parse().map_err(ArmError::Failed))
        .collect()
}

fn resolve_one(
    spec: &ArmSpec,
    host: &Host,
    options: &ResolveOptions,
) -> Result<Resolved, ArmError> {
    let label = &spec.label;
    let (launcher, expected) = match &spec.way {
        Way::Native | Way::Efficiency => native(label, host, options)?,
        Way::Rosetta => rosetta(label, host, options)?,
        Way::Qemu(arch) => {
            let arch = arch.as_deref().unwrap_or(&host.binary_arch);
            qemu(label, arch, host, options)?
        }
        Way::Lycosa(template) => {
            find_program(label, template, host)?;
            (worker_command(template, host), Expected::default())
        }
        Way::Tarantool(template) => {
            if host.probe.which("tarantool").is_none() {
                return Err(ArmError::Usage(format!(
                    "arm `{label}`: there is no `tarantool` on PATH; install it \
                     (https://www.tarantool.io/en/download), or leave the arm out"
                )));
            }
            return Ok(program(label, template, host, options));
        }
        Way::Program(template) => {
            find_program(label, template, host)?;
            return Ok(program(label, template, host, options));
        }
    };
    let cores = match spec.way {
        Way::Efficiency => Cores::Efficiency,
        _ => Cores::Any,
    };
    let mut workers = Workers::new(launcher, options.interrupt.clone()).on(cores);
    if matches!(spec.way, Way::Lycosa(_)) {
        workers = workers.by_command();
    }
    Ok(Resolved {
        arm: Arm {
            name: label.clone(),
            expected,
            options: Vec::new(),
        },
        starter: workers.into(),
    })
}

fn expected(arch: &str, translator: Translator) -> Expected {
    Expected {
        binary_arch: Some(arch.to_owned()),
        translator: Some(translator),
    }
}

/// The binary for this chip. Under a translator it may be another one than this process's.
fn native(
    label: &str,
    host: &Host,
    options: &ResolveOptions,
) -> Result<(Launcher, Expected), ArmError> {
    let binary = slices::find(label, &host.arch, host, options)?;
    Ok((
        start(binary, &host.arch, host),
        expected(&host.arch, Translator::Native),
    ))
}

fn rosetta(
    label: &str,
    host: &Host,
    options: &ResolveOptions,
) -> Result<(Launcher, Expected), ArmError> {
    if !host.is_apple_silicon() {
        return Err(ArmError::Usage(format!(
            "arm `{label}`: Rosetta is what translates x86_64 programs on a Mac with Apple silicon{}",
            if host.is_macos {
                ", and this one has an Intel chip"
            } else {
                "; on Linux the arm `qemu` translates"
            }
        )));
    }
    let binary = slices::find(label, "x86_64", host, options)?;
    Ok((
        start(binary, "x86_64", host),
        expected("x86_64", Translator::Rosetta),
    ))
}

/// Starts a binary as one architecture, whatever this process runs as.
fn start(binary: PathBuf, arch: &str, host: &Host) -> Launcher {
    if !host.is_macos {
        return Launcher::new(None, binary);
    }
    Launcher {
        program: PathBuf::from(ARCH),
        arguments: vec![
            format!("-{}", arch_title(arch)).into(),
            binary.into_os_string(),
        ],
    }
}

fn qemu(
    label: &str,
    arch: &str,
    host: &Host,
    options: &ResolveOptions,
) -> Result<(Launcher, Expected), ArmError> {
    if host.is_macos {
        return Err(ArmError::Usage(format!(
            "arm `{label}`: QEMU emulates single programs on Linux only; on a Mac the arm \
             `rosetta` translates"
        )));
    }
    let Some(emulator) = emulator(arch, host) else {
        return Err(ArmError::Usage(format!(
            "arm `{label}`: qemu-{arch} is not installed; install the package qemu-user or \
             qemu-user-static"
        )));
    };
    let binary = slices::find(label, arch, host, options)?;
    let mut launcher = Launcher::new(Some(emulator), binary);
    // Where distributions put the other architecture's libraries.
    let libraries = PathBuf::from(format!("/usr/{arch}-linux-gnu"));
    if arch != host.arch && host.probe.exists(&libraries) {
        let option = ["-L".into(), libraries.into_os_string()];
        launcher.arguments.splice(0..0, option);
    }
    Ok((launcher, expected(arch, Translator::QemuUser)))
}

/// QEMU for programs of `arch`.
fn emulator(arch: &str, host: &Host) -> Option<PathBuf> {
    let names = [format!("qemu-{arch}"), format!("qemu-{arch}-static")];
    names.iter().find_map(|name| host.probe.which(name))
}

/// Refuses a command whose program cannot be started.
fn find_program(label: &str, template: &Template, host: &Host) -> Result<(), ArmError> {
    let Some(program) = template.program() else {
        return Ok(());
    };
    if host.probe.which(program).is_some() {
        return Ok(());
    }
    let reason = if !program.contains('/') {
        "is no program on PATH"
    } else if host.probe.exists(Path::new(program)) {
        "is no file that can be executed"
    } else {
        "is not there"
    };
    Err(ArmError::Usage(format!(
        "arm `{label}`: `{program}` {reason}"
    )))
}

/// The user's command, which the worker's arguments are put behind.
fn worker_command(template: &Template, host: &Host) -> Launcher {
    let mut words = template.fill(|placeholder| match placeholder {
        Placeholder::Lycosa => host.lycosa().os_words(),
        _ => Vec::new(),
    });
    let program = words.remove(0);
    Launcher {
        program: Path::new(&program).to_path_buf(),
        arguments: words,
    }
}

fn program(label: &str, template: &Template, host: &Host, options: &ResolveOptions) -> Resolved {
    let programs = Programs::new(
        label,
        template.clone(),
        host.lycosa(),
        options.interrupt.clone(),
    );
    Resolved {
        arm: Arm {
            name: label.to_owned(),
            expected: Expected::default(),
            options: Vec::new(),
        },
        starter: Starter::Program(programs),
    }
}

#[cfg(test)]
mod tests;
