//! Statistics of a handful of repetitions: median with its exact interval, spread, outliers, drift.
//!
//! Everything here is distribution-free or robust, since wall times are skewed and n is small.
//! Samples are in any unit; results are in the same one. Costs are those of sorting n values.

/// Fewest samples for which an interval of the median is given: with five, even the whole range
/// covers the median only 93.75 % of the time.
pub(crate) const INTERVAL_SAMPLES_MIN: usize = 6;

/// Coverage that an interval of the median reaches at least.
const COVERAGE_MIN: f64 = 0.95;

/// Modified z-score beyond which a sample is called an outlier (Iglewicz and Hoaglin 1993,
/// "How to Detect and Handle Outliers").
const OUTLIER_SCORE_MIN: f64 = 3.5;

/// 1-based ranks of the order statistics that bound the median, and how often they do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MedianRanks {
    /// Rank of the lower bound in the sorted samples.
    pub(crate) low: usize,
    /// Rank of the upper bound: `n + 1 - low`.
    pub(crate) high: usize,
    /// Exact probability that the interval covers the median of a continuous distribution.
    pub(crate) coverage: f64,
}

/// The narrowest symmetric pair of ranks that covers the median with a probability of at least
/// 95 %; `None` below [`INTERVAL_SAMPLES_MIN`].
///
/// The number of samples below the median is binomial(n, 1/2), so the interval from the k-th
/// smallest to the k-th largest misses it with probability `2 P(X < k)` (David and Nagaraja,
/// "Order Statistics", 7.1).
pub(crate) fn median_ranks(n: usize) -> Option<MedianRanks> {
    if n < INTERVAL_SAMPLES_MIN {
        return None;
    }
    // The terms are built from logarithms: 2^-n underflows from n = 1075 on.
    let samples = n as f64;
    let mut term_ln = -samples * std::f64::consts::LN_2;
    let mut tail = term_ln.exp();
    let mut ranks = MedianRanks {
        low: 1,
        high: n,
        coverage: 1.0 - 2.0 * tail,
    };
    for below in 1..n / 2 {
        term_ln += ((n - below + 1) as f64).ln() - (below as f64).ln();
        tail += term_ln.exp();
        let coverage = 1.0 - 2.0 * tail;
        if coverage < COVERAGE_MIN {
            break;
        }
        ranks = MedianRanks {
            low: below + 1,
            high: n - below,
            coverage,
        };
    }
    Some(ranks)
}

/// Location and spread of one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Summary {
    /// Middle value, or the mean of the two middle ones.
    pub(crate) median: f64,
    /// Interval that covers the median; `None` below [`INTERVAL_SAMPLES_MIN`] samples.
    pub(crate) interval: Option<(f64, f64)>,
    /// Smallest sample.
    pub(crate) min: f64,
    /// Largest sample.
    pub(crate) max: f64,
    /// Median absolute deviation from the median, not scaled.
    pub(crate) mad: f64,
    /// Standard deviation (n - 1) over the mean; 0 for a single sample.
    pub(crate) cv: f64,
}

impl Summary {
    /// Distance of the median to the farther end of its interval, over the median: what is shown
    /// behind `+-`. `None` where there is no interval, or no median to divide by.
    pub(crate) fn relative_margin(&self) -> Option<f64> {
        let (low, high) = self.interval?;
        let farther = (self.median - low).max(high - self.median);
        (self.median > 0.0).then(|| farther / self.median)
    }
}

/// Summarizes samples; `None` when there are none.
pub(crate) fn summarize(samples: &[f64]) -> Option<Summary> {
    let sorted = sorted(samples);
    let median = median_of_sorted(&sorted)?;
    Some(Summary {
        median,
        interval: median_ranks(sorted.len())
            .map(|ranks| (sorted[ranks.low - 1], sorted[ranks.high - 1])),
        min: sorted[0],
        max: sorted[sorted.len() - 1],
        mad: mad(&sorted, median),
        cv: coefficient_of_variation(&sorted),
    })
}

