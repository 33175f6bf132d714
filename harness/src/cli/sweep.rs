//! `lycosa sweep`: a workload over sizes, with a table that grows, saved after every repetition and
//! gone on with after a stop.

mod rows;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::arguments::{DriverKind, WorkloadArguments};
use super::measuring::{
    Found, describe, failed_repetition, launcher, measuring_context, mode, own_arm, prepare_new,
    prepare_saving, width,
};
use super::settings::worker_options;
use super::{Exit, Failure};
use crate::environment::{self, Context};
use crate::interrupt::Interrupt;
use crate::progress::{Progress, duration};
use crate::quantity::{Size, decimal_bytes, short_count};
use crate::range::{self, Range};
use crate::report::page::{PLAIN, Page};
use crate::report::{failure, terminal};
use crate::result::{Point, Record, Status, file, run};
use crate::schedule::{Ending, Executor, Plan, RepetitionError};
use crate::session::Session;
use crate::session::estimate::{self, Estimate};
use crate::worker::process::{ProcessExecutor, Workers};
use rows::Rows;

pub(super) const EXAMPLES: &str = "\
Examples:
  lycosa sweep                              1M, 2M, ... 20M records
  lycosa sweep --records 1..20M             ten sizes, each a factor larger
  lycosa sweep --records 1k,10k,1M..5M:1M   these sizes
  lycosa sweep --resume sweep.json          starts, or goes on where it stopped

The result is saved after every repetition. When it was stopped, even by a
crash, the same command with --resume FILE measures only what is missing.

Exit codes: 0 done, 1 failed, 2 wrong usage or too large for this machine,
130 interrupted.";

/// Largest size unless told otherwise, in default sizes of the workload.
const MULTIPLE_DEFAULT: u64 = 20;

#[derive(Debug, Args)]
pub(crate) struct SweepArguments {
    /// Sizes: 1M..20M:1M, 1k,10k,1M, or 1..20M for a range that grows by a factor [default: 1 to 20
    /// times the workload's default, which is 1M if it says nothing]
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub(crate) records: Option<Range>,

    /// Sizes of a range that grows by a factor, at most (default 10)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000))]
    pub(crate) points: Option<u32>,

    #[command(flatten)]
    pub(crate) workload: WorkloadArguments,

    /// Who issues the statements: the Lua file, or the same ones from Rust
    #[arg(long, value_enum, default_value_t = DriverKind::Lua)]
    pub(crate) driver: DriverKind,

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
    let sizes = Range::named(arguments.records.as_ref(), arguments.points)
        .map_err(|error| Failure::usage(error.to_string()))?;
    let sizes = arguments.workload.pace.sizes(sizes);
    let facts = environment::facts();
    let interrupt = Interrupt::on_signals()?;
    let workers = Workers::new(launcher(&facts)?, interrupt.clone());
    let options = worker_options(
        &arguments.workload,
        arguments.driver.into(),
        sizes.as_ref().map(|sizes| sizes[0]),
        |source| describe(&workers, source),
    )?;
    let sizes = sizes.unwrap_or_else(|| range::multiples(options.records, 1..=MULTIPLE_DEFAULT));
    let context = measuring_context(&facts);
    let points = sizes.iter().map(|records| {
        let mut options = options.clone();
        options.records = *records;
        options
    });
    let plan = Plan {
        arms: vec![own_arm(&context)],
        points: points.collect(),
        cold: arguments.workload.cold,
        counted: arguments.workload.repeat,
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
        Ok(document) if document.status != Status::Complete && !document.runs.is_empty() => {
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
    let costs = estimate::pilot(plan, 0, executor, &mut progress).map_err(|error| match error {
        RepetitionError::Interrupted => Failure::interrupted(),
        error => {
            progress.show_held();
            failed_repetition(&error, failure::repetition(&error))
        }
    })?;
    let costs: Vec<_> = costs.into_iter().collect();
    let Some(estimate) = estimate::estimate(plan, record, &costs) else {
        return Ok(());
    };
    if !quiet {
        let _ = show_estimate(session, record, &estimate, &mut anstream::stderr());
    }
    estimate
        .check(
            plan.points[0].memory_bytes,
            environment::memory_available_bytes(),
        )
        .and_then(|()| estimate.check_limit(plan.points[0].limit_memory_bytes))
        .map_err(|unfit| Failure::usage(unfit.to_string()))
}

fn show_header(session: &Session, out: &mut dyn Write) -> io::Result<()> {
    let points = &session.plan.points;
    let (first, last) = (points[0].records, points[points.len() - 1].records);
    let sizes = if points.len() == 1 {
        format!("{} records", short_count(first))
    } else {
        let (first, last) = (short_count(first), short_count(last));
        format!("{} sizes, {first} to {last} records", points.len())
    };
    let mut page = Page::new(out, width());
    let point = Point::of(&points[0]);
    terminal::header_of_sizes(&mut page, &session.context, &point, &sizes)
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
    let items = [
        format!("about {}", duration(estimate.duration)),
        format!(
            "{} of memory at {} records",
            decimal_bytes(estimate.resident_bytes),
            short_count(estimate.records)
        ),
        format!(
            "{} of the quota of {}",
            decimal_bytes(estimate.quota_bytes),
            Size(session.plan.points[0].memory_bytes)
        ),
    ];
    page.labelled(PLAIN, "estimate", &items)?;
    if let Some(saving) = &session.saving {
        page.sentence(PLAIN, "saving to", &saving.path().display().to_string())?;
    }
    page.gap()
}
