//! `lycosa sweep`: a workload over sizes, with a table that grows, saved after every repetition and
//! gone on with after a stop.

mod axes;
mod rows;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::arguments::RepetitionArguments;
use super::measuring::{
    Found, costs_of_own, describe, failed_repetition, launcher, measuring_context, mode, own_arm,
    prepare_new, prepare_saving, width,
};
use super::{Exit, Failure};
use crate::axes::Parameter;
use crate::cost::Cost;
use crate::environment::{self, Context};
use crate::interrupt::Interrupt;
use crate::progress::{Progress, duration};
use crate::quantity::{Size, decimal_bytes, short_count};
use crate::report::page::{PLAIN, Page};
use crate::report::{failure, terminal};
use crate::result::{Point, Record, Status, file, run};
use crate::schedule::{Ending, Executor, Plan, RepetitionError};
use crate::session::Session;
use crate::session::estimate::{self, Estimate};
use crate::worker::process::{ProcessExecutor, Workers};
use axes::AxisArguments;
use clap::Args;
use rows::Rows;

pub(super) const EXAMPLES: &str = "\
Examples:
  lycosa sweep                              1M, 2M, ... 20M records
  lycosa sweep --records 1..20M             ten sizes, each a factor larger
  lycosa sweep --records 1k,10k,1M..5M:1M   these sizes
  lycosa sweep --fibers 10,20,50,100,200    the best number of fibers
  lycosa sweep --fibers 10..50:10 --index tree,hash    a matrix of ten
  lycosa sweep --axis set.payload=short,long           a workload's setting
  lycosa sweep --duration 10s --rate 1k,10k,100k       the latency of each load
  lycosa sweep --resume sweep.json          starts, or goes on where it stopped

One option with several values is an axis, two make a matrix; without any,
the records are one. The knee is the last point before the p95 of transactions
doubles while throughput no longer rises.

The result is saved after every repetition. When it was stopped, even by a
crash, the same command with --resume FILE measures only what is missing.

Exit codes: 0 done, 1 failed, 2 wrong usage or too large for this machine,
130 interrupted.";

#[derive(Debug, Args)]
pub(crate) struct SweepArguments {
    #[command(flatten)]
    pub(crate) axes: AxisArguments,

    #[command(flatten)]
    pub(crate) repetitions: RepetitionArguments,

    /// What running this machine costs: 0.12/h, 0.12USD/h, 90EUR/month
    #[arg(long, value_name = "COST")]
    pub(crate) cost: Option<Cost>,

    /// Saves there instead of in sweep-WORKLOAD-ARM-TIME.json
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) json: Option<PathBuf>,

    /// Saves there, and measures only what that file does not hold yet
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,

    /// Shows the table and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Runs a workload at every size, shows and saves what was measured.
pub(crate) fn sweep(arguments: &SweepArguments) -> Result<Exit, Failure> {
    let axes = arguments.axes.resolve(&arguments.repetitions.settings)?;
    let facts = environment::facts();
    let interrupt = Interrupt::on_signals()?;
    let workers = Workers::new(launcher(&facts)?, interrupt.clone());
    let points = axes.points(&arguments.repetitions, |source| describe(&workers, source))?;
    let mut context = measuring_context(&facts);
    context.costs = costs_of_own(&context, arguments.cost.as_ref());
    let plan = Plan {
        arms: vec![own_arm(&context)],
        points,
        axes: axes.parameters(),
        cold: arguments.repetitions.cold,
        counted: arguments.repetitions.repeat,
    };
    let command = workers.launcher().words();
    let Found {
        path,
        saving,
        record,
    } = find(arguments, &plan, &context, command)?;
    let mut session = Session {
        plan,
        context,
        saving,
    };
    let mut executor = ProcessExecutor::new(vec![workers]);
    let quiet = arguments.quiet;
    announce(&session, &record, &mut executor, quiet)?;

    let plan = session.plan.clone();
    let progress = Progress::new(mode(quiet), &plan, &record);
    let mut rows = Rows::new(&plan, progress, anstream::stdout(), quiet);
    rows.show_stored(&record);
    let measured = session.measure(record, &mut executor, &interrupt, &mut rows);
    rows.progress.clear();
    if matches!(measured.outcome.ending, Ending::Failed(_)) {
        rows.progress.show_held();
    }
    rows.conclude(&session, &measured, &path)
}

/// The file to save to, and what it holds of this sweep.
fn find(
    arguments: &SweepArguments,
    plan: &Plan,
    context: &Context,
    command: Vec<String>,
) -> Result<Found, Failure> {
    if let Some(path) = &arguments.resume {
        return Found::resumed(path, plan, context, &[command]);
    }
    if let Some(path) = &arguments.json {
        refuse_unfinished(path)?;
        return prepare_saving(path).map(Found::new);
    }
    let workload = run::workload_name(&plan.points[0].workload);
    let workload = workload.strip_suffix(".lua").unwrap_or(&workload);
    let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
    let arm = &plan.arms[0].name;
    prepare_new(&format!("sweep-{workload}-{arm}-{time}")).map(Found::new)
}

