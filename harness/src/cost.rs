//! What running a machine costs: `0.12/h`, `0.12USD/h`, `90EUR/month`; and what a unit of it buys.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::quantity::significant;

/// Units of time with the hours that they have. A month is a twelfth of a year of 8,760 hours, as
/// those who rent machines out count it.
const UNITS: [(&str, f64); 4] = [
    ("s", 1.0 / 3_600.0),
    ("h", 1.0),
    ("d", 24.0),
    ("month", 730.0),
];

/// Longest currency.
const CURRENCY_LENGTH_MAX: usize = 12;

/// A cost, as a result file keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// As it was given.
    pub(crate) text: String,
    /// For an hour; above 0.
    pub(crate) per_hour: f64,
    /// Of what; empty where that was not said.
    pub(crate) currency: String,
}

impl FromStr for Cost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let form = "write for example 0.12/h, 0.12USD/h or 90EUR/month";
        let (amount, unit) = text
            .split_once('/')
            .ok_or_else(|| format!("has no `/` with a unit of time; {form}"))?;
        let unit = unit.trim();
        let hours = UNITS.iter().find(|(name, _)| *name == unit);
        let (_, hours) = hours
            .ok_or_else(|| format!("`{unit}` is no unit of time; there are s, h, d and month"))?;
        let amount = amount.trim();
        let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
        let end = amount.find(|c| !is_of_number(c)).unwrap_or(amount.len());
        let (number, currency) = amount.split_at(end);
        let currency = currency.trim();
        let is_word = currency.chars().all(char::is_alphabetic)
            && currency.chars().count() <= CURRENCY_LENGTH_MAX;
        let number: f64 = number
            .parse()
            .map_err(|_| format!("`{amount}` is no amount; {form}"))?;
        if !is_word {
            return Err(format!("`{currency}` is no word for a currency; {form}"));
        }
        let per_hour = number / hours;
        if !(per_hour.is_normal() && (1e-9..=1e9).contains(&per_hour)) {
            return Err(String::from(
                "must be more than a billionth and less than a billion an hour",
            ));
        }
        Ok(Self {
            text: text.to_owned(),
            per_hour,
            currency: currency.to_owned(),
        })
    }
}

impl Cost {
    /// What a unit of cost buys at this rate.
    pub(crate) fn operations(&self, ops_per_s: f64) -> f64 {
        ops_per_s * 3_600.0 / self.per_hour
    }

    /// What the unit is called.
    pub(crate) fn unit(&self) -> &str {
        if self.currency.is_empty() {
            "unit of cost"
        } else {
            &self.currency
        }
    }

    /// `296 G inserts per USD`.
    pub(crate) fn bought(&self, ops_per_s: f64, noun: &str) -> String {
        let bought = large(self.operations(ops_per_s));
        format!("{bought} {noun} per {}", self.unit())
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// A large number with three digits and its prefix: `296 G`.
pub(crate) fn large(value: f64) -> String {
    let prefixes = [
        (1e15, " P"),
        (1e12, " T"),
        (1e9, " G"),
        (1e6, " M"),
        (1e3, " k"),
    ];
    let found = prefixes.iter().find(|(least, _)| value >= *least);
    let (divisor, prefix) = found.copied().unwrap_or((1.0, ""));
    format!("{}{prefix}", significant(value / divisor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_read_for_an_hour() {
        for (text, per_hour, currency) in [
            ("0.12/h", 0.12, ""),
            ("0.12USD/h", 0.12, "USD"),
            (" 2.4 EUR/d", 0.1, "EUR"),
            ("73/month", 0.1, ""),
            ("0.001/s", 3.6, ""),
        ] {
            let cost: Cost = text.parse().unwrap();
            assert!((cost.per_hour - per_hour).abs() < 1e-12, "{text}");
            assert_eq!(cost.currency, currency);
        }
    }

    #[test]
    fn what_is_no_cost_is_refused_in_one_line() {
        for text in [
            "",
            "/",
            "/h",
            "0.12",
            "0.12/",
            "0.12/y",
            "-1/h",
            "0/h",
            "1e3/h",
            "1.2.3/h",
            "nan/h",
            "99999999999999/h",
            "0.12$$/h",
            "0.12US DOLLARS/h",
            "1\u{1b}[2J/h",
            "1/h/h",
        ] {
            let message = text.parse::<Cost>().unwrap_err();
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn a_unit_of_cost_buys_the_operations_of_its_hours() {
        let cost: Cost = "0.12USD/h".parse().unwrap();
        assert_eq!(cost.bought(9.88e6, "inserts"), "296 G inserts per USD");
        let cost: Cost = "3600/h".parse().unwrap();
        assert_eq!(
            cost.bought(5.0, "operations"),
            "5.00 operations per unit of cost"
        );
    }
}
