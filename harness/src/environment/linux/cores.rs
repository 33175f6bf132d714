//! Which CPUs Linux has, and which of them are of the thrifty kind.

use std::collections::BTreeSet;

use crate::environment::system::System;

const CPUS: &str = "/sys/devices/system/cpu";

/// Most CPUs that a list is believed to name; Linux is built for at most 8,192.
const CPUS_MAX: usize = 8_192;

/// Below this share of the highest, a CPU's capacity or frequency is another kind's. Favoured cores
/// of one kind differ by a few percent.
const SAME_KIND_PERCENT_MIN: u64 = 80;

/// CPUs of a machine that has two kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoreKinds {
    /// All that are not of the slowest kind.
    pub(crate) performance: Vec<usize>,
    /// The slowest.
    pub(crate) efficiency: Vec<usize>,
}

/// Numbers of the CPUs that are online.
pub(crate) fn cpu_numbers(system: &dyn System) -> Vec<usize> {
    let online = system.read(&format!("{CPUS}/online"));
    online.map_or_else(Vec::new, |text| cpu_list(&text))
}

/// Tells the kinds apart: by what the kernel calls them (Intel), else by capacity (Arm), else by
/// the highest frequency. `None` if all are of one kind, or nothing is known.
pub(crate) fn core_kinds(system: &dyn System) -> Option<CoreKinds> {
    let online = cpu_numbers(system);
    let listed = |path| system.read(path).map(|text| cpu_list(&text));
    if let Some(atoms) = listed("/sys/devices/cpu_atom/cpus") {
        return split(&online, |cpu| atoms.contains(&cpu));
    }
    for name in ["cpu_capacity", "cpufreq/cpuinfo_max_freq"] {
        let speeds: Option<Vec<u64>> = online
            .iter()
            .map(|cpu| system.read_number(&format!("{CPUS}/cpu{cpu}/{name}")))
            .collect();
        let Some(speeds) = speeds else { continue };
        let (Some(lowest), Some(highest)) = (speeds.iter().min(), speeds.iter().max()) else {
            continue;
        };
        let is_slow = |speed: u64, than: u64| {
            speed.saturating_mul(100) < than.saturating_mul(SAME_KIND_PERCENT_MIN)
        };
        if is_slow(*lowest, *highest) {
            let slow: BTreeSet<usize> = online
                .iter()
                .zip(&speeds)
                .filter(|(_, speed)| !is_slow(*lowest, **speed))
                .map(|(cpu, _)| *cpu)
                .collect();
            return split(&online, |cpu| slow.contains(&cpu));
        }
    }
    None
}

fn split(online: &[usize], is_efficient: impl Fn(usize) -> bool) -> Option<CoreKinds> {
    let (efficiency, performance): (Vec<usize>, Vec<usize>) =
        online.iter().partition(|cpu| is_efficient(**cpu));
    (!efficiency.is_empty() && !performance.is_empty()).then_some(CoreKinds {
        performance,
        efficiency,
    })
}

/// How many cores these CPUs are, as far as the kernel says which share one.
pub(super) fn core_count(system: &dyn System, cpus: &[usize]) -> Option<u64> {
    let cores: Option<BTreeSet<String>> = cpus
        .iter()
        .map(|cpu| system.read(&format!("{CPUS}/cpu{cpu}/topology/thread_siblings_list")))
        .collect();
    cores
        .filter(|cores| !cores.is_empty())
        .map(|cores| cores.len() as u64)
}

/// Numbers in a list such as `0-3,8`; what is no number is left out.
pub(super) fn cpu_list(text: &str) -> Vec<usize> {
    let mut cpus = BTreeSet::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.trim().parse::<usize>(), last.trim().parse()) {
            cpus.extend((first..=last).take(CPUS_MAX - cpus.len()));
        }
    }
    cpus.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::system::testing::Recorded;

    fn machine(online: &str, file: &str, values: &[u64]) -> Recorded {
        let system = Recorded::default().file(&format!("{CPUS}/online"), online);
        values
            .iter()
            .enumerate()
            .fold(system, |system, (cpu, value)| {
                system.file(&format!("{CPUS}/cpu{cpu}/{file}"), &value.to_string())
            })
    }

    fn kinds(performance: &[usize], efficiency: &[usize]) -> CoreKinds {
        CoreKinds {
            performance: performance.to_vec(),
            efficiency: efficiency.to_vec(),
        }
    }

    #[test]
    fn two_kinds_are_told_apart_by_name_capacity_or_frequency() {
        let intel = Recorded::default()
            .file(&format!("{CPUS}/online"), "0-5")
            .file("/sys/devices/cpu_atom/cpus", "4-5");
        assert_eq!(core_kinds(&intel), Some(kinds(&[0, 1, 2, 3], &[4, 5])));
        let apple = machine("0-3", "cpu_capacity", &[459, 459, 1024, 1024]);
        assert_eq!(core_kinds(&apple), Some(kinds(&[2, 3], &[0, 1])));
        let three_clusters = machine("0-3", "cpu_capacity", &[325, 325, 828, 1024]);
        assert_eq!(core_kinds(&three_clusters), Some(kinds(&[2, 3], &[0, 1])));
        let compact = machine("0-1", "cpufreq/cpuinfo_max_freq", &[5_100_000, 3_500_000]);
        assert_eq!(core_kinds(&compact), Some(kinds(&[0], &[1])));
    }

    #[test]
    fn favoured_cores_are_no_kind_of_their_own() {
        let turbo = machine("0-1", "cpufreq/cpuinfo_max_freq", &[4_900_000, 5_100_000]);
        assert_eq!(core_kinds(&turbo), None);
        assert_eq!(
            core_kinds(&machine("0-1", "cpu_capacity", &[1024, 1024])),
            None
        );
        assert_eq!(
            core_kinds(&machine("0-1", "cpu_capacity", &[0, u64::MAX])),
            Some(kinds(&[1], &[0]))
        );
        assert_eq!(core_kinds(&Recorded::default()), None);
    }

    #[test]
    fn cores_are_counted_once_for_all_their_cpus() {
        let threads = Recorded::default()
            .file(&format!("{CPUS}/cpu0/topology/thread_siblings_list"), "0-1")
            .file(&format!("{CPUS}/cpu1/topology/thread_siblings_list"), "0-1")
            .file(&format!("{CPUS}/cpu2/topology/thread_siblings_list"), "2");
        assert_eq!(core_count(&threads, &[0, 1, 2]), Some(2));
        assert_eq!(core_count(&threads, &[0, 7]), None);
        assert_eq!(core_count(&threads, &[]), None);
    }

    #[test]
    fn lists_of_cpus_are_read_and_nonsense_is_bounded() {
        assert_eq!(cpu_list("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(cpu_list("5"), [5]);
        assert_eq!(cpu_list("3-1,x,-,"), [0_usize; 0]);
        assert_eq!(
            cpu_list(&format!("0-{0},5-{0}", usize::MAX)).len(),
            CPUS_MAX
        );
    }
}
