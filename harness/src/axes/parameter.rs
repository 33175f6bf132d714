//! The options of a measurement that may have several values: along the axes of a sweep, or one for
//! each arm of a comparison. A value is kept as the text that the option takes, in its shortest form.

use std::fmt;
use std::str::FromStr;

use lycosa_lua::worker::{Driver, IndexKind, WorkerOptions};
use serde::{Deserialize, Serialize};

use crate::pace::{Rate, Time, parse_duration, size};
use crate::quantity::{Size, parse_count, parse_count_u32, parse_fibers, short_count};
use crate::result::Point;
use crate::suggestion::nearest;

/// What stands before the name of a workload's own setting.
const SETTING: &str = "set.";

/// Lua's numbers hold every whole number up to here.
pub(crate) const SEED_MAX: u64 = 1 << 53;

/// An option that may have several values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) enum Parameter {
    /// `--records`.
    Records,
    /// `--fibers`.
    Fibers,
    /// `--ops-per-txn`.
    OpsPerTxn,
    /// `--memory`.
    Memory,
    /// `--index`.
    Index,
    /// `--jit`.
    Jit,
    /// `--driver`.
    Driver,
    /// `--seed`.
    Seed,
    /// `--rate`.
    Rate,
    /// `--duration`.
    Duration,
    /// `--warmup`.
    Warmup,
    /// `--limit-memory`.
    LimitMemory,
    /// `--set NAME=...`.
    Setting(String),
}

/// Those that every workload has, in the order in which they are told.
pub(crate) const COMMON: [Parameter; 12] = [
    Parameter::Records,
    Parameter::Fibers,
    Parameter::OpsPerTxn,
    Parameter::Memory,
    Parameter::Index,
    Parameter::Jit,
    Parameter::Driver,
    Parameter::Seed,
    Parameter::Rate,
    Parameter::Duration,
    Parameter::Warmup,
    Parameter::LimitMemory,
];

/// A parameter's value at a point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Level {
    /// As it is shown.
    pub(crate) text: String,
    /// Its place on an axis of numbers; none for words.
    pub(crate) number: Option<f64>,
}

