//! Sizes as people name several of them: `1M..20M:1M`, `1,10,100,1k`, `1..20M`.
//!
//! A list of counts and ranges, separated by commas. A range with a step goes up by it, one without
//! grows by a factor; both hold their two ends. What comes out is sorted and names no size twice.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::quantity::{QuantityError, parse_count, short_count};

/// Most sizes of one measurement.
pub(crate) const SIZES_MAX: u64 = 1_000;

/// Sizes of a range without a step, unless told otherwise.
pub(crate) const POINTS_DEFAULT: u32 = 10;

/// Significant decimal digits that the sizes within a range without a step have.
const SIGNIFICANT_DIGITS: u32 = 2;

/// Why a text names no sizes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RangeError {
    #[error("names no size; write for example 1M, 1M..20M:1M, 1..20M or 1k,10k,100k")]
    Empty,
    #[error("`{text}` {source}")]
    Count { text: String, source: QuantityError },
    #[error("`{text}` lacks an end; write for example 1M..20M")]
    NoEnd { text: String },
    #[error("`{text}` runs backwards; write {}..{}", short_count(*.high), short_count(*.low))]
    Backwards { text: String, low: u64, high: u64 },
    #[error("`{text}` is {count} sizes; the most is {SIZES_MAX}")]
    TooMany { text: String, count: u64 },
    #[error("--points is for a range without a step, as 1..20M; there is none")]
    NothingToPoint,
}

/// Sizes as they were named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    items: Vec<Item>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    One(u64),
    Linear { low: u64, high: u64, step: u64 },
    Logarithmic { low: u64, high: u64 },
}

impl FromStr for Range {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        let items = text
            .split(',')
            .map(|item| item.trim().parse())
            .collect::<Result<_, _>>()?;
        Ok(Self { items })
    }
}

impl FromStr for Item {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        if text.is_empty() {
            return Err(RangeError::Empty);
        }
        let Some((low, rest)) = text.split_once("..") else {
            return count(text).map(Self::One);
        };
        let (high, step) = match rest.split_once(':') {
            Some((high, step)) => (high, Some(count(step)?)),
            None => (rest, None),
        };
        if low.trim().is_empty() || high.trim().is_empty() {
            return Err(RangeError::NoEnd {
                text: text.to_owned(),
            });
        }
        let (low, high) = (count(low)?, count(high)?);
        if low > high {
            return Err(RangeError::Backwards {
                text: text.to_owned(),
                low,
                high,
            });
        }
        Ok(match step {
            Some(step) => Self::Linear { low, high, step },
            None => Self::Logarithmic { low, high },
        })
    }
}

fn count(text: &str) -> Result<u64, RangeError> {
    parse_count(text).map_err(|source| RangeError::Count {
        text: text.trim().to_owned(),
        source,
    })
}

/// These multiples of a size.
pub(crate) fn multiples(size: u64, factors: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let times = |factor| size.saturating_mul(factor);
    factors.into_iter().map(times).collect()
}

impl Range {
    /// Whether there is a range without a step in it.
    pub(crate) fn grows_by_a_factor(&self) -> bool {
        let is_logarithmic = |item: &Item| matches!(item, Item::Logarithmic { .. });
        self.items.iter().any(is_logarithmic)
    }

    /// The sizes of a range that may be missing.
    pub(crate) fn named(
        range: Option<&Self>,
        points: Option<u32>,
    ) -> Result<Option<Vec<u64>>, RangeError> {
        match range {
            Some(range) => range.sizes(points).map(Some),
            None if points.is_some() => Err(RangeError::NothingToPoint),
            None => Ok(None),
        }
    }

