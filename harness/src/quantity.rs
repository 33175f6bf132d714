//! Counts and sizes as people write them: `1M` records, `4GiB` of memory, and back.

use std::fmt;
use std::str::FromStr;

/// Largest count: Lua's numbers count exactly up to here (2^53).
pub(crate) const COUNT_MAX: u64 = 1 << 53;

/// Smallest size in bytes: a quota below it holds no space at all.
const SIZE_MIN: u64 = 1 << 20;

/// Largest size in bytes: where the quota of `box.cfg` ends.
pub(crate) const SIZE_MAX: u64 = (1 << 42) - (1 << 10);

/// Why a text is no count or no size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum QuantityError {
    #[error("is not a number; write for example {example}")]
    NotANumber { example: &'static str },
    #[error("has the unknown unit `{unit}`; known are {known}")]
    UnknownUnit { unit: String, known: &'static str },
    #[error("must be at least {min}")]
    TooSmall { min: &'static str },
    #[error("is too large; the most is {max}{note}")]
    TooLarge { max: u64, note: &'static str },
    #[error("is no whole number of {unit}")]
    NotWhole { unit: &'static str },
}

const COUNT_UNITS: &[(&str, u64)] = &[
    ("", 1),
    ("k", 1_000),
    ("m", 1_000_000),
    ("g", 1_000_000_000),
];

const SIZE_UNITS: &[(&str, u64)] = &[
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kb", 1_000),
    ("kib", 1 << 10),
    ("m", 1 << 20),
    ("mb", 1_000_000),
    ("mib", 1 << 20),
    ("g", 1 << 30),
    ("gb", 1_000_000_000),
    ("gib", 1 << 30),
    ("t", 1 << 40),
    ("tb", 1_000_000_000_000),
    ("tib", 1 << 40),
];

/// How one family of quantities is written.
struct Notation {
    units: &'static [(&'static str, u64)],
    known: &'static str,
    example: &'static str,
    whole: &'static str,
    min: u64,
    min_text: &'static str,
    max: u64,
    max_note: &'static str,
}

const COUNT: Notation = Notation {
    units: COUNT_UNITS,
    known: "k, M and G",
    example: "250k, 1M or 1_000_000",
    whole: "records or operations",
    min: 1,
    min_text: "1",
    max: COUNT_MAX,
    max_note: "",
};

const SIZE: Notation = Notation {
    units: SIZE_UNITS,
    known: "KiB, MiB, GiB, TiB (powers of 1024) and KB, MB, GB, TB (powers of 1000)",
    example: "256MiB or 4GiB",
    whole: "bytes",
    min: SIZE_MIN,
    min_text: "1MiB",
    max: SIZE_MAX,
    max_note: " bytes, 1 KiB less than 4 TiB",
};

/// Parses a count of at least 1 and at most [`COUNT_MAX`]: `1`, `250k`, `1.5M`, `1_000_000`.
pub(crate) fn parse_count(text: &str) -> Result<u64, QuantityError> {
    parse(text, &COUNT)
}

/// Like [`parse_count`], for counts that are held in 32 bits.
pub(crate) fn parse_count_u32(text: &str) -> Result<u32, QuantityError> {
    parse_count_up_to(text, u32::MAX)
}

/// A positive number of fibers, as many as a worker can have at most.
pub(crate) fn parse_fibers(text: &str) -> Result<u32, QuantityError> {
    parse_count_up_to(text, lycosa_lua::worker::FIBERS_MAX)
}

fn parse_count_up_to(text: &str, max: u32) -> Result<u32, QuantityError> {
    let too_large = QuantityError::TooLarge {
        max: u64::from(max),
        note: "",
    };
    match parse_count(text) {
        Ok(count) if count <= u64::from(max) => Ok(count as u32),
        Ok(_) | Err(QuantityError::TooLarge { .. }) => Err(too_large),
        Err(error) => Err(error),
    }
}

/// An amount of memory, in bytes; an option takes it from [`SIZE_MIN`] to [`SIZE_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Size(pub(crate) u64);

impl FromStr for Size {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        parse(text, &SIZE).map(Self)
    }
}

impl Size {
    /// Exact, as an option takes it: `1GiB`, `1536MiB`, `1000` (bytes).
    pub(crate) fn as_option(self) -> String {
        let (amount, unit) = self.largest_exact_unit();
        format!("{amount}{unit}")
    }

    fn largest_exact_unit(self) -> (u64, &'static str) {
        [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]
            .into_iter()
            .find(|(_, shift)| self.0 > 0 && self.0.is_multiple_of(1 << shift))
            .map_or((self.0, ""), |(unit, shift)| (self.0 >> shift, unit))
    }
}

/// For people: `256 MiB`, `1,000 bytes`.
impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (amount, unit) = self.largest_exact_unit();
        let unit = if unit.is_empty() { "bytes" } else { unit };
        write!(formatter, "{} {unit}", grouped(amount))
    }
}

