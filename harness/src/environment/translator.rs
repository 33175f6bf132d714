//! What stands between this binary and the chip: nothing, or a program that translates its code.
//!
//! The platform modules collect the [`Evidence`]; the judgement here is pure.

use serde::{Deserialize, Serialize};

/// Translators that can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Translator {
    /// None: the chip runs the binary's own instructions.
    Native,
    /// Apple's Rosetta on macOS.
    Rosetta,
    /// Apple's Rosetta in a Linux virtual machine.
    RosettaLinux,
    /// QEMU's user-mode emulation.
    QemuUser,
    /// Box64.
    Box64,
    /// FEX-Emu.
    Fex,
    /// Microsoft's Prism on Windows for Arm.
    Prism,
}

impl Translator {
    /// Name as it stands in results; also the name of the arm that ran under it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Rosetta => "rosetta",
            Self::RosettaLinux => "rosetta-linux",
            Self::QemuUser => "qemu-user",
            Self::Box64 => "box64",
            Self::Fex => "fex",
            Self::Prism => "prism",
        }
    }

    /// Name as its maker writes it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Rosetta => "Rosetta",
            Self::RosettaLinux => "Rosetta for Linux",
            Self::QemuUser => "QEMU user-mode emulation",
            Self::Box64 => "Box64",
            Self::Fex => "FEX-Emu",
            Self::Prism => "Prism",
        }
    }
}

/// Traces that translators leave. Each is absent where the platform has no such thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Whether the operating system is macOS.
    pub(crate) is_macos: bool,
    /// `sysctl.proc_translated`, the answer that Apple documents.
    pub(crate) proc_translated: Option<bool>,
    /// Brand string of the CPUID instruction, which translators answer themselves.
    pub(crate) cpu_brand: Option<String>,
    /// Vendor of the hypervisor leaf of CPUID.
    pub(crate) hypervisor_vendor: Option<String>,
    /// `/proc/self/comm`: `qemu-x86_64` when QEMU was started by name.
    pub(crate) command_name: Option<String>,
    /// File name of `/proc/thread-self/exe`. QEMU fakes `/proc/self/exe` and forgets this one.
    pub(crate) thread_executable: Option<String>,
}

/// Judges the evidence.
///
/// QEMU's brand string alone is none: a whole machine emulated by QEMU shows it too, and there the
/// binary is native to the machine it sees.
pub(crate) fn detect(evidence: &Evidence) -> Translator {
    let text = |field: &Option<String>| field.as_deref().unwrap_or_default().to_ascii_lowercase();
    let brand = text(&evidence.cpu_brand);
    let executable = text(&evidence.thread_executable);
    if evidence.proc_translated == Some(true) {
        return Translator::Rosetta;
    }
    if brand.starts_with("virtualapple") || (!evidence.is_macos && executable == "rosetta") {
        return if evidence.is_macos {
            Translator::Rosetta
        } else {
            Translator::RosettaLinux
        };
    }
    if executable.starts_with("qemu-") || text(&evidence.command_name).starts_with("qemu-") {
        return Translator::QemuUser;
    }
    if brand.starts_with("box64") || executable == "box64" {
        return Translator::Box64;
    }
    if text(&evidence.hypervisor_vendor).starts_with("fexifexi")
        || matches!(executable.as_str(), "fex" | "fexinterpreter")
    {
        return Translator::Fex;
    }
    if brand.starts_with("virtual cpu @") {
        return Translator::Prism;
    }
    Translator::Native
}

