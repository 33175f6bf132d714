//! What a measurement was asked for, as its file keeps it: with it, one that was stopped goes on.

use std::collections::BTreeMap;

use lycosa_lua::worker::WorkloadSource;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh64::xxh64;

use super::Point;
use crate::axes::Parameter;
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
    /// xxHash of the workload's file, 16 hexadecimal digits; null for a bundled workload.
    #[serde(default)]
    pub(crate) workload_digest: Option<String>,
    /// What the points differ in; empty in files that knew records alone.
    #[serde(default)]
    pub(crate) axes: Vec<Parameter>,
    /// The options that arms have of their own, as they are typed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) arm_options: BTreeMap<String, Vec<String>>,
    /// Length of the intervals that each repetition is told by, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) report_interval_s: Option<f64>,
}

impl PlanRecord {
    /// What a file keeps of a plan. Reads the workload's file; one that cannot be read has no
    /// digest, and its workers will say why.
    pub(crate) fn of(plan: &Plan) -> Self {
        Self {
            arms: plan.arms.iter().map(|arm| arm.name.clone()).collect(),
            points: plan.points.iter().map(Point::of).collect(),
            cold: plan.cold,
            counted: plan.counted,
            workload_digest: plan
                .points
                .first()
                .and_then(|point| digest(&point.workload)),
            axes: plan.axes.clone(),
            arm_options: plan
                .arms
                .iter()
                .filter(|arm| !arm.options.is_empty())
                .map(|arm| (arm.name.clone(), arm.option_texts()))
                .collect(),
            report_interval_s: plan
                .points
                .first()
                .and_then(|point| point.report_interval_s),
        }
    }
}

fn digest(workload: &WorkloadSource) -> Option<String> {
    match workload {
        WorkloadSource::Bundled(_) => None,
        WorkloadSource::File(path) => {
            let text = std::fs::read(path).ok()?;
            Some(format!("{:016x}", xxh64(&text, 0)))
        }
    }
}
