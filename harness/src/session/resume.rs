//! Going on with a measurement that was stopped: its file must be of the same plan, machine and
//! build, and whole in itself, since figures that differ in any of it must never be put together.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io;
use std::path::Path;

use serde_json::Value;

use crate::axes::{self, Parameter};
use crate::cost::Cost;
use crate::environment::{Context, Translator, arch_title};
use crate::pace::{Rate, Time};
use crate::quantity::{Size, short_count};
use crate::result::file::{self, Document, ReadError};
use crate::result::plan::PlanRecord;
use crate::result::{ArmRecord, Point, Record, Run, Status, binary};
use crate::schedule::Plan;

/// Most sizes that a message names one by one.
const SIZES_NAMED_MAX: usize = 8;

/// What there is already of a measurement.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Its repetitions.
    pub(crate) record: Record,
    /// How it ended last.
    pub(crate) status: Status,
    /// What running its arms costs.
    pub(crate) costs: BTreeMap<String, Cost>,
}

impl Stored {
    /// Whether nothing is left to measure, and the file says so, with the costs that were named.
    pub(crate) fn is_whole(&self, plan: &Plan, costs: &BTreeMap<String, Cost>) -> bool {
        self.status == Status::Complete
            && plan.missing(&self.record).is_empty()
            && (costs.is_empty() || *costs == self.costs)
    }
}

/// Why a file cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResumeError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("`{path}` is no file that can be gone on with; name one")]
    NoFile { path: String },
    #[error("`{path}` does not say what it was asked for; name another file")]
    NoPlan { path: String },
    #[error("`{path}` was asked for something else; repeat its options, or name another file{}", lines(.differences))]
    OtherPlan {
        path: String,
        differences: Vec<Difference>,
    },
    #[error("`{path}` was measured on another machine; go on there, or name another file{}", lines(.differences))]
    OtherMachine {
        path: String,
        differences: Vec<Difference>,
    },
    #[error("`{path}` was measured by another build; go on with that one, or name another file{}", lines(.differences))]
    OtherBuild {
        path: String,
        differences: Vec<Difference>,
    },
    #[error("`{path}` was measured by other programs; go on with those, or name another file{}", lines(.differences))]
    OtherBinary {
        path: String,
        differences: Vec<Difference>,
    },
    #[error("`{path}` is damaged: {reason}; name another file")]
    Damaged { path: String, reason: String },
}

/// Something that must not differ and does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// What it is, as an option or the context block calls it.
    pub(crate) key: String,
    /// In the file.
    pub(crate) there: String,
    /// Here and now.
    pub(crate) here: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, there, here } = self;
        write!(formatter, "{key}: {there} in the file, {here} here")
    }
}

fn lines(differences: &[Difference]) -> String {
    differences.iter().fold(String::new(), |text, line| {
        text + "\n       " + &line.to_string()
    })
}

/// Reads what there is of a measurement; `None` if there is no file yet. `commands` start the
/// arms; without them it is those in the file that must have stayed the same.
pub(crate) fn load(
    path: &Path,
    plan: &Plan,
    context: &Context,
    commands: &[Vec<String>],
) -> Result<Option<Stored>, ResumeError> {
    let Some(document) = read(path)? else {
        return Ok(None);
    };
    let shown = path.display().to_string();
    check(&shown, &document, plan, context)?;
    let differences = other_binaries(&document, plan, commands);
    if !differences.is_empty() {
        return Err(ResumeError::OtherBinary {
            path: shown,
            differences,
        });
    }
    Ok(Some(Stored {
        record: Record {
            arms: document.arms,
            runs: document.runs,
        },
        status: document.status,
        costs: document.context.costs,
    }))
}

