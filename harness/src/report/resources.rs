//! The words for what a process took of its machine. What is not known, and what is nothing out of
//! the ordinary, is left out.

use lycosa_lua::worker::Resources;

use crate::quantity::{decimal_bytes, grouped, significant};

/// CPU time by thread, faults, switches, then what most runs have none of.
pub(crate) fn items(resources: &Resources) -> Vec<String> {
    let plural = |count: u64, one: &str, several: &str| {
        format!(
            "{} {}",
            grouped(count),
            if count == 1 { one } else { several }
        )
    };
    let rest = |count: Option<u64>, adjective: &str| {
        count.map_or_else(String::new, |count| {
            format!(", {} {adjective}", grouped(count))
        })
    };
    let faults = resources.minor_faults.map(|minor| {
        let major = rest(resources.major_faults, "major");
        format!("{}{major}", plural(minor, "minor fault", "minor faults"))
    });
    let switches = resources.voluntary_switches.map(|voluntary| {
        let forced = rest(resources.involuntary_switches, "forced");
        format!(
            "{}{forced}",
            plural(voluntary, "voluntary switch", "voluntary switches")
        )
    });
    let more_than_none = |bytes: Option<u64>| bytes.filter(|bytes| *bytes > 0);
    let storage = [
        (resources.read_bytes, "read"),
        (resources.written_bytes, "written"),
    ]
    .map(|(bytes, verb)| {
        more_than_none(bytes).map(|bytes| format!("{} {verb}", decimal_bytes(bytes)))
    });
    let [read, written] = storage;
    let swap = more_than_none(resources.swap_bytes)
        .map(|bytes| format!("{} swapped out", decimal_bytes(bytes)));
    let heap = resources
        .lua_heap_bytes
        .map(|bytes| format!("Lua heap {}", decimal_bytes(bytes)));
    let energy = match (resources.energy_j, resources.package_energy_j) {
        (Some(own), _) => Some(format!("energy {}", joules(own))),
        (None, Some(all)) => Some(format!("energy of the processor {}", joules(all))),
        (None, None) => None,
    };
    let items = [
        cpu_shares(resources),
        faults,
        switches,
        read,
        written,
        swap,
        heap,
        energy,
    ];
    items.into_iter().flatten().collect()
}

fn joules(energy_j: f64) -> String {
    if energy_j < 0.1 {
        format!("{} mJ", significant(1e3 * energy_j))
    } else {
        format!("{} J", significant(energy_j))
    }
}

/// `CPU 99.8 % transaction thread, 0.2 % others`.
fn cpu_shares(resources: &Resources) -> Option<String> {
    let transactions = resources.transaction_thread_cpu_s?;
    let others = resources.other_threads_cpu_s?;
    let all = transactions + others;
    (all > 0.0).then(|| {
        let [transactions, others] = [transactions, others].map(|cpu_s| 100.0 * cpu_s / all);
        format!("CPU {transactions:.1} % transaction thread, {others:.1} % others")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_told_and_what_is_none_is_not() {
        let resources = Resources {
            transaction_thread_cpu_s: Some(0.998),
            other_threads_cpu_s: Some(0.002),
            minor_faults: Some(17_303),
            major_faults: Some(0),
            voluntary_switches: Some(1),
            involuntary_switches: Some(13),
            read_bytes: Some(0),
            written_bytes: Some(8_192),
            swap_bytes: Some(0),
            lua_heap_bytes: Some(1_200_000),
            energy_j: Some(1.25),
            package_energy_j: Some(9.0),
            ..Resources::default()
        };
        assert_eq!(
            items(&resources),
            [
                "CPU 99.8 % transaction thread, 0.2 % others",
                "17,303 minor faults, 0 major",
                "1 voluntary switch, 13 forced",
                "8.19 KB written",
                "Lua heap 1.20 MB",
                "energy 1.25 J",
            ]
        );
        assert!(items(&Resources::default()).is_empty());
    }
}
