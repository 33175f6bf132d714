//! What the measuring commands share: their workers, and how they show themselves.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::Context as _;
use console::Term;
use lycosa_lua::worker::{WorkerError, WorkloadInfo, WorkloadSource};

use super::Failure;
use crate::environment::{self, Context, Facts};
use crate::progress::{Mode, Progress};
use crate::report::failure;
use crate::report::page::WIDTH_DEFAULT;
use crate::result::saving::Saving;
use crate::schedule::{Arm, Expected, RepetitionError};
use crate::worker::process::{Launcher, Workers};

/// Machine and build as a result records them, with the conditions at the start.
pub(super) fn measuring_context(facts: &Facts) -> Context {
    Context {
        conditions: environment::conditions(),
        ..environment::context(facts)
    }
}

/// This binary as an arm, named after what it runs under; its workers must be what it is itself.
pub(super) fn own_arm(context: &Context) -> Arm {
    Arm {
        name: context.translator.name().to_owned(),
        expected: Expected {
            binary_arch: Some(context.binary_arch.clone()),
            translator: Some(context.translator),
        },
    }
}

/// Starts this binary again.
pub(super) fn launcher(facts: &Facts) -> Result<Launcher, Failure> {
    let binary = std::env::current_exe().context("cannot find this binary to start it again")?;
    Ok(Launcher::new(facts.emulator.clone(), binary))
}

/// Asks a worker about the user's workload. What the file prints while it is loaded is shown with
/// the repetitions, so here only if there will be none.
pub(super) fn describe(
    workers: &Workers,
    source: &WorkloadSource,
) -> Result<WorkloadInfo, Failure> {
    let mut progress = Progress::silent();
    workers.describe(source, &mut progress).map_err(|error| {
        progress.show_held();
        match error {
            RepetitionError::Interrupted => Failure::interrupted(),
            error => failed_repetition(&error, failure::repetition(&error)),
        }
    })
}

/// The failure of a repetition, which may be the user's way to ask for it.
pub(super) fn failed_repetition(error: &RepetitionError, message: String) -> Failure {
    match error {
        RepetitionError::Worker(WorkerError::Usage { .. }) => Failure::usage(message),
        _ => Failure::failed(message),
    }
}

/// What failed, and what became of the figures before it.
pub(super) fn failed_message(
    error: &RepetitionError,
    saved: &Result<Option<String>, String>,
    counted: &str,
) -> String {
    let message = failure::repetition(error);
    match saved {
        Ok(None) => message,
        Ok(Some(path)) => {
            format!("{message}\n       what was measured before, {counted}, is in {path}")
        }
        Err(error) => format!(
            "{message}\n       and what was measured before, {counted}, is not saved: {error}"
        ),
    }
}

/// Finds out before the first repetition whether a result can be saved.
pub(super) fn prepare_saving(path: &Path) -> Result<Saving, Failure> {
    Saving::prepare(path)
        .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))
}

/// How progress is shown.
pub(super) fn mode(quiet: bool) -> Mode {
    if quiet {
        Mode::Quiet
    } else if io::stdout().is_terminal() && io::stderr().is_terminal() {
        Mode::Bar
    } else {
        Mode::Lines
    }
}

/// Columns of the terminal.
pub(super) fn width() -> usize {
    Term::stdout()
        .size_checked()
        .map_or(WIDTH_DEFAULT, |(_, columns)| usize::from(columns))
}