impl Parameter {
    /// Its name: that of the option without its dashes, or `set.NAME`.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Records => "records",
            Self::Fibers => "fibers",
            Self::OpsPerTxn => "ops-per-txn",
            Self::Memory => "memory",
            Self::Index => "index",
            Self::Jit => "jit",
            Self::Driver => "driver",
            Self::Seed => "seed",
            Self::Rate => "rate",
            Self::Duration => "duration",
            Self::Warmup => "warmup",
            Self::LimitMemory => "limit-memory",
            Self::Setting(name) => return format!("{SETTING}{name}"),
        }
        .to_owned()
    }

    /// What stands above its values in tables and beside them in charts.
    pub(crate) fn title(&self) -> String {
        match self {
            Self::OpsPerTxn => String::from("ops/txn"),
            Self::Setting(name) => name.clone(),
            other => other.name(),
        }
    }

    /// The option with a value, as it is typed: `--fibers 50`, `--set scale=10`.
    pub(crate) fn as_option(&self, value: &str) -> String {
        match self {
            Self::Setting(name) => format!("--set {name}={value}"),
            other => format!("--{} {value}", other.name()),
        }
    }

    /// A value in its shortest form, or what is wrong with it.
    pub(crate) fn canonical(&self, value: &str) -> Result<String, String> {
        let value = value.trim();
        let one_of = |words: [&str; 2]| match words.iter().find(|word| **word == value) {
            Some(word) => Ok((*word).to_owned()),
            None => Err(format!("is neither {} nor {}", words[0], words[1])),
        };
        match self {
            Self::Records => parse_count(value)
                .map(short_count)
                .map_err(|error| error.to_string()),
            Self::Fibers => parse_fibers(value)
                .map(|count| count.to_string())
                .map_err(|error| error.to_string()),
            Self::OpsPerTxn => parse_count_u32(value)
                .map(|count| count.to_string())
                .map_err(|error| error.to_string()),
            Self::Memory | Self::LimitMemory => value
                .parse::<Size>()
                .map(Size::as_option)
                .map_err(|error| error.to_string()),
            Self::Index => one_of(["tree", "hash"]),
            Self::Jit => one_of(["on", "off"]),
            Self::Driver => one_of(["lua", "rust"]),
            Self::Seed => match value.parse::<u64>() {
                Ok(seed) if seed <= SEED_MAX => Ok(seed.to_string()),
                _ => Err(format!("is no whole number from 0 to {SEED_MAX}")),
            },
            Self::Rate => value.parse().map(Rate::short),
            Self::Duration => parse_duration(value).map(|time| time.to_string()),
            Self::Warmup => value.parse::<Time>().map(|time| time.to_string()),
            Self::Setting(_) => Ok(value.to_owned()),
        }
    }

    /// Gives a worker's options this value.
    pub(crate) fn apply(&self, options: &mut WorkerOptions, value: &str) -> Result<(), String> {
        let value = &self.canonical(value)?;
        let text = |error: &dyn fmt::Display| error.to_string();
        match self {
            Self::Records => options.records = parse_count(value).map_err(|e| text(&e))?,
            Self::Fibers => options.fibers = parse_fibers(value).map_err(|e| text(&e))?,
            Self::OpsPerTxn => {
                options.ops_per_txn = parse_count_u32(value).map_err(|e| text(&e))?;
            }
            Self::Memory => {
                options.memory_bytes = value.parse::<Size>().map_err(|e| text(&e))?.0;
            }
            Self::Index if value == "hash" => options.index = IndexKind::Hash,
            Self::Index => options.index = IndexKind::Tree,
            Self::Jit => options.jit = value == "on",
            Self::Driver if value == "rust" => options.driver = Driver::Rust,
            Self::Driver => options.driver = Driver::Lua,
            Self::Seed => options.seed = value.parse().map_err(|e| text(&e))?,
            Self::Rate => options.rate_per_s = Some(value.parse::<Rate>()?.0),
            Self::Duration => {
                options.duration_s = Some(value.parse::<Time>()?.0);
                // The time is what ends it.
                options.records = 0;
            }
            Self::Warmup => options.warmup_s = value.parse::<Time>()?.0,
            Self::LimitMemory => {
                let limit = value.parse::<Size>().map_err(|e| text(&e))?;
                options.limit_memory_bytes = Some(limit.0);
            }
            Self::Setting(name) => match options.settings.iter_mut().find(|(key, _)| key == name) {
                Some((_, old)) => old.clone_from(value),
                None => options.settings.push((name.clone(), value.clone())),
            },
        }
        Ok(())
    }

    /// Its value at a point.
    pub(crate) fn level(&self, point: &Point) -> Level {
        let count = |text: String, number: u64| Level {
            text,
            number: Some(number as f64),
        };
        let word = |text: &str| Level {
            text: text.to_owned(),
            number: None,
        };
        let none = || word("-");
        let time = |seconds: f64| Level {
            text: Time(seconds).to_string(),
            number: Some(seconds),
        };
        match self {
            Self::Records => count(size(point.records), point.records),
            Self::Fibers => count(point.fibers.to_string(), point.fibers.into()),
            Self::OpsPerTxn => count(point.ops_per_txn.to_string(), point.ops_per_txn.into()),
            Self::Memory => count(Size(point.memory_bytes).as_option(), point.memory_bytes),
            Self::Index => word(match point.index {
                IndexKind::Tree => "tree",
                IndexKind::Hash => "hash",
            }),
            Self::Jit => word(if point.jit_requested { "on" } else { "off" }),
            Self::Driver => word(match point.driver {
                Driver::Lua => "lua",
                Driver::Rust => "rust",
            }),
            Self::Seed => count(point.seed.to_string(), point.seed),
            Self::Rate => point.rate_per_s.map_or_else(none, |rate| Level {
                text: Rate(rate).short(),
                number: Some(rate),
            }),
            Self::Duration => point.duration_s.map_or_else(none, time),
            Self::Warmup => time(point.warmup_s),
            Self::LimitMemory => point
                .limit_memory_bytes
                .map_or_else(none, |bytes| count(Size(bytes).as_option(), bytes)),
            Self::Setting(name) => point.settings.get(name).map_or_else(none, |value| Level {
                number: number(value),
                text: value.clone(),
            }),
        }
    }

    /// Makes points equal that differ in this alone.
    pub(crate) fn neutralize(&self, point: &mut Point) {
        match self {
            Self::Records => point.records = 0,
            Self::Fibers => point.fibers = 0,
            Self::OpsPerTxn => point.ops_per_txn = 0,
            Self::Memory => point.memory_bytes = 0,
            Self::Index => point.index = IndexKind::Tree,
            Self::Jit => point.jit_requested = true,
            Self::Driver => point.driver = Driver::Lua,
            Self::Seed => point.seed = 0,
            Self::Rate => point.rate_per_s = None,
            Self::Duration => {
                point.duration_s = None;
                point.records = 0;
            }
            Self::Warmup => point.warmup_s = 0.0,
            Self::LimitMemory => point.limit_memory_bytes = None,
            Self::Setting(name) => {
                point.settings.remove(name);
            }
        }
    }
}