/// Hours of measuring are not to be lost to a command that was repeated as it stood.
pub(super) fn refuse_unfinished(path: &Path) -> Result<(), Failure> {
    // What a pipe holds is not ours to read.
    if !path.is_file() {
        return Ok(());
    }
    match file::read(path) {
        Ok(document) if document.status != Status::Complete && document.has_figures() => {
            let path = path.display();
            Err(Failure::usage(format!(
                "`{path}` holds an unfinished measurement; go on with --resume {path}, or name another file"
            )))
        }
        _ => Ok(()),
    }
}

/// Says what is going to run, how long it takes and what it needs; refuses what does not fit.
fn announce(
    session: &Session,
    record: &Record,
    executor: &mut dyn Executor,
    quiet: bool,
) -> Result<(), Failure> {
    let plan = &session.plan;
    // What cannot be shown beforehand does not keep anything from being measured.
    if !quiet {
        let _ = show_header(session, &mut anstream::stderr());
    }
    if plan.missing(record).is_empty() {
        return Ok(());
    }
    let mut progress = Progress::silent();
    let pilot = estimate::pilot(plan, 0, executor, &mut progress).map_err(|error| match error {
        RepetitionError::Interrupted => Failure::interrupted(),
        error => {
            progress.show_held();
            failed_repetition(&error, failure::repetition(&error))
        }
    })?;
    let Some(estimate) = estimate::estimate(plan, record, &[pilot]) else {
        return Ok(());
    };
    if !quiet {
        let _ = show_estimate(session, record, &estimate, &mut anstream::stderr());
    }
    estimate
        .check(environment::memory_available_bytes())
        .map_err(|unfit| Failure::usage(unfit.to_string()))
}

fn show_header(session: &Session, out: &mut dyn Write) -> io::Result<()> {
    let plan = &session.plan;
    let point = Point::of(&plan.points[0]);
    let mut page = Page::new(out, width());
    terminal::header_of_points(
        &mut page,
        &session.context,
        &point,
        &extent(plan),
        &plan.axes,
    )?;
    match &plan.axes[..] {
        [Parameter::Records] => Ok(()),
        axes => {
            let items: Vec<String> = axes.iter().map(|axis| spanned(plan, axis)).collect();
            page.labelled(PLAIN, "axes", &items)
        }
    }
}

/// `20 sizes, 1M to 20M records`, or `1M records, 10 points`.
fn extent(plan: &Plan) -> String {
    let points = &plan.points;
    let (first, last) = (points[0].records, points[points.len() - 1].records);
    let point = Point::of(&points[0]);
    let noun = point.size_noun();
    let by_time = terminal::by_time(&point, &plan.axes);
    match (&plan.axes[..], points.len(), by_time) {
        ([Parameter::Records], 1, Some(time)) => time,
        ([Parameter::Records], 1, None) => format!("{} {noun}", short_count(first)),
        ([Parameter::Records], count, _) => {
            let (first, last) = (short_count(first), short_count(last));
            format!("{count} sizes, {first} to {last} {noun}")
        }
        (axes, count, _)
            if axes.contains(&Parameter::Records) || axes.contains(&Parameter::Duration) =>
        {
            format!("{count} points")
        }
        (_, count, Some(time)) => format!("{time}, {count} points"),
        (_, count, None) => format!("{} {noun}, {count} points", short_count(first)),
    }
}

/// Most values of an axis that are told one by one.
const VALUES_NAMED_MAX: usize = 8;

/// `fibers 10, 20, 50`.
fn spanned(plan: &Plan, axis: &Parameter) -> String {
    let mut texts: Vec<String> = Vec::new();
    for point in &plan.points {
        let text = axis.level(&Point::of(point)).text;
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let values = if texts.len() > VALUES_NAMED_MAX {
        let last = texts.len() - 1;
        format!("{} values, {} to {}", texts.len(), texts[0], texts[last])
    } else {
        texts.join(", ")
    };
    format!("{} {values}", axis.title())
}

fn show_estimate(
    session: &Session,
    record: &Record,
    estimate: &Estimate,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(out, width());
    if !record.runs.is_empty() {
        let (left, all) = (session.plan.missing(record).len(), session.plan.len());
        let text = format!("{left} of {all} repetitions are left");
        page.labelled(PLAIN, "going on", &[text])?;
    }
    let mut items = vec![if estimate.is_whole {
        format!("about {}", duration(estimate.duration))
    } else {
        // Trying all of them would itself take long.
        format!("{}, by the first points", duration(estimate.duration))
    }];
    if estimate.records > 0 {
        items.push(format!(
            "{} of memory at {} {}",
            decimal_bytes(estimate.resident_bytes),
            short_count(estimate.records),
            Point::of(&session.plan.points[0]).size_noun()
        ));
        items.push(format!(
            "{} of the quota of {}",
            decimal_bytes(estimate.quota_bytes),
            Size(estimate.memory_bytes)
        ));
    }
    page.labelled(PLAIN, "estimate", &items)?;
    if let Some(saving) = &session.saving {
        page.sentence(PLAIN, "saving to", &saving.path().display().to_string())?;
    }
    page.gap()
}