/// Parses digits (`_` between them), an optional fraction and a unit, in whole-number arithmetic:
/// `0.1M` is exactly 100000, and nothing overflows.
fn parse(text: &str, notation: &Notation) -> Result<u64, QuantityError> {
    let not_a_number = QuantityError::NotANumber {
        example: notation.example,
    };
    let text = text.trim();
    let too_small = QuantityError::TooSmall {
        min: notation.min_text,
    };
    if let Some(magnitude) = text.strip_prefix('-') {
        // A negative number is a number: say that it is too small, not that it is none.
        return match parse(magnitude, notation) {
            Err(error @ (QuantityError::NotANumber { .. } | QuantityError::UnknownUnit { .. })) => {
                Err(error)
            }
            _ => Err(too_small),
        };
    }
    let number_end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '_' || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(number_end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_ascii_digit() || c == '_')
    };
    if !is_digits(whole) || !is_digits(fraction) {
        return Err(not_a_number);
    }
    let unit = unit.trim();
    let multiplier = notation
        .units
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))
        .map(|(_, multiplier)| *multiplier)
        .ok_or_else(|| QuantityError::UnknownUnit {
            unit: unit.to_owned(),
            known: notation.known,
        })?;
    let too_large = QuantityError::TooLarge {
        max: notation.max,
        note: notation.max_note,
    };
    let digits = |part: &str| part.replace('_', "");
    // Only an overflow is left to fail here.
    let Ok(whole) = digits(whole).parse::<u64>() else {
        return Err(too_large);
    };
    let fraction =
        scaled_fraction(&digits(fraction), multiplier).ok_or(QuantityError::NotWhole {
            unit: notation.whole,
        })?;
    let value = whole
        .checked_mul(multiplier)
        .and_then(|value| value.checked_add(fraction))
        .filter(|value| *value <= notation.max)
        .ok_or(too_large)?;
    if value < notation.min {
        return Err(too_small);
    }
    Ok(value)
}

/// `0.digits` times the multiplier, if that is a whole number.
fn scaled_fraction(digits: &str, multiplier: u64) -> Option<u64> {
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let scale = 10_u128.checked_pow(u32::try_from(digits.len()).ok()?)?;
    let product = digits
        .parse::<u128>()
        .ok()?
        .checked_mul(u128::from(multiplier))?;
    (product % scale == 0)
        .then(|| u64::try_from(product / scale).ok())
        .flatten()
}

/// A whole number with commas between the thousands: `1,000,000`.
pub(crate) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count as an option takes it, the shortest way: `1M`, `250k`, `1500001`.
pub(crate) fn short_count(count: u64) -> String {
    for (unit, multiplier) in [("G", 1_000_000_000), ("M", 1_000_000), ("k", 1_000)] {
        if count >= multiplier && count.is_multiple_of(multiplier / 10) {
            let (whole, tenth) = (count / multiplier, count / (multiplier / 10) % 10);
            return match tenth {
                0 => format!("{whole}{unit}"),
                _ => format!("{whole}.{tenth}{unit}"),
            };
        }
    }
    count.to_string()
}

/// A positive number with at least three significant digits and grouped thousands: `9.88`, `41.0`,
/// `1,930`.
pub(crate) fn significant(value: f64) -> String {
    if !value.is_finite() {
        return String::from("-");
    }
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    if decimals == 0 {
        grouped(value.round() as u64)
    } else {
        format!("{value:.decimals$}")
    }
}

/// A part of a whole in two digits: `0.5 %`, `12 %`.
pub(crate) fn percent(part: f64) -> String {
    if part >= 0.0995 {
        format!("{:.0} %", part * 100.0)
    } else {
        format!("{:.1} %", part * 100.0)
    }
}

/// A percentage as a user gives it: `5%`, `5 %` or `5`; shown with all the digits it was given in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Percentage(f64);

/// Largest percentage.
const PERCENTAGE_MAX: f64 = 1_000.0;

impl Percentage {
    /// As a part of one.
    pub(crate) fn part(self) -> f64 {
        self.0 / 100.0
    }
}

impl FromStr for Percentage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let number = text.strip_suffix('%').unwrap_or(text).trim_end();
        match number.parse::<f64>() {
            Ok(percent) if (0.0..=PERCENTAGE_MAX).contains(&percent) => Ok(Self(percent)),
            _ => Err(format!(
                "is no percentage from 0 to {PERCENTAGE_MAX}; write for example 5%"
            )),
        }
    }
}

impl fmt::Display for Percentage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} %", self.0)
    }
}

