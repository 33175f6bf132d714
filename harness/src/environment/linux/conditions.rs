//! Conditions on Linux: power supplies, the firmware's profile, throttle counters, cpufreq.

use std::collections::BTreeSet;

use super::cores::cpu_numbers;
use crate::environment::conditions::{Conditions, PowerSource};
use crate::environment::system::System;

const POWER_SUPPLIES: &str = "/sys/class/power_supply";
const FREQUENCY_POLICIES: &str = "/sys/devices/system/cpu/cpufreq";

/// Asks the system.
pub(crate) fn conditions(system: &dyn System) -> Conditions {
    let (power_source, battery_percent) = power(system);
    let (governor, frequency_limit_mhz) = frequency(system);
    Conditions {
        power_source,
        battery_percent,
        low_power_mode: system
            .read("/sys/firmware/acpi/platform_profile")
            .map(|profile| profile == "low-power"),
        thermal_pressure: None,
        throttle_count: throttle_count(system),
        load_average: system.load_average().first().copied(),
        governor,
        frequency_limit_mhz,
    }
}

/// Source and charge. Mice and keyboards have batteries too; those say that they power a device.
fn power(system: &dyn System) -> (Option<PowerSource>, Option<u8>) {
    let (mut source, mut percent) = (None, None);
    let (mut has_mains, mut is_on_mains) = (false, false);
    for name in system.names(POWER_SUPPLIES) {
        let field = |field: &str| system.read(&format!("{POWER_SUPPLIES}/{name}/{field}"));
        if field("scope").as_deref() == Some("Device") {
            continue;
        }
        match field("type").as_deref() {
            Some("Mains" | "USB") => {
                has_mains = true;
                is_on_mains |= field("online").is_some_and(|online| online != "0");
            }
            Some("Battery") => {
                let capacity = field("capacity").and_then(|text| text.parse().ok());
                percent = percent.or(capacity.filter(|percent| *percent <= 100));
                source = source.or(match field("status").as_deref() {
                    Some("Discharging") => Some(PowerSource::Battery),
                    Some("Charging" | "Full" | "Not charging") => Some(PowerSource::Ac),
                    _ => None,
                });
            }
            _ => {}
        }
    }
    match source {
        _ if is_on_mains => (Some(PowerSource::Ac), percent),
        // Some chargers are not shown, so the battery's own word comes first.
        None if has_mains => (Some(PowerSource::Battery), percent),
        _ => (source, percent),
    }
}

/// Sum over all CPUs. A package's counter is seen through each of its CPUs, which does not matter
/// to whether the sum rises.
fn throttle_count(system: &dyn System) -> Option<u64> {
    cpu_numbers(system)
        .into_iter()
        .flat_map(|cpu| ["core", "package"].map(|unit| (cpu, unit)))
        .filter_map(|(cpu, unit)| {
            system.read_number(&format!(
                "/sys/devices/system/cpu/cpu{cpu}/thermal_throttle/{unit}_throttle_count"
            ))
        })
        .reduce(u64::saturating_add)
}

/// Governors, and the limit of the CPUs that have the highest.
fn frequency(system: &dyn System) -> (Option<String>, Option<u64>) {
    let (mut governors, mut limit_khz) = (BTreeSet::new(), None);
    for policy in system.names(FREQUENCY_POLICIES) {
        if !policy.starts_with("policy") {
            continue;
        }
        let path = |name: &str| format!("{FREQUENCY_POLICIES}/{policy}/{name}");
        governors.extend(system.read(&path("scaling_governor")));
        limit_khz = limit_khz.max(system.read_number(&path("scaling_max_freq")));
    }
    let governors: Vec<String> = governors.into_iter().collect();
    let governor = (!governors.is_empty()).then(|| governors.join(", "));
    (governor, limit_khz.map(|khz| khz / 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::system::testing::Recorded;

    fn supply(system: Recorded, name: &str, fields: &[(&str, &str)]) -> Recorded {
        fields.iter().fold(system, |system, (field, value)| {
            system.file(&format!("{POWER_SUPPLIES}/{name}/{field}"), value)
        })
    }

    fn laptop(online: &str, status: &str) -> Recorded {
        let system = supply(
            Recorded::default(),
            "AC",
            &[("type", "Mains\n"), ("online", online)],
        );
        let system = supply(
            system,
            "BAT0",
            &[
                ("type", "Battery\n"),
                ("status", status),
                ("capacity", "83\n"),
            ],
        );
        let mouse = [
            ("type", "Battery"),
            ("scope", "Device"),
            ("status", "Discharging"),
            ("capacity", "5"),
        ];
        supply(system, "hidpp_battery_0", &mouse)
    }

    #[test]
    fn the_power_source_is_the_machines_own() {
        for (system, expected) in [
            (laptop("1", "Full"), (Some(PowerSource::Ac), Some(83))),
            (
                laptop("0", "Discharging"),
                (Some(PowerSource::Battery), Some(83)),
            ),
            (
                laptop("0", "Unknown"),
                (Some(PowerSource::Battery), Some(83)),
            ),
            (laptop("0", "Charging"), (Some(PowerSource::Ac), Some(83))),
            (Recorded::default(), (None, None)),
        ] {
            assert_eq!(power(&system), expected, "{system:?}");
        }
    }

    #[test]
    fn frequency_and_heat_are_summed_up_over_the_cpus() {
        let cpu = "/sys/devices/system/cpu";
        let system = Recorded::default()
            .file(&format!("{cpu}/online"), "0-1\n")
            .file(
                &format!("{cpu}/cpu0/thermal_throttle/core_throttle_count"),
                "2\n",
            )
            .file(
                &format!("{cpu}/cpu0/thermal_throttle/package_throttle_count"),
                "5\n",
            )
            .file(
                &format!("{cpu}/cpu1/thermal_throttle/core_throttle_count"),
                "1\n",
            )
            .file(
                &format!("{cpu}/cpufreq/policy0/scaling_governor"),
                "schedutil\n",
            )
            .file(
                &format!("{cpu}/cpufreq/policy0/scaling_max_freq"),
                "1800000\n",
            )
            .file(
                &format!("{cpu}/cpufreq/policy4/scaling_governor"),
                "performance\n",
            )
            .file(
                &format!("{cpu}/cpufreq/policy4/scaling_max_freq"),
                "2400000\n",
            )
            .file("/sys/firmware/acpi/platform_profile", "low-power\n")
            .loads(&[0.5, 0.6, 0.7]);
        let conditions = conditions(&system);
        assert_eq!(conditions.throttle_count, Some(8));
        assert_eq!(
            conditions.governor.as_deref(),
            Some("performance, schedutil")
        );
        assert_eq!(conditions.frequency_limit_mhz, Some(2_400));
        assert_eq!(conditions.low_power_mode, Some(true));
        assert_eq!(conditions.load_average, Some(0.5));
    }

    #[test]
    fn a_machine_that_tells_nothing_has_no_conditions() {
        assert_eq!(conditions(&Recorded::default()), Conditions::default());
    }

    #[test]
    fn senseless_files_are_as_good_as_none() {
        let system = supply(
            Recorded::default(),
            "BAT0",
            &[("type", "Battery"), ("status", "?"), ("capacity", "-7")],
        );
        assert_eq!(power(&system), (None, None));
    }
}
