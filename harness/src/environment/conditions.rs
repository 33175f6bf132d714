//! What may change about a machine while something is measured.

use serde::{Deserialize, Serialize};

/// The machine at one moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Conditions {
    /// Runnable processes, averaged over a minute.
    pub(crate) load_average: Option<f64>,
}

impl Conditions {
    /// Why a repetition between the two must not count; `None` if nothing got worse.
    pub(crate) fn worsened(before: &Self, after: &Self) -> Option<String> {
        let (before, after) = (before.load_average?, after.load_average?);
        (after > before + 4.0).then(|| format!("the load rose from {before:.1} to {after:.1}"))
    }
}
