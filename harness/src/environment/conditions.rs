//! The conditions under which a repetition runs, and whether they got worse.
//!
//! They are asked before and after each repetition, outside what is measured. On Linux that reads
//! a few small files for each CPU: well under 5 ms. On macOS it reads one notification and starts
//! `pmset` twice, about 10 ms each, since power has no other interface in C but `IOKit`.

use serde::{Deserialize, Serialize};

use crate::quantity::grouped;

/// How much the load may rise through a repetition. Its own thread accounts for up to 1, when the
/// machine was idle before; the rest is for this process, which starts workers and draws the
/// bar. What rises further is somebody else's work.
const LOAD_RISE_MAX: f64 = 1.5;

/// The state of the machine at one moment. What the system does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Conditions {
    /// What the machine draws from; `None` where there is nothing to choose.
    pub(crate) power_source: Option<PowerSource>,
    /// Charge of the battery.
    pub(crate) battery_percent: Option<u8>,
    /// Whether the system saves energy at the cost of speed.
    pub(crate) low_power_mode: Option<bool>,
    /// How hard macOS fights heat.
    pub(crate) thermal_pressure: Option<ThermalPressure>,
    /// How often the CPUs were slowed down because of heat, since the start of Linux.
    pub(crate) throttle_count: Option<u64>,
    /// Runnable processes, averaged over a minute.
    pub(crate) load_average: Option<f64>,
    /// What decides on the CPUs' frequency; all of them, where CPUs differ.
    pub(crate) governor: Option<String>,
    /// Highest frequency that any CPU may reach now.
    pub(crate) frequency_limit_mhz: Option<u64>,
}

/// Where the energy comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PowerSource {
    /// The mains.
    Ac,
    /// A battery, in the machine or in front of it.
    Battery,
}

impl PowerSource {
    /// Name as people write it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Ac => "AC",
            Self::Battery => "battery",
        }
    }
}

/// The five levels of macOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ThermalPressure {
    /// All speeds are open.
    Nominal,
    /// Little is held back.
    Moderate,
    /// Much is held back.
    Heavy,
    /// The chip is near its limit.
    Trapping,
    /// The machine goes to sleep.
    Sleeping,
}

impl ThermalPressure {
    /// The level of a number that the notification carries.
    pub(crate) fn from_state(state: u64) -> Option<Self> {
        Some(match state {
            0 => Self::Nominal,
            1 => Self::Moderate,
            2 => Self::Heavy,
            3 => Self::Trapping,
            4 => Self::Sleeping,
            _ => return None,
        })
    }

    /// Name as it stands in results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nominal => "nominal",
            Self::Moderate => "moderate",
            Self::Heavy => "heavy",
            Self::Trapping => "trapping",
            Self::Sleeping => "sleeping",
        }
    }
}