/// Middle value, or the mean of the two middle ones; `None` when there are no samples.
pub(crate) fn median(samples: &[f64]) -> Option<f64> {
    median_of_sorted(&sorted(samples))
}

/// Whether samples can be divided by each other: numbers above 0, none so large or small that a
/// ratio of two leaves the range of the type.
pub(super) fn have_ratios(samples: &[f64]) -> bool {
    samples
        .iter()
        .all(|sample| (1e-100..1e100).contains(sample))
}

pub(super) fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

pub(super) fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(sorted[sorted.len() / 2 - 1].midpoint(upper))
}

fn mad(samples: &[f64], median: f64) -> f64 {
    let deviations: Vec<f64> = samples
        .iter()
        .map(|sample| (sample - median).abs())
        .collect();
    median_of_sorted(&sorted(&deviations)).unwrap_or(0.0)
}

fn coefficient_of_variation(samples: &[f64]) -> f64 {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    if samples.len() < 2 || mean == 0.0 {
        return 0.0;
    }
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    (squares / (n - 1.0)).sqrt() / mean
}

/// Positions of the samples whose modified z-score, `0.6745 (x - median) / MAD`, exceeds 3.5.
/// With a MAD of 0 (half of the samples equal) there is no scale to judge by, and none is named.
pub(crate) fn outliers(samples: &[f64]) -> Vec<usize> {
    let Some(summary) = summarize(samples) else {
        return Vec::new();
    };
    if summary.mad == 0.0 {
        return Vec::new();
    }
    samples
        .iter()
        .enumerate()
        .filter(|(_, sample)| {
            0.6745 * (*sample - summary.median).abs() / summary.mad > OUTLIER_SCORE_MIN
        })
        .map(|(position, _)| position)
        .collect()
}

