//! `--cost [ARM=]COST` of a comparison.

use std::collections::BTreeMap;

use super::super::Failure;
use crate::cost::Cost;
use crate::schedule::{Arm, Plan};

/// A cost of all arms, or of one by its name.
pub(super) fn parse_cost(text: &str) -> Result<(Option<String>, Cost), String> {
    match text.split_once('=') {
        Some((arm, cost)) => Ok((Some(arm.to_owned()), cost.parse()?)),
        None => Ok((None, text.parse()?)),
    }
}

/// What each arm costs: its own, else what all cost.
pub(super) fn costs(
    given: &[(Option<String>, Cost)],
    plan: &Plan,
) -> Result<BTreeMap<String, Cost>, Failure> {
    for (position, (name, _)) in given.iter().enumerate() {
        if given[..position].iter().any(|(other, _)| other == name) {
            let of = name.as_ref().map_or("all arms", String::as_str);
            return Err(Failure::usage(format!("--cost of {of} is given twice")));
        }
        let is_known = |name: &String| plan.arms.iter().any(|arm| arm.name == *name);
        if let Some(name) = name.as_ref().filter(|name| !is_known(name)) {
            let names: Vec<&str> = plan.arms.iter().map(|arm| arm.name.as_str()).collect();
            return Err(Failure::usage(format!(
                "--cost: there is no arm `{name}`; there are {}",
                names.join(", ")
            )));
        }
    }
    let of = |arm: &Arm| {
        let own = given
            .iter()
            .find(|(name, _)| name.as_ref() == Some(&arm.name));
        let found = own.or_else(|| given.iter().find(|(name, _)| name.is_none()));
        found.map(|(_, cost)| (arm.name.clone(), cost.clone()))
    };
    Ok(plan.arms.iter().filter_map(of).collect())
}
