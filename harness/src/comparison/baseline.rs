//! A measurement beside an earlier one: whether the two may be compared, and what comes of it.

use std::collections::BTreeSet;

use super::{Pair, pair};
use crate::environment::{Context, NoiseFloor};
use crate::pace::{Rate, Time};
use crate::quantity::{Size, grouped};
use crate::result::file::Document;
use crate::result::{Point, Record, Run, summary};
use crate::statistics::Regression;

/// Something that must be equal and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// Its name, as in result files.
    pub(crate) key: String,
    /// What it is in the measurement.
    pub(crate) now: String,
    /// What it was in the baseline.
    pub(crate) then: String,
}

/// What keeps a plan from being compared with a baseline: for the first arm and point that the
/// baseline does not hold, the ways in which the nearest that it holds differs.
pub(crate) fn plan_mismatches(plan: &[(&str, &Point)], baseline: &[Run]) -> Vec<Mismatch> {
    let held: Vec<Vec<(String, String)>> = summary::groups(baseline)
        .into_iter()
        .map(|(arm, point)| keys(arm, point))
        .collect();
    plan.iter()
        .find_map(|(arm, point)| {
            let wanted = keys(arm, point);
            held.iter()
                .map(|held| differences(&wanted, held))
                .min_by_key(Vec::len)
                .filter(|mismatches| !mismatches.is_empty())
        })
        .map(|mismatches| with_all_held(mismatches, &held))
        .unwrap_or_default()
}

/// Arms and sizes are what a baseline may hold several of: all of them are named.
fn with_all_held(mismatches: Vec<Mismatch>, held: &[Vec<(String, String)>]) -> Vec<Mismatch> {
    mismatches
        .into_iter()
        .map(|mismatch| {
            if !["arm", "records"].contains(&mismatch.key.as_str()) {
                return mismatch;
            }
            let mut seen = BTreeSet::new();
            let values: Vec<&str> = held
                .iter()
                .flatten()
                .filter(|(key, value)| *key == mismatch.key && seen.insert(value.as_str()))
                .map(|(_, value)| value.as_str())
                .collect();
            let then = match values.split_last() {
                Some((last, others)) if !others.is_empty() => {
                    format!("{} and {last}", others.join("; "))
                }
                _ => mismatch.then,
            };
            Mismatch { then, ..mismatch }
        })
        .collect()
}

/// What keeps measured runs from being compared with a baseline that holds their arms and points:
/// what the workers said of themselves.
pub(crate) fn worker_mismatches(now: &Record, baseline: &Document) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    for arm in &now.arms {
        let then = baseline.arms.iter().find(|then| then.name == arm.name);
        let contexts = arm
            .context
            .as_ref()
            .zip(then.and_then(|then| then.context.as_ref()));
        if let Some((now, then)) = contexts {
            mismatches.extend(differences(&build(now), &build(then)));
        }
        let programs = arm
            .program
            .as_ref()
            .zip(then.and_then(|then| then.program.as_ref()));
        if let Some((now, then)) = programs {
            mismatches.extend(difference("program", now, then));
        }
        let is_compiled = |runs: &[Run]| {
            let run = runs.iter().find(|run| run.arm == arm.name);
            run.map(|run| if run.jit { "on" } else { "off" }.to_owned())
        };
        if let Some((now, then)) = is_compiled(&now.runs).zip(is_compiled(&baseline.runs)) {
            mismatches.extend(difference("jit", &now, &then));
        }
        if !mismatches.is_empty() {
            break;
        }
    }
    if mismatches.is_empty() {
        mismatches.extend(checksums(&now.runs, &baseline.runs));
    }
    mismatches
}

/// Data that now and then left different at the same point, where both tell and the time did not end
/// either.
fn checksums(now: &[Run], then: &[Run]) -> Option<Mismatch> {
    now.iter().find_map(|run| {
        let other = then.iter().find(|other| {
            other.arm == run.arm && other.point == run.point && !other.checksum.is_empty()
        })?;
        if run.checksum.is_empty() || run.point.is_by_time() {
            return None;
        }
        difference("checksum", &run.checksum, &other.checksum)
    })
}

