//! Linux: everything from `/proc`, `/sys` and `/etc`, and CPUID where there is one.

mod conditions;
mod cores;
mod machine;

use std::path::{Path, PathBuf};

use super::Facts;
use super::executable;
use super::system::System;
use super::translator::{self, Evidence, Translator};

pub(crate) use conditions::conditions;
pub(crate) use cores::core_kinds;
#[cfg(test)]
pub(crate) use cores::cpu_numbers;

/// Link to the running program that QEMU does not fake.
const THREAD_EXECUTABLE: &str = "/proc/thread-self/exe";

/// Asks the system.
pub(crate) fn facts(system: &dyn System) -> Facts {
    let evidence = evidence(system);
    let translator = translator::detect(&evidence);
    let host_arch = match translator {
        Translator::Native => None,
        Translator::RosettaLinux | Translator::Prism => Some(String::from("aarch64")),
        // These are programs of the host themselves, and this link opens them.
        _ => executable::architectures(&system.head(Path::new(THREAD_EXECUTABLE)))
            .first()
            .map(|arch| (*arch).to_owned()),
    };
    let cpuinfo = system.read("/proc/cpuinfo").unwrap_or_default();
    let model = system.read("/proc/device-tree/model");
    let kernel = system
        .read("/proc/sys/kernel/osrelease")
        .map(|release| format!("Linux {release}"));
    Facts {
        host_name: system.read("/proc/sys/kernel/hostname"),
        os: Some(os_title(
            system.read("/etc/os-release").as_deref(),
            kernel.as_deref(),
        )),
        kernel,
        cpu: cpu_title(&cpuinfo, model.as_deref(), evidence.cpu_brand.as_deref()),
        load_average: system.load_average(),
        host_arch,
        emulator: emulator(system, translator),
        translator: Some(translator),
        machine: machine::machine(system, translator != Translator::Native),
        ..Facts::default()
    }
}

/// Traces of a translator.
pub(crate) fn evidence(system: &dyn System) -> Evidence {
    let (cpu_brand, hypervisor_vendor) = system.cpuid_texts();
    Evidence {
        is_macos: false,
        proc_translated: None,
        cpu_brand,
        hypervisor_vendor,
        command_name: system.read("/proc/self/comm"),
        thread_executable: system
            .link(THREAD_EXECUTABLE)
            .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())),
    }
}

/// Path of QEMU, which only runs again what it is named for; the other translators are found by
/// the kernel.
fn emulator(system: &dyn System, translator: Translator) -> Option<PathBuf> {
    if translator != Translator::QemuUser {
        return None;
    }
    let path = system.link(THREAD_EXECUTABLE)?;
    let name = path.file_name()?.to_string_lossy();
    name.starts_with("qemu-").then(|| path.clone())
}

/// `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`.
fn os_title(os_release: Option<&str>, kernel: Option<&str>) -> String {
    let distribution = os_release.and_then(|text| {
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
        Some(value.trim_matches(['"', '\'']).to_owned())
    });
    let kernel = kernel.unwrap_or("Linux");
    match distribution {
        Some(distribution) => format!("{distribution}, {kernel}"),
        None => kernel.to_owned(),
    }
}

/// Model of the chip: by name where the kernel has it (x86), else by the part numbers that 64-bit
/// Arm shows instead, else the board's model.
fn cpu_title(cpuinfo: &str, board: Option<&str>, cpu_brand: Option<&str>) -> Option<String> {
    let field = |name: &str| {
        cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name && !value.trim().is_empty()).then(|| value.trim())
        })
    };
    if let Some(name) = field("model name") {
        return Some(name.to_owned());
    }
    let part = field("CPU implementer").and_then(|implementer| {
        let part = field("CPU part").unwrap_or_default();
        arm_part(implementer, part)
            .map(str::to_owned)
            .or_else(|| Some(format!("Arm implementer {implementer} part {part}")))
    });
    match (part, board) {
        (Some(part), Some(board)) => Some(format!("{board} ({part})")),
        (Some(part), None) => Some(part),
        (None, board) => board.or(cpu_brand).map(str::to_owned),
    }
}

/// Names of common cores, from Arm's and Apple's public part numbers.
fn arm_part(implementer: &str, part: &str) -> Option<&'static str> {
    Some(match (implementer, part) {
        ("0x41", "0xd03") => "Cortex-A53",
        ("0x41", "0xd08") => "Cortex-A72",
        ("0x41", "0xd0b") => "Cortex-A76",
        ("0x41", "0xd0c") => "Neoverse N1",
        ("0x41", "0xd40") => "Neoverse V1",
        ("0x41", "0xd49") => "Neoverse N2",
        ("0x41", "0xd4f") => "Neoverse V2",
        ("0x61", _) => "Apple silicon",
        ("0xc0", _) => "Ampere",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::system::testing::Recorded;

    #[test]
    fn the_chip_is_named_on_x86_and_on_arm() {
        let x86 = "processor\t: 0\nmodel name\t: AMD EPYC 7763\nflags\t\t: fpu\n";
        assert_eq!(cpu_title(x86, None, None).as_deref(), Some("AMD EPYC 7763"));
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(cpu_title(arm, None, None).as_deref(), Some("Neoverse N1"));
        assert_eq!(
            cpu_title(&arm.replace("0xd0c", "0xd0b"), Some("Raspberry Pi 5"), None).as_deref(),
            Some("Raspberry Pi 5 (Cortex-A76)")
        );
        assert_eq!(
            cpu_title(&arm.replace("0xd0c", "0xfff"), None, None).as_deref(),
            Some("Arm implementer 0x41 part 0xfff")
        );
        assert_eq!(cpu_title("", None, Some("Brand")).as_deref(), Some("Brand"));
        assert_eq!(cpu_title("garbage", None, None), None);
    }

    #[test]
    fn the_system_is_named_with_and_without_a_distribution() {
        let os_release = "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n";
        assert_eq!(
            os_title(Some(os_release), Some("Linux 6.1.0")),
            "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"
        );
        assert_eq!(os_title(None, None), "Linux");
    }

    #[test]
    fn under_qemu_the_host_is_told_from_the_emulator() {
        let mut header = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0".to_vec();
        header.resize(64, 0);
        let system = Recorded::default()
            .link(THREAD_EXECUTABLE, "/usr/bin/qemu-x86_64")
            .executable(THREAD_EXECUTABLE, &header)
            .cpuid("QEMU TCG CPU version 2.5+", "TCGTCGTCGTCG");
        let facts = facts(&system);
        assert_eq!(facts.translator, Some(Translator::QemuUser));
        assert_eq!(facts.host_arch.as_deref(), Some("aarch64"));
        assert_eq!(facts.emulator, Some(PathBuf::from("/usr/bin/qemu-x86_64")));
        assert_eq!(facts.machine.hypervisor, None);
    }

    #[test]
    fn a_system_that_tells_nothing_is_linux_all_the_same() {
        let facts = facts(&Recorded::default());
        assert_eq!(facts.os.as_deref(), Some("Linux"));
        assert_eq!(facts.translator, Some(Translator::Native));
        assert_eq!(
            (facts.kernel, facts.cpu, facts.host_name),
            (None, None, None)
        );
    }
}
