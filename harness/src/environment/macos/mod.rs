//! macOS: everything from `sysctl`, and from `pmset` what that does not tell.

mod conditions;

use super::Facts;
use super::machine::{Cache, CacheContent, CoreKind, Machine};
use super::system::System;
use super::translator::{self, Evidence, Translator};

pub(crate) use conditions::conditions;

/// Asks the system.
pub(crate) fn facts(system: &dyn System) -> Facts {
    let translator = translator::detect(&evidence(system));
    let is_translated = translator == Translator::Rosetta;
    // A translated process is told that it is on x86-64 by everything but this.
    let is_arm = system.sysctl_number("hw.optional.arm64") == Some(1) || is_translated;
    let brand = system.sysctl_text("machdep.cpu.brand_string");
    // Rosetta shows translated processes a name that no chip has.
    let is_invented = |brand: &String| is_translated && brand.starts_with("VirtualApple");
    let brand = match brand {
        Some(brand) if is_invented(&brand) => native_brand(system).or(Some(brand)),
        brand => brand,
    };
    Facts {
        host_name: system.sysctl_text("kern.hostname"),
        os: system
            .sysctl_text("kern.osproductversion")
            .map(|version| format!("macOS {version}")),
        kernel: system
            .sysctl_text("kern.osrelease")
            .map(|release| format!("Darwin {release}")),
        cpu: brand.map(|brand| with_core_counts(system, &brand)),
        load_average: system.load_average(),
        host_arch: is_arm.then(|| String::from("aarch64")),
        translator: Some(translator),
        machine: machine(system),
        ..Facts::default()
    }
}

/// Traces of a translator.
pub(crate) fn evidence(system: &dyn System) -> Evidence {
    let (cpu_brand, hypervisor_vendor) = system.cpuid_texts();
    Evidence {
        is_macos: true,
        proc_translated: system
            .sysctl_number("sysctl.proc_translated")
            .map(|value| value == 1),
        cpu_brand,
        hypervisor_vendor,
        command_name: None,
        thread_executable: None,
    }
}

/// Whether the chip has two kinds of core, the second of which is the thrifty one.
pub(crate) fn has_efficiency_cores(system: &dyn System) -> bool {
    system
        .sysctl_number("hw.perflevel1.physicalcpu")
        .is_some_and(|count| count > 0)
}

/// The chip's own name, from a program that is not translated.
fn native_brand(system: &dyn System) -> Option<String> {
    let sysctl = [
        "-arm64",
        "/usr/sbin/sysctl",
        "-n",
        "machdep.cpu.brand_string",
    ];
    system.command("/usr/bin/arch", &sysctl)
}

/// `Apple M2 (4P + 4E)`, where the system tells performance from efficiency cores.
fn with_core_counts(system: &dyn System, brand: &str) -> String {
    let count = |level| system.sysctl_number(&format!("hw.perflevel{level}.physicalcpu"));
    match (count(0), count(1)) {
        (Some(performance), Some(efficiency)) => {
            format!("{brand} ({performance}P + {efficiency}E)")
        }
        _ => brand.to_owned(),
    }
}

fn machine(system: &dyn System) -> Machine {
    let number = |name: &str| system.sysctl_number(name);
    let has_kinds = has_efficiency_cores(system);
    let count = |name| number(name).filter(|_| has_kinds);
    let caches = if has_kinds {
        let mut caches = caches(system, "hw.perflevel0", Some(CoreKind::Performance));
        caches.extend(self::caches(
            system,
            "hw.perflevel1",
            Some(CoreKind::Efficiency),
        ));
        caches
    } else {
        caches(system, "hw", None)
    };
    Machine {
        cpus_online: number("hw.activecpu"),
        cores: number("hw.physicalcpu"),
        performance_cores: count("hw.perflevel0.physicalcpu"),
        efficiency_cores: count("hw.perflevel1.physicalcpu"),
        caches,
        memory_bytes: number("hw.memsize"),
        page_size_bytes: system.page_size_bytes(),
        hypervisor: (number("kern.hv_vmm_present") == Some(1))
            .then(|| String::from("unnamed hypervisor")),
        aslr: system.image_is_moved(),
    }
}

