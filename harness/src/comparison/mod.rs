//! What the arms of a measurement say of each other: pure functions from runs.
//!
//! The first arm that ran is the reference; every other is compared with it point by point. How
//! this is shown is the business of reports. Where the noise floor was not measured by `lycosa
//! selftest`, finding it costs tens of milliseconds for an arm and a point; all else is cheap.

pub(crate) mod baseline;
mod cold;
mod notes;
mod pair;
#[cfg(test)]
mod tests;

use lycosa_lua::worker::Driver;
use serde::Serialize;

use crate::environment::NoiseFloor;
use crate::result::{Point, Run};
use crate::statistics::{self, RatioEstimate, Verdict};

pub(crate) use cold::{ColdStart, cold_start};
pub(crate) use notes::{Note, notes, voids};
pub(crate) use pair::{Pair, Times, pair};

/// An arm compared with the reference: an entry of a result file's `comparisons`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ArmComparison {
    /// Name of the arm.
    pub(crate) arm: String,
    /// Name of the arm that it is compared with; ratios are the arm's time over this one's.
    pub(crate) reference: String,
    /// The points at which both have counted repetitions, in the order in which they were measured.
    pub(crate) points: Vec<Pair>,
    /// The ratio over all sizes, for each driver.
    pub(crate) geometric_means: Vec<GeometricMean>,
    /// What the first launch of the arm cost.
    pub(crate) cold_start: Option<ColdStart>,
    /// What the first launch of the reference cost.
    pub(crate) reference_cold_start: Option<ColdStart>,
}

/// The ratio over all sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GeometricMean {
    /// Who issued the statements: with [`Driver::Rust`] the engine is measured alone.
    pub(crate) driver: Driver,
    /// Points that enter it.
    pub(crate) points: usize,
    /// Geometric mean of their ratios.
    pub(crate) ratio: f64,
    /// Lower bound of its 95 % interval; null if a point has none.
    pub(crate) ci_low: Option<f64>,
    /// Upper bound.
    pub(crate) ci_high: Option<f64>,
    /// Largest noise floor of its points.
    pub(crate) noise_floor: Option<f64>,
    /// Whether it shows a difference.
    pub(crate) verdict: Verdict,
}

/// Compares every arm but the first with the first. Of a single arm there is nothing to say.
pub(crate) fn comparisons(runs: &[Run], measured_floor: Option<&NoiseFloor>) -> Vec<ArmComparison> {
    let arms = arms(runs);
    let Some((reference, others)) = arms.split_first() else {
        return Vec::new();
    };
    let points = points(runs);
    others
        .iter()
        .map(|arm| {
            let pairs: Vec<Pair> = points
                .iter()
                .filter_map(|point| pair_of_arms(runs, (arm, reference), point, measured_floor))
                .collect();
            ArmComparison {
                arm: (*arm).to_owned(),
                reference: (*reference).to_owned(),
                geometric_means: geometric_means(&pairs),
                points: pairs,
                cold_start: cold_start(runs, arm),
                reference_cold_start: cold_start(runs, reference),
            }
        })
        .collect()
}

/// An arm beside the reference at one point; `None` until both have counted repetitions there.
pub(crate) fn pair_of_arms(
    runs: &[Run],
    (arm, reference): (&str, &str),
    point: &Point,
    measured_floor: Option<&NoiseFloor>,
) -> Option<Pair> {
    let times = |name| wall_times(runs, name, point);
    pair(point, &times(arm), &times(reference), measured_floor)
}

/// Times of the counted runs of an arm at a point of the plan, in seconds, in order of time.
pub(crate) fn wall_times(runs: &[Run], arm: &str, point: &Point) -> Vec<f64> {
    runs.iter()
        .filter(|run| run.is_counted() && run.arm == arm && run.shared_point() == point)
        .map(Run::compared_s)
        .collect()
}

/// The arms in order of their first run.
pub(crate) fn arms(runs: &[Run]) -> Vec<&str> {
    distinct(runs.iter().map(|run| run.arm.as_str()))
}

/// The points of the plan in order of their first run.
pub(crate) fn points(runs: &[Run]) -> Vec<&Point> {
    distinct(runs.iter().map(Run::shared_point))
}

fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

/// One geometric mean for each driver, in order of the drivers' first points.
pub(crate) fn geometric_means(pairs: &[Pair]) -> Vec<GeometricMean> {
    distinct(pairs.iter().map(|pair| pair.point.driver))
        .into_iter()
        .filter_map(|driver| {
            let own: Vec<&Pair> = pairs
                .iter()
                .filter(|pair| pair.point.driver == driver)
                .collect();
            geometric_mean(driver, &own)
        })
        .collect()
}

fn geometric_mean(driver: Driver, pairs: &[&Pair]) -> Option<GeometricMean> {
    let estimates: Vec<RatioEstimate> = pairs.iter().map(|pair| pair.estimate()).collect();
    let mean = statistics::geometric_mean(&estimates)?;
    let noise_floor = pairs
        .iter()
        .filter_map(|pair| pair.noise_floor)
        .reduce(f64::max);
    let verdict = match mean.interval {
        None => Verdict::TooFewSamples,
        Some((low, high))
            if (low > 1.0 || high < 1.0)
                && statistics::relative_difference(mean.ratio) > noise_floor.unwrap_or(0.0) =>
        {
            Verdict::Difference
        }
        Some(_) => Verdict::NoDifference,
    };
    Some(GeometricMean {
        driver,
        points: pairs.len(),
        ratio: mean.ratio,
        ci_low: mean.interval.map(|(low, _)| low),
        ci_high: mean.interval.map(|(_, high)| high),
        noise_floor,
        verdict,
    })
}
