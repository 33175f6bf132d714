//! `--save-baseline`, `--baseline` and `--fail-above`: results that later ones must not be slower
//! than.

use clap::Args;

use super::{Exit, Failure};
use crate::comparison::baseline::{
    Mismatch, NowAndThen, against, other_machine, plan_mismatches, worker_mismatches, worst,
};
use crate::environment::{Context, NoiseFloor};
use crate::quantity::Percentage;
use crate::report::baseline as report;
use crate::report::page::Page;
use crate::result::file::Document;
use crate::result::plan::PlanRecord;
use crate::result::{Point, Record, Status};
use crate::schedule::Plan;
use crate::session::Session;
use crate::state::baselines::{self, Name};
use crate::state::selftest::{self, Known};
use crate::statistics::{Regression, regression};

#[derive(Debug, Args)]
pub(crate) struct BaselineArguments {
    /// Keeps the result under a name, to compare later ones with
    #[arg(long, value_name = "NAME")]
    save_baseline: Option<Name>,

    /// Compares with the result that was kept under a name
    #[arg(long, value_name = "NAME")]
    baseline: Option<Name>,

    /// Exit code 3 if slower by more than this, 4 if too noisy to tell: 5%
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub(super) fail_above: Option<Percentage>,
}

/// What a measurement is compared with and kept as.
#[derive(Debug)]
pub(super) struct Baseline<'a> {
    arguments: &'a BaselineArguments,
    /// Made before the measurement, since it tells the workload's file by what it holds.
    plan: PlanRecord,
    then: Option<(Name, Document)>,
}

impl BaselineArguments {
    /// A run of one arm has nothing but a baseline to be slower than.
    pub(super) fn check_limit(&self) -> Result<(), Failure> {
        if self.fail_above.is_some() && self.baseline.is_none() {
            return Err(Failure::usage("--fail-above needs --baseline NAME"));
        }
        Ok(())
    }

    /// Finds out how much equal programs differ here, if the measurement is compared with an
    /// earlier one.
    pub(super) fn look_up_noise_floor(&self, context: &mut Context) {
        if self.baseline.is_some()
            && let Known::Fresh(floor) = selftest::known(context)
        {
            context.noise_floor = Some(floor);
        }
    }

    /// Reads the baseline and refuses one that the plan cannot be compared with, before anything
    /// is measured.
    pub(super) fn load(&self, plan: &Plan, context: &Context) -> Result<Baseline<'_>, Failure> {
        if let Some(name) = &self.save_baseline {
            baselines::prepare(name).map_err(|error| {
                Failure::usage(format!("cannot save baseline `{name}`: {error}"))
            })?;
        }
        let baseline = |then| Baseline {
            arguments: self,
            plan: PlanRecord::of(plan),
            then,
        };
        let Some(name) = &self.baseline else {
            return Ok(baseline(None));
        };
        let document = baselines::load(name).map_err(|error| Failure::usage(error.to_string()))?;
        let points: Vec<(&str, Point)> = plan
            .arms
            .iter()
            .flat_map(|arm| {
                let own = |point| (arm.name.as_str(), Point::of(&arm.at(point)));
                plan.points.iter().map(own)
            })
            .collect();
        let planned: Vec<(&str, &Point)> =
            points.iter().map(|(arm, point)| (*arm, point)).collect();
        let mut mismatches = plan_mismatches(&planned, &document.runs);
        mismatches.extend(other_build(context, &document.context));
        mismatches.extend(other_workload(&PlanRecord::of(plan), &document));
        refuse(name, &mismatches)?;
        if document.summary.is_empty() {
            return Err(Failure::usage(format!(
                "baseline `{name}` holds no counted repetition; save it anew"
            )));
        }
        Ok(baseline(Some((name.clone(), document))))
    }
}

/// A debug build is known as one before its workers tell.
fn other_build(now: &Context, then: &Context) -> Option<Mismatch> {
    (now.profile != then.profile).then(|| Mismatch {
        key: String::from("profile"),
        now: now.profile.clone(),
        then: then.profile.clone(),
    })
}

