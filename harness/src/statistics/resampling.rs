//! Medians of resamples, drawn with replacement: which values they take, and how probably.
//!
//! Nothing is drawn: the position of an order statistic of a resample has a known distribution
//! (Efron 1979, "Bootstrap Methods: Another Look at the Jackknife", section 3), so this is the
//! bootstrap as with infinitely many resamples, and needs no seed.

/// Outcomes less probable than this are left out: a million of them together still weigh far less
/// than any figure shows.
const PROBABILITY_MIN: f64 = 1e-15;

/// What the median of a resample is, and how probably.
pub(super) struct ResampledMedian {
    /// Possible medians, ascending.
    values: Vec<f64>,
    /// Probability that the median is the value at the same position or a smaller one.
    cumulative: Vec<f64>,
}

impl ResampledMedian {
    /// Distribution over the resamples of `drawn` values from sorted samples, neither of them none.
    /// Costs the product of both counts, and with an even `drawn`, where the median lies between
    /// two values, a sort of n^2 / 2 values for n samples.
    pub(super) fn new(samples: &[f64], drawn: usize) -> Self {
        let ranks = MiddleRanks::new(samples.len(), drawn);
        let mut outcomes = Vec::new();
        let mut add = |median: f64, probability: f64| {
            if probability > PROBABILITY_MIN {
                outcomes.push((median, probability));
            }
        };
        for (lower, sample) in (1..).zip(samples) {
            if drawn % 2 == 1 {
                add(*sample, ranks.is_lower(lower));
                continue;
            }
            for (upper, other) in (lower..).zip(&samples[lower - 1..]) {
                add(sample.midpoint(*other), ranks.are_both(lower, upper));
            }
        }
        outcomes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = outcomes.iter().map(|(_, probability)| probability).sum();
        let mut below = 0.0;
        let cumulative = outcomes.iter().map(|(_, probability)| {
            below += probability / total;
            below
        });
        Self {
            cumulative: cumulative.collect(),
            values: outcomes.iter().map(|(value, _)| *value).collect(),
        }
    }

    /// Smallest and largest median.
    fn range(&self) -> (f64, f64) {
        (self.values[0], self.values[self.values.len() - 1])
    }
}

/// Where the middle of a resample comes from, in ranks of the samples from 1 on.
///
/// Of `drawn` values from n samples, those with a rank up to i are binomial(drawn, i/n).
struct MiddleRanks {
    samples: usize,
    /// Position, in the sorted resample, of its middle value or of the lower of its middle two.
    middle: usize,
    /// Logarithm of the number of ways to choose that many of the values drawn.
    choices_ln: f64,
    /// Probability that the value at that position has a rank up to i, by i.
    up_to: Vec<f64>,
}

impl MiddleRanks {
    fn new(samples: usize, drawn: usize) -> Self {
        let middle = drawn.div_ceil(2);
        let mut choices_ln = vec![0.0];
        for k in 1..=drawn {
            let factor = (drawn - k + 1) as f64 / k as f64;
            choices_ln.push(choices_ln[k - 1] + factor.ln());
        }
        let up_to = |rank: usize| {
            let share = rank as f64 / samples as f64;
            let (within_ln, above_ln) = (share.ln(), (-share).ln_1p());
            let exactly = |k: usize| {
                (choices_ln[k] + k as f64 * within_ln + (drawn - k) as f64 * above_ln).exp()
            };
            (middle..=drawn).map(exactly).sum()
        };
        let inner = (1..samples).map(up_to);
        Self {
            samples,
            middle,
            choices_ln: choices_ln[middle],
            up_to: std::iter::once(0.0).chain(inner).chain([1.0]).collect(),
        }
    }

    /// Probability that the middle value, or the lower of the middle two, has this rank.
    fn is_lower(&self, rank: usize) -> f64 {
        self.up_to[rank] - self.up_to[rank - 1]
    }

