//! Noise floor: the difference that this machine shows between two runs of the same program.

use super::resampling::{ResampledMedian, ResampledRatio};
use super::summary::{INTERVAL_SAMPLES_MIN, have_ratios, median, sorted};
use super::verdict::relative_difference;

/// Part of the pairs of resamples that differ no more than the floor. The floor comes from samples
/// itself and so is off by chance; taking the quantile beyond 95 % makes up for that.
const QUANTILE: f64 = 0.975;

/// The relative difference of medians (0.01 for 1 %) that a comparison of equal programs stays
/// within 95 times in 100, from two samples of one program, taken in turns.
///
/// Samples of one program are alike, so all of them together stand for it. The floor is the
/// quantile of [`relative_difference`] over all pairs of resamples, as large as the two samples,
/// from both pooled (Efron and Tibshirani, "An Introduction to the Bootstrap", 16.2), and at least
/// the difference that was measured. In simulations new comparisons of 6 to 30 samples stayed
/// within it 94 to 97 % of the time, whatever the shape; random re-splits of the pooled samples,
/// without replacement, gave floors that held 85 to 91 %. It applies to comparisons of as many
/// samples or more. `None` below [`INTERVAL_SAMPLES_MIN`] samples on a side, or with anything but
/// numbers above 0. Takes two to four times as long as an interval of the ratio.
pub(crate) fn noise_floor(first: &[f64], second: &[f64]) -> Option<f64> {
    let pooled = sorted(&[first, second].concat());
    if first.len().min(second.len()) < INTERVAL_SAMPLES_MIN || !have_ratios(&pooled) {
        return None;
    }
    let usual = ResampledRatio::new(
        ResampledMedian::new(&pooled, first.len()),
        ResampledMedian::new(&pooled, second.len()),
    )
    .factor(QUANTILE);
    let measured = relative_difference(median(first)? / median(second)?);
    Some(measured.max(usual - 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::simulation::{contaminated, one_sided, sample, share_of, wall_time};
    use super::*;

    #[test]
    fn equal_programs_stay_within_the_floor_nineteen_times_in_twenty() {
        for draw in [wall_time, one_sided, contaminated] {
            let within = share_of(2000, |random| {
                let [first, second, third, fourth] = [(); 4].map(|()| sample(random, draw, 15));
                let floor = noise_floor(&first, &second).unwrap();
                relative_difference(median(&third).unwrap() / median(&fourth).unwrap()) <= floor
            });
            assert!((0.94..=0.98).contains(&within), "{within}");
        }
    }

    #[test]
    fn the_floor_is_at_least_what_was_measured() {
        let floor = noise_floor(&[1.0; 15], &[1.1; 15]).unwrap();
        assert!((floor - 0.1).abs() < 1e-12);
        assert!(noise_floor(&[1.0; 6], &[1.0; 6]).unwrap() < 1e-12);
    }

    #[test]
    fn few_or_bad_samples_have_no_floor() {
        assert_eq!(noise_floor(&[1.0; 5], &[1.0; 15]), None);
        assert_eq!(noise_floor(&[], &[]), None);
        assert_eq!(noise_floor(&[0.0; 6], &[1.0; 6]), None);
        assert_eq!(noise_floor(&[f64::NAN; 6], &[1.0; 6]), None);
    }

    proptest! {
        #[test]
        fn order_and_unit_do_not_matter(
            first in prop::collection::vec(0.5..2.0, 6..20),
            second in prop::collection::vec(0.5..2.0, 6..20),
        ) {
            let floor = noise_floor(&first, &second).unwrap();
            prop_assert!((noise_floor(&second, &first).unwrap() - floor).abs() < 1e-9);
            let scaled = |samples: &[f64]| samples.iter().map(|x| 1e6 * x).collect::<Vec<_>>();
            let scaled_floor = noise_floor(&scaled(&first), &scaled(&second)).unwrap();
            prop_assert!((scaled_floor - floor).abs() < 1e-9);
        }
    }
}
