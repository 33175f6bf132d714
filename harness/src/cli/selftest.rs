//! `lycosa selftest`: the binary against itself, and what of a difference that leaves believable.

use std::io;
use std::path::PathBuf;

use clap::Args;
use lycosa_lua::worker::Driver;

use super::arguments::WorkloadArguments;
use super::measuring::{
    describe, failed_message, failed_repetition, launcher, measuring_context, mode, own_arm,
    prepare_saving, width,
};
use super::settings::worker_options;
use super::{Exit, Failure};
use crate::axes;
use crate::comparison::wall_times;
use crate::environment::{self, Context, NoiseFloor};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::quantity::parse_count;
use crate::report::page::{PLAIN, Page, YELLOW};
use crate::report::{findings, selftest as report, terminal};
use crate::result::{Point, Record};
use crate::schedule::{Arm, Ending, Outcome, Plan};
use crate::session::{Measured, Session};
use crate::state::selftest::{self, SelfTest};
use crate::statistics::{self, INTERVAL_SAMPLES_MIN};
use crate::worker::process::{ProcessExecutor, Workers};

/// Names of the two arms, which are the same program.
const ARMS: [&str; 2] = ["A", "B"];

pub(super) const EXAMPLES: &str = "\
Examples:
  lycosa selftest                          a minute of this binary against itself
  lycosa selftest --records 5M --repeat 30 a floor for longer comparisons

What it finds is kept for a month; `lycosa compare` shows no difference below it.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.";

#[derive(Debug, Args)]
pub(crate) struct SelftestArguments {
    /// Operations of one repetition in all: 250k, 1M, 1.5M [default: the workload's own, else 1M]
    #[arg(long, value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    records: Option<u64>,

    #[command(flatten)]
    workload: WorkloadArguments,

    /// Saves everything, raw repetitions included
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Shows the noise floor and errors only
    #[arg(long, short)]
    quiet: bool,
}

/// Compares this binary with itself, shows and keeps what differs.
pub(super) fn selftest(arguments: &SelftestArguments) -> Result<Exit, Failure> {
    if (arguments.workload.repetitions.repeat as usize) < INTERVAL_SAMPLES_MIN {
        return Err(Failure::usage(format!(
            "a noise floor takes {INTERVAL_SAMPLES_MIN} repetitions or more; raise --repeat"
        )));
    }
    if arguments.workload.pace.is_given() {
        return Err(Failure::usage(
            "a self-test takes a number of records; leave --duration and --rate out",
        ));
    }
    let saving = arguments.json.as_deref().map(prepare_saving).transpose()?;
    let facts = environment::facts();
    let interrupt = Interrupt::on_signals()?;
    let workers =
        || -> Result<Workers, Failure> { Ok(Workers::new(launcher(&facts)?, interrupt.clone())) };
    let pair = vec![workers()?, workers()?];
    let options = worker_options(
        &arguments.workload,
        Driver::Lua,
        arguments.records,
        |source| describe(&pair[0], source),
    )?;
    let context = measuring_context(&facts);
    let arm = |name: &str| Arm {
        name: name.to_owned(),
        ..own_arm(&context)
    };
    let mut session = Session {
        plan: Plan {
            arms: ARMS.map(arm).to_vec(),
            points: vec![options],
            axes: axes::records(),
            cold: arguments.workload.repetitions.cold,
            counted: arguments.workload.repetitions.repeat,
        },
        context,
        saving,
    };
    if !arguments.quiet {
        // What cannot be shown beforehand does not keep anything from being measured.
        let _ = show_header(&session);
    }
    let mut executor = ProcessExecutor::new(pair);
    let mut progress = Progress::new(mode(arguments.quiet), &session.plan, &Record::default());
    let measured = session.measure(Record::default(), &mut executor, &interrupt, &mut progress);
    progress.clear();
    if matches!(measured.outcome.ending, Ending::Failed(_)) {
        progress.show_held();
    }
    let mut out = anstream::stdout();
    let mut page = Page::new(&mut out, width());
    conclude(&session, &measured, arguments.quiet, &mut page)
}

fn show_header(session: &Session) -> io::Result<()> {
    let mut out = anstream::stderr();
    let mut page = Page::new(&mut out, width());
    let point = Point::of(&session.plan.points[0]);
    terminal::header(&mut page, &session.context, &point)?;
    let text = format!(
        "this binary against itself, {} repetitions each, A B B A",
        session.plan.counted
    );
    page.sentence(PLAIN, "selftest", &text)?;
    page.gap()
}

fn conclude(
    session: &Session,
    measured: &Measured,
    quiet: bool,
    page: &mut Page<'_>,
) -> Result<Exit, Failure> {
    let Outcome { record, ending, .. } = &measured.outcome;
    let point = Point::of(&session.plan.points[0]);
    let times = ARMS.map(|arm| wall_times(&record.runs, arm, &point));
    let counted = format!(
        "{} of {} repetitions",
        times[0].len() + times[1].len(),
        2 * session.plan.counted
    );
    if let Ending::Failed(error) = ending {
        let message = failed_message(error, &measured.saved, &counted);
        return Err(failed_repetition(error, message));
    }
    if matches!(ending, Ending::Interrupted) {
        show_saved(measured, quiet, page)?;
        let text = findings::interrupted(&measured.outcome, &counted);
        page.sentence(YELLOW, "interrupted", &text)?;
        return Ok(Exit::Interrupted);
    }
    let [a, b] = &times;
    let comparison = statistics::compare(b, a, None);
    let floor = statistics::noise_floor(a, b);
    let Some((comparison, floor)) = comparison.zip(floor) else {
        return Err(Failure::failed(
            "the times are too short to be compared; raise --records",
        ));
    };
    let kept = keep(&session.context, &point, times[0].len(), floor);
    if !quiet {
        report::sides(page, ARMS, &times, &comparison)?;
    }
    report::floor(page, floor)?;
    if !quiet {
        findings::warnings(page, &record.runs, &session.plan.axes)?;
    }
    let path = kept.map_err(|error| {
        Failure::failed(format!("cannot keep the noise floor for compare: {error}"))
    })?;
    if !quiet {
        report::kept(page, &path)?;
    }
    show_saved(measured, quiet, page)?;
    Ok(Exit::Done)
}

/// Says where the result is; fails if it could not be saved, however little is shown.
fn show_saved(measured: &Measured, quiet: bool, page: &mut Page<'_>) -> Result<(), Failure> {
    let saved = measured.saved.as_ref().map_err(Failure::failed)?;
    if let Some(path) = saved.as_ref().filter(|_| !quiet) {
        page.sentence(PLAIN, "saved", path)?;
    }
    Ok(())
}

/// Keeps the floor for later comparisons.
fn keep(context: &Context, point: &Point, repetitions: usize, floor: f64) -> io::Result<PathBuf> {
    let selftest = SelfTest {
        host_name: context.host_name.clone(),
        cpu: context.cpu.clone(),
        binary_arch: context.binary_arch.clone(),
        profile: context.profile.clone(),
        noise_floor: NoiseFloor {
            relative: floor,
            date: environment::now(),
            records: Some(point.records),
            repetitions: u32::try_from(repetitions).ok(),
        },
    };
    selftest::save(&selftest, context)
}