    /// Probability that the middle two of an even number of values have these ranks.
    fn are_both(&self, lower: usize, upper: usize) -> f64 {
        // The lower half of the resample has ranks up to `lower` and reaches it; so does the
        // upper half, counted from above.
        let lower_half_ln = self.half_reaches_ln(lower);
        if lower < upper {
            let upper_half_ln = self.half_reaches_ln(self.samples + 1 - upper);
            return (self.choices_ln + lower_half_ln + upper_half_ln).exp();
        }
        // Of the resamples whose lower middle has this rank, all but those whose upper half lies
        // above it.
        let above = (self.samples - lower) as f64 / self.samples as f64;
        let parted_ln = self.choices_ln + lower_half_ln + self.middle as f64 * above.ln();
        (self.is_lower(lower) - parted_ln.exp()).max(0.0)
    }

    /// Logarithm of the probability that the values of one half all have ranks up to `rank`, and
    /// one has just that: `(i^h - (i-1)^h) / n^h` for h values, kept from underflow.
    fn half_reaches_ln(&self, rank: usize) -> f64 {
        let half = self.middle as f64;
        let within_ln = half * (rank as f64 / self.samples as f64).ln();
        let all_below_ln = half * ((rank - 1) as f64 / rank as f64).ln();
        within_ln + (-all_below_ln.exp()).ln_1p()
    }
}

/// Ratio of the medians of two independent resamples of values above 0.
pub(super) struct ResampledRatio {
    numerator: ResampledMedian,
    denominator: ResampledMedian,
}

impl ResampledRatio {
    pub(super) fn new(numerator: ResampledMedian, denominator: ResampledMedian) -> Self {
        Self {
            numerator,
            denominator,
        }
    }

    /// Bounds that leave this much of the probability below them, and above.
    pub(super) fn interval(&self, tail: f64) -> (f64, f64) {
        let (low, high) = self.range();
        // The upper bound is the lower one of the inverse, so that swapping inverts the interval
        // even where the probability steps over the tail.
        let below = |ratio| probability_up_to(&self.numerator, &self.denominator, ratio);
        let above = |ratio| probability_up_to(&self.denominator, &self.numerator, ratio);
        (
            quantile((low, high), tail, below),
            1.0 / quantile((1.0 / high, 1.0 / low), tail, above),
        )
    }

    /// Factor by which the ratio is from 1, upward or downward, at most with this probability.
    pub(super) fn factor(&self, probability: f64) -> f64 {
        let (low, high) = self.range();
        let within = |factor| {
            probability_up_to(&self.numerator, &self.denominator, factor)
                + probability_up_to(&self.denominator, &self.numerator, factor)
                - 1.0
        };
        quantile((1.0, high.max(1.0 / low)), probability, within)
    }

    /// Smallest and largest ratio.
    fn range(&self) -> (f64, f64) {
        let (numerator, denominator) = (self.numerator.range(), self.denominator.range());
        (numerator.0 / denominator.1, numerator.1 / denominator.0)
    }
}

/// Probability that one median over another is at most `ratio`. Linear in their outcomes, since
/// both sides ascend together.
fn probability_up_to(
    numerator: &ResampledMedian,
    denominator: &ResampledMedian,
    ratio: f64,
) -> f64 {
    let mut position = 0;
    let mut below_divisor = 0.0;
    let mut probability = 0.0;
    for (divisor, cumulative) in denominator.values.iter().zip(&denominator.cumulative) {
        let limit = ratio * divisor;
        while numerator
            .values
            .get(position)
            .is_some_and(|value| *value <= limit)
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

/// Smallest number between the bounds, which are above 0, that has this probability up to it.
fn quantile(bounds: (f64, f64), probability: f64, up_to: impl Fn(f64) -> f64) -> f64 {
    // A little wider, lest the bounds themselves be lost in rounding.
    let (mut low_ln, mut high_ln) = (bounds.0.ln() - f64::EPSILON, bounds.1.ln() + f64::EPSILON);
    // Each step halves the distance; sixty exhaust the digits of any that can occur.
    for _ in 0..60 {
        let middle_ln = low_ln.midpoint(high_ln);
        if up_to(middle_ln.exp()) >= probability {
            high_ln = middle_ln;
        } else {
            low_ln = middle_ln;
        }
    }
    high_ln.exp()
}

#[cfg(test)]
mod tests {
    use super::super::summary::{median_of_sorted, sorted};
    use super::*;

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
            let distribution = ResampledMedian::new(&samples, samples.len());
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
}
