//! The dip: how far a sample is from the nearest distribution with one mode.
//!
//! Hartigan and Hartigan 1985, "The Dip Test of Unimodality", Annals of Statistics 13: a
//! distribution function has one mode when it is convex up to some point and concave from there
//! on, and the dip is the least largest distance of the sample's distribution function from any
//! such one. It is a probability: 1/2n when n samples have one mode, 1/4 for two equal points.

/// Dips that one in 20 uniform samples of a size exceeds, by size: as in table 1 of Hartigan and
/// Hartigan, with the digits of the million samples of each size that Maechler simulated for the R
/// package diptest. In large samples no usual distribution with one mode has larger dips.
const CRITICAL: [(usize, f64); 14] = [
    (4, 0.2073),
    (5, 0.1864),
    (6, 0.1648),
    (7, 0.1599),
    (8, 0.1540),
    (9, 0.1466),
    (10, 0.1396),
    (15, 0.1188),
    (20, 0.1051),
    (30, 0.0882),
    (50, 0.0703),
    (100, 0.0511),
    (200, 0.0368),
    (500, 0.0237),
];

/// Whether a dip of so many samples speaks against one mode, at 5 %; below the smallest size of the
/// table nothing does. Between its sizes the dip times the root of the size is interpolated, and
/// past the last it has converged.
pub(super) fn is_too_large_for_one_mode(dip: f64, samples: usize) -> bool {
    let scaled = |(size, dip): (usize, f64)| (size as f64).sqrt() * dip;
    let largest = CRITICAL[CRITICAL.len() - 1];
    let around = CRITICAL
        .windows(2)
        .find(|pair| (pair[0].0..=pair[1].0).contains(&samples));
    let critical = match around {
        Some(pair) => {
            let part = (samples - pair[0].0) as f64 / (pair[1].0 - pair[0].0) as f64;
            scaled(pair[0]) * (1.0 - part) + scaled(pair[1]) * part
        }
        None if samples > largest.0 => scaled(largest),
        None => return false,
    };
    scaled((samples, dip)) > critical
}

/// The dip of sorted samples. Costs n for one pass, and at worst n passes.
///
/// The interval that holds the mode starts as the whole range and is narrowed to where the convex
/// hull from below and the concave hull from above are furthest apart. What is cut off on the left
/// must be convex, on the right concave: its distance from the hull there is a lower bound of
/// twice the dip. It ends when the hulls are no further apart than the bound.
pub(super) fn dip(sorted: &[f64]) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    let steps = steps(sorted);
    let (mut low, mut high) = (0, steps.len() - 1);
    // In samples, and twice the dip.
    let mut bound = 1.0_f64;
    loop {
        let convex = Hull::convex(&steps, low, high);
        let concave = Hull::concave(&steps, low, high);
        let knots = convex.knots.iter().chain(&concave.knots);
        let gap = |at: usize| concave.heights[at - low] - convex.heights[at - low];
        let Some(widest) = knots.copied().max_by(|a, b| gap(*a).total_cmp(&gap(*b))) else {
            break;
        };
        if gap(widest) <= bound || low == high {
            break;
        }
        let mode_low = convex.knots[convex.knots.partition_point(|knot| *knot <= widest) - 1];
        let mode_high = concave.knots[concave.knots.partition_point(|knot| *knot < widest)];
        let left = steps[low..mode_low].iter().zip(&convex.heights);
        let right = steps[mode_high + 1..=high]
            .iter()
            .zip(&concave.heights[mode_high + 1 - low..]);
        bound = left
            .map(|(step, height)| step.up_to - height)
            .chain(right.map(|(step, height)| height - step.below))
            .fold(bound, f64::max);
        (low, high) = (mode_low, mode_high);
    }
    bound / (2.0 * sorted.len() as f64)
}

/// A step of the sample's distribution function, in samples.
struct Step {
    value: f64,
    /// Samples below the value.
    below: f64,
    /// Samples up to the value, with those that equal it.
    up_to: f64,
}

fn steps(sorted: &[f64]) -> Vec<Step> {
    let mut below = 0;
    sorted
        // Of ascending values, those that are not below the next equal it.
        .chunk_by(|value, next| value >= next)
        .map(|equal| {
            let step = Step {
                value: equal[0],
                below: below as f64,
                up_to: (below + equal.len()) as f64,
            };
            below += equal.len();
            step
        })
        .collect()
}

/// The greatest convex function below the steps from one to another, or the least concave one
/// above them.
struct Hull {
    /// Positions of the steps that it touches.
    knots: Vec<usize>,
    /// Its height at each step, from the first on.
    heights: Vec<f64>,
}

impl Hull {
    fn convex(steps: &[Step], low: usize, high: usize) -> Self {
        Self::new(
            steps,
            low,
            high,
            |step| step.below,
            |before, after| before < after,
        )
    }

