//! What a comparison says: a difference or none, a regression or none, or that it cannot tell.
//!
//! Two unrelated methods must agree before a difference is called, and it must exceed what the
//! machine shows between equal programs. Costs are those of the interval and of the rank test.

use serde::Serialize;

use super::bootstrap::{RatioEstimate, ratio_of_medians};
use super::rank_test::mann_whitney;

/// Probability of seeing a difference between equal samples that the rank test accepts.
const SIGNIFICANCE: f64 = 0.05;

/// What a comparison of two samples says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// The medians differ.
    Difference,
    /// No difference was found, shown as `~`: there is none, or it is too small for so few samples.
    NoDifference,
    /// With so few samples there is no interval, and so no answer.
    TooFewSamples,
}

/// Two samples compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Comparison {
    /// Ratio of the medians, with its interval.
    pub(crate) estimate: RatioEstimate,
    /// Two-sided p-value of the Mann-Whitney U test.
    pub(crate) p: f64,
    /// What follows from them.
    pub(crate) verdict: Verdict,
}

/// Compares two independent samples; `None` when one is empty or holds anything but numbers
/// above 0.
///
/// A difference is called when all of these hold, and swapping the samples never changes that:
/// the rank test has p < 0.05; the interval of the ratio excludes 1; the ratio is further from 1
/// than `noise_floor` (see [`super::noise::noise_floor`]; `None` asks nothing).
///
/// In simulations without a floor, 15 and 15 samples of the same distribution, of several shapes,
/// were called different 2.5 % of the time, and 6 and 6 3.3 %. A true difference as large as the
/// standard deviation was found in 54 % of pairs of 15, one of twice that in 99 %.
pub(crate) fn compare(
    numerator: &[f64],
    denominator: &[f64],
    noise_floor: Option<f64>,
) -> Option<Comparison> {
    let estimate = ratio_of_medians(numerator, denominator)?;
    let p = mann_whitney(numerator, denominator)?.p;
    let verdict = match estimate.interval {
        None => Verdict::TooFewSamples,
        Some((low, high))
            if p < SIGNIFICANCE
                && (low > 1.0 || high < 1.0)
                && relative_difference(estimate.ratio) > noise_floor.unwrap_or(0.0) =>
        {
            Verdict::Difference
        }
        Some(_) => Verdict::NoDifference,
    };
    Some(Comparison {
        estimate,
        p,
        verdict,
    })
}

/// By which part the larger of two is larger, given either's ratio to the other: 0.25 for 1.25 and
/// for 0.8.
pub(crate) fn relative_difference(ratio: f64) -> f64 {
    ratio.max(1.0 / ratio) - 1.0
}

/// Whether a run is slower than its baseline by more than is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Regression {
    /// It is slower for certain, and by more than the threshold by the best estimate.
    Yes,
    /// It is not slower by more than the threshold, for all that the interval admits.
    No,
    /// The samples are too noisy, or too few, for either.
    Inconclusive,
}

