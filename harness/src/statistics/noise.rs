//! Noise floor: the difference that this machine shows between two runs of the same program.

use super::summary::{INTERVAL_SAMPLES_MIN, median};
use super::verdict::relative_difference;

/// Random re-splits that the floor is the quantile of: its own error is then below 0.3 % of rank.
const RESPLITS: usize = 10_000;

/// Part of the re-splits that differ no more than the floor.
const QUANTILE: f64 = 0.95;

/// The relative difference of medians (0.01 for 1 %) that a comparison of equal programs stays
/// below 95 times in 100, from two samples of one program, taken in turns.
///
/// If the samples are alike, then any dealing of their pooled values into two is as likely as the
/// one that was measured; of 10,000 random dealings the 95 % quantile of
/// [`relative_difference`] is taken (a permutation distribution: Fisher 1935, "The Design of
/// Experiments", section 21). It is at least the difference that was measured, which also holds
/// what the position within a pair does. It applies to comparisons of as many samples or more;
/// the same seed gives the same floor. `None` below [`INTERVAL_SAMPLES_MIN`] samples on a side, or
/// with anything but finite numbers above 0. Takes about 20 ms for 15 samples a side.
pub(crate) fn noise_floor(first: &[f64], second: &[f64], seed: u64) -> Option<f64> {
    let usable = |sample: &f64| sample.is_finite() && *sample > 0.0;
    if first.len().min(second.len()) < INTERVAL_SAMPLES_MIN
        || !first.iter().chain(second).all(usable)
    {
        return None;
    }
    let measured = relative_difference(median(first)? / median(second)?);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut pooled = [first, second].concat();
    let mut differences = Vec::with_capacity(RESPLITS);
    for _ in 0..RESPLITS {
        random.shuffle(&mut pooled);
        let (one, other) = pooled.split_at(first.len());
        differences.push(relative_difference(median(one)? / median(other)?));
    }
    differences.sort_by(f64::total_cmp);
    let usual = differences[(QUANTILE * RESPLITS as f64) as usize - 1];
    Some(usual.max(measured))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_floor() {
        let first: Vec<f64> = (0..15).map(|i| 1.0 + 0.01 * f64::from(i)).collect();
        let second: Vec<f64> = first.iter().map(|x| x * 1.003).collect();
        let floor = noise_floor(&first, &second, 7).unwrap();
        assert_eq!(noise_floor(&first, &second, 7), Some(floor));
        let other = noise_floor(&first, &second, 8).unwrap();
        assert!((other / floor - 1.0).abs() < 0.2, "{floor} {other}");
    }

    #[test]
    fn the_floor_is_at_least_what_was_measured() {
        let floor = noise_floor(&[1.0; 15], &[1.1; 15], 1).unwrap();
        assert!((floor - 0.1).abs() < 1e-12);
        assert_eq!(noise_floor(&[1.0; 6], &[1.0; 6], 1), Some(0.0));
    }

    #[test]
    fn few_or_bad_samples_have_no_floor() {
        assert_eq!(noise_floor(&[1.0; 5], &[1.0; 15], 1), None);
        assert_eq!(noise_floor(&[], &[], 1), None);
        assert_eq!(noise_floor(&[0.0; 6], &[1.0; 6], 1), None);
        assert_eq!(noise_floor(&[f64::NAN; 6], &[1.0; 6], 1), None);
    }
}