/// Caches under one prefix; a size of 0 means that there is none.
fn caches(system: &dyn System, prefix: &str, core: Option<CoreKind>) -> Vec<Cache> {
    [
        ("l1dcachesize", 1, CacheContent::Data),
        ("l1icachesize", 1, CacheContent::Instructions),
        ("l2cachesize", 2, CacheContent::Unified),
        ("l3cachesize", 3, CacheContent::Unified),
    ]
    .into_iter()
    .filter_map(|(name, level, holds)| {
        let size_bytes = system.sysctl_number(&format!("{prefix}.{name}"))?;
        (size_bytes > 0).then_some(Cache {
            level,
            holds,
            size_bytes,
            core,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::system::testing::Recorded;

    /// A laptop with an M2, as a native process sees it.
    const M2: &str = "hw.activecpu: 8
        hw.memsize: 17179869184
        hw.optional.arm64: 1
        hw.perflevel0.l1dcachesize: 131072
        hw.perflevel0.l1icachesize: 196608
        hw.perflevel0.l2cachesize: 16777216
        hw.perflevel0.physicalcpu: 4
        hw.perflevel1.l1dcachesize: 65536
        hw.perflevel1.l1icachesize: 131072
        hw.perflevel1.l2cachesize: 4194304
        hw.perflevel1.physicalcpu: 4
        hw.physicalcpu: 8
        kern.hostname: laptop.local
        kern.hv_vmm_present: 0
        kern.osproductversion: 15.5
        kern.osrelease: 24.5.0
        machdep.cpu.brand_string: Apple M2
        sysctl.proc_translated: 0";

    /// A laptop with a Core i7.
    const INTEL: &str = "hw.activecpu: 12
        hw.l1dcachesize: 32768
        hw.l1icachesize: 32768
        hw.l2cachesize: 262144
        hw.l3cachesize: 12582912
        hw.memsize: 34359738368
        hw.physicalcpu: 6
        kern.hv_vmm_present: 0
        kern.osproductversion: 14.7
        kern.osrelease: 23.6.0
        machdep.cpu.brand_string: Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz";

    #[test]
    fn apple_silicon_shows_both_kinds_of_core() {
        let facts = facts(&Recorded::default().sysctl(M2).moved(true));
        assert_eq!(facts.cpu.as_deref(), Some("Apple M2 (4P + 4E)"));
        assert_eq!(facts.os.as_deref(), Some("macOS 15.5"));
        assert_eq!(facts.kernel.as_deref(), Some("Darwin 24.5.0"));
        assert_eq!(facts.host_arch.as_deref(), Some("aarch64"));
        assert_eq!(facts.translator, Some(Translator::Native));
        let machine = facts.machine;
        assert_eq!(machine.performance_cores, Some(4));
        assert_eq!(machine.efficiency_cores, Some(4));
        assert_eq!(machine.memory_bytes, Some(16 << 30));
        assert_eq!(machine.hypervisor, None);
        assert_eq!(machine.aslr, Some(true));
        assert_eq!(machine.caches.len(), 6);
        let of_efficiency = machine.caches[5];
        assert_eq!(of_efficiency.core, Some(CoreKind::Efficiency));
        assert_eq!(
            (of_efficiency.level, of_efficiency.size_bytes),
            (2, 4 << 20)
        );
    }

    #[test]
    fn under_rosetta_the_chip_is_named_by_a_native_program() {
        let lines = M2
            .replace("proc_translated: 0", "proc_translated: 1")
            .replace("Apple M2", "VirtualApple @ 2.50GHz processor")
            .replace("hw.optional.arm64: 1", "");
        let system = Recorded::default()
            .sysctl(&lines)
            .cpuid("VirtualApple @ 2.50GHz", "")
            .command(
                "/usr/bin/arch -arm64 /usr/sbin/sysctl -n machdep.cpu.brand_string",
                "Apple M2",
            );
        let facts = facts(&system);
        assert_eq!(facts.translator, Some(Translator::Rosetta));
        assert_eq!(facts.host_arch.as_deref(), Some("aarch64"));
        assert_eq!(facts.cpu.as_deref(), Some("Apple M2 (4P + 4E)"));
    }

    #[test]
    fn intel_macs_have_one_kind_of_core() {
        let system = Recorded::default()
            .sysctl(INTEL)
            .cpuid("Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz", "");
        assert!(!has_efficiency_cores(&system));
        let facts = facts(&system);
        assert_eq!(facts.translator, Some(Translator::Native));
        assert_eq!(facts.host_arch, None);
        assert_eq!(facts.machine.performance_cores, None);
        assert_eq!(
            (facts.machine.cpus_online, facts.machine.cores),
            (Some(12), Some(6))
        );
        let levels: Vec<u8> = facts
            .machine
            .caches
            .iter()
            .map(|cache| cache.level)
            .collect();
        assert_eq!(levels, [1, 1, 2, 3]);
    }

    #[test]
    fn a_virtual_mac_says_so() {
        let system = Recorded::default().sysctl(&M2.replace("vmm_present: 0", "vmm_present: 1"));
        assert!(facts(&system).machine.hypervisor.is_some());
    }
}
