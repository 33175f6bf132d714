//! `lycosa compare`: arms beside each other, in turns, and what of their difference is real.

mod checks;
mod costs;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use lycosa_lua::worker::{Driver, Sample, WorkerOptions};

use super::arguments::WorkloadArguments;
use super::baseline::{BaselineArguments, judge};
use super::command_line;
use super::measuring::{
    Found, describe, failed_message, failed_repetition, measuring_context, mode, prepare_new,
    prepare_saving, width,
};
use super::settings::worker_options;
use super::sweep::refuse_unfinished;
use super::{Exit, Failure};
use crate::arms::{self, ArmSpec, Host, ResolveOptions, Resolved, parse_binary};
use crate::axes;
use crate::comparison::{baseline::NowAndThen, comparisons};
use crate::cost::Cost;
use crate::environment::{self, Context, NoiseFloor};
use crate::interrupt::Interrupt;
use crate::pace::size;
use crate::progress::Progress;
use crate::quantity::Percentage;
use crate::range::{self, Range};
use crate::report::page::{PLAIN, Page, YELLOW};
use crate::report::{builds, comparison as report, findings};
use crate::result::{Point, Record, Run, run::workload_name};
use crate::schedule::{Ending, Observer, Outcome, Plan, RepetitionError, Slot};
use crate::session::{Measured, Session};
use crate::state::selftest::{self, Known};
use crate::worker::process::{ProcessExecutor, Starter, Workers};
use checks::{check_commands, check_fit, check_options};
use costs::{costs, parse_cost};

pub(super) const EXAMPLES: &str = "\
Examples:
  lycosa compare                           native against translated
  lycosa compare --arm native --arm rosetta --records 1M,5M,20M --memory 8GiB
  lycosa compare --driver both             the engine alone, and from Lua
  lycosa compare --arm native --arm tarantool
  lycosa compare --arm old=./lycosa-0.1.0 --arm native
  lycosa compare --arm native --arm new=./lycosa --fail-above 5%
  lycosa compare --arm 'small=--memory 512MiB' --arm 'large=--memory 4GiB'
  lycosa compare --arm native --arm 'fast=native --fibers 100 --index hash'
  lycosa compare --cost native=0.12USD/h --cost rosetta=0.10USD/h
  lycosa compare --resume compare.json     starts, or goes on where it stopped

Arms: native, rosetta, qemu, efficiency, tarantool, or LABEL=COMMAND with
{lycosa} and {workload} filled in, or LABEL=[NAME] with options of the arm's own:
--fibers, --ops-per-txn, --memory, --index, --jit, --driver, --seed, --set,
--rate, --limit-memory; --duration and --warmup where all arms run by time. The
first is the reference: ratios are an arm's time over its time. `~` stands where
no difference is shown.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 an arm is slower than the
reference (with --baseline: than the baseline) by more than --fail-above, 4 too
noisy to tell, 130 interrupted.";

/// The sizes unless told otherwise, in default sizes of the workload.
const MULTIPLES_DEFAULT: [u64; 3] = [1, 2, 5];

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// A way to run the workload; may be given several times
    #[arg(long = "arm", value_name = "ARM")]
    arms: Vec<ArmSpec>,

    /// Adds the arm `efficiency`: as `native`, on the cores of this kind
    #[arg(long, value_enum, value_name = "KIND")]
    cores: Option<ExtraCores>,

    /// Sizes: 1M,5M,20M, 1M..5M:1M, or 1..20M for a range that grows by a factor [default: 1, 2 and 5
    /// times the workload's default, which is 1M if it says nothing]
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    records: Option<Range>,

    /// Sizes of a range that grows by a factor, at most (default 10)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000))]
    points: Option<u32>,

    #[command(flatten)]
    workload: WorkloadArguments,

    /// Who issues the statements: the Lua file, the same ones from Rust, or each in turn
    #[arg(long, value_enum, default_value_t = Drivers::Lua)]
    driver: Drivers,

    /// The binary for an architecture; may be given several times
    #[arg(long = "binary", value_name = "ARCH=PATH", value_parser = parse_binary)]
    binaries: Vec<(String, PathBuf)>,

    /// Builds the binary for an architecture that is missing
    #[arg(long)]
    build: bool,

    /// Saves there instead of in compare-WORKLOAD-TIME.json
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    json: Option<PathBuf>,

    /// Saves there, and measures only what that file does not hold yet
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// What running the arms costs, or one of them: 0.12/h, native=0.12USD/h, with
    /// s, h, d or month; may be given several times
    #[arg(long = "cost", value_name = "[ARM=]COST", value_parser = parse_cost)]
    costs: Vec<(Option<String>, Cost)>,

    #[command(flatten)]
    baseline: BaselineArguments,

    /// Shows the table and errors only
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Drivers {
    Lua,
    Rust,
    Both,
}

