//! Statistics of a handful of repetitions: what one sample says, and what two say of each other.
//!
//! Everything here is distribution-free or robust, since wall times are skewed and n is small.
//! Samples are in any unit; results are in the same one, or are ratios.

mod bootstrap;
mod dip;
mod modes;
mod noise;
mod rank_test;
mod resampling;
#[cfg(test)]
mod simulation;
mod summary;
mod verdict;

pub(crate) use bootstrap::{RatioEstimate, geometric_mean};
pub(crate) use modes::{TwoGroups, two_groups};
pub(crate) use noise::noise_floor;
pub(crate) use summary::{INTERVAL_SAMPLES_MIN, Summary, drift, median, outliers, summarize};
pub(crate) use verdict::{
    Comparison, Regression, Verdict, compare, regression, relative_difference,
};
