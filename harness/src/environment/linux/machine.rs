//! The machine under Linux: sysfs for cores and caches, CPUID, DMI and the device tree for what is
//! below the operating system.

use super::cores::{core_count, core_kinds, cpu_numbers};
use crate::environment::machine::{Cache, CacheContent, CoreKind, Machine};
use crate::environment::system::System;

/// Flag of a process that was started without random addresses.
const ADDR_NO_RANDOMIZE: u64 = 0x0004_0000;

/// Asks the system. What CPUID says of a hypervisor is a translator's word, if there is one.
pub(super) fn machine(system: &dyn System, is_translated: bool) -> Machine {
    let cpus = cpu_numbers(system);
    let kinds = core_kinds(system);
    let count = |cpus: Option<&Vec<usize>>| cpus.and_then(|cpus| core_count(system, cpus));
    let vendor = system.cpuid_texts().1.filter(|_| !is_translated);
    Machine {
        cpus_online: (!cpus.is_empty()).then_some(cpus.len() as u64),
        cores: core_count(system, &cpus),
        performance_cores: count(kinds.as_ref().map(|kinds| &kinds.performance)),
        efficiency_cores: count(kinds.as_ref().map(|kinds| &kinds.efficiency)),
        caches: match &kinds {
            Some(kinds) => [
                (kinds.performance.first(), CoreKind::Performance),
                (kinds.efficiency.first(), CoreKind::Efficiency),
            ]
            .into_iter()
            .filter_map(|(cpu, kind)| Some(caches(system, *cpu?, Some(kind))))
            .flatten()
            .collect(),
            None => cpus
                .first()
                .map_or_else(Vec::new, |cpu| caches(system, *cpu, None)),
        },
        memory_bytes: system
            .read("/proc/meminfo")
            .and_then(|text| memory_bytes(&text)),
        page_size_bytes: system.page_size_bytes(),
        hypervisor: hypervisor(system, vendor.as_deref()),
        aslr: aslr(system),
    }
}

/// Caches that one CPU sees.
fn caches(system: &dyn System, cpu: usize, core: Option<CoreKind>) -> Vec<Cache> {
    let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
    let mut caches: Vec<Cache> = (0..)
        .map_while(|index| {
            let field = |name: &str| system.read(&format!("{folder}/index{index}/{name}"));
            Some(Cache {
                level: field("level")?.parse().ok()?,
                holds: match field("type")?.as_str() {
                    "Data" => CacheContent::Data,
                    "Instruction" => CacheContent::Instructions,
                    _ => CacheContent::Unified,
                },
                size_bytes: kibibytes(field("size")?.strip_suffix('K')?)?,
                core,
            })
        })
        .collect();
    caches.sort_by_key(|cache| cache.level);
    caches
}

fn kibibytes(digits: &str) -> Option<u64> {
    digits.trim().parse::<u64>().ok()?.checked_mul(1 << 10)
}

/// `MemTotal: 16314452 kB`.
fn memory_bytes(meminfo: &str) -> Option<u64> {
    let value = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    kibibytes(value.trim().strip_suffix("kB")?)
}

/// The system's setting, unless this process was started without.
fn aslr(system: &dyn System) -> Option<bool> {
    let setting = system.read_number("/proc/sys/kernel/randomize_va_space")?;
    let personality = system
        .read("/proc/self/personality")
        .and_then(|text| u64::from_str_radix(&text, 16).ok());
    Some(setting != 0 && personality.unwrap_or(0) & ADDR_NO_RANDOMIZE == 0)
}

/// Name of the hypervisor, from the first witness that knows one.
fn hypervisor(system: &dyn System, cpuid_vendor: Option<&str>) -> Option<String> {
    if let Some(vendor) = cpuid_vendor {
        return Some(hypervisor_title(vendor).to_owned());
    }
    let from_tree = match system.read("/proc/device-tree/hypervisor/compatible") {
        Some(compatible) if compatible.contains("kvm") => Some("KVM"),
        Some(compatible) if compatible.contains("xen") => Some("Xen"),
        _ => None,
    };
    let xen = || {
        let name = system.read("/sys/hypervisor/type")?;
        (name == "xen").then_some("Xen")
    };
    let dmi = || {
        let field = |name: &str| system.read(&format!("/sys/class/dmi/id/{name}"));
        let [vendor, product] =
            ["sys_vendor", "product_name"].map(|name| field(name).unwrap_or_default());
        hypervisor_of_board(&vendor, &product)
    };
    from_tree.or_else(xen).or_else(dmi).map(str::to_owned)
}

/// Names behind the twelve letters of CPUID.
fn hypervisor_title(vendor: &str) -> &str {
    match vendor {
        "KVMKVMKVM" => "KVM",
        "Microsoft Hv" => "Hyper-V",
        "VMwareVMware" => "VMware",
        "XenVMMXenVMM" => "Xen",
        "VBoxVBoxVBox" => "VirtualBox",
        "TCGTCGTCGTCG" => "QEMU without acceleration",
        "prl hyperv" | "lrpepyh vr" => "Parallels",
        "bhyve bhyve" => "bhyve",
        other => other,
    }
}