impl Drivers {
    fn all(self) -> &'static [Driver] {
        match self {
            Self::Lua => &[Driver::Lua],
            Self::Rust => &[Driver::Rust],
            Self::Both => &[Driver::Lua, Driver::Rust],
        }
    }
}

/// A kind of core that an arm of its own is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExtraCores {
    Efficiency,
}

impl CompareArguments {
    /// The arms that were asked for; none for those that suit the machine.
    fn arms(&self) -> Vec<ArmSpec> {
        let mut arms = self.arms.clone();
        if self.cores == Some(ExtraCores::Efficiency) {
            if arms.is_empty() {
                arms.push(ArmSpec::native());
            }
            arms.push(ArmSpec::efficiency());
        }
        arms
    }
}

/// Runs every arm at every size, shows and saves how they compare.
pub(super) fn compare(arguments: &CompareArguments) -> Result<Exit, Failure> {
    let facts = environment::facts();
    let interrupt = Interrupt::on_signals()?;
    let host = Host::this(&facts).context("cannot find this binary to start it again")?;
    let options = ResolveOptions {
        binaries: arguments.binaries.clone(),
        build: arguments.build,
        interrupt: interrupt.clone(),
    };
    let resolved = arms::resolve(&arguments.arms(), &host, &options)?;
    if resolved.len() < 2 {
        return Err(Failure::usage(
            "one arm has nothing to be compared with; give --arm once more, or take `lycosa run`",
        ));
    }
    let workers = Workers::new(host.lycosa(), interrupt.clone());
    let points = points(arguments, &workers)?;
    for Resolved { arm, .. } in &resolved {
        check_options(&arguments.workload, arm, &points, &workers)?;
    }
    arms::check(&resolved, &points)?;
    let (arms, starters): (Vec<_>, Vec<_>) = resolved
        .into_iter()
        .map(|Resolved { arm, starter }| (arm, starter))
        .unzip();
    let plan = Plan {
        arms,
        points,
        axes: axes::records(),
        cold: arguments.workload.repetitions.cold,
        counted: arguments.workload.repetitions.repeat,
    };
    let mut context = measuring_context(&facts);
    let known = selftest::known(&context);
    if let Known::Fresh(floor) = &known {
        context.noise_floor = Some(floor.clone());
    }
    context.costs = costs(&arguments.costs, &plan)?;
    let baseline = arguments.baseline.load(&plan, &context)?;
    let Found {
        path,
        saving,
        record,
    } = find(arguments, &plan, &context, &starters)?;
    let mut session = Session {
        plan,
        context,
        saving,
    };
    let mut executor = ProcessExecutor::new(starters);
    if record.runs.is_empty() {
        check_fit(&session, &mut executor)?;
    }

    let quiet = arguments.quiet;
    let mut out = anstream::stdout();
    if !quiet {
        show_header(&session, &known, &mut Page::new(&mut out, width()))?;
    }
    let progress = Progress::new(mode(quiet), &session.plan, &record);
    let mut live = Live::new(&session, progress, out);
    live.grow(&record.runs);
    let measured = session.measure(record, &mut executor, &interrupt, &mut live);
    let slot = live.slot;
    let mut out = live.finish(&measured)?;
    let mut page = Page::new(&mut out, width());
    if let Ending::Failed(error) = &measured.outcome.ending {
        return Err(failed(&session, &measured, slot, error));
    }
    match conclude(&session, &measured, &path, quiet, &mut page)? {
        Exit::Done => {}
        exit => return Ok(exit),
    }
    let record = &measured.outcome.record;
    let exit = baseline.conclude(&session, record, &mut page)?;
    match arguments.baseline.fail_above {
        Some(limit) if !baseline.is_compared() => judge_arms(&session, record, limit, &mut page),
        _ => Ok(exit),
    }
}

