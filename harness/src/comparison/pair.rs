//! Two samples of times at one point, and what the one says of the other.

use serde::Serialize;

use crate::environment::NoiseFloor;
use crate::result::Point;
use crate::statistics::{self, RatioEstimate, Summary, Verdict};

/// Times of one side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Times {
    /// Repetitions counted.
    pub(crate) n: usize,
    /// Median, in seconds.
    pub(crate) median: f64,
    /// Lower bound of its 95 % interval; null below 6 repetitions.
    pub(crate) ci_low: Option<f64>,
    /// Upper bound.
    pub(crate) ci_high: Option<f64>,
}

impl Times {
    fn new(n: usize, summary: Summary) -> Self {
        Self {
            n,
            median: summary.median,
            ci_low: summary.interval.map(|(low, _)| low),
            ci_high: summary.interval.map(|(_, high)| high),
        }
    }

    /// Distance of the median to the farther end of its interval, over the median.
    pub(crate) fn relative_margin(&self) -> Option<f64> {
        let farther = (self.median - self.ci_low?).max(self.ci_high? - self.median);
        Some(farther / self.median)
    }
}

/// Two sides at one point. Ratios are the first one's time over the reference's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Pair {
    /// What was measured.
    #[serde(flatten)]
    pub(crate) point: Point,
    /// Times of the side that is judged.
    pub(crate) wall_s: Times,
    /// Times of the reference.
    pub(crate) reference_wall_s: Times,
    /// Ratio of the medians.
    pub(crate) ratio: f64,
    /// Lower bound of its 95 % interval; null if a side has fewer than 6 repetitions.
    pub(crate) ci_low: Option<f64>,
    /// Upper bound.
    pub(crate) ci_high: Option<f64>,
    /// Two-sided p of the Mann-Whitney test.
    pub(crate) p: f64,
    /// The difference that equal programs show here; null if it is not known.
    pub(crate) noise_floor: Option<f64>,
    /// Whether there is a difference.
    pub(crate) verdict: Verdict,
}

impl Pair {
    /// Ratio and interval.
    pub(crate) fn estimate(&self) -> RatioEstimate {
        RatioEstimate {
            ratio: self.ratio,
            interval: self.ci_low.zip(self.ci_high),
        }
    }

    /// What [`statistics::regression`] judges.
    pub(crate) fn comparison(&self) -> statistics::Comparison {
        statistics::Comparison {
            estimate: self.estimate(),
            p: self.p,
            verdict: self.verdict,
        }
    }
}

/// Compares times, in seconds and in order of time, with those of a reference; `None` if a side
/// has none, or a time of 0. The noise floor is the self-test's, else what the two sides' own
/// repetitions tell.
pub(crate) fn pair(
    point: &Point,
    times: &[f64],
    reference: &[f64],
    measured_floor: Option<&NoiseFloor>,
) -> Option<Pair> {
    let noise_floor = match measured_floor {
        Some(floor) => Some(floor.relative),
        None => own_noise_floor(times, reference),
    };
    let comparison = statistics::compare(times, reference, noise_floor)?;
    Some(Pair {
        point: point.clone(),
        wall_s: Times::new(times.len(), statistics::summarize(times)?),
        reference_wall_s: Times::new(reference.len(), statistics::summarize(reference)?),
        ratio: comparison.estimate.ratio,
        ci_low: comparison.estimate.interval.map(|(low, _)| low),
        ci_high: comparison.estimate.interval.map(|(_, high)| high),
        p: comparison.p,
        noise_floor,
        verdict: comparison.verdict,
    })
}

/// The larger of the floors of both sides, each from its odd against its even repetitions: a
/// comparison of equal programs that came for free. It takes twelve repetitions of a side.
fn own_noise_floor(times: &[f64], reference: &[f64]) -> Option<f64> {
    let floor = |times: &[f64]| {
        let odd: Vec<f64> = times.iter().step_by(2).copied().collect();
        let even: Vec<f64> = times.iter().skip(1).step_by(2).copied().collect();
        statistics::noise_floor(&odd, &even)
    };
    [floor(times), floor(reference)]
        .into_iter()
        .flatten()
        .reduce(f64::max)
}
