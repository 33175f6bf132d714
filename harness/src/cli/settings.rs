//! From the command line to a worker's options: what can be refused before a run is refused here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lycosa_lua::worker::{self, Driver, WorkerOptions, WorkloadInfo, WorkloadSource};

use super::Failure;
use super::arguments::{Switch, WorkloadArguments};
use super::pace::check_pace;
use crate::quantity::Size;
use crate::suggestion::nearest;
use crate::worker::limit::LimitedBy;

/// What a workload that says nothing of it takes.
const RECORDS_DEFAULT: u64 = 1_000_000;
const OPS_PER_TXN_DEFAULT: u32 = 100;

/// Options for the workers, checked against the workload, which has defaults for `records` and others
/// that are not given. A user's file is described by `describe`; what is bundled is known. Other sizes
/// take the same options but for `records`.
pub(crate) fn worker_options(
    arguments: &WorkloadArguments,
    driver: Driver,
    records: Option<u64>,
    describe: impl FnOnce(&WorkloadSource) -> Result<WorkloadInfo, Failure>,
) -> Result<WorkerOptions, Failure> {
    let mut bundled = worker::bundled().map_err(anyhow::Error::from)?;
    let workload = source(&arguments.repetitions.workload, &bundled)?;
    let known = match &workload {
        WorkloadSource::Bundled(name) => bundled.iter().position(|info| info.name == *name),
        WorkloadSource::File(_) => None,
    };
    let info = match known {
        Some(position) => bundled.swap_remove(position),
        None => describe(&workload)?,
    };
    check_settings(&arguments.repetitions.settings, &info)?;
    let mut options = WorkerOptions {
        workload,
        records: records.or(info.defaults.records).unwrap_or(RECORDS_DEFAULT),
        fibers: arguments.fibers,
        ops_per_txn: arguments
            .ops_per_txn
            .or(info.defaults.ops_per_txn)
            .unwrap_or(OPS_PER_TXN_DEFAULT),
        index: arguments.index.into(),
        driver,
        jit: arguments.jit == Switch::On,
        memory_bytes: arguments.memory.0,
        seed: arguments.seed,
        settings: arguments.repetitions.settings.clone(),
        duration_s: None,
        report_interval_s: arguments.repetitions.report_interval.map(|time| time.0),
        warmup_s: 0.0,
        rate_per_s: None,
        limit_memory_bytes: arguments.limit_memory.map(|limit| limit.0),
        unit: info.unit,
    };
    arguments.pace.apply(&mut options);
    check_points(std::slice::from_ref(&options))?;
    Ok(options)
}

/// Refuses points whose options do not go together.
pub(super) fn check_points(points: &[WorkerOptions]) -> Result<(), Failure> {
    let mut limits: BTreeMap<u64, u32> = BTreeMap::new();
    for point in points {
        check_driver(point.driver, &point.workload)?;
        check_pace(point)?;
        check_intervals(point)?;
        if let Some(limit_bytes) = point.limit_memory_bytes {
            let fibers = limits.entry(limit_bytes).or_default();
            *fibers = point.fibers.max(*fibers);
        }
    }
    for (limit_bytes, fibers) in limits {
        check_limit(Size(limit_bytes), fibers)?;
    }
    Ok(())
}

/// Most intervals of one repetition; a worker puts what comes behind them into its last one.
const INTERVALS_MAX: f64 = 10_000.0;

fn check_intervals(options: &WorkerOptions) -> Result<(), Failure> {
    let intervals = options
        .duration_s
        .zip(options.report_interval_s)
        .map(|(duration_s, interval_s)| duration_s / interval_s);
    match intervals {
        Some(count) if count > INTERVALS_MAX => Err(Failure::usage(format!(
            "--report-interval cuts each repetition into {count:.0} pieces; the most is \
             {INTERVALS_MAX:.0}, so take a longer one"
        ))),
        _ => Ok(()),
    }
}