/// The number that a workload's setting is written as, if it is one.
fn number(value: &str) -> Option<f64> {
    let plain = value.parse::<f64>().ok();
    let counted = || parse_count(value).ok().map(|count| count as f64);
    plain.or_else(counted).filter(|number| number.is_finite())
}

impl FromStr for Parameter {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if let Some(setting) = name.strip_prefix(SETTING) {
            if setting.is_empty() {
                return Err(format!("`{name}` names no setting; write {SETTING}NAME"));
            }
            return Ok(Self::Setting(setting.to_owned()));
        }
        if let Some(known) = COMMON.into_iter().find(|known| known.name() == name) {
            return Ok(known);
        }
        let names = COMMON.map(|known| known.name());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Err(match nearest(name, &names) {
            Some(nearest) => format!("there is no `{name}`; did you mean `{nearest}`?"),
            None => format!(
                "there is no `{name}`; there are {} and {SETTING}NAME",
                names.join(", ")
            ),
        })
    }
}

impl TryFrom<String> for Parameter {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Parameter> for String {
    fn from(parameter: Parameter) -> Self {
        parameter.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::testing::options;

    const VALUES: [(Parameter, &str, &str); 12] = [
        (Parameter::Records, "2_000_000", "2M"),
        (Parameter::Fibers, "100", "100"),
        (Parameter::OpsPerTxn, "1k", "1000"),
        (Parameter::Memory, "1024MiB", "1GiB"),
        (Parameter::Index, "hash", "hash"),
        (Parameter::Jit, "off", "off"),
        (Parameter::Driver, "rust", "rust"),
        (Parameter::Seed, "0", "0"),
        (Parameter::Rate, "20000", "20k/s"),
        (Parameter::Duration, "1.5m", "90s"),
        (Parameter::Warmup, "250ms", "250ms"),
        (Parameter::LimitMemory, "2048MiB", "2GiB"),
    ];

    #[test]
    fn a_value_that_is_applied_is_the_points_level() {
        let setting = (Parameter::Setting(String::from("scale")), "10", "10");
        for (parameter, given, shown) in VALUES.into_iter().chain([setting]) {
            let mut changed = options();
            parameter.apply(&mut changed, given).unwrap();
            assert_eq!(parameter.level(&Point::of(&changed)).text, shown);
            let (mut one, mut other) = (Point::of(&changed), Point::of(&options()));
            assert_ne!(one, other, "{shown}");
            parameter.neutralize(&mut one);
            parameter.neutralize(&mut other);
            assert_eq!(one, other, "{shown}");
        }
    }

    #[test]
    fn a_name_is_read_back_and_a_misspelt_one_is_explained() {
        for parameter in COMMON {
            assert_eq!(parameter.name().parse(), Ok(parameter));
        }
        let refused = |name: &str| name.parse::<Parameter>().unwrap_err();
        assert_eq!(
            refused("fibres"),
            "there is no `fibres`; did you mean `fibers`?"
        );
        assert!(refused("zzz").ends_with("warmup, limit-memory and set.NAME"));
        assert!(refused("set.").contains("names no setting"));
        assert!(refused("").contains("there are records"));
    }

    #[test]
    fn values_that_an_option_does_not_take_are_refused() {
        for (parameter, value) in [
            (Parameter::Fibers, "0"),
            (Parameter::Fibers, "1G"),
            (Parameter::Index, "btree"),
            (Parameter::Jit, "1"),
            (Parameter::Memory, "4"),
            (Parameter::Seed, "-1"),
            (Parameter::Rate, "0"),
            (Parameter::Rate, "5/m"),
            (Parameter::Duration, "0s"),
            (Parameter::Duration, "300"),
            (Parameter::Warmup, "-1s"),
            (Parameter::LimitMemory, "2"),
            (Parameter::Records, "1e300"),
        ] {
            assert!(parameter.canonical(value).is_err(), "{value}");
        }
    }

    #[test]
    fn settings_that_are_numbers_have_a_place_on_an_axis() {
        for (value, expected) in [
            ("10", Some(10.0)),
            ("0.5", Some(0.5)),
            ("10k", Some(10_000.0)),
            ("nan", None),
            ("short", None),
            ("", None),
        ] {
            assert_eq!(number(value), expected, "{value}");
        }
    }
}