    /// The sizes, rising; `points` is how many a range without a step has at most.
    pub(crate) fn sizes(&self, points: Option<u32>) -> Result<Vec<u64>, RangeError> {
        if points.is_some() && !self.grows_by_a_factor() {
            return Err(RangeError::NothingToPoint);
        }
        let points = u64::from(points.unwrap_or(POINTS_DEFAULT));
        let mut sizes = BTreeSet::new();
        for item in &self.items {
            item.check_count(points)?;
            item.extend(points, &mut sizes);
        }
        if sizes.len() as u64 > SIZES_MAX {
            return Err(RangeError::TooMany {
                text: self.to_string(),
                count: sizes.len() as u64,
            });
        }
        Ok(sizes.into_iter().collect())
    }
}

impl Item {
    /// Refuses what would be too long a list before it is made.
    fn check_count(&self, points: u64) -> Result<(), RangeError> {
        let count = match *self {
            Self::One(_) => 1,
            Self::Linear { low, high, step } => (high - low).div_ceil(step) + 1,
            Self::Logarithmic { .. } => points,
        };
        if count > SIZES_MAX {
            return Err(RangeError::TooMany {
                text: self.to_string(),
                count,
            });
        }
        Ok(())
    }

    fn extend(&self, points: u64, sizes: &mut BTreeSet<u64>) {
        match *self {
            Self::One(size) => {
                sizes.insert(size);
            }
            Self::Linear { low, high, step } => {
                sizes.extend((low..=high).step_by(usize::try_from(step).unwrap_or(usize::MAX)));
                sizes.insert(high);
            }
            Self::Logarithmic { low, high } => {
                let factor = high as f64 / low as f64;
                let intervals = points.saturating_sub(1).max(1);
                let inner = (1..intervals)
                    .map(|position| factor.powf(position as f64 / intervals as f64) * low as f64)
                    .map(rounded);
                sizes.extend(inner.filter(|size| (low..=high).contains(size)));
                sizes.extend([low, high]);
            }
        }
    }
}

/// The nearest number of [`SIGNIFICANT_DIGITS`] digits.
fn rounded(size: f64) -> u64 {
    let digits = (size.log10().floor() as u32 + 1).saturating_sub(SIGNIFICANT_DIGITS);
    let unit = 10_u64.pow(digits);
    (size / unit as f64).round() as u64 * unit
}

impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, item) in self.items.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            write!(formatter, "{comma}{item}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Item {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |count: &u64| short_count(*count);
        match self {
            Self::One(size) => formatter.write_str(&short(size)),
            Self::Linear { low, high, step } => {
                write!(formatter, "{}..{}:{}", short(low), short(high), short(step))
            }
            Self::Logarithmic { low, high } => {
                write!(formatter, "{}..{}", short(low), short(high))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::quantity::COUNT_MAX;

    fn sizes(text: &str) -> Result<Vec<u64>, RangeError> {
        text.parse::<Range>()?.sizes(None)
    }

    fn message(text: &str) -> String {
        sizes(text).unwrap_err().to_string()
    }

    #[test]
    fn a_step_goes_up_to_the_end_and_the_end_is_always_there() {
        let twenty = sizes("1M..20M:1M").unwrap();
        assert_eq!(twenty.len(), 20);
        assert_eq!((twenty[0], twenty[19]), (1_000_000, 20_000_000));
        assert_eq!(sizes("1..10:4").unwrap(), [1, 5, 9, 10]);
        assert_eq!(sizes("5..5:1").unwrap(), [5]);
        assert_eq!(sizes("1..2:9G").unwrap(), [1, 2]);
    }

    #[test]
    fn lists_may_hold_ranges_and_come_out_sorted_without_doubles() {
        assert_eq!(sizes("1,10,100,1k").unwrap(), [1, 10, 100, 1_000]);
        assert_eq!(
            sizes(" 2M , 1k,1M..3M:1M").unwrap(),
            [1_000, 1_000_000, 2_000_000, 3_000_000]
        );
    }

    #[test]
    fn a_range_without_a_step_grows_by_a_factor() {
        assert_eq!(
            sizes("1..20M").unwrap(),
            [
                1, 6, 42, 270, 1_800, 11_000, 74_000, 480_000, 3_100_000, 20_000_000
            ]
        );
        let three = "1k..1M".parse::<Range>().unwrap().sizes(Some(3)).unwrap();
        assert_eq!(three, [1_000, 32_000, 1_000_000]);
        assert_eq!(sizes("1..4").unwrap(), [1, 2, 3, 4]);
    }

    #[test]
    fn what_is_no_range_is_refused_in_one_line() {
        for (text, part) in [
            ("", "names no size; write for example"),
            ("1M,", "names no size"),
            ("many", "`many` is not a number"),
            ("1M..", "`1M..` lacks an end; write for example 1M..20M"),
            ("..5", "`..5` lacks an end"),
            ("..:1M", "lacks an end"),
            ("0..5", "`0` must be at least 1"),
            ("5M..1M", "`5M..1M` runs backwards; write 1M..5M"),
            ("1M..5M:0", "`0` must be at least 1"),
            ("1..1M:1", "`1..1M:1` is 1000000 sizes; the most is 1000"),
            ("1..900:1,10k..10200:1", "is 1101 sizes; the most is 1000"),
            ("1M..2X", "`2X` has the unknown unit `X`"),
        ] {
            let found = message(text);
            assert!(found.contains(part), "{text}: {found}");
            assert!(!found.contains('\n'), "{found}");
        }
    }

    #[test]
    fn points_without_a_range_that_takes_them_are_refused() {
        let points = |text: &str, points| text.parse::<Range>().unwrap().sizes(Some(points));
        assert_eq!(points("1M..5M:1M", 3), Err(RangeError::NothingToPoint));
        assert_eq!(points("1M..5M:1M,1..10", 2).unwrap().len(), 7);
        assert!(matches!(
            points("1..20M", 1_001),
            Err(RangeError::TooMany { count: 1_001, .. })
        ));
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[0-9kMG.:,_ x-]{0,40}") {
            if let Ok(sizes) = sizes(&text) {
                prop_assert!(!sizes.is_empty() && sizes.len() as u64 <= SIZES_MAX);
                prop_assert!(sizes.is_sorted_by(|a, b| a < b));
            }
        }

        #[test]
        fn a_linear_range_holds_its_ends_and_its_steps(
            low in 1..COUNT_MAX / 2,
            step in 1..1_000_000_u64,
            steps in 0..900_u64,
            rest in 0..1_000_000_u64,
        ) {
            let high = low + steps * step + rest % step;
            let sizes = sizes(&format!("{low}..{high}:{step}")).unwrap();
            prop_assert_eq!((sizes[0], sizes[sizes.len() - 1]), (low, high));
            for pair in sizes[..sizes.len() - 1].windows(2) {
                prop_assert_eq!(pair[1] - pair[0], step);
            }
            prop_assert!(sizes.windows(2).all(|pair| pair[1] - pair[0] <= step));
        }

        #[test]
        fn a_logarithmic_range_holds_its_ends_and_short_numbers(
            low in 1..COUNT_MAX,
            high in 1..COUNT_MAX,
            points in 2..100_u32,
        ) {
            let (low, high) = (low.min(high), low.max(high));
            let range: Range = format!("{low}..{high}").parse().unwrap();
            let sizes = range.sizes(Some(points)).unwrap();
            prop_assert!(sizes.len() <= points as usize);
            prop_assert_eq!((sizes[0], sizes[sizes.len() - 1]), (low, high));
            prop_assert!(sizes.is_sorted_by(|a, b| a < b));
            for size in &sizes[1..sizes.len().saturating_sub(1).max(1)] {
                let digits = size.to_string();
                prop_assert!(digits.trim_end_matches('0').len() <= 2, "{}", size);
            }
        }

        #[test]
        fn what_is_shown_is_read_back(low in 1..1_000_u64, more in 0..1_000_u64, step in 1..9_u64) {
            let text = format!("{low}..{}:{step},{low}..{}", low + more, low + more);
            let range: Range = text.parse().unwrap();
            prop_assert_eq!(range.to_string().parse::<Range>().unwrap(), range);
        }
    }
}