/// A number a second, before its unit: `9.88 M`.
pub(crate) fn rate(ops_per_s: f64) -> String {
    let (value, prefix) = if ops_per_s >= 1e6 {
        (ops_per_s / 1e6, " M")
    } else if ops_per_s >= 1e3 {
        (ops_per_s / 1e3, " k")
    } else {
        (ops_per_s, "")
    };
    format!("{}{prefix}", significant(value))
}

/// A number of bytes in decimal units, three significant digits: `71.0 MB`.
pub(crate) fn decimal_bytes(bytes: u64) -> String {
    let (divisor, unit) = match bytes {
        0..1_000 => return format!("{bytes} bytes"),
        1_000..1_000_000 => (1e3, "KB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    format!("{} {unit}", significant(bytes as f64 / divisor))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_percentage_is_a_part_of_one_and_shown_as_given() {
        for (text, part, shown) in [
            ("5%", 0.05, "5 %"),
            ("5 %", 0.05, "5 %"),
            ("12.5", 0.125, "12.5 %"),
            ("0%", 0.0, "0 %"),
            ("0.0001%", 0.000_001, "0.0001 %"),
        ] {
            let percentage: Percentage = text.parse().unwrap();
            assert!((percentage.part() - part).abs() < 1e-12, "{text}");
            assert_eq!(percentage.to_string(), shown);
        }
        for text in ["", "%", "5%%", "-1%", "x", "nan", "inf", "1001%"] {
            assert!(text.parse::<Percentage>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_short_count_is_read_back_as_itself() {
        for (count, text) in [
            (1, "1"),
            (999, "999"),
            (1_000, "1k"),
            (1_500, "1.5k"),
            (1_000_000, "1M"),
            (2_500_000, "2.5M"),
            (1_234_567, "1234567"),
            (20_000_000_000, "20G"),
        ] {
            assert_eq!(short_count(count), text);
            assert_eq!(parse_count(text), Ok(count));
        }
    }

    #[test]
    fn counts_are_read_in_every_documented_form() {
        for (text, count) in [
            ("1", 1),
            ("250k", 250_000),
            ("1M", 1_000_000),
            ("20m", 20_000_000),
            ("1_000_000", 1_000_000),
            ("1.5M", 1_500_000),
            ("0.1M", 100_000),
            ("9007199254740992", COUNT_MAX),
        ] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
    }

    #[test]
    fn sizes_are_read_with_binary_and_decimal_units() {
        for (text, bytes) in [
            ("4GiB", 4 << 30),
            ("256MiB", 256 << 20),
            ("1.5 GiB", 3 << 29),
            ("4G", 4 << 30),
            ("4GB", 4_000_000_000),
            ("1048576", 1 << 20),
            ("1024kib", 1 << 20),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_no_count_is_refused_with_the_reason() {
        let message = |text: &str| parse_count(text).unwrap_err().to_string();
        assert_eq!(message("0"), "must be at least 1");
        assert_eq!(message("-5"), "must be at least 1");
        assert_eq!(message("-5k"), "must be at least 1");
        assert!(message("99999999999999999999").starts_with("is too large"));
        assert!(message("9007199254740993").starts_with("is too large"));
        assert!(message("1.5").starts_with("is no whole number"));
        assert!(message("1q").contains("unknown unit `q`"));
        for text in [
            "", "M", "_1", "1..2", "1e6", "ten", ".5M", "+1", "--1", "0x10",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_count_beyond_32_bits_names_the_limit_of_its_option() {
        let too_large = Err(QuantityError::TooLarge {
            max: 4_294_967_295,
            note: "",
        });
        assert_eq!(parse_count_u32("5G"), too_large);
        assert_eq!(parse_count_u32("99999999999999999999"), too_large);
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "0",
            "1023KiB",
            "-1GiB",
            "",
            "GiB",
            "4 gigs",
            "99999999999TiB",
            "1.00001MiB",
        ] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_shown_with_grouped_thousands_and_three_digits() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(4_812_300), "4,812,300");
        assert_eq!(significant(9.876), "9.88");
        assert_eq!(significant(41.04), "41.0");
        assert_eq!(significant(1929.6), "1,930");
        assert_eq!(significant(f64::NAN), "-");
        assert_eq!(decimal_bytes(71_000_000), "71.0 MB");
        assert_eq!(Size(256 << 20).to_string(), "256 MiB");
    }

    proptest! {
        #[test]
        fn a_size_written_as_an_option_reads_back_as_itself(bytes in SIZE_MIN..SIZE_MAX) {
            prop_assert_eq!(Size(bytes).as_option().parse(), Ok(Size(bytes)));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,40}") {
            let _ = parse_count(&text);
            let _ = text.parse::<Size>();
        }

        #[test]
        fn a_plain_count_reads_as_itself(count in 1..=COUNT_MAX) {
            prop_assert_eq!(parse_count(&count.to_string()), Ok(count));
        }
    }
}
