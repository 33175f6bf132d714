//! Ratio of the medians of two samples with a bootstrap interval, and the geometric mean of several.
//!
//! The bootstrap is the ideal one, as with infinitely many resamples (see [`super::resampling`]), so
//! nothing depends on a seed, and swapping the samples inverts the interval exactly. Units cancel:
//! a ratio has none.

use super::resampling::{ResampledMedian, ResampledRatio};
use super::summary::{INTERVAL_SAMPLES_MIN, have_ratios, median_of_sorted, sorted};

/// Part of the bootstrap distribution that lies below a 95 % interval, and above it.
const TAIL: f64 = 0.025;

/// How many times as large as another a median is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RatioEstimate {
    /// Median of the numerator over median of the denominator.
    pub(crate) ratio: f64,
    /// Interval of 95 % around it; `None` when a sample is below [`INTERVAL_SAMPLES_MIN`].
    pub(crate) interval: Option<(f64, f64)>,
}

/// Ratio of the medians of two independent samples, with the percentile interval of its bootstrap
/// distribution (Efron 1979); `None` when a sample is empty or holds anything but numbers above 0.
///
/// The interval holds the true ratio a little more often than it says: of 10,000 simulated pairs of
/// 15 lognormal or normal samples it did 96.6 % of the time, with 6 to 30 samples, equally many or
/// not, 95.8 to 97.1 %, and with uniform, exponential and contaminated ones 95.5 to 97.3 %. Takes
/// some 10 microseconds for 15 and 15, half a millisecond for 60 and 60, 0.1 s for 1000 and 1000.
///
/// As every interval, it trusts that the samples are independent and the machine stays the same: it
/// does not cover a drift (see [`super::drift`]), nor what differs from one day to the next.
pub(crate) fn ratio_of_medians(numerator: &[f64], denominator: &[f64]) -> Option<RatioEstimate> {
    if !have_ratios(numerator) || !have_ratios(denominator) {
        return None;
    }
    let (numerator, denominator) = (sorted(numerator), sorted(denominator));
    let ratio = median_of_sorted(&numerator)? / median_of_sorted(&denominator)?;
    let interval = (numerator.len().min(denominator.len()) >= INTERVAL_SAMPLES_MIN).then(|| {
        ResampledRatio::new(
            ResampledMedian::new(&numerator, numerator.len()),
            ResampledMedian::new(&denominator, denominator.len()),
        )
        .interval(TAIL)
    });
    Some(RatioEstimate { ratio, interval })
}

