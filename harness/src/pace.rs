//! How long and how fast: times and rates as options take them, and as they are shown.

use std::fmt;
use std::str::FromStr;

use crate::quantity::short_count;

/// Longest time that an option takes, in seconds: thirty days.
const TIME_S_MAX: f64 = 30.0 * 86_400.0;

/// Shortest time of a measurement, in seconds.
const TIME_S_MIN: f64 = 0.001;

/// Lowest and highest rate, in operations a second.
const RATE_PER_S_MIN: f64 = 0.001;
const RATE_PER_S_MAX: f64 = 1e9;

const TIME_UNITS: &[(&str, f64)] = &[
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("min", 60.0),
    ("h", 3_600.0),
];

const RATE_UNITS: &[(&str, f64)] = &[("", 1.0), ("k", 1e3), ("m", 1e6), ("g", 1e9)];

/// A time, in seconds; from 0 to [`TIME_S_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Time(pub(crate) f64);

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "write for example 300s, 1.5m or 250ms";
        let (number, unit) = number_and_unit(text).ok_or(format!("is no time; {example}"))?;
        if unit.is_empty() {
            return Err(format!("has no unit; {example}"));
        }
        let factor = factor(unit, TIME_UNITS)
            .ok_or_else(|| format!("has the unknown unit `{unit}`; known are ms, s, m and h"))?;
        match number * factor {
            seconds if seconds < 0.0 => Err(String::from("must be at least 0s")),
            seconds if seconds <= TIME_S_MAX => Ok(Self(seconds)),
            _ => Err(format!("is too long; the most is {}", Self(TIME_S_MAX))),
        }
    }
}

/// As an option takes it: `300s`, `250ms`.
impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0.0 && self.0 < 1.0 {
            // Milliseconds have no more digits than the option had.
            write!(formatter, "{}ms", (self.0 * 1e9).round() / 1e6)
        } else {
            write!(formatter, "{}s", self.0)
        }
    }
}

/// A time that is long enough to measure something in.
pub(crate) fn parse_duration(text: &str) -> Result<Time, String> {
    match text.parse()? {
        Time(seconds) if seconds < TIME_S_MIN => {
            Err(format!("is too short; the least is {}", Time(TIME_S_MIN)))
        }
        time => Ok(time),
    }
}

/// A number of records in a table; 0 is that the time ends a run.
pub(crate) fn size(records: u64) -> String {
    match records {
        0 => String::from("by time"),
        records => short_count(records),
    }
}

/// Operations a second.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Rate(pub(crate) f64);

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "write for example 20000/s or 20k/s";
        let text = text.trim();
        let amount = text.strip_suffix("/s").unwrap_or(text);
        let (number, unit) = number_and_unit(amount).ok_or(format!("is no rate; {example}"))?;
        if unit.contains('/') {
            return Err(format!("is not a second's; {example}"));
        }
        let factor = factor(unit, RATE_UNITS)
            .ok_or_else(|| format!("has the unknown unit `{unit}`; known are k, M and G"))?;
        let rate = number * factor;
        if rate < RATE_PER_S_MIN {
            return Err(format!("must be at least {}", Self(RATE_PER_S_MIN)));
        }
        if rate > RATE_PER_S_MAX {
            return Err(format!("is too high; the most is {}", Self(RATE_PER_S_MAX)));
        }
        Ok(Self(rate))
    }
}

impl Rate {
    /// The shortest text that an option takes for it: `20k/s`.
    pub(crate) fn short(self) -> String {
        if self.0.fract() == 0.0 {
            format!("{}/s", short_count(self.0 as u64))
        } else {
            self.to_string()
        }
    }
}

/// As an option takes it: `20000/s`.
impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/s", self.0)
    }
}

/// A decimal number, `_` between its digits, and what stands behind it.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '_' | '.' | '-');
    let end = text.find(|c| !is_number(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let digits = number.strip_prefix('-').unwrap_or(number);
    let begins_and_ends = |c: char| c.is_ascii_digit();
    if !digits.starts_with(begins_and_ends) || !digits.ends_with(begins_and_ends) {
        return None;
    }
    let number = number.replace('_', "").parse().ok()?;
    Some((number, unit.trim()))
}

fn factor(unit: &str, units: &[(&str, f64)]) -> Option<f64> {
    let found = units
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit));
    found.map(|(_, factor)| *factor)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_read_in_every_documented_unit_and_shown_as_an_option_takes_them() {
        for (text, seconds, shown) in [
            ("300s", 300.0, "300s"),
            ("1.5m", 90.0, "90s"),
            ("250ms", 0.25, "250ms"),
            ("2 h", 7_200.0, "7200s"),
            ("1_000ms", 1.0, "1s"),
            ("0s", 0.0, "0s"),
            ("0.1s", 0.1, "100ms"),
        ] {
            let time: Time = text.parse().unwrap();
            assert!((time.0 - seconds).abs() < 1e-12, "{text}");
            assert_eq!(time.to_string(), shown);
            assert_eq!(shown.parse(), Ok(time));
        }
    }

    #[test]
    fn rates_are_read_with_and_without_their_second() {
        for (text, rate) in [
            ("20000/s", 20_000.0),
            ("20k/s", 20_000.0),
            ("1.5M", 1_500_000.0),
            ("0.5/s", 0.5),
        ] {
            assert_eq!(text.parse(), Ok(Rate(rate)), "{text}");
        }
        assert_eq!(Rate(20_000.0).to_string(), "20000/s");
        assert_eq!(Rate(20_000.0).short(), "20k/s");
        assert_eq!(Rate(0.5).short(), "0.5/s");
    }

    #[test]
    fn what_is_no_time_or_no_rate_is_refused_with_the_reason() {
        let time = |text: &str| parse_duration(text).unwrap_err();
        assert_eq!(time("0s"), "is too short; the least is 1ms");
        assert_eq!(time("-5s"), "must be at least 0s");
        assert_eq!(
            time("300"),
            "has no unit; write for example 300s, 1.5m or 250ms"
        );
        assert_eq!(
            time("1e300s"),
            "has the unknown unit `e300s`; known are ms, s, m and h"
        );
        assert!(time("99999999999h").starts_with("is too long; the most is 2592000s"));
        for text in [
            "", "s", ".5s", "1..2s", "nan", "inf", "--1s", "1-s", "ten s",
        ] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
        let rate = |text: &str| text.parse::<Rate>().unwrap_err();
        assert_eq!(rate("0"), "must be at least 0.001/s");
        assert_eq!(rate("-1/s"), "must be at least 0.001/s");
        assert_eq!(
            rate("1e300"),
            "has the unknown unit `e300`; known are k, M and G"
        );
        assert!(rate("2G").starts_with("is too high"));
        assert!(rate("5/m").starts_with("is not a second's"));
        for text in ["", "/s", "x", "1//s", "1 /s/s"] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text in ".{0,40}") {
            let _ = text.parse::<Time>();
            let _ = text.parse::<Rate>();
        }

        #[test]
        fn what_is_shown_is_read_back(millis in 1_u32..100_000_000, rate in 0.001_f64..1e9) {
            let time = Time(f64::from(millis) / 1e3);
            let read: Time = time.to_string().parse().unwrap();
            prop_assert!((read.0 - time.0).abs() < 1e-9);
            prop_assert_eq!(Rate(rate).to_string().parse(), Ok(Rate(rate)));
            prop_assert_eq!(Rate(rate.ceil()).short().parse(), Ok(Rate(rate.ceil())));
        }
    }
}