/// All sizes with the first driver, then with the second.
fn points(arguments: &CompareArguments, workers: &Workers) -> Result<Vec<WorkerOptions>, Failure> {
    let named = Range::named(arguments.records.as_ref(), arguments.points)
        .map_err(|error| Failure::usage(format!("--records: {error}")))?;
    let named = arguments.workload.pace.sizes(named);
    let mut points = Vec::new();
    for driver in arguments.driver.all() {
        let first = named.as_ref().map(|sizes| sizes[0]);
        let options = worker_options(&arguments.workload, *driver, first, |source| {
            describe(workers, source)
        })?;
        let sizes = named.clone();
        let sizes = sizes.unwrap_or_else(|| range::multiples(options.records, MULTIPLES_DEFAULT));
        points.extend(sizes.iter().map(|records| WorkerOptions {
            records: *records,
            ..options.clone()
        }));
    }
    Ok(points)
}

/// The file to save to, and what it holds of this comparison.
fn find(
    arguments: &CompareArguments,
    plan: &Plan,
    context: &Context,
    starters: &[Starter],
) -> Result<Found, Failure> {
    if let Some(path) = &arguments.resume {
        let found = Found::resumed(path, plan, context, &[])?;
        check_commands(path, &found.record, plan, starters)?;
        return Ok(found);
    }
    if let Some(path) = &arguments.json {
        refuse_unfinished(path)?;
        return prepare_saving(path).map(Found::new);
    }
    prepare_new(&default_name(plan)).map(Found::new)
}

/// What a comparison's file is called, without its ending.
fn default_name(plan: &Plan) -> String {
    let workload = workload_name(&plan.points[0].workload);
    let workload = workload.strip_suffix(".lua").unwrap_or(&workload);
    let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
    format!("compare-{workload}-{time}")
}

fn show_header(session: &Session, known: &Known, page: &mut Page<'_>) -> io::Result<()> {
    let point = Point::of(&session.plan.points[0]);
    report::header(page, &session.context, &session.plan, &point)?;
    findings::own_options(page, &session.plan)?;
    findings::noise_floor(page, known, session.plan.counted)?;
    page.gap()
}

/// Shows how it goes on, and a row as soon as a size is complete.
struct Live<W> {
    progress: Progress,
    /// The repetition that was started last.
    slot: Option<Slot>,
    table: report::Table,
    floor: Option<NoiseFloor>,
    out: W,
    failed: Option<io::Error>,
}

impl<W: Write> Live<W> {
    fn new(session: &Session, progress: Progress, out: W) -> Self {
        let plan = &session.plan;
        Self {
            progress,
            slot: None,
            table: report::Table::new(
                plan.arms.iter().map(|arm| arm.name.clone()).collect(),
                plan.points.iter().map(Point::of).collect(),
                plan.counted,
            ),
            floor: session.context.noise_floor.clone(),
            out,
            failed: None,
        }
    }

    fn grow(&mut self, runs: &[Run]) {
        let Self {
            progress,
            table,
            floor,
            out,
            failed,
            ..
        } = self;
        // What cannot be shown does not keep anything from being measured; it is told at the end.
        if failed.is_none() {
            *failed = progress
                .suspend(|| table.grow(runs, floor.as_ref(), out))
                .err();
        }
    }

    /// Completes the table, and hands back where it is written to.
    fn finish(mut self, measured: &Measured) -> Result<W, Failure> {
        self.progress.clear();
        if matches!(measured.outcome.ending, Ending::Failed(_)) {
            self.progress.show_held();
        }
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        let runs = &measured.outcome.record.runs;
        self.table
            .finish(runs, self.floor.as_ref(), &mut self.out)?;
        Ok(self.out)
    }
}