/// A workload's file is another one when it holds something else.
fn other_workload(now: &PlanRecord, then: &Document) -> Option<Mismatch> {
    let now = now.workload_digest.as_ref()?;
    let then = then.plan.as_ref()?.workload_digest.as_ref()?;
    (now != then).then(|| Mismatch {
        key: String::from("workload_digest"),
        now: now.clone(),
        then: then.clone(),
    })
}

fn refuse(name: &Name, mismatches: &[Mismatch]) -> Result<(), Failure> {
    if mismatches.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = mismatches
        .iter()
        .map(|mismatch| {
            format!(
                "\n         {}: {} now, {} in the baseline",
                mismatch.key, mismatch.now, mismatch.then
            )
        })
        .collect();
    Err(Failure::usage(format!(
        "baseline `{name}` is of something else:{}",
        lines.concat()
    )))
}

impl Baseline<'_> {
    /// Whether there is one to compare with.
    pub(super) fn is_compared(&self) -> bool {
        self.then.is_some()
    }

    /// Compares what was measured with the baseline, shows it, keeps it, and judges.
    pub(super) fn conclude(
        &self,
        session: &Session,
        record: &Record,
        page: &mut Page<'_>,
    ) -> Result<Exit, Failure> {
        let mut exit = Exit::Done;
        if let Some((name, then)) = &self.then {
            refuse(name, &worker_mismatches(record, then))?;
            let floor = session.context.noise_floor.as_ref();
            exit = self.compare(name, then, (&session.context, record), floor, page)?;
        }
        self.keep(session, record, exit, page)?;
        Ok(exit)
    }

    fn compare(
        &self,
        name: &Name,
        then: &Document,
        (context, record): (&Context, &Record),
        measured_floor: Option<&NoiseFloor>,
        page: &mut Page<'_>,
    ) -> Result<Exit, Failure> {
        let rows = against(&record.runs, &then.runs, measured_floor);
        report::table(page, &name.to_string(), then, &rows)?;
        report::other_machine(page, &other_machine(context, &then.context))?;
        match self.arguments.fail_above {
            None => Ok(Exit::Done),
            Some(limit) => judge(&rows, limit, &name.to_string(), page),
        }
    }

    fn keep(
        &self,
        session: &Session,
        record: &Record,
        exit: Exit,
        page: &mut Page<'_>,
    ) -> Result<(), Failure> {
        let Some(name) = &self.arguments.save_baseline else {
            return Ok(());
        };
        if exit != Exit::Done && self.arguments.baseline.as_ref() == Some(name) {
            report::not_replaced(page, &name.to_string())?;
            return Ok(());
        }
        let cannot =
            |error: String| Failure::failed(format!("cannot save baseline `{name}`: {error}"));
        let document = Document::new(&session.context, record, Status::Complete)
            .map_err(|error| cannot(error.to_string()))?;
        let document = Document {
            plan: Some(self.plan.clone()),
            ..document
        };
        let saved = baselines::save(name, &document).map_err(|error| cannot(error.to_string()))?;
        report::saved(page, &name.to_string(), &saved)?;
        Ok(())
    }
}

/// Judges every row against the slowdown that is let pass, tells, and says how to end.
pub(super) fn judge(
    rows: &[NowAndThen],
    limit: Percentage,
    reference: &str,
    page: &mut Page<'_>,
) -> Result<Exit, Failure> {
    let judgements: Vec<Regression> = rows
        .iter()
        .map(|row| regression(&row.pair.comparison(), limit.part()))
        .collect();
    report::judgements(page, rows, &judgements, limit, reference)?;
    Ok(match worst(&judgements) {
        Regression::Yes => Exit::Regression,
        Regression::No => Exit::Done,
        Regression::Inconclusive => Exit::Inconclusive,
    })
}
