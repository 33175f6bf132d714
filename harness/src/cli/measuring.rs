//! What the measuring commands share: their workers, and how they show themselves.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use console::Term;
use lycosa_lua::worker::{WorkerError, WorkloadInfo, WorkloadSource};

use super::Failure;
use crate::cost::Cost;
use crate::environment::{self, Context, Facts};
use crate::progress::{Mode, Progress};
use crate::report::failure;
use crate::report::page::WIDTH_DEFAULT;
use crate::result::saving::Saving;
use crate::result::{Record, file};
use crate::schedule::{Arm, Expected, Plan, RepetitionError};
use crate::session::resume::{self, Stored};
use crate::worker::process::{Launcher, Workers};

/// Machine and build as a result records them, with the conditions at the start.
pub(super) fn measuring_context(facts: &Facts) -> Context {
    Context {
        conditions: environment::conditions(),
        ..environment::context(facts)
    }
}

/// What the arm of this binary costs.
pub(super) fn costs_of_own(context: &Context, cost: Option<&Cost>) -> BTreeMap<String, Cost> {
    let cost = cost.map(|cost| (own_arm(context).name, cost.clone()));
    cost.into_iter().collect()
}

/// This binary as an arm, named after what it runs under; its workers must be what it is itself.
pub(super) fn own_arm(context: &Context) -> Arm {
    Arm {
        name: context.translator.name().to_owned(),
        expected: Expected {
            binary_arch: Some(context.binary_arch.clone()),
            translator: Some(context.translator),
        },
        options: Vec::new(),
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

/// Finds out before the first repetition whether a result can be saved. It replaces a result or
/// an empty file, and nothing else: not the workload's file, for one.
pub(super) fn prepare_saving(path: &Path) -> Result<Saving, Failure> {
    let shown = path.display();
    let has_text = path
        .metadata()
        .is_ok_and(|file| file.is_file() && file.len() > 0);
    if has_text && file::is_result(path).is_ok_and(|is_result| !is_result) {
        return Err(Failure::usage(format!(
            "`{shown}` is no result of lycosa and would be lost; name another file"
        )));
    }
    Saving::prepare(path).map_err(|error| match error.kind() {
        io::ErrorKind::ResourceBusy => {
            Failure::usage(format!("`{shown}` is being written by another lycosa"))
        }
        _ => Failure::usage(format!("cannot write `{shown}`: {error}")),
    })
}

/// A new file of this name, with a number if there is one already.
pub(super) fn prepare_new(name: &str) -> Result<Saving, Failure> {
    let mut path = PathBuf::from(format!("{name}.json"));
    let mut number = 1;
    loop {
        match Saving::prepare(&path) {
            // It is locked by now: what is not there yet is nobody else's.
            Ok(saving) if !path.exists() => return Ok(saving),
            Err(error) if error.kind() != io::ErrorKind::ResourceBusy => {
                let path = path.display();
                return Err(Failure::usage(format!("cannot write `{path}`: {error}")));
            }
            _ => {}
        }
        number += 1;
        path = PathBuf::from(format!("{name}-{number}.json"));
    }
}

/// Where a measurement is saved, and what there is of it already.
pub(super) struct Found {
    /// The file.
    pub(super) path: PathBuf,
    /// Writes it; `None` for a file that lacks nothing and is only shown.
    pub(super) saving: Option<Saving>,
    /// What it holds.
    pub(super) record: Record,
}

impl Found {
    /// A file that holds nothing yet, or nothing that is kept.
    pub(super) fn new(saving: Saving) -> Self {
        Self {
            path: saving.path().to_owned(),
            saving: Some(saving),
            record: Record::default(),
        }
    }

    /// The file of `--resume`, which need not be there yet.
    pub(super) fn resumed(
        path: &Path,
        plan: &Plan,
        context: &Context,
        commands: &[Vec<String>],
    ) -> Result<Self, Failure> {
        let load = || {
            resume::load(path, plan, context, commands)
                .map_err(|error| Failure::usage(error.to_string()))
        };
        let mut stored = load()?;
        let mut saving = None;
        let is_whole = |stored: &Stored| stored.is_whole(plan, &context.costs);
        if !stored.as_ref().is_some_and(is_whole) {
            saving = Some(prepare_saving(path)?);
            // What another lycosa saved until now is not to be measured again.
            stored = load()?;
        }
        Ok(Self {
            path: path.to_owned(),
            saving,
            record: stored.map_or_else(Record::default, |stored| stored.record),
        })
    }
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