/// Boards that only exist in virtual machines. A cloud's bare metal has the cloud's name too.
fn hypervisor_of_board(vendor: &str, product: &str) -> Option<&'static str> {
    if product.rsplit('.').next() == Some("metal") {
        return None;
    }
    [
        ("Apple Virtualization", "Apple Virtualization"),
        ("Parallels", "Parallels"),
        ("VMware", "VMware"),
        ("VirtualBox", "VirtualBox"),
        ("Amazon EC2", "Amazon EC2"),
        ("Google Compute Engine", "Google Compute Engine"),
        ("HVM domU", "Xen"),
        ("KVM", "KVM"),
        ("QEMU", "QEMU"),
        // The least particular name comes last.
        ("Virtual Machine", "Hyper-V"),
    ]
    .into_iter()
    .find(|(part, _)| product.contains(part) || vendor.contains(part))
    .map(|(_, title)| title)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::system::testing::Recorded;

    const CPUS: &str = "/sys/devices/system/cpu";

    fn with_cache(system: Recorded, cpu: usize, index: usize, cache: [&str; 3]) -> Recorded {
        ["level", "type", "size"]
            .into_iter()
            .zip(cache)
            .fold(system, |system, (name, value)| {
                let path = format!("{CPUS}/cpu{cpu}/cache/index{index}/{name}");
                system.file(&path, value)
            })
    }

    #[test]
    fn a_virtual_machine_with_one_kind_of_core_is_read() {
        let mut system = Recorded::default()
            .file(&format!("{CPUS}/online"), "0-1")
            .file(&format!("{CPUS}/cpu0/topology/thread_siblings_list"), "0")
            .file(&format!("{CPUS}/cpu1/topology/thread_siblings_list"), "1")
            .file(
                "/proc/meminfo",
                "MemTotal:        8141584 kB\nMemFree: 1 kB\n",
            )
            .file("/proc/sys/kernel/randomize_va_space", "2\n")
            .file("/proc/self/personality", "00000000\n")
            .cpuid("AMD EPYC", "KVMKVMKVM");
        for (index, cache) in [
            ["1", "Data", "32K"],
            ["1", "Instruction", "32K"],
            ["2", "Unified", "1024K"],
            ["3", "Unified", "32768K"],
        ]
        .into_iter()
        .enumerate()
        {
            system = with_cache(system, 0, index, cache);
        }
        let machine = machine(&system, false);
        assert_eq!((machine.cpus_online, machine.cores), (Some(2), Some(2)));
        assert_eq!(machine.performance_cores, None);
        assert_eq!(machine.memory_bytes, Some(8_141_584 * 1024));
        assert_eq!(machine.hypervisor.as_deref(), Some("KVM"));
        assert_eq!(machine.aslr, Some(true));
        assert_eq!(machine.caches.len(), 4);
        assert_eq!(
            machine.caches[2],
            Cache {
                level: 2,
                holds: CacheContent::Unified,
                size_bytes: 1 << 20,
                core: None
            }
        );
    }

    #[test]
    fn both_kinds_of_core_show_their_caches() {
        let mut system = Recorded::default()
            .file(&format!("{CPUS}/online"), "0-1")
            .file(&format!("{CPUS}/cpu0/cpu_capacity"), "459")
            .file(&format!("{CPUS}/cpu1/cpu_capacity"), "1024");
        system = with_cache(system, 0, 0, ["1", "Data", "64K"]);
        system = with_cache(system, 1, 0, ["1", "Data", "128K"]);
        let sizes: Vec<_> = machine(&system, false)
            .caches
            .iter()
            .map(|cache| (cache.core, cache.size_bytes))
            .collect();
        let expected = [
            (Some(CoreKind::Performance), 128 << 10),
            (Some(CoreKind::Efficiency), 64 << 10),
        ];
        assert_eq!(sizes, expected);
    }

    #[test]
    fn virtual_machines_are_known_by_their_boards_where_there_is_no_cpuid() {
        let board = |vendor: &str, product: &str| {
            let system = Recorded::default()
                .file("/sys/class/dmi/id/sys_vendor", vendor)
                .file("/sys/class/dmi/id/product_name", product);
            machine(&system, false).hypervisor
        };
        for (vendor, product, expected) in [
            (
                "Apple Inc.",
                "Apple Virtualization Generic Platform",
                Some("Apple Virtualization"),
            ),
            ("QEMU", "KVM Virtual Machine", Some("KVM")),
            ("Microsoft Corporation", "Virtual Machine", Some("Hyper-V")),
            ("Amazon EC2", "c7g.large", Some("Amazon EC2")),
            ("Amazon EC2", "c7g.metal", None),
            ("LENOVO", "20XW", None),
        ] {
            assert_eq!(board(vendor, product).as_deref(), expected, "{product}");
        }
        let tree = Recorded::default().file("/proc/device-tree/hypervisor/compatible", "linux,kvm");
        assert_eq!(machine(&tree, false).hypervisor.as_deref(), Some("KVM"));
    }

    #[test]
    fn a_translator_is_no_virtual_machine() {
        let system = Recorded::default().cpuid("QEMU TCG CPU version 2.5+", "TCGTCGTCGTCG");
        assert_eq!(machine(&system, true).hypervisor, None);
    }

    #[test]
    fn a_process_may_be_started_without_random_addresses() {
        for (setting, personality, expected) in [
            ("2", "00040000", Some(false)),
            ("0", "00000000", Some(false)),
            ("2", "no number", Some(true)),
            ("", "", None),
        ] {
            let system = Recorded::default()
                .file("/proc/sys/kernel/randomize_va_space", setting)
                .file("/proc/self/personality", personality);
            assert_eq!(aslr(&system), expected);
        }
    }
}