/// Geometric mean of ratios that were measured independently of each other; `None` without any.
///
/// Its interval comes from theirs: on the logarithmic scale the distances of the bounds from the
/// estimates add as roots of sums of squares (MOVER, the method of variance estimates recovery:
/// Zou and Donner 2008, "Construction of confidence limits about effect measures", Statistics in
/// Medicine 27). Without an interval of every ratio there is none of the mean.
pub(crate) fn geometric_mean(ratios: &[RatioEstimate]) -> Option<RatioEstimate> {
    if ratios.is_empty() {
        return None;
    }
    let count = ratios.len() as f64;
    let mean_ln = ratios
        .iter()
        .map(|estimate| estimate.ratio.ln())
        .sum::<f64>()
        / count;
    let squares = ratios
        .iter()
        .try_fold((0.0, 0.0), |(below, above), estimate| {
            let (low, high) = estimate.interval?;
            Some((
                below + (estimate.ratio / low).ln().powi(2),
                above + (high / estimate.ratio).ln().powi(2),
            ))
        });
    Some(RatioEstimate {
        ratio: mean_ln.exp(),
        interval: squares.map(|(below, above): (f64, f64)| {
            (
                (mean_ln - below.sqrt() / count).exp(),
                (mean_ln + above.sqrt() / count).exp(),
            )
        }),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::simulation::{
        Draw, contaminated, one_sided, sample, share_of, uniform, wall_time,
    };
    use super::*;

    /// How often the interval holds the true ratio, which is 1.3.
    fn coverage(experiments: u32, draw: Draw, numerator: usize, denominator: usize) -> f64 {
        share_of(experiments, |random| {
            let slower: Vec<f64> = sample(random, draw, numerator)
                .iter()
                .map(|x| 1.3 * x)
                .collect();
            let estimate = ratio_of_medians(&slower, &sample(random, draw, denominator)).unwrap();
            let (low, high) = estimate.interval.unwrap();
            (low..=high).contains(&1.3)
        })
    }

    #[test]
    fn intervals_of_fifteen_wall_times_hold_the_ratio_as_often_as_they_say() {
        let coverage = coverage(2000, wall_time, 15, 15);
        assert!((0.93..=0.97).contains(&coverage), "{coverage}");
    }

    #[test]
    fn intervals_hold_the_ratio_for_other_shapes_and_sizes() {
        for (numerator, denominator) in [(6, 6), (7, 7), (9, 9), (10, 10), (30, 30), (6, 15)] {
            let coverage = coverage(500, wall_time, numerator, denominator);
            assert!(
                (0.93..=0.985).contains(&coverage),
                "{numerator} x {denominator}: {coverage}"
            );
        }
        for draw in [one_sided, contaminated, uniform] {
            let coverage = coverage(500, draw, 15, 15);
            assert!((0.93..=0.985).contains(&coverage), "{coverage}");
        }
    }

    #[test]
    fn intervals_of_geometric_means_hold_them() {
        let ratios = [1.1, 1.4, 2.0];
        let truth = (1.1_f64 * 1.4 * 2.0).cbrt();
        let coverage = share_of(1000, |random| {
            let estimates = ratios.map(|ratio| {
                let slower: Vec<f64> = sample(random, wall_time, 15)
                    .iter()
                    .map(|x| ratio * x)
                    .collect();
                ratio_of_medians(&slower, &sample(random, wall_time, 15)).unwrap()
            });
            let (low, high) = geometric_mean(&estimates).unwrap().interval.unwrap();
            (low..=high).contains(&truth)
        });
        assert!((0.93..=0.98).contains(&coverage), "{coverage}");
    }

    #[test]
    fn drawing_resamples_gives_the_same_interval() {
        let mut random = fastrand::Rng::with_seed(1);
        for n in [14, 15] {
            let (first, second) = (
                sample(&mut random, wall_time, n),
                sample(&mut random, wall_time, n),
            );
            let resampled_median = |random: &mut fastrand::Rng, samples: &[f64]| {
                let resample: Vec<f64> = (0..n).map(|_| samples[random.usize(..n)]).collect();
                median_of_sorted(&sorted(&resample)).unwrap()
            };
            let mut ratios: Vec<f64> = (0..10_000)
                .map(|_| {
                    resampled_median(&mut random, &first) / resampled_median(&mut random, &second)
                })
                .collect();
            ratios.sort_by(f64::total_cmp);
            let (low, high) = ratio_of_medians(&first, &second).unwrap().interval.unwrap();
            assert!((ratios[250] - low).abs() < 2e-3, "{} {low}", ratios[250]);
            assert!(
                (ratios[9750] - high).abs() < 2e-3,
                "{} {high}",
                ratios[9750]
            );
        }
    }

    #[test]
    fn equal_samples_have_an_interval_of_no_width() {
        let estimate = ratio_of_medians(&[3.0; 8], &[2.0; 7]).unwrap();
        let (low, high) = estimate.interval.unwrap();
        assert!((low - 1.5).abs() < 1e-12 && (high - 1.5).abs() < 1e-12);
    }

    #[test]
    fn below_six_samples_there_is_a_ratio_without_an_interval() {
        let estimate = ratio_of_medians(&[2.0; 15], &[1.0; 5]).unwrap();
        assert!((estimate.ratio - 2.0).abs() < 1e-12);
        assert_eq!(estimate.interval, None);
        let mean = geometric_mean(&[estimate, ratio_of_medians(&[8.0; 9], &[1.0; 9]).unwrap()]);
        assert!((mean.unwrap().ratio - 4.0).abs() < 1e-12);
        assert_eq!(mean.unwrap().interval, None);
    }

    #[test]
    fn what_has_no_ratio_gets_none() {
        assert_eq!(ratio_of_medians(&[], &[1.0]), None);
        assert_eq!(ratio_of_medians(&[1.0], &[]), None);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e200, 1e-200] {
            assert_eq!(ratio_of_medians(&[1.0, bad, 1.0], &[1.0]), None);
            assert_eq!(ratio_of_medians(&[1.0], &[bad]), None);
        }
        assert_eq!(geometric_mean(&[]), None);
    }

    #[test]
    fn a_thousand_samples_and_extreme_times_are_no_trouble() {
        let mut random = fastrand::Rng::with_seed(1);
        for n in [400, 1201] {
            let samples = sample(&mut random, wall_time, n);
            let (low, high) = ratio_of_medians(&samples, &samples)
                .unwrap()
                .interval
                .unwrap();
            assert!(low < 1.0 && high > 1.0 && high - low < 0.01, "{low} {high}");
        }
        let (low, high) = (1e-99, 1e99);
        let estimate = ratio_of_medians(&[low, high, high].repeat(3), &[low, low, high].repeat(3));
        assert!((estimate.unwrap().ratio / 1e198 - 1.0).abs() < 1e-9);
        let (below, above) = estimate.unwrap().interval.unwrap();
        assert!((below - 1.0).abs() < 1e-9 && (above / 1e198 - 1.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn the_geometric_mean_of_equal_ratios_is_theirs_and_surer(
            slower in prop::collection::vec(1.0..2.0, 6..20),
            faster in prop::collection::vec(0.5..1.5, 6..20),
        ) {
            let estimate = ratio_of_medians(&slower, &faster).unwrap();
            let (low, high) = estimate.interval.unwrap();
            let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
            let alone = geometric_mean(&[estimate]).unwrap();
            prop_assert!(near(alone.ratio, estimate.ratio));
            prop_assert!(near(alone.interval.unwrap().0, low));
            prop_assert!(near(alone.interval.unwrap().1, high));
            let four = geometric_mean(&[estimate; 4]).unwrap();
            let half_below = (estimate.ratio / low).sqrt();
            prop_assert!(near(four.ratio, estimate.ratio));
            prop_assert!(near(four.interval.unwrap().0, estimate.ratio / half_below));
        }

        #[test]
        fn the_interval_holds_the_ratio_and_swapping_inverts_both(
            first in prop::collection::vec(1e-3..1e3, 6..25),
            second in prop::collection::vec(1e-3..1e3, 6..25),
        ) {
            let estimate = ratio_of_medians(&first, &second).unwrap();
            let (low, high) = estimate.interval.unwrap();
            prop_assert!(low <= estimate.ratio * (1.0 + 1e-9));
            prop_assert!(estimate.ratio <= high * (1.0 + 1e-9));
            let swapped = ratio_of_medians(&second, &first).unwrap();
            let (swapped_low, swapped_high) = swapped.interval.unwrap();
            prop_assert!((estimate.ratio * swapped.ratio - 1.0).abs() < 1e-9);
            prop_assert!((low * swapped_high - 1.0).abs() < 1e-9);
            prop_assert!((high * swapped_low - 1.0).abs() < 1e-9);
        }
    }
}
