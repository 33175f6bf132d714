//! Finding lycosa built for another architecture: a slice of a universal binary, or a file of its own.

use std::path::{Path, PathBuf};

use super::host::Host;
use super::{ArmError, ResolveOptions, build};
use crate::environment::arch_title;

/// Name of the binary.
const BINARY: &str = "lycosa";

/// How far above this binary Cargo's target folder may stand: `target/TRIPLE/PROFILE/lycosa`.
const TARGET_DEPTH: usize = 3;

/// Finds a binary for `arch`, in this order: the one that was named for it, this binary itself, one
/// that Cargo built beside it. With `--build`, a missing one is built.
pub(super) fn find(
    arm: &str,
    arch: &str,
    host: &Host,
    options: &ResolveOptions,
) -> Result<PathBuf, ArmError> {
    if let Some((_, path)) = options.binaries.iter().find(|(known, _)| known == arch) {
        return named(arch, path, host).map(|()| path.clone());
    }
    if let Some(path) = present(arch, host) {
        return Ok(path);
    }
    let build = build::Build::new(arch, host);
    if options.build {
        build.run(host, options)?;
        if let Some(path) = present(arch, host) {
            return Ok(path);
        }
        return Err(ArmError::Failed(format!(
            "arm `{arm}`: the build left no {} at {}",
            BINARY,
            build.result().display()
        )));
    }
    Err(ArmError::Usage(format!(
        "arm `{arm}` needs a lycosa for {}, and {} holds {} only{}",
        arch_title(arch),
        host.binary.display(),
        arch_title(&host.binary_arch),
        build.advice(),
    )))
}

/// Checks a binary that the user named.
fn named(arch: &str, path: &Path, host: &Host) -> Result<(), ArmError> {
    let shown = format!("--binary {arch}={}", path.display());
    if !host.probe.exists(path) {
        return Err(ArmError::Usage(format!("{shown}: there is no such file")));
    }
    let found = host.probe.architectures(path);
    if found.contains(&arch) {
        return Ok(());
    }
    let titles: Vec<&str> = found.iter().map(|arch| arch_title(arch)).collect();
    let holds = if titles.is_empty() {
        String::from("is no executable of a known kind")
    } else {
        format!("holds {}, not {}", titles.join(" and "), arch_title(arch))
    };
    Err(ArmError::Usage(format!("{shown}: the file {holds}")))
}

/// A binary for `arch` that is already there.
fn present(arch: &str, host: &Host) -> Option<PathBuf> {
    let holds = |path: &PathBuf| host.probe.architectures(path).contains(&arch);
    // Its header need not be read to know what runs.
    if arch == host.binary_arch || holds(&host.binary) {
        return Some(host.binary.clone());
    }
    let triple = build::triple(arch, host.is_macos);
    let beside = host.binary.ancestors().skip(1).take(TARGET_DEPTH);
    let below = host.folder.join("target");
    beside
        .chain([below.as_path()])
        .flat_map(|target| {
            let profile = Path::new(host.profile).join(BINARY);
            [target.join(&triple).join(&profile), target.join(profile)]
        })
        .find(holds)
}
