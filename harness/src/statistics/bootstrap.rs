//! Ratio of the medians of two samples with a bootstrap interval, and the geometric mean of several.
//!
//! The bootstrap is the ideal one, as with infinitely many resamples: which sample the median of
//! a resample falls on has a known distribution (Efron 1979, "Bootstrap Methods: Another Look at
//! the Jackknife", section 3), so nothing is drawn, nothing depends on a seed, and swapping the
//! samples gives exactly the reciprocal interval. Units cancel: a ratio has none.

use super::summary::{INTERVAL_SAMPLES_MIN, median_of_sorted, sorted};

/// Part of the bootstrap distribution that lies below a 95 % interval, and above it.
const TAIL: f64 = 0.025;

/// Outcomes of a resample less probable than this are left out: a million of them together still
/// weigh far less than any figure shows.
const PROBABILITY_MIN: f64 = 1e-15;

/// How many times as large as another a median is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RatioEstimate {
    /// Median of the numerator over median of the denominator.
    pub(crate) ratio: f64,
    /// Interval of 95 % around it; `None` when a sample is below [`INTERVAL_SAMPLES_MIN`].
    pub(crate) interval: Option<(f64, f64)>,
}

/// Ratio of the medians of two independent samples, with the percentile interval of its bootstrap
/// distribution; `None` when a sample is empty or holds anything but finite numbers above 0.
///
/// Coverage and cost are told at [`MedianDistribution::of_sorted`] and in the tests below.
pub(crate) fn ratio_of_medians(numerator: &[f64], denominator: &[f64]) -> Option<RatioEstimate> {
    let usable = |sample: &f64| sample.is_finite() && *sample > 0.0;
    if !numerator.iter().chain(denominator).all(usable) {
        return None;
    }
    let (numerator, denominator) = (sorted(numerator), sorted(denominator));
    let ratio = median_of_sorted(&numerator)? / median_of_sorted(&denominator)?;
    let interval = (numerator.len().min(denominator.len()) >= INTERVAL_SAMPLES_MIN).then(|| {
        let numerator = MedianDistribution::of_sorted(&numerator);
        let denominator = MedianDistribution::of_sorted(&denominator);
        (
            quantile_of_ratio(&numerator, &denominator, TAIL),
            1.0 / quantile_of_ratio(&denominator, &numerator, TAIL),
        )
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

/// What the median of a resample is, and how probably.
struct MedianDistribution {
    /// Possible medians, ascending.
    values: Vec<f64>,
    /// Probability that the median is the value at the same position or a smaller one.
    cumulative: Vec<f64>,
}

impl MedianDistribution {
    /// Distribution over the resamples of sorted samples. Costs n^2 for n samples, and with an
    /// even n, where the median lies between two samples, a sort of up to n^2 / 2 values.
    fn of_sorted(samples: &[f64]) -> Self {
        let ranks = ResampleRanks::new(samples.len());
        let mut outcomes = if samples.len() % 2 == 1 {
            (1..=samples.len())
                .map(|rank| (samples[rank - 1], ranks.is_lower_middle(rank)))
                .collect()
        } else {
            Self::between_two(samples, &ranks)
        };
        outcomes.retain(|(_, probability)| *probability > PROBABILITY_MIN);
        outcomes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = outcomes.iter().map(|(_, probability)| probability).sum();
        let mut below = 0.0;
        Self {
            cumulative: outcomes
                .iter()
                .map(|(_, probability)| {
                    below += probability / total;
                    below
                })
                .collect(),
            values: outcomes.into_iter().map(|(value, _)| value).collect(),
        }
    }

    /// Medians of resamples of an even number of samples, with their probabilities.
    fn between_two(samples: &[f64], ranks: &ResampleRanks) -> Vec<(f64, f64)> {
        let mut outcomes = Vec::new();
        for lower in 1..=samples.len() {
            for upper in lower..=samples.len() {
                outcomes.push((
                    samples[lower - 1].midpoint(samples[upper - 1]),
                    ranks.are_middle(lower, upper),
                ));
            }
        }
        outcomes
    }
}

/// Where the middle of a resample of n samples comes from, in ranks from 1 to n.
///
/// The number of samples of a resample with a rank up to i is binomial(n, i/n).
struct ResampleRanks {
    n: usize,
    /// Rank, within the resample, of its middle sample or of the lower of its middle two.
    middle: usize,
    /// Logarithm of the binomial coefficient n over k, by k.
    binomial_ln: Vec<f64>,
    /// Probability that the middle of a resample has rank i or less, by i.
    up_to: Vec<f64>,
}

impl ResampleRanks {
    fn new(n: usize) -> Self {
        let middle = n.div_ceil(2);
        let mut binomial_ln = vec![0.0];
        for k in 1..=n {
            let factor = (n - k + 1) as f64 / k as f64;
            binomial_ln.push(binomial_ln[k - 1] + factor.ln());
        }
        let mut ranks = Self {
            n,
            middle,
            binomial_ln,
            up_to: vec![0.0],
        };
        for rank in 1..n {
            let share = rank as f64 / n as f64;
            let (in_ln, out_ln) = (share.ln(), (-share).ln_1p());
            let at_least_middle = (middle..=n)
                .map(|k| (ranks.binomial_ln[k] + k as f64 * in_ln + (n - k) as f64 * out_ln).exp())
                .sum();
            ranks.up_to.push(at_least_middle);
        }
        ranks.up_to.push(1.0);
        ranks
    }

    /// Probability that the middle sample, or the lower of the middle two, has this rank.
    fn is_lower_middle(&self, rank: usize) -> f64 {
        self.up_to[rank] - self.up_to[rank - 1]
    }

    /// Probability that the middle two samples of an even number have these ranks.
    fn are_middle(&self, lower: usize, upper: usize) -> f64 {
        // The lower half of the resample has ranks up to `lower` and reaches it; so does the
        // upper half, counted from above.
        let lower_half = self.half_reaches_ln(lower);
        if lower < upper {
            let upper_half = self.half_reaches_ln(self.n + 1 - upper);
            return (self.binomial_ln[self.middle] + lower_half + upper_half).exp();
        }
        // Of the resamples whose lower middle has this rank, all but those whose upper half lies
        // above it.
        let above = self.middle as f64 * ((self.n - lower) as f64 / self.n as f64).ln();
        let parted = (self.binomial_ln[self.middle] + lower_half + above).exp();
        (self.is_lower_middle(lower) - parted).max(0.0)
    }

    /// Logarithm of the probability that n/2 given samples of a resample all have ranks up to
    /// `rank`, and one of them has just that: `(i^r - (i-1)^r) / n^r`, kept from underflow.
    fn half_reaches_ln(&self, rank: usize) -> f64 {
        let half = self.middle as f64;
        let within = half * (rank as f64 / self.n as f64).ln();
        let all_below = half * ((rank - 1) as f64 / rank as f64).ln();
        within + (-all_below.exp()).ln_1p()
    }
}

/// Smallest ratio that a resampled ratio does not exceed with the given probability.
fn quantile_of_ratio(
    numerator: &MedianDistribution,
    denominator: &MedianDistribution,
    probability: f64,
) -> f64 {
    let last = |values: &[f64]| values[values.len() - 1];
    let mut low_ln = (numerator.values[0] / last(&denominator.values)).ln() - f64::EPSILON;
    let mut high_ln = (last(&numerator.values) / denominator.values[0]).ln();
    // Each step halves the distance; sixty exhaust the digits of any that can occur.
    for _ in 0..60 {
        let middle_ln = low_ln.midpoint(high_ln);
        if probability_up_to(numerator, denominator, middle_ln.exp()) >= probability {
            high_ln = middle_ln;
        } else {
            low_ln = middle_ln;
        }
    }
    high_ln.exp()
}

/// Probability that a resampled ratio is at most `ratio`. Linear: both sides ascend together.
fn probability_up_to(
    numerator: &MedianDistribution,
    denominator: &MedianDistribution,
    ratio: f64,
) -> f64 {
    let mut position = 0;
    let mut below_divisor = 0.0;
    let mut probability = 0.0;
    for (divisor, cumulative) in denominator.values.iter().zip(&denominator.cumulative) {
        while numerator
            .values
            .get(position)
            .is_some_and(|value| *value <= ratio * divisor)
        {
            position += 1;
        }
        if position > 0 {
            probability += (cumulative - below_divisor) * numerator.cumulative[position - 1];
        }
        below_divisor = *cumulative;
    }
    probability
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

    /// The medians of all n^n resamples, each as probable as another.
    fn enumerated(samples: &[f64]) -> Vec<f64> {
        let n = samples.len();
        let resample = |mut number: usize| {
            let mut resample = Vec::new();
            for _ in 0..n {
                resample.push(samples[number % n]);
                number /= n;
            }
            median_of_sorted(&sorted(&resample)).unwrap()
        };
        (0..n.pow(n as u32)).map(resample).collect()
    }

    #[test]
    fn the_distribution_is_that_of_all_resamples() {
        for samples in [
            vec![1.0],
            vec![1.0, 2.0],
            vec![1.0, 2.0, 4.0],
            vec![1.0, 2.0, 2.0, 4.0],
            vec![1.0, 2.0, 4.0, 8.0, 9.0],
            vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
        ] {
            let resamples = enumerated(&samples);
            let distribution = MedianDistribution::of_sorted(&samples);
            // Equal medians are listed apart, so the last of them holds for the value.
            for (position, value) in distribution.values.iter().enumerate() {
                if distribution.values.get(position + 1) == Some(value) {
                    continue;
                }
                let up_to = resamples.iter().filter(|median| *median <= value).count();
                let expected = up_to as f64 / resamples.len() as f64;
                let probability = distribution.cumulative[position];
                assert!(
                    (probability - expected).abs() < 1e-12,
                    "{samples:?} at {value}"
                );
            }
        }
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
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
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
        let estimate = ratio_of_medians(&[1e300; 6], &[1e-300; 6]).unwrap();
        assert!(!estimate.ratio.is_nan());
    }

    proptest! {
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
