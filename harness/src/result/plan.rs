//! What a measurement was asked for, as its file keeps it: with it, one that was stopped goes on.

use serde::{Deserialize, Serialize};

use super::Point;
use crate::schedule::Plan;

/// The plan of a result file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlanRecord {
    /// Names of the arms, in order.
    pub(crate) arms: Vec<String>,
    /// What is measured, in order.
    pub(crate) points: Vec<Point>,
    /// Repetitions of each arm, at the first point, that do not count.
    pub(crate) cold: u32,
    /// Repetitions of each arm at each point that count.
    pub(crate) counted: u32,
}

impl PlanRecord {
    /// What a file keeps of a plan.
    pub(crate) fn of(plan: &Plan) -> Self {
        Self {
            arms: plan.arms.iter().map(|arm| arm.name.clone()).collect(),
            points: plan.points.iter().map(Point::of).collect(),
            cold: plan.cold,
            counted: plan.counted,
        }
    }
}
