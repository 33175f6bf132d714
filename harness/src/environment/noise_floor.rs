//! How much equal programs seem to differ on this machine.

use serde::{Deserialize, Serialize};

/// The noise floor of a machine, as `lycosa selftest` has measured it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct NoiseFloor {
    /// The difference that equal programs stay below 95 times in 100: 0.01 is 1 %.
    pub(crate) relative: f64,
    /// When it was measured, RFC 3339 with an offset.
    pub(crate) date: String,
    /// Operations of each repetition.
    #[serde(default)]
    pub(crate) records: Option<u64>,
    /// Repetitions of each side.
    #[serde(default)]
    pub(crate) repetitions: Option<u32>,
}