    fn concave(steps: &[Step], low: usize, high: usize) -> Self {
        Self::new(
            steps,
            low,
            high,
            |step| step.up_to,
            |before, after| before > after,
        )
    }

    /// `turns` tells from the slopes before and after a step whether the hull touches it.
    fn new(
        steps: &[Step],
        low: usize,
        high: usize,
        height: impl Fn(&Step) -> f64,
        turns: impl Fn(f64, f64) -> bool,
    ) -> Self {
        let slope = |from: usize, to: usize| {
            (height(&steps[to]) - height(&steps[from])) / (steps[to].value - steps[from].value)
        };
        let mut knots: Vec<usize> = Vec::new();
        for at in low..=high {
            while let [.., before, last] = knots[..] {
                if turns(slope(before, last), slope(last, at)) {
                    break;
                }
                knots.pop();
            }
            knots.push(at);
        }
        let mut heights = vec![height(&steps[low])];
        for ends in knots.windows(2) {
            let (from, to) = (ends[0], ends[1]);
            let rise = slope(from, to);
            let between = (from + 1..to)
                .map(|at| height(&steps[from]) + rise * (steps[at].value - steps[from].value));
            heights.extend(between);
            heights.push(height(&steps[to]));
        }
        Self { knots, heights }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::simulation::{share_of, uniform};
    use super::*;

    fn assert_dip(samples: &[f64], expected: f64) {
        let dip = dip(samples);
        assert!(
            (dip - expected).abs() < 1e-9,
            "{dip} instead of {expected}: {samples:?}"
        );
    }

    #[test]
    fn dips_agree_with_published_ones() {
        // Quality of 63 faculties of statistics: the example of Hartigan and Hartigan 1985.
        let faculties: Vec<f64> = [
            30, 33, 35, 36, 37, 37, 39, 39, 39, 39, 39, 40, 40, 40, 40, 41, 42, 43, 43, 43, 44, 44,
            44, 45, 45, 46, 47, 47, 48, 48, 48, 49, 50, 50, 51, 52, 52, 53, 53, 53, 53, 53, 54, 54,
            57, 57, 59, 60, 60, 60, 61, 61, 61, 61, 62, 62, 62, 62, 63, 66, 70, 72, 72,
        ]
        .map(f64::from)
        .to_vec();
        assert_dip(&faculties, 0.059_523_809_523_809_52);
        // The examples of the R package diptest.
        assert_dip(&[1.0, 1.0, 2.0, 2.0], 1.0 / 4.0);
        assert_dip(&[0.0, 1.0, 3.0, 6.0], 1.0 / 8.0);
        assert_dip(&[0.0, 2.0, 3.0, 5.0, 6.0], 2.0 / 15.0);
        assert_dip(&[0.0, 1.0, 3.0, 4.0, 6.0], 2.0 / 15.0);
        assert_dip(
            &[1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
            1.0 / 20.0,
        );
    }

    #[test]
    fn dips_of_one_mode_are_the_least_there_are() {
        assert_dip(&[], 0.0);
        assert_dip(&[5.0], 0.5);
        assert_dip(&[5.0; 8], 1.0 / 16.0);
        let even: Vec<f64> = (0..20).map(f64::from).collect();
        assert_dip(&even, 1.0 / 40.0);
    }

    #[test]
    fn uniform_samples_exceed_the_critical_dip_one_time_in_twenty() {
        for n in [6, 12, 15, 25, 40] {
            let exceeding = share_of(2000, |random| {
                let mut samples: Vec<f64> = (0..n).map(|_| uniform(random)).collect();
                samples.sort_by(f64::total_cmp);
                is_too_large_for_one_mode(dip(&samples), n)
            });
            assert!((0.035..=0.065).contains(&exceeding), "{n}: {exceeding}");
        }
    }

    #[test]
    fn every_number_of_samples_has_a_critical_dip() {
        for n in 0..1000 {
            assert!(!is_too_large_for_one_mode(0.5 / n.max(1) as f64, n));
            assert_eq!(is_too_large_for_one_mode(0.25, n), n >= 4);
        }
    }

    proptest! {
        #[test]
        fn mirroring_and_scaling_change_nothing(
            samples in prop::collection::vec((0_i32..40).prop_map(f64::from), 1..40),
        ) {
            let ascending = |map: fn(&f64) -> f64| {
                let mut samples: Vec<f64> = samples.iter().map(map).collect();
                samples.sort_by(f64::total_cmp);
                samples
            };
            let original = dip(&ascending(|x| *x));
            prop_assert!((dip(&ascending(|x| -x)) - original).abs() < 1e-9);
            prop_assert!((dip(&ascending(|x| 3.0 * x + 7.0)) - original).abs() < 1e-9);
            prop_assert!(original >= 0.5 / samples.len() as f64 - 1e-12);
            prop_assert!(original <= 0.25_f64.max(0.5 / samples.len() as f64) + 1e-12);
        }
    }
}