impl Conditions {
    /// What holds the machine back at this moment, for people to read.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let on_battery = self.power_source == Some(PowerSource::Battery);
        let pressure = self
            .thermal_pressure
            .filter(|pressure| *pressure > ThermalPressure::Nominal);
        [
            on_battery.then(|| String::from("on battery: figures differ from those on AC power")),
            (self.low_power_mode == Some(true))
                .then(|| String::from("low-power mode is on: it holds the chip back")),
            pressure.map(|pressure| {
                format!(
                    "thermal pressure is {}: let the machine cool down",
                    pressure.name()
                )
            }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// What makes a repetition between these two moments no equal of others, for people to read;
    /// `None` if nothing is known to.
    ///
    /// Heat counts when it rises. Power source, low-power mode and governor count when they change
    /// at all, since the repetition then ran under both. The load counts when it rises by more than
    /// the repetition's own work can make it ([`LOAD_RISE_MAX`]); as it is an average over a
    /// minute, short disturbances show only against conditions from further back. What either side
    /// does not know is no reason.
    pub(crate) fn worsened(before: &Self, after: &Self) -> Option<String> {
        let reasons: Vec<String> = [
            both(before.power_source, after.power_source)
                .filter(|(from, to)| from != to)
                .map(|(from, to)| format!("power changed from {} to {}", from.title(), to.title())),
            both(before.low_power_mode, after.low_power_mode)
                .filter(|(from, to)| from != to)
                .map(|(_, is_on)| {
                    format!("low-power mode went {}", if is_on { "on" } else { "off" })
                }),
            both(before.thermal_pressure, after.thermal_pressure)
                .filter(|(from, to)| to > from)
                .map(|(from, to)| {
                    format!(
                        "thermal pressure rose from {} to {}",
                        from.name(),
                        to.name()
                    )
                }),
            both(before.throttle_count, after.throttle_count)
                .filter(|(from, to)| to > from)
                .map(|(from, to)| match to - from {
                    1 => String::from("heat slowed the CPUs down once"),
                    times => format!("heat slowed the CPUs down {} times", grouped(times)),
                }),
            both(before.governor.as_deref(), after.governor.as_deref())
                .filter(|(from, to)| from != to)
                .map(|(from, to)| format!("the frequency governor changed from {from} to {to}")),
            both(before.frequency_limit_mhz, after.frequency_limit_mhz)
                .filter(|(from, to)| to < from)
                .map(|(from, to)| {
                    let (from, to) = (grouped(from), grouped(to));
                    format!("the frequency limit fell from {from} to {to} MHz")
                }),
            both(before.load_average, after.load_average)
                .filter(|(from, to)| to - from > LOAD_RISE_MAX)
                .map(|(from, to)| format!("the load rose from {from:.1} to {to:.1}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

fn both<T>(before: Option<T>, after: Option<T>) -> Option<(T, T)> {
    before.zip(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calm() -> Conditions {
        Conditions {
            power_source: Some(PowerSource::Ac),
            battery_percent: Some(100),
            low_power_mode: Some(false),
            thermal_pressure: Some(ThermalPressure::Nominal),
            throttle_count: Some(7),
            load_average: Some(0.3),
            governor: Some(String::from("performance")),
            frequency_limit_mhz: Some(3_500),
        }
    }

    #[test]
    fn each_thing_that_gets_worse_is_said_in_words() {
        let changed = |change: fn(&mut Conditions)| {
            let mut after = calm();
            change(&mut after);
            Conditions::worsened(&calm(), &after).unwrap_or_default()
        };
        for (reason, expected) in [
            (
                changed(|c| c.power_source = Some(PowerSource::Battery)),
                "power changed from AC to battery",
            ),
            (
                changed(|c| c.low_power_mode = Some(true)),
                "low-power mode went on",
            ),
            (
                changed(|c| c.thermal_pressure = Some(ThermalPressure::Moderate)),
                "thermal pressure rose from nominal to moderate",
            ),
            (
                changed(|c| c.throttle_count = Some(8)),
                "heat slowed the CPUs down once",
            ),
            (
                changed(|c| c.throttle_count = Some(2_007)),
                "heat slowed the CPUs down 2,000 times",
            ),
            (
                changed(|c| c.governor = Some(String::from("powersave"))),
                "the frequency governor changed from performance to powersave",
            ),
            (
                changed(|c| c.frequency_limit_mhz = Some(2_400)),
                "the frequency limit fell from 3,500 to 2,400 MHz",
            ),
            (
                changed(|c| c.load_average = Some(4.1)),
                "the load rose from 0.3 to 4.1",
            ),
            (
                changed(|c| {
                    c.power_source = Some(PowerSource::Battery);
                    c.low_power_mode = Some(true);
                }),
                "power changed from AC to battery; low-power mode went on",
            ),
        ] {
            assert_eq!(reason, expected);
        }
    }

    #[test]
    fn the_load_of_the_repetition_itself_is_no_reason() {
        let after = Conditions {
            load_average: Some(1.4),
            battery_percent: Some(98),
            ..calm()
        };
        assert_eq!(Conditions::worsened(&calm(), &after), None);
    }

    #[test]
    fn what_gets_better_or_is_not_known_is_no_reason() {
        let hot = Conditions {
            thermal_pressure: Some(ThermalPressure::Heavy),
            frequency_limit_mhz: Some(2_400),
            load_average: Some(9.0),
            ..calm()
        };
        assert_eq!(Conditions::worsened(&hot, &calm()), None);
        let unknown = Conditions::default();
        assert_eq!(Conditions::worsened(&calm(), &unknown), None);
        assert_eq!(Conditions::worsened(&unknown, &calm()), None);
        assert_eq!(Conditions::worsened(&calm(), &calm()), None);
    }

    #[test]
    fn what_holds_the_machine_back_is_told_beforehand() {
        assert!(calm().warnings().is_empty());
        assert!(Conditions::default().warnings().is_empty());
        let strained = Conditions {
            power_source: Some(PowerSource::Battery),
            low_power_mode: Some(true),
            thermal_pressure: Some(ThermalPressure::Heavy),
            ..calm()
        };
        let warnings = strained.warnings();
        assert_eq!(warnings.len(), 3);
        assert!(warnings[2].starts_with("thermal pressure is heavy"));
    }

    #[test]
    fn conditions_survive_their_json_and_tolerate_what_older_ones_lack() {
        let json = serde_json::to_string(&calm()).unwrap();
        assert!(json.contains(r#""power_source":"ac""#), "{json}");
        assert!(json.contains(r#""thermal_pressure":"nominal""#), "{json}");
        assert_eq!(serde_json::from_str::<Conditions>(&json).unwrap(), calm());
        assert_eq!(
            serde_json::from_str::<Conditions>(r#"{"new_field": 1}"#).unwrap(),
            Conditions::default()
        );
    }

    #[test]
    fn thermal_levels_are_in_the_order_of_their_numbers() {
        let levels: Vec<_> = (0..6).filter_map(ThermalPressure::from_state).collect();
        assert_eq!(levels.len(), 5);
        assert!(levels.is_sorted());
    }
}
