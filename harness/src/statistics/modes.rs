//! Two groups in one sample: repetitions that took one of two speeds.
//!
//! A median between two groups describes neither, and falls into one or the other by chance. The
//! usual causes are two kinds of core, a clock that was lowered part of the time, another process.

use super::dip::{dip, is_too_large_for_one_mode};
use super::summary::{have_ratios, median_of_sorted, sorted};

/// Fewest samples of a group: one or two that lie apart are outliers, and named as such.
const GROUP_SAMPLES_MIN: usize = 3;

/// Least distance between the medians of the groups, relative to the lower one, that is worth a
/// warning.
const SEPARATION_MIN: f64 = 0.01;

/// Two groups of samples, in the samples' unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TwoGroups {
    /// How many samples are in the lower group.
    pub(crate) lower_count: usize,
    /// Median of the lower group.
    pub(crate) lower_median: f64,
    /// How many samples are in the upper group.
    pub(crate) upper_count: usize,
    /// Median of the upper group.
    pub(crate) upper_median: f64,
}

/// The two groups that samples fall into, if one group does not explain them.
///
/// It does not when the dip test says so at 5 %: of samples that have one mode, whatever their
/// shape, about so many raise a false alarm at most, and one in a hundred if they thin out on both
/// sides. Of 15 samples a group of five well apart is seen always, one of four half of the time,
/// one of three hardly ever. The groups are those with the least
/// sum of squares within (Fisher 1958, "On grouping for maximum homogeneity"), of three samples
/// or more, with medians at least 1 % apart. Costs n^2 for n samples at worst.
pub(crate) fn two_groups(samples: &[f64]) -> Option<TwoGroups> {
    if samples.len() < 2 * GROUP_SAMPLES_MIN || !have_ratios(samples) {
        return None;
    }
    let sorted = sorted(samples);
    if !is_too_large_for_one_mode(dip(&sorted), sorted.len()) {
        return None;
    }
    let (lower, upper) = sorted.split_at(most_homogeneous_split(&sorted));
    let groups = TwoGroups {
        lower_count: lower.len(),
        lower_median: median_of_sorted(lower)?,
        upper_count: upper.len(),
        upper_median: median_of_sorted(upper)?,
    };
    (groups.upper_median > groups.lower_median * (1.0 + SEPARATION_MIN)).then_some(groups)
}

/// Where to part sorted samples in two so that the sum of squares within the parts is least, which
/// is where that between them, from their means, is greatest.
fn most_homogeneous_split(sorted: &[f64]) -> usize {
    let total: f64 = sorted.iter().sum();
    let mut lower_sum = 0.0;
    let mut best = (GROUP_SAMPLES_MIN, f64::NEG_INFINITY);
    for (position, sample) in sorted.iter().enumerate() {
        let (lower, upper) = (position, sorted.len() - position);
        if lower >= GROUP_SAMPLES_MIN && upper >= GROUP_SAMPLES_MIN {
            let distance = (total - lower_sum) / upper as f64 - lower_sum / lower as f64;
            let between = distance * distance * lower as f64 * upper as f64;
            if between > best.1 {
                best = (position, between);
            }
        }
        lower_sum += sample;
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::super::simulation::{Draw, contaminated, normal, one_sided, sample, share_of};
    use super::super::simulation::{uniform, wall_time};
    use super::*;

    #[test]
    fn samples_of_one_mode_raise_few_alarms() {
        let lognormal: Draw = |random| (0.5 * normal(random)).exp();
        let symmetric: Draw = |random| 1.0 + 0.02 * normal(random);
        for draw in [wall_time, symmetric, lognormal, one_sided, contaminated] {
            let alarms = share_of(2000, |random| {
                two_groups(&sample(random, draw, 15)).is_some()
            });
            assert!(alarms <= 0.02, "{alarms}");
        }
        let alarms = share_of(2000, |random| {
            two_groups(&sample(random, uniform, 15)).is_some()
        });
        assert!(alarms <= 0.06, "{alarms}");
    }

    #[test]
    fn two_speeds_a_tenth_apart_are_found() {
        let found = share_of(500, |random| {
            let lower_count = random.usize(5..=10);
            let samples: Vec<f64> = (0..15)
                .map(|position| {
                    let speed = if position < lower_count { 1.0 } else { 1.1 };
                    speed * (1.0 + 0.005 * normal(random))
                })
                .collect();
            two_groups(&samples).is_some_and(|groups| groups.lower_count == lower_count)
        });
        assert!(found > 0.97, "{found}");
    }

    #[test]
    fn groups_are_told_with_their_medians() {
        let samples = [1.01, 2.0, 1.0, 2.02, 1.02, 2.01, 1.01, 2.03];
        let groups = two_groups(&samples).unwrap();
        assert_eq!((groups.lower_count, groups.upper_count), (4, 4));
        assert!((groups.lower_median - 1.01).abs() < 1e-12);
        assert!((groups.upper_median - 2.015).abs() < 1e-12);
    }

    #[test]
    fn outliers_and_groups_close_together_are_no_two_groups() {
        let mut samples: Vec<f64> = (0..13).map(|i| 1.0 + 0.001 * f64::from(i)).collect();
        samples.extend([1.5, 1.51]);
        assert_eq!(two_groups(&samples), None);
        let close = [1.0, 1.0001, 1.0002, 1.0003, 1.005, 1.0051, 1.0052, 1.0053];
        assert_eq!(two_groups(&close), None);
    }

    #[test]
    fn few_or_bad_samples_have_no_groups() {
        assert_eq!(two_groups(&[]), None);
        assert_eq!(two_groups(&[1.0, 1.0, 2.0, 2.0, 2.0]), None);
        assert_eq!(two_groups(&[1.0; 15]), None);
        assert_eq!(two_groups(&[1.0, 1.0, 1.0, f64::NAN, 2.0, 2.0, 2.0]), None);
    }
}
