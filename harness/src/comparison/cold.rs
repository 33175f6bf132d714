//! What the first launch of an arm costs more than the later ones.

use serde::Serialize;

use crate::environment::Translator;
use crate::result::Run;
use crate::statistics::{self, INTERVAL_SAMPLES_MIN};

/// Modified z-score (see [`statistics::outliers`]) from which a first launch stands out.
const SCORE_MIN: f64 = 3.5;

/// The cold launches of an arm beside the warm ones of the same point. Times are the lives of the
/// worker processes: a translator works before and beside the transactions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(
    clippy::struct_field_names,
    reason = "all are times, and units stand last"
)]
pub(crate) struct ColdStart {
    /// Each cold launch, in order.
    pub(crate) process_s: Vec<f64>,
    /// Median of the counted ones; null if there are none.
    pub(crate) warm_process_s: Option<f64>,
    /// What the first launch took longer, if the arm is translated and it stands out.
    pub(crate) translation_s: Option<f64>,
}

/// The cold launches of an arm; `None` if there are none.
pub(crate) fn cold_start(runs: &[Run], arm: &str) -> Option<ColdStart> {
    let own = |run: &&Run| run.arm == arm && run.process_s > 0.0;
    let cold: Vec<&Run> = runs.iter().filter(own).filter(|run| run.cold).collect();
    let first = cold.first()?;
    let warm: Vec<f64> = runs
        .iter()
        .filter(own)
        .filter(|run| run.is_counted() && run.point == first.point)
        .map(|run| run.process_s)
        .collect();
    let is_translated = !matches!(first.translator, None | Some(Translator::Native));
    Some(ColdStart {
        process_s: cold.iter().map(|run| run.process_s).collect(),
        warm_process_s: statistics::median(&warm),
        translation_s: excess(first.process_s, &warm).filter(|_| is_translated),
    })
}

/// By how much a launch exceeds the median of warm ones, if chance does not explain it: it must be
/// longer than each of them, and so far away that it would be called an outlier.
fn excess(cold_s: f64, warm: &[f64]) -> Option<f64> {
    if warm.len() < INTERVAL_SAMPLES_MIN {
        return None;
    }
    let summary = statistics::summarize(warm)?;
    let excess = cold_s - summary.median;
    (cold_s > summary.max && 0.6745 * excess > SCORE_MIN * summary.mad).then_some(excess)
}