/// What does not forbid the comparison and yet may explain a difference.
pub(crate) fn other_machine(now: &Context, then: &Context) -> Vec<Mismatch> {
    [
        difference("host_name", &now.host_name, &then.host_name),
        difference("cpu", &now.cpu, &then.cpu),
        difference("os", &now.os, &then.os),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn build(context: &Context) -> Vec<(String, String)> {
    [
        ("binary_arch", context.binary_arch.as_str()),
        ("translator", context.translator.name()),
        ("profile", &context.profile),
        ("allocator", &context.build.allocator),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .to_vec()
}

/// All that a point is made of, by the names of result files, values as users write them.
fn keys(arm: &str, point: &Point) -> Vec<(String, String)> {
    let text = |value: serde_json::Result<serde_json::Value>| match value {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    };
    let none = || String::from("none");
    let time = |seconds: Option<f64>| seconds.map_or_else(none, |s| Time(s).to_string());
    let rate = point.rate_per_s.map(|rate| Rate(rate).to_string());
    let records = match point.duration_s {
        Some(_) => none(),
        None => grouped(point.records),
    };
    let mut keys = vec![
        ("arm", arm.to_owned()),
        ("workload", point.workload.clone()),
        ("records", records),
        ("fibers", point.fibers.to_string()),
        ("ops_per_txn", point.ops_per_txn.to_string()),
        ("index", text(serde_json::to_value(point.index))),
        ("driver", text(serde_json::to_value(point.driver))),
        ("jit_requested", point.jit_requested.to_string()),
        ("memory_bytes", Size(point.memory_bytes).to_string()),
        ("seed", point.seed.to_string()),
        ("duration", time(point.duration_s)),
        ("warmup", time(Some(point.warmup_s))),
        ("rate", rate.unwrap_or_else(none)),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value))
    .collect::<Vec<_>>();
    let limit = point
        .limit_memory_bytes
        .map(|limit| Size(limit).to_string());
    keys.extend(limit.map(|limit| (String::from("limit_memory_bytes"), limit)));
    let settings = point.settings.iter();
    keys.extend(settings.map(|(key, value)| (format!("settings.{key}"), value.clone())));
    keys
}

fn differences(now: &[(String, String)], then: &[(String, String)]) -> Vec<Mismatch> {
    let value = |keys: &[(String, String)], key: &str| {
        let found = keys.iter().find(|(name, _)| name == key);
        found.map_or_else(|| String::from("not set"), |(_, value)| value.clone())
    };
    let mut seen = BTreeSet::new();
    now.iter()
        .chain(then)
        .map(|(key, _)| key)
        .filter(|key| seen.insert(key.as_str()))
        .filter_map(|key| difference(key, &value(now, key), &value(then, key)))
        .collect()
}

fn difference(key: &str, now: &str, then: &str) -> Option<Mismatch> {
    (now != then).then(|| Mismatch {
        key: key.to_owned(),
        now: now.to_owned(),
        then: then.to_owned(),
    })
}

/// One arm at one point, now and then: the ratio is the time now over the time then.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NowAndThen {
    /// Name of the arm.
    pub(crate) arm: String,
    /// The two sides; the reference is the baseline.
    pub(crate) pair: Pair,
}

/// Times of the counted runs of an arm that did just this, whatever its plan's point was.
fn times_at(runs: &[Run], arm: &str, point: &Point) -> Vec<f64> {
    let own = |run: &&Run| run.is_counted() && run.arm == arm && run.point == *point;
    runs.iter().filter(own).map(|run| run.wall_s).collect()
}

/// Every arm and point of the measurement beside the baseline.
pub(crate) fn against(
    now: &[Run],
    baseline: &[Run],
    measured_floor: Option<&NoiseFloor>,
) -> Vec<NowAndThen> {
    summary::groups(now)
        .into_iter()
        .filter_map(|(arm, point)| {
            let times = times_at(now, arm, point);
            let then = times_at(baseline, arm, point);
            Some(NowAndThen {
                arm: arm.to_owned(),
                pair: pair(point, &times, &then, measured_floor)?,
            })
        })
        .collect()
}

/// What several judgements come to: one regression is one; all is well only if all of them are;
/// of nothing, nothing can be told.
pub(crate) fn worst(judgements: &[Regression]) -> Regression {
    if judgements.contains(&Regression::Yes) {
        Regression::Yes
    } else if judgements.is_empty() || judgements.contains(&Regression::Inconclusive) {
        Regression::Inconclusive
    } else {
        Regression::No
    }
}
