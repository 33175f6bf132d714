//! Linux: everything from `/proc` and `/etc`, and CPUID where there is one.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Facts;
use super::translator::{self, Evidence, Translator};

/// Link to the running program that QEMU does not fake.
const THREAD_EXECUTABLE: &str = "/proc/thread-self/exe";

/// Offset of the machine in an ELF header.
const ELF_MACHINE_OFFSET: usize = 18;

/// Asks the system.
pub(crate) fn facts() -> Facts {
    let evidence = evidence();
    let translator = translator::detect(&evidence);
    let emulator = emulator(translator);
    let host_arch = match translator {
        Translator::Native => None,
        Translator::RosettaLinux | Translator::Prism => Some(String::from("aarch64")),
        // These are programs of the host themselves, and this link opens them.
        _ => executable_machine(Path::new(THREAD_EXECUTABLE)).map(str::to_owned),
    };
    let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
    let model = read("/proc/device-tree/model");
    Facts {
        host_name: read("/proc/sys/kernel/hostname"),
        os: Some(os_title(
            read("/etc/os-release").as_deref(),
            read("/proc/sys/kernel/osrelease").as_deref(),
        )),
        cpu: cpu_title(&cpuinfo, model.as_deref(), evidence.cpu_brand.as_deref()),
        load_average: read("/proc/loadavg").map_or_else(Vec::new, |text| load_average(&text)),
        host_arch,
        emulator,
        translator: Some(translator),
    }
}

/// Traces of a translator.
pub(crate) fn evidence() -> Evidence {
    let (cpu_brand, hypervisor_vendor) = translator::cpuid_texts();
    Evidence {
        is_macos: false,
        proc_translated: None,
        cpu_brand,
        hypervisor_vendor,
        command_name: read("/proc/self/comm"),
        thread_executable: fs::read_link(THREAD_EXECUTABLE)
            .ok()
            .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned())),
    }
}

/// Path of QEMU, which only runs again what it is named for; the other translators are found by
/// the kernel.
fn emulator(translator: Translator) -> Option<PathBuf> {
    if translator != Translator::QemuUser {
        return None;
    }
    let path = fs::read_link(THREAD_EXECUTABLE).ok()?;
    let name = path.file_name()?.to_string_lossy();
    name.starts_with("qemu-").then(|| path.clone())
}

/// The one architecture that an ELF file holds.
pub(crate) fn executable_architectures(path: &Path) -> Vec<&'static str> {
    executable_machine(path).into_iter().collect()
}

/// Architecture of an executable file.
fn executable_machine(path: &Path) -> Option<&'static str> {
    let mut header = [0; ELF_MACHINE_OFFSET + 2];
    fs::File::open(path).ok()?.read_exact(&mut header).ok()?;
    elf_machine(&header)
}

/// Architecture in an ELF header.
fn elf_machine(header: &[u8]) -> Option<&'static str> {
    if !header.starts_with(b"\x7fELF") {
        return None;
    }
    let machine = header.get(ELF_MACHINE_OFFSET..ELF_MACHINE_OFFSET + 2)?;
    Some(match u16::from_le_bytes([machine[0], machine[1]]) {
        62 => "x86_64",
        183 => "aarch64",
        243 => "riscv64",
        258 => "loongarch64",
        _ => return None,
    })
}

/// Trimmed text of a small file; `None` if there is none.
fn read(path: &str) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`.
fn os_title(os_release: Option<&str>, kernel_release: Option<&str>) -> String {
    let distribution = os_release.and_then(|text| {
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
        Some(value.trim_matches(['"', '\'']).to_owned())
    });
    let kernel = kernel_release.map_or(String::from("Linux"), |release| format!("Linux {release}"));
    match distribution {
        Some(distribution) => format!("{distribution}, {kernel}"),
        None => kernel,
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

/// The three averages in front of `/proc/loadavg`.
fn load_average(text: &str) -> Vec<f64> {
    text.split_whitespace()
        .take(3)
        .map_while(|field| field.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            os_title(Some(os_release), Some("6.1.0")),
            "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"
        );
        assert_eq!(os_title(None, None), "Linux");
    }

    #[test]
    fn the_host_is_told_from_the_emulators_header() {
        let mut header = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0".to_vec();
        assert_eq!(elf_machine(&header), Some("aarch64"));
        header[ELF_MACHINE_OFFSET] = 62;
        assert_eq!(elf_machine(&header), Some("x86_64"));
        assert_eq!(elf_machine(&header[..10]), None);
        assert_eq!(elf_machine(b"#!/bin/sh"), None);
    }

    #[test]
    fn load_averages_are_read_as_far_as_they_are_numbers() {
        assert_eq!(
            load_average("0.52 0.58 0.59 1/977 12345"),
            [0.52, 0.58, 0.59]
        );
        assert!(load_average("none").is_empty());
    }
}
