//! What else must be said of runs: repetitions that did not count, and samples that a median
//! describes badly.

use super::{arms, points, wall_times};
use crate::result::{Point, Run};
use crate::statistics::{self, TwoGroups};

/// Repetitions of one arm that did not count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Void {
    /// Name of the arm.
    pub(crate) arm: String,
    /// How many.
    pub(crate) count: usize,
    /// Why, each reason once.
    pub(crate) reasons: Vec<String>,
}

/// Void repetitions, by arm.
pub(crate) fn voids(runs: &[Run]) -> Vec<Void> {
    arms(runs)
        .into_iter()
        .filter_map(|arm| {
            let all: Vec<&str> = runs
                .iter()
                .filter(|run| run.arm == arm)
                .filter_map(|run| run.void.as_deref())
                .collect();
            let reasons = super::distinct(all.iter().map(|reason| (*reason).to_owned()));
            (!all.is_empty()).then(|| Void {
                arm: arm.to_owned(),
                count: all.len(),
                reasons,
            })
        })
        .collect()
}

/// Something about the repetitions of one arm at one point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Note {
    /// Name of the arm.
    pub(crate) arm: String,
    /// The point.
    pub(crate) point: Point,
    /// Relative change from the first third to the last, if there is one.
    pub(crate) drift: Option<f64>,
    /// The two speeds that they ran at, if they did.
    pub(crate) groups: Option<TwoGroups>,
    /// Numbers of the repetitions far from the median, with their relative distance.
    pub(crate) outliers: Vec<(u32, f64)>,
}

/// What is worth a warning, by arm and point. Nothing is ever left out of a median for it.
pub(crate) fn notes(runs: &[Run]) -> Vec<Note> {
    let mut notes = Vec::new();
    for point in points(runs) {
        for arm in arms(runs) {
            let times = wall_times(runs, arm, point);
            let note = Note {
                arm: arm.to_owned(),
                point: point.clone(),
                drift: statistics::drift(&times),
                groups: statistics::two_groups(&times),
                outliers: outliers(runs, arm, point, &times),
            };
            if note.drift.is_some() || note.groups.is_some() || !note.outliers.is_empty() {
                notes.push(note);
            }
        }
    }
    notes
}

fn outliers(runs: &[Run], arm: &str, point: &Point, times: &[f64]) -> Vec<(u32, f64)> {
    let Some(median) = statistics::median(times) else {
        return Vec::new();
    };
    let numbers: Vec<u32> = runs
        .iter()
        .filter(|run| run.is_counted() && run.arm == arm && run.shared_point() == point)
        .map(|run| run.repetition)
        .collect();
    statistics::outliers(times)
        .into_iter()
        .map(|at| (numbers[at], times[at] / median - 1.0))
        .collect()
}