/// Judges a comparison of times with a baseline (current over baseline, so that a ratio above 1 is
/// slower) against the slowdown that is let pass, `fail_above`: 0.05 for 5 %.
///
/// *Yes* needs a difference that was called (see [`compare`]) and an estimate above the threshold;
/// the interval may reach below it, else a slowdown just past the threshold would take ever more
/// samples to be named. *No* needs the whole interval at or below the threshold, so a noisy run
/// does not pass for a good one. What is neither is inconclusive, and more samples decide it.
pub(crate) fn regression(comparison: &Comparison, fail_above: f64) -> Regression {
    let Some((_, high)) = comparison.estimate.interval else {
        return Regression::Inconclusive;
    };
    let limit = 1.0 + fail_above;
    if high <= limit {
        Regression::No
    } else if comparison.verdict == Verdict::Difference
        && comparison.estimate.ratio > limit.max(1.0)
    {
        Regression::Yes
    } else {
        Regression::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::simulation::{contaminated, sample, share_of, wall_time};
    use super::*;

    fn times(around: f64) -> Vec<f64> {
        (0..15)
            .map(|i| around * (1.0 + 0.001 * f64::from(i - 7)))
            .collect()
    }

    fn judge(current: f64, fail_above: f64) -> Regression {
        regression(
            &compare(&times(current), &times(1.0), None).unwrap(),
            fail_above,
        )
    }

    #[test]
    fn equal_programs_rarely_differ() {
        for draw in [wall_time, contaminated] {
            let alarms = share_of(2000, |random| {
                let comparison =
                    compare(&sample(random, draw, 15), &sample(random, draw, 15), None);
                comparison.unwrap().verdict == Verdict::Difference
            });
            assert!(alarms <= 0.05, "{alarms}");
        }
    }

    #[test]
    fn a_difference_of_twice_the_spread_is_found() {
        let found = share_of(500, |random| {
            let slower: Vec<f64> = sample(random, wall_time, 15)
                .iter()
                .map(|x| 1.04 * x)
                .collect();
            let comparison = compare(&slower, &sample(random, wall_time, 15), None).unwrap();
            comparison.verdict == Verdict::Difference && comparison.estimate.ratio > 1.0
        });
        assert!(found > 0.95, "{found}");
    }

    #[test]
    fn a_difference_within_the_noise_floor_is_none() {
        let verdict = |floor| compare(&times(1.02), &times(1.0), floor).unwrap().verdict;
        assert_eq!(verdict(None), Verdict::Difference);
        assert_eq!(verdict(Some(0.01)), Verdict::Difference);
        assert_eq!(verdict(Some(0.03)), Verdict::NoDifference);
        let faster = compare(&times(1.0), &times(1.02), Some(0.03)).unwrap();
        assert_eq!(faster.verdict, Verdict::NoDifference);
    }

    #[test]
    fn few_samples_get_no_answer() {
        let comparison = compare(&[2.0; 5], &[1.0; 15], None).unwrap();
        assert_eq!(comparison.verdict, Verdict::TooFewSamples);
        assert_eq!(regression(&comparison, 0.05), Regression::Inconclusive);
        assert_eq!(compare(&[], &[1.0], None), None);
        assert_eq!(compare(&[0.0; 6], &[1.0; 6], None), None);
    }

    #[test]
    fn a_slowdown_past_the_threshold_is_a_regression_and_one_below_is_none() {
        assert_eq!(judge(1.2, 0.05), Regression::Yes);
        assert_eq!(judge(1.06, 0.05), Regression::Yes);
        assert_eq!(judge(1.02, 0.05), Regression::No);
        assert_eq!(judge(1.0, 0.05), Regression::No);
        assert_eq!(judge(0.8, 0.05), Regression::No);
        // The interval of 1.049 reaches above the threshold, and the estimate does not.
        assert_eq!(judge(1.049, 0.05), Regression::Inconclusive);
    }

    #[test]
    fn a_threshold_of_nothing_never_calls_a_speedup_a_regression() {
        assert_eq!(judge(0.9, 0.0), Regression::No);
        assert_eq!(judge(1.1, 0.0), Regression::Yes);
        assert_eq!(judge(0.9, -0.5), Regression::Inconclusive);
    }

    #[test]
    fn regressions_are_named_by_their_size() {
        let judged = |slowdown: f64, answer: Regression| {
            share_of(500, |random| {
                let current: Vec<f64> = sample(random, wall_time, 15)
                    .iter()
                    .map(|x| slowdown * x)
                    .collect();
                let comparison = compare(&current, &sample(random, wall_time, 15), None);
                regression(&comparison.unwrap(), 0.05) == answer
            })
        };
        assert!(judged(1.0, Regression::No) > 0.98);
        assert!(judged(1.0, Regression::Yes) < 0.001);
        assert!(judged(1.02, Regression::Yes) < 0.01);
        assert!(judged(1.08, Regression::Yes) > 0.98);
        // On the threshold itself the estimate is above it half of the time.
        assert!((0.4..0.6).contains(&judged(1.05, Regression::Yes)));
    }

    #[test]
    fn noise_is_inconclusive() {
        let noisy: Vec<f64> = (0..15).map(|i| 0.8 + 0.04 * f64::from(i)).collect();
        let comparison = compare(&noisy, &times(1.0), None).unwrap();
        assert_eq!(regression(&comparison, 0.05), Regression::Inconclusive);
        // Slower past the threshold, though not past what this machine shows by itself.
        let comparison = compare(&times(1.06), &times(1.0), Some(0.1)).unwrap();
        assert_eq!(regression(&comparison, 0.05), Regression::Inconclusive);
    }

    proptest! {
        #[test]
        fn swapping_keeps_the_verdict(
            first in prop::collection::vec(0.9..1.1, 1..20),
            second in prop::collection::vec(1.0..1.2, 1..20),
            floor in prop::option::of(0.0..0.1),
        ) {
            let comparison = compare(&first, &second, floor).unwrap();
            let swapped = compare(&second, &first, floor).unwrap();
            prop_assert_eq!(comparison.verdict, swapped.verdict);
        }

        #[test]
        fn a_slower_run_is_never_judged_better(
            samples in prop::collection::vec(0.9..1.1, 6..20),
            slowdown in 1.0..1.5,
        ) {
            let slower: Vec<f64> = samples.iter().map(|x| x * slowdown).collect();
            let before = regression(&compare(&samples, &samples, None).unwrap(), 0.05);
            let after = regression(&compare(&slower, &samples, None).unwrap(), 0.05);
            prop_assert!(!(after == Regression::No && before != Regression::No));
        }
    }
}