impl<W: Write> Observer for Live<W> {
    fn started(&mut self, slot: Slot) {
        self.slot = Some(slot);
        self.progress.started(slot);
    }

    fn output(&mut self, line: &str) {
        self.progress.output(line);
    }

    fn sample(&mut self, sample: &Sample) {
        self.progress.sample(sample);
    }

    fn warning(&mut self, line: &str) {
        self.progress.warning(line);
    }

    fn tick(&mut self) {
        self.progress.tick();
    }

    fn finished(&mut self, slot: Slot, record: &Record) {
        self.progress.finished(slot, record);
        if !slot.cold {
            self.grow(&record.runs);
        }
    }
}

/// The failure of a repetition, with its arm and size where it does not name its arm itself.
fn failed(
    session: &Session,
    measured: &Measured,
    slot: Option<Slot>,
    error: &RepetitionError,
) -> Failure {
    let counted = counted(session, &measured.outcome.record.runs);
    let message = failed_message(error, &measured.saved, &counted);
    let names_its_arm = matches!(
        error,
        RepetitionError::WrongIdentity { .. } | RepetitionError::Unsteady { .. }
    );
    let message = match slot.filter(|_| !names_its_arm) {
        Some(slot) => format!(
            "arm `{}` at {}: {message}",
            session.plan.arms[slot.arm].name,
            size(session.plan.points[slot.point].records)
        ),
        None => message,
    };
    failed_repetition(error, message)
}

/// `3 of 12 repetitions`.
fn counted(session: &Session, runs: &[Run]) -> String {
    format!(
        "{} of {} repetitions",
        runs.iter().filter(|run| run.void.is_none()).count(),
        session.plan.len()
    )
}

/// Says what stands below the table, and how it ended.
fn conclude(
    session: &Session,
    measured: &Measured,
    path: &Path,
    quiet: bool,
    page: &mut Page<'_>,
) -> Result<Exit, Failure> {
    let Outcome { record, ending, .. } = &measured.outcome;
    let runs = &record.runs;
    let counted = counted(session, runs);
    if !runs.is_empty() {
        page.gap()?;
        report::drivers(page, runs, session.context.noise_floor.as_ref())?;
        findings::costs(page, &session.context.costs, &session.plan.axes, runs)?;
    }
    if !quiet && !runs.is_empty() {
        findings::cold_starts(page, runs)?;
        findings::checksums(page, runs)?;
        builds::builds(page, &record.arms)?;
        findings::warnings(page, runs, &session.plan.axes)?;
        findings::machine(page, &session.context)?;
        findings::limit(page, runs)?;
    }
    let saved = measured.saved.as_ref().map_err(Failure::failed)?;
    if let Some(path) = saved.as_ref().filter(|_| !quiet) {
        page.sentence(PLAIN, "saved", path)?;
    }
    if matches!(ending, Ending::Complete) {
        return Ok(Exit::Done);
    }
    let text = findings::interrupted(&measured.outcome, &counted);
    page.sentence(YELLOW, "interrupted", &text)?;
    if !runs.is_empty() {
        // In one piece, so that it can be copied.
        page.labelled(PLAIN, "go on with", &[command_line::resuming(path)])?;
    }
    Ok(Exit::Interrupted)
}

/// Judges the arms against their reference.
fn judge_arms(
    session: &Session,
    record: &Record,
    limit: Percentage,
    page: &mut Page<'_>,
) -> Result<Exit, Failure> {
    let rows: Vec<NowAndThen> = comparisons(&record.runs, session.context.noise_floor.as_ref())
        .into_iter()
        .flat_map(|comparison| {
            let arm = comparison.arm;
            comparison.points.into_iter().map(move |pair| NowAndThen {
                arm: arm.clone(),
                pair,
            })
        })
        .collect();
    judge(&rows, limit, &session.plan.arms[0].name, page)
}