/// The file, if there is one.
fn read(path: &Path) -> Result<Option<Document>, ResumeError> {
    // A pipe would be waited for.
    if path.exists() && !path.is_file() {
        let path = path.display().to_string();
        return Err(ResumeError::NoFile { path });
    }
    match file::read(path) {
        Ok(document) => Ok(Some(document)),
        Err(ReadError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Arms whose programs are not those that the file's figures are of, though they are started in the
/// same way.
fn other_binaries(document: &Document, plan: &Plan, commands: &[Vec<String>]) -> Vec<Difference> {
    let named = |name: &str| plan.arms.iter().position(|arm| arm.name == name);
    let of_arm = |stored: &ArmRecord| {
        let there = stored.binary_digest.clone()?;
        let command = named(&stored.name).and_then(|arm| commands.get(arm));
        let here = binary::digest(command.unwrap_or(&stored.command));
        Some(Difference {
            key: format!("program of arm `{}` (xxHash)", stored.name),
            there,
            here: here.unwrap_or_else(|| String::from("none")),
        })
    };
    let all = document.arms.iter().filter_map(of_arm);
    all.filter(|pair| pair.there != pair.here).collect()
}

fn check(
    path: &str,
    document: &Document,
    plan: &Plan,
    context: &Context,
) -> Result<(), ResumeError> {
    let path = path.to_owned();
    let Some(stored_plan) = &document.plan else {
        return Err(ResumeError::NoPlan { path });
    };
    let differences = differing(&plan_keys(stored_plan), &plan_keys(&PlanRecord::of(plan)));
    if !differences.is_empty() {
        return Err(ResumeError::OtherPlan { path, differences });
    }
    check_context(&path, &document.context, context)?;
    match damage(stored_plan, &document.runs) {
        Some(reason) => Err(ResumeError::Damaged { path, reason }),
        None => Ok(()),
    }
}

/// Refuses another machine and another build.
fn check_context(path: &str, there: &Context, here: &Context) -> Result<(), ResumeError> {
    let path = path.to_owned();
    let differences = differing(&machine_keys(there), &machine_keys(here));
    if !differences.is_empty() {
        return Err(ResumeError::OtherMachine { path, differences });
    }
    let differences = differing(&build_keys(there), &build_keys(here));
    if !differences.is_empty() {
        return Err(ResumeError::OtherBuild { path, differences });
    }
    Ok(())
}

/// Keys with their values, in the order in which they are told.
type Keys = Vec<(String, String)>;

/// Compares by key: an option that was not given need not have one.
fn differing(there: &Keys, here: &Keys) -> Vec<Difference> {
    let value = |keys: &Keys, key: &str| {
        let found = keys.iter().find(|(other, _)| other == key);
        found.map_or_else(|| String::from("none"), |(_, value)| value.clone())
    };
    let only_here = here
        .iter()
        .filter(|(key, _)| there.iter().all(|(other, _)| other != key));
    let all = there.iter().chain(only_here).map(|(key, _)| Difference {
        key: key.clone(),
        there: value(there, key),
        here: value(here, key),
    });
    all.filter(|pair| pair.there != pair.here).collect()
}

fn machine_keys(context: &Context) -> Keys {
    let host_arch = arch_title(&context.host_arch).to_owned();
    vec![
        (String::from("host"), context.host_name.clone()),
        (String::from("chip"), context.cpu.clone()),
        (String::from("chip's architecture"), host_arch),
    ]
}

fn build_keys(context: &Context) -> Keys {
    let translator = Translator::title(context.translator).to_owned();
    let binary_arch = arch_title(&context.binary_arch).to_owned();
    let features = context.build.target_features.join(",");
    vec![
        (String::from("architecture"), binary_arch),
        (String::from("translator"), translator),
        (String::from("version"), context.lycosa_version.clone()),
        (String::from("revision"), context.git_revision.clone()),
        (String::from("compiler"), context.rustc.clone()),
        (String::from("profile"), context.profile.clone()),
        (String::from("target"), context.build.target.clone()),
        (String::from("target features"), features),
        (
            String::from("optimization"),
            context.build.opt_level.clone(),
        ),
    ]
}

fn plan_keys(plan: &PlanRecord) -> Keys {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for point in &plan.points {
        for (key, value) in point_keys(point) {
            let values = values.entry(key).or_default();
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    let sizes = sizes(&plan.points);
    let mut keys = vec![
        (String::from("arms"), arms(plan)),
        (String::from("axes"), axes_of(plan)),
        (String::from("--records"), sizes),
        (String::from("--repeat"), plan.counted.to_string()),
        (String::from("--cold"), plan.cold.to_string()),
    ];
    if let Some(interval_s) = plan.report_interval_s {
        let interval = Time(interval_s).to_string();
        keys.push((String::from("--report-interval"), interval));
    }
    let of_points = values.into_iter();
    keys.extend(of_points.map(|(key, values)| (key, values.join(", "))));
    let digest = plan.workload_digest.as_deref().unwrap_or("none");
    keys.push((
        String::from("text of the workload (xxHash)"),
        digest.to_owned(),
    ));
    keys
}

/// The arms, with the options that are their own.
fn arms(plan: &PlanRecord) -> String {
    let named = |name: &String| match plan.arm_options.get(name) {
        Some(options) => format!("{name} ({})", options.join(" ")),
        None => name.clone(),
    };
    plan.arms.iter().map(named).collect::<Vec<_>>().join(", ")
}

/// What the points differ in, in their order.
fn axes_of(plan: &PlanRecord) -> String {
    if plan.axes.is_empty() {
        return Parameter::Records.name();
    }
    let names: Vec<String> = plan.axes.iter().map(Parameter::name).collect();
    names.join(", ")
}

fn sizes(points: &[Point]) -> String {
    let mut sizes: Vec<u64> = points.iter().map(|point| point.records).collect();
    sizes.dedup();
    let all: Vec<String> = sizes.iter().map(|size| short_count(*size)).collect();
    if all.len() <= SIZES_NAMED_MAX {
        return all.join(", ");
    }
    // Two long lists of the same ends still differ in their sum or their number.
    let sum = sizes
        .iter()
        .fold(0_u64, |sum, size| sum.saturating_add(*size));
    format!(
        "{} sizes from {} to {}, {} in all",
        all.len(),
        all[0],
        all[all.len() - 1],
        short_count(sum)
    )
}

/// All of a point but its size, under the names of the options that set it.
fn point_keys(point: &Point) -> Vec<(String, String)> {
    let Ok(Value::Object(object)) = serde_json::to_value(point) else {
        return Vec::new();
    };
    object
        .into_iter()
        .filter(|(key, _)| key != "records")
        .map(|(key, value)| match (key.as_str(), &value) {
            ("jit_requested", Value::Bool(true)) => (String::from("--jit"), String::from("on")),
            ("jit_requested", _) => (String::from("--jit"), String::from("off")),
            ("memory_bytes", _) => (
                String::from("--memory"),
                Size(point.memory_bytes).as_option(),
            ),
            ("duration_s" | "warmup_s", Value::Number(number)) => (
                option_name(key.trim_end_matches("_s")),
                Time(number.as_f64().unwrap_or_default()).to_string(),
            ),
            ("rate_per_s", Value::Number(number)) => (
                String::from("--rate"),
                Rate(number.as_f64().unwrap_or_default()).to_string(),
            ),
            ("duration_s" | "rate_per_s", _) => {
                let key = key.trim_end_matches("_s").trim_end_matches("_per");
                (option_name(key), String::from("none"))
            }
            ("limit_memory_bytes", _) => (
                String::from("--limit-memory"),
                Size(point.limit_memory_bytes.unwrap_or_default()).as_option(),
            ),
            ("settings", _) => (String::from("--set"), settings(&point.settings)),
            (_, Value::String(text)) => (option_name(&key), text.clone()),
            _ => (option_name(&key), value.to_string()),
        })
        .collect()
}

fn option_name(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}

fn settings(settings: &BTreeMap<String, String>) -> String {
    if settings.is_empty() {
        return String::from("nothing");
    }
    let pairs: Vec<String> = settings
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(" ")
}

/// What is wrong with runs that are said to follow a plan. Void ones may be there several times;
/// that each other one is there once at most is what keeps anything from being counted twice.
fn damage(plan: &PlanRecord, runs: &[Run]) -> Option<String> {
    let mut seen = HashSet::new();
    let mut identities = vec![None; plan.arms.len()];
    let mut checksums: Vec<Vec<&Run>> = vec![Vec::new(); plan.points.len()];
    for run in runs {
        let place = format!(
            "repetition {} of {} (arm `{}`)",
            run.repetition,
            match &plan.axes[..] {
                [] | [Parameter::Records] => format!("{} records", short_count(run.point.records)),
                axes => axes::place_text(axes, run.shared_point()),
            },
            run.arm
        );
        let arm = plan.arms.iter().position(|arm| *arm == run.arm);
        let point = plan
            .points
            .iter()
            .position(|point| point == run.shared_point());
        let (Some(arm), Some(point)) = (arm, point) else {
            return Some(format!("{place} is not part of its plan"));
        };
        let most = match (run.cold, point) {
            (false, _) => plan.counted,
            (true, 0) => plan.cold,
            (true, _) => 0,
        };
        if run.repetition == 0 || run.repetition > most {
            return Some(format!("{place} is not part of its plan"));
        }
        if run.void.is_none() && !seen.insert((arm, point, run.cold, run.repetition)) {
            return Some(format!("{place} is there twice"));
        }
        let identity = (run.binary_arch.as_str(), run.translator);
        if *identities[arm].get_or_insert(identity) != identity {
            return Some(format!(
                "{place} ran as something else than those before it"
            ));
        }
        // Other programs need not give a checksum.
        if run.checksum.is_empty() {
            continue;
        }
        // Arms with options of their own may leave other data.
        let left = &mut checksums[point];
        let other = left
            .iter()
            .find(|other| other.point.leaves_the_same_data_as(&run.point));
        match other {
            Some(other) if other.checksum != run.checksum => {
                return Some(format!("{place} left other data than those before it"));
            }
            Some(_) => {}
            None => left.push(run),
        }
    }
    None
}

mod wall;

pub(crate) use wall::load as load_wall;

#[cfg(test)]
mod tests;
