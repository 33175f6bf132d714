//! How much memory a process may still take.

use super::system::System;

/// Memory that a new process can have, in bytes; `None` where it is not told. On Linux that is
/// what the kernel can give without pushing others out, within the limit of this process's group;
/// on macOS, which makes room by compressing, all of the machine's.
pub(crate) fn available_bytes(system: &dyn System) -> Option<u64> {
    let machine = system
        .read("/proc/meminfo")
        .and_then(|text| meminfo_available(&text));
    let group = system
        .read("/proc/self/cgroup")
        .and_then(|text| group_available(unified_group(&text)?, |path| system.read(path)));
    let linux = machine.into_iter().chain(group).min();
    linux.or_else(|| system.sysctl_number("hw.memsize"))
}

/// `MemAvailable` of `/proc/meminfo`.
fn meminfo_available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1_024)
}

/// Path of the control group, of the unified hierarchy.
fn unified_group(cgroup: &str) -> Option<&str> {
    cgroup.lines().find_map(|line| line.strip_prefix("0::"))
}

/// What the limits of a group and of those around it leave.
fn group_available(group: &str, read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let number = |name: &str, group: &str| -> Option<u64> {
        let text = read(&format!("/sys/fs/cgroup{group}/{name}"))?;
        text.trim().parse().ok()
    };
    let groups = std::iter::successors(Some(group.trim_end_matches('/')), |group| {
        group.rfind('/').map(|end| &group[..end])
    });
    groups
        .filter_map(|group| {
            // A group without a limit says `max`.
            let limit = number("memory.max", group)?;
            Some(limit.saturating_sub(number("memory.current", group)?))
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::system::testing::Recorded;

    #[test]
    fn the_kernel_says_what_is_available() {
        let meminfo = "MemTotal:       24684084 kB\nMemFree: 1 kB\nMemAvailable:   23810204 kB\n";
        assert_eq!(meminfo_available(meminfo), Some(23_810_204 * 1_024));
        assert_eq!(meminfo_available("MemTotal: 1 kB\n"), None);
        assert_eq!(meminfo_available("MemAvailable: many kB\n"), None);
    }

    #[test]
    fn the_tightest_limit_of_the_groups_counts() {
        let files = |path: &str| {
            let text = match path {
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/a/memory.max" => "1000\n",
                "/sys/fs/cgroup/a/memory.current" => "300\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        assert_eq!(unified_group("0::/a/b\n"), Some("/a/b"));
        assert_eq!(unified_group("1:cpu:/x\n"), None);
        assert_eq!(group_available("/a/b", files), Some(700));
        assert_eq!(group_available("/a/b", |_| None), None);
        assert_eq!(group_available("/", |_| None), None);
    }

    #[test]
    fn a_mac_gives_all_its_memory_and_linux_what_group_and_machine_leave() {
        let mac = Recorded::default().sysctl("hw.memsize: 17179869184");
        assert_eq!(available_bytes(&mac), Some(16 << 30));
        let linux = Recorded::default()
            .file(
                "/proc/meminfo",
                "MemTotal: 4096 kB\nMemAvailable: 2048 kB\n",
            )
            .file("/proc/self/cgroup", "0::/a\n");
        assert_eq!(available_bytes(&linux), Some(2 << 20));
        let limited = linux
            .file("/sys/fs/cgroup/a/memory.max", "1048576\n")
            .file("/sys/fs/cgroup/a/memory.current", "4096\n");
        assert_eq!(available_bytes(&limited), Some((1 << 20) - 4096));
        assert_eq!(available_bytes(&Recorded::default()), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_memory() {
        assert!(available_bytes(&super::super::system::Host).is_some_and(|bytes| bytes > 1 << 20));
    }
}