/// Relative change from the first to the last third of samples in order of time, if it is one.
///
/// It is one when every sample of one third lies beyond every sample of the other (by chance that
/// happens to thirds of four once in 35) and the medians differ by more than 1 %. Below twelve
/// samples chance does it too often, and nothing is said.
pub(crate) fn drift(samples: &[f64]) -> Option<f64> {
    let third = samples.len() / 3;
    if third < 4 {
        return None;
    }
    let first = summarize(&samples[..third])?;
    let last = summarize(&samples[samples.len() - third..])?;
    let change = last.median / first.median - 1.0;
    let separate = last.min > first.max || last.max < first.min;
    (separate && change.abs() > 0.01).then_some(change)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Coverage of the ranks (low, n + 1 - low) from whole-number binomials.
    fn exact_coverage(n: u32, low: u32) -> f64 {
        let mut binomial = 1_u128;
        let mut below = 0_u128;
        for k in 0..low {
            below += binomial;
            binomial = binomial * u128::from(n - k) / u128::from(k + 1);
        }
        1.0 - 2.0 * below as f64 / 2.0_f64.powi(n as i32)
    }

    #[test]
    fn ranks_agree_with_the_published_table() {
        // Conover, "Practical Nonparametric Statistics", table of the sign test at 95 %.
        for (n, low, high) in [
            (6, 1, 6),
            (7, 1, 7),
            (8, 1, 8),
            (9, 2, 8),
            (10, 2, 9),
            (11, 2, 10),
            (12, 3, 10),
            (15, 4, 12),
            (20, 6, 15),
            (25, 8, 18),
            (30, 10, 21),
            (50, 18, 33),
            (100, 40, 61),
        ] {
            let ranks = median_ranks(n).unwrap();
            assert_eq!((ranks.low, ranks.high), (low, high), "n = {n}");
        }
    }

    #[test]
    fn coverages_are_exact() {
        let coverage = |n| median_ranks(n).unwrap().coverage;
        assert!((coverage(6) - 0.96875).abs() < 1e-12);
        assert!((coverage(15) - (1.0 - 2.0 * 576.0 / 32768.0)).abs() < 1e-12);
    }

    #[test]
    fn below_six_samples_there_is_no_interval() {
        for n in 0..6 {
            assert_eq!(median_ranks(n), None);
        }
        assert_eq!(
            summarize(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap().interval,
            None
        );
    }

    #[test]
    fn ranks_hold_where_powers_of_two_underflow() {
        let ranks = median_ranks(10_000).unwrap();
        // Normal approximation: 5000 - 1.96 * 50 = 4902.
        assert!((4900..=4904).contains(&ranks.low), "{ranks:?}");
        assert!(ranks.coverage >= 0.95 && ranks.coverage < 0.96);
    }

    #[test]
    fn a_known_sample_gives_its_known_figures() {
        let summary = summarize(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert!((summary.median - 4.5).abs() < 1e-12);
        assert!((summary.mad - 0.5).abs() < 1e-12);
        assert!((summary.cv - (32.0_f64 / 7.0).sqrt() / 5.0).abs() < 1e-12);
        assert_eq!(summary.interval, Some((2.0, 9.0)));
    }

    #[test]
    fn nothing_is_said_of_no_samples() {
        assert_eq!(summarize(&[]), None);
        assert_eq!(median(&[]), None);
        assert!(outliers(&[]).is_empty());
        assert_eq!(drift(&[]), None);
    }

    #[test]
    fn an_outlier_is_named_and_a_tight_sample_has_none() {
        let mut samples = vec![1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 1.01];
        assert!(outliers(&samples).is_empty());
        samples.push(1.2);
        assert_eq!(outliers(&samples), [7]);
        assert!(outliers(&[1.0, 1.0, 1.0, 1.0, 9.0]).is_empty());
    }

    #[test]
    fn a_steady_slowdown_is_drift_and_noise_is_not() {
        let rising: Vec<f64> = (0..15).map(|i| 1.0 + 0.01 * f64::from(i)).collect();
        assert!((drift(&rising).unwrap() - 1.12 / 1.02 + 1.0).abs() < 1e-12);
        let noise: Vec<f64> = (0..15).map(|i| 1.0 + 0.05 * f64::from(i % 3)).collect();
        assert_eq!(drift(&noise), None);
        assert_eq!(drift(&rising[..11]), None);
    }

    proptest! {
        #[test]
        fn ranks_are_the_narrowest_that_cover(n in 6_u32..110) {
            let ranks = median_ranks(n as usize).unwrap();
            let low = ranks.low as u32;
            prop_assert_eq!(ranks.high as u32, n + 1 - low);
            prop_assert!((ranks.coverage - exact_coverage(n, low)).abs() < 1e-9);
            prop_assert!(exact_coverage(n, low) >= 0.95);
            prop_assert!(exact_coverage(n, low + 1) < 0.95);
        }

        #[test]
        fn every_figure_lies_within_its_bounds(samples in prop::collection::vec(1e-6..1e6, 1..60)) {
            let summary = summarize(&samples).unwrap();
            prop_assert!(summary.min <= summary.median && summary.median <= summary.max);
            prop_assert!(summary.mad >= 0.0 && summary.mad <= summary.max - summary.min);
            prop_assert!(summary.cv >= 0.0);
            if let Some((low, high)) = summary.interval {
                prop_assert!(summary.min <= low && low <= summary.median);
                prop_assert!(summary.median <= high && high <= summary.max);
            }
        }

        #[test]
        fn order_does_not_matter(
            (samples, shuffled) in prop::collection::vec(1e-6..1e6, 1..40)
                .prop_flat_map(|samples| (Just(samples.clone()), Just(samples).prop_shuffle()))
        ) {
            prop_assert_eq!(summarize(&samples), summarize(&shuffled));
        }
    }
}
