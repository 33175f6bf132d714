//! `lycosa run`: from the arguments to the saved result.

use std::io::{self, IsTerminal, Write};

use anyhow::Context as _;
use console::Term;
use lycosa_lua::worker::WorkerOptions;

use super::arguments::RunArguments;
use super::settings::worker_options;
use super::{Exit, Failure};
use crate::environment::{self, Context, Facts};
use crate::interrupt::Interrupt;
use crate::progress::{Mode, Progress};
use crate::report::json::{self, Status};
use crate::report::saving::Saving;
use crate::report::terminal::{self, Page, WIDTH_DEFAULT, YELLOW};
use crate::report::{self, failure};
use crate::schedule::{self, Ending, Identity, Outcome, Schedule};
use crate::worker::process::{Launcher, ProcessExecutor};

/// Runs a workload as often as asked, shows and saves what was measured.
pub(crate) fn run(arguments: &RunArguments) -> Result<Exit, Failure> {
    let options = worker_options(arguments)?;
    let saving = match &arguments.json {
        Some(path) => Some(Saving::prepare(path).map_err(|error| {
            Failure::usage(format!("cannot write `{}`: {error}", path.display()))
        })?),
        None => None,
    };
    let facts = environment::facts();
    let schedule = Schedule {
        cold: arguments.cold,
        counted: arguments.repeat,
    };
    let mut session = Session {
        context: environment::context(&facts),
        options,
        schedule,
        quiet: arguments.quiet,
        saving,
    };
    let interrupt = Interrupt::on_signals()?;
    let options_json =
        serde_json::to_string(&session.options).context("the options are no JSON")?;
    let mut executor = ProcessExecutor::new(launcher(&facts)?, options_json, interrupt.clone());

    session.show_header(&mut anstream::stderr())?;
    let mut progress = Progress::new(session.mode(), schedule);
    let outcome = schedule::run(
        schedule,
        &session.identity(),
        &mut executor,
        &interrupt,
        &mut progress,
    );
    progress.clear();
    if matches!(outcome.ending, Ending::Failed(_)) {
        for line in progress.held_output() {
            writeln!(anstream::stderr(), "{line}")?;
        }
    }
    session.conclude(outcome, &mut anstream::stdout())
}

fn launcher(facts: &Facts) -> Result<Launcher, Failure> {
    let binary = std::env::current_exe().context("cannot find this binary to start it again")?;
    Ok(Launcher {
        emulator: facts.emulator.clone(),
        binary,
    })
}

/// Everything about a run but its repetitions.
struct Session {
    context: Context,
    options: WorkerOptions,
    schedule: Schedule,
    quiet: bool,
    saving: Option<Saving>,
}

impl Session {
    /// What every worker must turn out to be.
    fn identity(&self) -> Identity {
        Identity {
            binary_arch: self.context.binary_arch.clone(),
            translator: self.context.translator,
        }
    }

    fn mode(&self) -> Mode {
        if self.quiet {
            Mode::Quiet
        } else if io::stdout().is_terminal() && io::stderr().is_terminal() {
            Mode::Bar
        } else {
            Mode::Lines
        }
    }

    fn show_header(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let mut page = Page::new(out, width());
        terminal::header(&mut page, &self.context, &self.options)?;
        page.gap()
    }

    /// Shows and saves what was measured, whatever ended the run.
    fn conclude(&mut self, outcome: Outcome, out: &mut dyn Write) -> Result<Exit, Failure> {
        let Outcome { runs, ending } = outcome;
        let figures = report::figures(&runs).map_err(anyhow::Error::from)?;
        if !runs.is_empty() {
            self.context.jit = Some(runs.iter().any(|run| run.measurement.jit));
        }
        let mut page = Page::new(out, width());
        if !matches!(ending, Ending::Failed(_)) && !runs.is_empty() {
            match &figures {
                Some(figures) if self.quiet => terminal::median_line(&mut page, figures)?,
                _ => terminal::report(
                    &mut page,
                    &self.context,
                    &self.options,
                    &runs,
                    figures.as_ref(),
                )?,
            }
        }
        let mut saved = None;
        if let Some(saving) = self.saving.take().filter(|_| !runs.is_empty()) {
            let path = saving.path().display().to_string();
            let status = Status::from(&ending);
            let document = json::document(
                &self.context,
                &self.options,
                &runs,
                figures.as_ref(),
                status,
            );
            saving
                .save(&document)
                .map_err(|error| Failure::failed(format!("cannot write `{path}`: {error}")))?;
            if !self.quiet {
                page.sentence(terminal::PLAIN, "saved", &path)?;
            }
            saved = Some(path);
        }
        let counted = runs.iter().filter(|run| !run.slot.cold).count();
        match ending {
            Ending::Complete => Ok(Exit::Done),
            Ending::Interrupted if runs.is_empty() => {
                page.sentence(YELLOW, "interrupted", "before anything was measured")?;
                Ok(Exit::Interrupted)
            }
            Ending::Interrupted => {
                let text = format!("after {counted} of {} repetitions", self.schedule.counted);
                page.sentence(YELLOW, "interrupted", &text)?;
                Ok(Exit::Interrupted)
            }
            Ending::Failed(error) => {
                let mut message = failure::repetition(&error);
                if let Some(path) = saved {
                    let note = format!(
                        "what was measured before is in {path}: {counted} of {} repetitions",
                        self.schedule.counted
                    );
                    message = format!(
                        "{message}
       {note}"
                    );
                }
                Err(Failure::failed(message))
            }
        }
    }
}

/// Columns of the terminal.
fn width() -> usize {
    Term::stdout()
        .size_checked()
        .map_or(WIDTH_DEFAULT, |(_, columns)| usize::from(columns))
}
