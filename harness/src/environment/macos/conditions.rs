//! Conditions on macOS: `pmset` for power, a notification's state for heat.

use crate::environment::conditions::{Conditions, PowerSource, ThermalPressure};
use crate::environment::system::System;

/// Set by the thermal monitor, readable by all.
const THERMAL_PRESSURE: &str = "com.apple.system.thermalpressurelevel";

/// By its path: what comes first on `PATH` may be anything.
const PMSET: &str = "/usr/bin/pmset";

/// Asks the system.
pub(crate) fn conditions(system: &dyn System) -> Conditions {
    let battery = system.command(PMSET, &["-g", "batt"]).unwrap_or_default();
    let settings = system.command(PMSET, &["-g"]).unwrap_or_default();
    Conditions {
        power_source: power_source(&battery),
        battery_percent: battery_percent(&battery),
        low_power_mode: low_power_mode(&settings),
        thermal_pressure: system
            .notify_state(THERMAL_PRESSURE)
            .and_then(ThermalPressure::from_state),
        load_average: system.load_average().first().copied(),
        ..Conditions::default()
    }
}

/// The first line of `pmset -g batt`, `Now drawing from 'AC Power'`.
fn power_source(battery: &str) -> Option<PowerSource> {
    let line = battery
        .lines()
        .find_map(|line| line.trim().strip_prefix("Now drawing from "))?;
    Some(match line.trim_matches('\'') {
        "AC Power" => PowerSource::Ac,
        "Battery Power" | "UPS Power" => PowerSource::Battery,
        _ => return None,
    })
}

/// The charge in the line of the machine's own battery: `-InternalBattery-0 (id=1) 83%; ...`.
fn battery_percent(battery: &str) -> Option<u8> {
    let line = battery
        .lines()
        .find(|line| line.trim().starts_with("-InternalBattery"))?;
    let (before, _) = line.split_once('%')?;
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|percent| *percent <= 100)
}

/// The setting in use, from `pmset -g`. `lowpowermode` is on or off; Macs that have a high-power
/// mode have `powermode` instead, where 1 is low and 2 is high.
fn low_power_mode(settings: &str) -> Option<bool> {
    settings.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let is_mode = matches!(words.next(), Some("lowpowermode" | "powermode"));
        let value = words.next().filter(|_| is_mode)?;
        Some(value == "1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::system::testing::Recorded;

    const ON_MAINS: &str = "Now drawing from 'AC Power'\n \
        -InternalBattery-0 (id=22806627)\t100%; charged; 0:00 remaining present: true\n";
    const ON_BATTERY: &str = "Now drawing from 'Battery Power'\n \
        -InternalBattery-0 (id=4522083)\t57%; discharging; 4:11 remaining present: true\n";
    const DESKTOP: &str = "Now drawing from 'AC Power'\n";
    const ON_UPS: &str = "Now drawing from 'UPS Power'\n \
        -Back-UPS ES 700G FW:871 (id=1)\t96%; discharging; (no estimate) present: true\n";

    const SETTINGS: &str = "System-wide power settings:\nCurrently in use:\n standby              1\n \
        Sleep On Power Button 1\n hibernatefile        /var/vm/sleepimage\n \
        sleep                1 (sleep prevented by powerd, coreaudiod)\n \
        lowpowermode         0\n womp                 1\n";

    fn system(battery: &str, settings: &str, pressure: u64) -> Recorded {
        Recorded::default()
            .command("/usr/bin/pmset -g batt", battery)
            .command("/usr/bin/pmset -g", settings)
            .notify(THERMAL_PRESSURE, pressure)
            .loads(&[2.5, 2.0, 1.5])
    }

    #[test]
    fn a_laptop_on_the_mains_is_read() {
        let expected = Conditions {
            power_source: Some(PowerSource::Ac),
            battery_percent: Some(100),
            low_power_mode: Some(false),
            thermal_pressure: Some(ThermalPressure::Nominal),
            load_average: Some(2.5),
            ..Conditions::default()
        };
        assert_eq!(conditions(&system(ON_MAINS, SETTINGS, 0)), expected);
    }

    #[test]
    fn a_laptop_on_its_battery_in_low_power_mode_under_heat_is_read() {
        let settings = SETTINGS.replace("lowpowermode         0", "lowpowermode         1");
        let conditions = conditions(&system(ON_BATTERY, &settings, 2));
        assert_eq!(conditions.power_source, Some(PowerSource::Battery));
        assert_eq!(conditions.battery_percent, Some(57));
        assert_eq!(conditions.low_power_mode, Some(true));
        assert_eq!(conditions.thermal_pressure, Some(ThermalPressure::Heavy));
    }

    #[test]
    fn desktops_have_no_battery_of_their_own() {
        assert_eq!(power_source(DESKTOP), Some(PowerSource::Ac));
        assert_eq!(battery_percent(DESKTOP), None);
        assert_eq!(power_source(ON_UPS), Some(PowerSource::Battery));
        assert_eq!(battery_percent(ON_UPS), None);
    }

    #[test]
    fn high_power_is_not_low_power() {
        for (value, expected) in [("0", false), ("1", true), ("2", false)] {
            let settings = format!("Currently in use:\n powermode            {value}\n");
            assert_eq!(low_power_mode(&settings), Some(expected));
        }
        assert_eq!(
            low_power_mode("Currently in use:\n womp 1\n lowpowermode"),
            None
        );
    }

    #[test]
    fn what_pmset_does_not_print_is_not_known() {
        assert_eq!(conditions(&Recorded::default()), Conditions::default());
        for text in [
            "",
            "%",
            "-InternalBattery-0 (id=1) %",
            "Now drawing from ",
            "\u{0}\n",
        ] {
            assert_eq!(power_source(text), None, "{text}");
            assert_eq!(battery_percent(text), None, "{text}");
            assert_eq!(low_power_mode(text), None, "{text}");
        }
        assert_eq!(battery_percent("-InternalBattery-0 (id=1)\t999%;"), None);
    }
}
