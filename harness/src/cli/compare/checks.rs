//! What is refused of a comparison before anything of it is measured.

use std::path::Path;

use lycosa_lua::worker::{Driver, WorkerOptions};

use super::super::Failure;
use super::super::arguments::WorkloadArguments;
use super::super::measuring::describe;
use super::super::settings::{check_points, worker_options};
use crate::axes::Parameter;
use crate::environment::{self, Translator};
use crate::progress::Progress;
use crate::result::Record;
use crate::schedule::{Arm, Executor, Plan, RepetitionError};
use crate::session::Session;
use crate::session::estimate::{self, Pilot};
use crate::worker::process::{Starter, Workers};

/// Checks the options that an arm has of its own against the workload.
pub(super) fn check_options(
    workload: &WorkloadArguments,
    arm: &Arm,
    points: &[WorkerOptions],
    workers: &Workers,
) -> Result<(), Failure> {
    let about = |failure: Failure| failure.within(&format!("arm `{}`", arm.name));
    let has_driver = |(parameter, _): &(Parameter, String)| *parameter == Parameter::Driver;
    if arm.options.iter().any(has_driver) && points.iter().any(|point| point.driver == Driver::Rust)
    {
        return Err(about(Failure::usage(
            "--driver of its own stands beside --driver for all arms; give it to the arms or to the \
             comparison",
        )));
    }
    let own: Vec<WorkerOptions> = points.iter().map(|point| arm.at(point)).collect();
    check_points(&own).map_err(about)?;
    if own
        .iter()
        .zip(points)
        .any(|(own, shared)| own.is_by_time() != shared.is_by_time())
    {
        return Err(about(Failure::usage(
            "--duration of its own takes one for all arms, which else run over records",
        )));
    }
    let is_setting =
        |(parameter, _): &(Parameter, String)| matches!(parameter, Parameter::Setting(_));
    if !arm.options.iter().any(is_setting) {
        return Ok(());
    }
    let mut workload = workload.clone();
    workload.repetitions.settings = arm.at(&points[0]).settings;
    worker_options(&workload, Driver::Lua, Some(points[0].records), |source| {
        describe(workers, source)
    })
    .map(drop)
    .map_err(about)
}

/// An arm goes on under its name only if it is still started in the same way.
pub(super) fn check_commands(
    path: &Path,
    record: &Record,
    plan: &Plan,
    starters: &[Starter],
) -> Result<(), Failure> {
    for (arm, starter) in plan.arms.iter().zip(starters) {
        let stored = record.arms.iter().find(|stored| stored.name == arm.name);
        if let Some(stored) = stored {
            let here = starter.words();
            if stored.command != here {
                return Err(Failure::usage(format!(
                    "`{}` was measured by another arm `{}`; name another file\n       {} in the \
                     file, {} here",
                    path.display(),
                    arm.name,
                    stored.command.join(" "),
                    here.join(" ")
                )));
            }
        }
    }
    Ok(())
}

/// Refuses sizes that do not fit the quota or the machine, by two small repetitions of a native
/// arm: a translated one would not start cold any more. Without a native arm nothing is refused.
pub(super) fn check_fit(session: &Session, executor: &mut dyn Executor) -> Result<(), Failure> {
    let plan = &session.plan;
    // What a time fills is not known before.
    if plan.points.iter().all(WorkerOptions::is_by_time) {
        return Ok(());
    }
    let is_native = |arm: &Arm| arm.expected.translator == Some(Translator::Native);
    let mut pilots: Vec<(&Arm, Pilot)> = Vec::new();
    for (position, arm) in plan.arms.iter().enumerate() {
        let is_tried = |(other, _): &(&Arm, Pilot)| other.options == arm.options;
        if !is_native(arm) || pilots.iter().any(is_tried) {
            continue;
        }
        match estimate::pilot(plan, position, executor, &mut Progress::silent()) {
            Ok(pilot) => pilots.push((arm, pilot)),
            Err(RepetitionError::Interrupted) => return Err(Failure::interrupted()),
            // It fails again where the arm and what it printed are told.
            Err(_) => return Ok(()),
        }
    }
    // Arms of the same options hold the same data, so that one's memory is the other's; of options
    // that no native arm has, the first one's must do.
    let of = |arm: &Arm| {
        let own = pilots
            .iter()
            .find(|(other, _)| other.options == arm.options);
        own.or(pilots.first()).map(|(_, pilot)| pilot.clone())
    };
    let Some(pilots) = plan.arms.iter().map(of).collect::<Option<Vec<_>>>() else {
        return Ok(());
    };
    let nothing = Record::default();
    match estimate::estimate(plan, &nothing, &pilots) {
        Some(estimate) => estimate
            .check(environment::memory_available_bytes())
            .map_err(|unfit| Failure::usage(unfit.to_string())),
        None => Ok(()),
    }
}
