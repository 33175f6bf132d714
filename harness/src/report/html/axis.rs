//! Axes: which range they span, where their ticks are, and where a value lies.
//!
//! Whatever the values are, an axis has a range above 0 and few ticks.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Ticks that a linear axis has at most; a logarithmic one has one or two a decade.
const TICKS_MAX: usize = 8;

/// From this ratio of the largest to the smallest value on, an axis is logarithmic.
const LOGARITHMIC_FROM: f64 = 50.0;

/// An axis.
#[derive(Clone)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
    ticks: Vec<f64>,
    format: Format,
}

/// How the value at a tick is told.
#[derive(Clone)]
pub(super) enum Format {
    /// By a function.
    Number(fn(f64) -> String),
    /// By position: whole numbers from 0 on.
    Names(Vec<String>),
}

/// What a linear axis must show besides the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The value 0, so that twice as much looks so.
    Zero,
    /// The ratio 1.
    One,
}

impl Axis {
    /// An axis that shows all of `values` that are finite: logarithmic if they span decades.
    pub(super) fn fitting(values: &[f64], origin: Origin, format: fn(f64) -> String) -> Self {
        let finite = values.iter().copied().filter(|value| value.is_finite());
        let low = finite.clone().fold(f64::INFINITY, f64::min);
        let high = finite.fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return Self::linear(0.0, 1.0, format);
        }
        if low > 0.0 && high / low >= LOGARITHMIC_FROM {
            return Self::logarithmic(low, high, format);
        }
        let (low, high) = match origin {
            Origin::Zero => (low.min(0.0), high.max(0.0)),
            Origin::One => (low.min(1.0), high.max(1.0)),
        };
        let margin = ((high - low) * 0.06).max(high.abs().max(low.abs()) * 0.005);
        let keeps_zero = origin == Origin::Zero && low == 0.0;
        let low = if keeps_zero { 0.0 } else { low - margin };
        Self::linear(low, high + margin, format)
    }

    /// A logarithmic axis for positive values.
    fn logarithmic(low: f64, high: f64, format: fn(f64) -> String) -> Self {
        let (low, high) = (low / 1.3, high * 1.3);
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let step = usize::try_from((last - first) / 6 + 1).unwrap_or(1);
        let is_short = last - first <= 2;
        let ticks = (first..=last)
            .step_by(step)
            .flat_map(|exponent| {
                let multiples: &[f64] = if is_short { &[1.0, 2.0, 5.0] } else { &[1.0] };
                multiples
                    .iter()
                    .map(move |multiple| multiple * 10_f64.powi(exponent))
            })
            .filter(|tick| (low..=high).contains(tick))
            .collect();
        Self {
            low,
            high,
            is_logarithmic: true,
            ticks,
            format: Format::Number(format),
        }
    }

    /// One place for each name, from 0 on.
    pub(super) fn named(names: Vec<String>) -> Self {
        Self {
            low: -0.5,
            high: names.len().max(1) as f64 - 0.5,
            is_logarithmic: false,
            ticks: (0..names.len()).map(|position| position as f64).collect(),
            format: Format::Names(names),
        }
    }

    fn linear(low: f64, high: f64, format: fn(f64) -> String) -> Self {
        // Beyond that, differences are infinite.
        let (low, high) = (low.max(f64::MIN / 4.0), high.min(f64::MAX / 4.0));
        let high = if high > low { high } else { low + 1.0 };
        let step = round_step((high - low) / 6.0);
        let first = (low / step).ceil();
        let ticks = (0..TICKS_MAX)
            .map(|number| (first + number as f64) * step)
            .take_while(|tick| *tick <= high)
            .collect();
        Self {
            low,
            high,
            is_logarithmic: false,
            ticks,
            format: Format::Number(format),
        }
    }

    /// The same axis, or a logarithmic one where `other` is that: what is proportional to what the
    /// other counts then makes a straight line on both.
    pub(super) fn in_step_with(self, other: &Self, values: &[f64]) -> Self {
        let Format::Number(format) = self.format else {
            return self;
        };
        let finite = values.iter().copied().filter(|value| value.is_finite());
        let low = finite.clone().fold(f64::INFINITY, f64::min);
        let high = finite.fold(f64::NEG_INFINITY, f64::max);
        if other.is_logarithmic && 0.0 < low && low <= high {
            return Self::logarithmic(low, high, format);
        }
        self
    }

    /// Whether its places are names.
    pub(super) fn is_named(&self) -> bool {
        matches!(self.format, Format::Names(_))
    }

    /// Whether the axis has a place for a value.
    pub(super) fn holds(&self, value: f64) -> bool {
        value.is_finite() && (!self.is_logarithmic || value > 0.0)
    }

    /// What stands at a tick.
    pub(super) fn tick_text(&self, value: f64) -> String {
        match &self.format {
            Format::Number(format) => format(value),
            Format::Names(names) => names
                .get(value.max(0.0).round() as usize)
                .cloned()
                .unwrap_or_default(),
        }
    }
}

/// The smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|multiple| multiple * power)
        .into_iter()
        .find(|step| *step >= least)
        .filter(|step| step.is_finite() && *step > 0.0)
        .unwrap_or(least)
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        let part = if self.is_logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        let length = f64::from(end - start);
        start + (part.clamp(0.0, 1.0) * length).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(value: &f64) -> String {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(value: f64) -> String {
        format!("{value}")
    }

    fn ticks(values: &[f64], origin: Origin) -> Vec<f64> {
        Axis::fitting(values, origin, number).ticks
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(&[0.3, 2.3], Origin::Zero), [0.0, 0.5, 1.0, 1.5, 2.0]);
        assert_eq!(
            ticks(&[1.0, 2000.0], Origin::Zero),
            [1.0, 10.0, 100.0, 1000.0]
        );
        let millions = ticks(&[1e6, 20e6], Origin::Zero);
        assert_eq!(millions, [0.0, 5e6, 10e6, 15e6, 20e6]);
    }

    #[test]
    fn an_axis_follows_another_that_is_logarithmic_if_it_can() {
        let wide = Axis::fitting(&[1e3, 1e6], Origin::Zero, number);
        let narrow = Axis::fitting(&[1e6, 2e6], Origin::Zero, number);
        let fitted = |values: &[f64], other: &Axis| {
            Axis::fitting(values, Origin::Zero, number).in_step_with(other, values)
        };
        assert!(fitted(&[1.0, 30.0], &wide).is_logarithmic);
        assert!(!fitted(&[1.0, 30.0], &narrow).is_logarithmic);
        assert!(!fitted(&[0.0, 30.0], &wide).is_logarithmic);
        assert!(!fitted(&[], &wide).is_logarithmic);
    }

    #[test]
    fn a_single_value_has_room_around_it() {
        let axis = Axis::fitting(&[1.0], Origin::One, number);
        assert!(axis.low < 1.0 && axis.high > 1.0);
        assert_eq!(axis.map(&1.0, (0, 100)), 50);
    }

    proptest! {
        #[test]
        fn any_values_give_a_range_and_few_ticks_and_a_place_inside(
            values in prop::collection::vec(prop::num::f64::ANY, 0..6),
            value in prop::num::f64::ANY,
        ) {
            for origin in [Origin::Zero, Origin::One] {
                let axis = Axis::fitting(&values, origin, number);
                prop_assert!(axis.low < axis.high, "{} {}", axis.low, axis.high);
                prop_assert!(axis.ticks.len() <= 3 * TICKS_MAX);
                let place = axis.map(&value, (10, 90));
                prop_assert!((0..=90).contains(&place));
            }
        }
    }
}