/// Brand string and hypervisor vendor, as the CPUID instruction gives them.
#[cfg(target_arch = "x86_64")]
pub(crate) fn cpuid_texts() -> (Option<String>, Option<String>) {
    use std::arch::x86_64::__cpuid;

    const BRAND_FIRST: u32 = 0x8000_0002;
    const BRAND_LAST: u32 = 0x8000_0004;
    const EXTENDED_LEAVES: u32 = 0x8000_0000;
    const HYPERVISOR_VENDOR: u32 = 0x4000_0000;
    const HYPERVISOR_BIT: u32 = 1 << 31;

    let brand = (__cpuid(EXTENDED_LEAVES).eax >= BRAND_LAST).then(|| {
        (BRAND_FIRST..=BRAND_LAST)
            .map(__cpuid)
            .flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx])
            .flat_map(u32::to_le_bytes)
            .collect::<Vec<u8>>()
    });
    let hypervisor = (__cpuid(1).ecx & HYPERVISOR_BIT != 0).then(|| {
        let leaf = __cpuid(HYPERVISOR_VENDOR);
        [leaf.ebx, leaf.ecx, leaf.edx]
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect::<Vec<u8>>()
    });
    (brand.and_then(text), hypervisor.and_then(text))
}

/// Only x86-64 has the instruction.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn cpuid_texts() -> (Option<String>, Option<String>) {
    (None, None)
}

/// Text up to the first NUL, trimmed; `None` when nothing is left.
#[cfg(target_arch = "x86_64")]
fn text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let text = text.split('\0').next()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brand(cpu_brand: &str) -> Evidence {
        Evidence {
            cpu_brand: Some(cpu_brand.to_owned()),
            ..Evidence::default()
        }
    }

    fn executable(thread_executable: &str) -> Evidence {
        Evidence {
            thread_executable: Some(thread_executable.to_owned()),
            ..brand("QEMU TCG CPU version 2.5+")
        }
    }

    #[test]
    fn every_translator_is_told_from_its_traces() {
        let on_macos = |evidence: Evidence| Evidence {
            is_macos: true,
            ..evidence
        };
        let comm = Evidence {
            command_name: Some(String::from("qemu-x86_64")),
            ..Evidence::default()
        };
        let translated = Evidence {
            proc_translated: Some(true),
            ..on_macos(Evidence::default())
        };
        let fex = Evidence {
            hypervisor_vendor: Some(String::from("FEXIFEXIEMU")),
            ..brand("Cortex-A78")
        };
        for (evidence, translator) in [
            (translated, Translator::Rosetta),
            (
                on_macos(brand("VirtualApple @ 2.50GHz")),
                Translator::Rosetta,
            ),
            (brand("VirtualApple @ 2.50GHz"), Translator::RosettaLinux),
            (executable("rosetta"), Translator::RosettaLinux),
            (executable("qemu-x86_64"), Translator::QemuUser),
            (executable("qemu-aarch64-static"), Translator::QemuUser),
            (comm, Translator::QemuUser),
            (brand("Box64 on Cortex-A76 @ 2.40 GHz"), Translator::Box64),
            (executable("box64"), Translator::Box64),
            (fex, Translator::Fex),
            (executable("FEXInterpreter"), Translator::Fex),
            (brand("Virtual CPU @ 3.41GHz"), Translator::Prism),
        ] {
            assert_eq!(detect(&evidence), translator, "{evidence:?}");
        }
    }

    #[test]
    fn a_chip_or_a_whole_virtual_machine_is_native() {
        let not_translated = Evidence {
            is_macos: true,
            proc_translated: Some(false),
            cpu_brand: None,
            ..Evidence::default()
        };
        for evidence in [
            Evidence::default(),
            not_translated,
            brand("Intel(R) Xeon(R) Processor @ 2.90GHz"),
            brand("QEMU TCG CPU version 2.5+"),
            executable("lycosa"),
        ] {
            assert_eq!(detect(&evidence), Translator::Native, "{evidence:?}");
        }
    }

    #[test]
    fn names_in_results_are_those_of_the_serialized_form() {
        for translator in [
            Translator::Native,
            Translator::Rosetta,
            Translator::RosettaLinux,
            Translator::QemuUser,
            Translator::Box64,
            Translator::Fex,
            Translator::Prism,
        ] {
            let json = serde_json::to_string(&translator).unwrap();
            assert_eq!(json, format!("\"{}\"", translator.name()));
        }
    }
}