/// A name with `.lua` at its end or a slash in it is a file's; every other is a bundled workload's.
fn source(name: &str, bundled: &[WorkloadInfo]) -> Result<WorkloadSource, Failure> {
    let path = PathBuf::from(name);
    if name.contains('/') || path.extension().is_some_and(|extension| extension == "lua") {
        return match std::fs::File::open(&path).and_then(|file| file.metadata()) {
            Ok(metadata) if metadata.is_dir() => Err(Failure::usage(format!(
                "workload `{name}` is a folder; name a Lua file in it"
            ))),
            Ok(_) => Ok(WorkloadSource::File(path)),
            Err(error) => Err(Failure::usage(format!(
                "cannot read workload file `{name}`: {error}"
            ))),
        };
    }
    let names: Vec<&str> = bundled.iter().map(|info| info.name.as_str()).collect();
    if names.contains(&name) {
        return Ok(WorkloadSource::Bundled(name.to_owned()));
    }
    let file = format!("{name}.lua");
    let hint = match nearest(name, &names) {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None if PathBuf::from(&file).is_file() => format!("; did you mean the file `{file}`?"),
        None => String::from("."),
    };
    Err(Failure::usage(format!(
        "no workload named `{name}`{hint}  (lycosa workloads lists them)"
    )))
}

fn check_settings(settings: &[(String, String)], info: &WorkloadInfo) -> Result<(), Failure> {
    let names: Vec<&str> = info
        .options
        .iter()
        .map(|option| option.name.as_str())
        .collect();
    for (position, (key, _)) in settings.iter().enumerate() {
        if settings[..position]
            .iter()
            .any(|(earlier, _)| earlier == key)
        {
            return Err(Failure::usage(format!(
                "--set {key} is given twice; keep one of them"
            )));
        }
        if names.contains(&key.as_str()) {
            continue;
        }
        let hint = match nearest(key, &names) {
            Some(nearest) => format!("; did you mean `{nearest}`?"),
            None if names.is_empty() => String::from("; it has none"),
            None => format!("; it has {}", names.join(", ")),
        };
        return Err(Failure::usage(format!(
            "workload `{}` has no option `{key}`{hint}",
            info.name
        )));
    }
    Ok(())
}

/// Refuses a limit that so many fibers cannot be started under.
pub(super) fn check_limit(limit: Size, fibers: u32) -> Result<(), Failure> {
    match LimitedBy::here().refusal(limit, fibers) {
        Some(refusal) => Err(Failure::usage(refusal)),
        None => Ok(()),
    }
}

fn check_driver(driver: Driver, workload: &WorkloadSource) -> Result<(), Failure> {
    let has_rust_driver = matches!(workload, WorkloadSource::Bundled(name) if name == "insert");
    if driver == Driver::Rust && !has_rust_driver {
        return Err(Failure::usage(
            "--driver rust exists for the bundled workload `insert` only; leave it out",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lycosa_lua::worker::{WorkloadDefaults, WorkloadOption};

    use super::*;

    fn info(name: &str, options: &[&str]) -> WorkloadInfo {
        let option = |name: &&str| WorkloadOption {
            name: (*name).to_owned(),
            default: String::new(),
            help: String::new(),
        };
        WorkloadInfo {
            name: name.to_owned(),
            help: String::new(),
            options: options.iter().map(option).collect(),
            defaults: WorkloadDefaults::default(),
            unit: None,
        }
    }

    fn setting(key: &str) -> (String, String) {
        (key.to_owned(), String::from("1"))
    }

    #[test]
    fn the_nearest_workload_is_suggested_and_a_far_one_is_not() {
        let bundled = [info("insert", &[]), info("bank", &[])];
        let message = |name| source(name, &bundled).unwrap_err().message;
        assert!(
            message("inserts").starts_with("no workload named `inserts`; did you mean `insert`?")
        );
        assert!(message("zzz").starts_with("no workload named `zzz`.  (lycosa workloads"));
        assert!(message("none/at/all.lua").starts_with("cannot read workload file"));
        assert!(message("/").contains("is a folder"));
        assert!(source("bank", &bundled).is_ok());
    }

    #[test]
    fn an_option_that_the_workload_does_not_have_is_refused() {
        let bank = info("bank", &["accounts", "skew"]);
        let message = |settings: &[_]| check_settings(settings, &bank).unwrap_err().message;
        assert!(check_settings(&[setting("skew"), setting("accounts")], &bank).is_ok());
        assert!(message(&[setting("acounts")]).ends_with("did you mean `accounts`?"));
        assert!(message(&[setting("zzz")]).ends_with("it has accounts, skew"));
        assert!(message(&[setting("skew"), setting("skew")]).contains("given twice"));
    }
}
