//! `lycosa run`: from the arguments to the saved result.

use std::io::{self, IsTerminal, Write};

use anyhow::Context as _;
use console::Term;
use lycosa_lua::worker::{WorkerError, WorkloadInfo, WorkloadSource};

use super::arguments::RunArguments;
use super::settings::worker_options;
use super::{Exit, Failure};
use crate::environment::{self, Context, Facts};
use crate::interrupt::Interrupt;
use crate::progress::{Mode, Progress};
use crate::report::page::{PLAIN, Page, WIDTH_DEFAULT, YELLOW};
use crate::report::{failure, terminal};
use crate::result::file::Document;
use crate::result::saving::Saving;
use crate::result::summary;
use crate::result::{Point, Record, Status};
use crate::schedule::{self, Arm, Ending, Expected, Outcome, Plan, RepetitionError};
use crate::worker::process::{Launcher, ProcessExecutor, Workers};

/// Runs a workload as often as asked, shows and saves what was measured.
pub(crate) fn run(arguments: &RunArguments) -> Result<Exit, Failure> {
    let saving = match &arguments.json {
        Some(path) => Some(Saving::prepare(path).map_err(|error| {
            Failure::usage(format!("cannot write `{}`: {error}", path.display()))
        })?),
        None => None,
    };
    let facts = environment::facts();
    let interrupt = Interrupt::on_signals()?;
    let workers = Workers::new(launcher(&facts)?, interrupt.clone());
    let options = worker_options(arguments, |source| describe(&workers, source))?;
    let mut executor = ProcessExecutor::new(vec![workers]);
    let context = Context {
        conditions: environment::conditions(),
        ..environment::context(&facts)
    };
    let mut session = Session {
        plan: Plan {
            arms: vec![own_arm(&context)],
            points: vec![options],
            cold: arguments.cold,
            counted: arguments.repeat,
        },
        context,
        quiet: arguments.quiet,
        saving,
    };

    // What cannot be shown beforehand does not keep anything from being measured.
    let _ = session.show_header(&mut anstream::stderr());
    let nothing = Record::default();
    let mut progress = Progress::new(session.mode(), &session.plan, &nothing);
    let outcome = schedule::run(
        &session.plan,
        nothing,
        &mut executor,
        &interrupt,
        &mut progress,
    );
    progress.clear();
    if matches!(outcome.ending, Ending::Failed(_)) {
        progress.show_held();
    }
    session.conclude(&outcome, &mut anstream::stdout())
}

/// This binary as an arm, named after what it runs under; its workers must be what it is itself.
fn own_arm(context: &Context) -> Arm {
    Arm {
        name: context.translator.name().to_owned(),
        expected: Expected {
            binary_arch: Some(context.binary_arch.clone()),
            translator: Some(context.translator),
        },
    }
}

/// Asks a worker about the user's workload. What the file prints while it is loaded is shown with
/// the repetitions, so here only if there will be none.
fn describe(workers: &Workers, source: &WorkloadSource) -> Result<WorkloadInfo, Failure> {
    let mut progress = Progress::silent();
    workers.describe(source, &mut progress).map_err(|error| {
        progress.show_held();
        match error {
            RepetitionError::Interrupted => Failure::interrupted(),
            RepetitionError::Worker(WorkerError::Usage { .. }) => {
                Failure::usage(failure::repetition(&error))
            }
            _ => Failure::failed(failure::repetition(&error)),
        }
    })
}

fn launcher(facts: &Facts) -> Result<Launcher, Failure> {
    let binary = std::env::current_exe().context("cannot find this binary to start it again")?;
    Ok(Launcher::new(facts.emulator.clone(), binary))
}

/// Everything about a run but its repetitions.
struct Session {
    plan: Plan,
    context: Context,
    quiet: bool,
    saving: Option<Saving>,
}

impl Session {
    fn mode(&self) -> Mode {
        if self.quiet {
            Mode::Quiet
        } else if io::stdout().is_terminal() && io::stderr().is_terminal() {
            Mode::Bar
        } else {
            Mode::Lines
        }
    }

    fn point(&self) -> Point {
        Point::of(&self.plan.points[0])
    }

    fn show_header(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let mut page = Page::new(out, width());
        terminal::header(&mut page, &self.context, &self.point())?;
        page.gap()
    }

    /// Shows and saves what was measured, whatever ended the run.
    fn conclude(&mut self, outcome: &Outcome, out: &mut dyn Write) -> Result<Exit, Failure> {
        let Outcome { record, ending } = outcome;
        let runs = &record.runs;
        let figures = summary::figures(runs).map_err(anyhow::Error::from)?;
        if !runs.is_empty() {
            self.context.jit = Some(runs.iter().any(|run| run.jit));
        }
        let counted = figures.as_ref().map_or(0, |figures| figures.n);
        let counted = format!("{counted} of {} repetitions", self.plan.counted);
        let saved = self.save(outcome);
        let mut page = Page::new(out, width());
        if let Ending::Failed(error) = ending {
            if let Some(figures) = &figures {
                terminal::median_line(&mut page, figures)?;
            }
            let message = failed_message(error, &saved, &counted);
            return Err(match error {
                RepetitionError::Worker(WorkerError::Usage { .. }) => Failure::usage(message),
                _ => Failure::failed(message),
            });
        }
        match &figures {
            _ if runs.is_empty() => {}
            Some(figures) if self.quiet => terminal::median_line(&mut page, figures)?,
            _ => terminal::report(
                &mut page,
                &self.context,
                &self.point(),
                runs,
                figures.as_ref(),
            )?,
        }
        let saved = saved.map_err(Failure::failed)?;
        if let Some(path) = saved.filter(|_| !self.quiet) {
            page.sentence(PLAIN, "saved", &path)?;
        }
        if matches!(ending, Ending::Complete) {
            return Ok(Exit::Done);
        }
        let text = if runs.is_empty() {
            String::from("before anything was measured")
        } else {
            format!("after {counted}")
        };
        page.sentence(YELLOW, "interrupted", &text)?;
        Ok(Exit::Interrupted)
    }

    /// Saves what was measured, if it is to be and there is something; tells where, or what went
    /// wrong.
    fn save(&mut self, outcome: &Outcome) -> Result<Option<String>, String> {
        let Outcome { record, ending } = outcome;
        let Some(mut saving) = self.saving.take().filter(|_| !record.runs.is_empty()) else {
            return Ok(None);
        };
        let path = saving.path().display().to_string();
        let document = Document::new(&self.context, record, Status::from(ending))
            .map_err(|error| error.to_string())?;
        match saving.save(&document) {
            Ok(()) => Ok(Some(path)),
            Err(error) => Err(format!("cannot write `{path}`: {error}")),
        }
    }
}

/// What failed, and what became of the figures before it.
fn failed_message(
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
        Err(error) => format!("{message}\n       and what was measured before is lost: {error}"),
    }
}

/// Columns of the terminal.
pub(super) fn width() -> usize {
    Term::stdout()
        .size_checked()
        .map_or(WIDTH_DEFAULT, |(_, columns)| usize::from(columns))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::result::testing;

    fn session(json: Option<&Path>) -> Session {
        let context = environment::context(&Facts::default());
        Session {
            plan: Plan {
                arms: vec![own_arm(&context)],
                points: vec![testing::options()],
                cold: 1,
                counted: 15,
            },
            context,
            quiet: false,
            saving: json.map(|path| Saving::prepare(path).unwrap()),
        }
    }

    /// How a run ends that measured `walls` behind a cold repetition, and what it shows.
    fn conclude(
        mut session: Session,
        walls: Option<&[f64]>,
        ending: Ending,
    ) -> (Result<Exit, Failure>, String) {
        let outcome = Outcome {
            record: Record {
                arms: Vec::new(),
                runs: walls.map_or_else(Vec::new, testing::runs),
            },
            ending,
        };
        let mut out = Vec::new();
        let exit = session.conclude(&outcome, &mut out);
        (exit, String::from_utf8(out).unwrap())
    }

    fn died() -> Ending {
        Ending::Failed(RepetitionError::Died {
            how: String::from("killed by SIGABRT"),
        })
    }

    #[test]
    fn an_interrupted_run_shows_and_saves_what_was_measured() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let (exit, text) = conclude(session(Some(&path)), Some(&[0.1, 0.2]), Ending::Interrupted);
        assert_eq!(exit.unwrap(), Exit::Interrupted);
        assert!(text.contains("wall time     0.1500 s"), "{text}");
        assert!(text.contains("after 2 of 15 repetitions"), "{text}");
        let json = fs::read_to_string(path).unwrap();
        assert!(json.contains("\"status\": \"interrupted\""), "{json}");
    }

    #[test]
    fn a_run_that_measured_nothing_says_so_and_saves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let (exit, text) = conclude(session(Some(&path)), None, Ending::Interrupted);
        assert_eq!(exit.unwrap(), Exit::Interrupted);
        assert!(text.contains("before anything was measured"), "{text}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_failed_run_shows_and_saves_what_was_measured_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let (exit, text) = conclude(session(Some(&path)), Some(&[0.1]), died());
        let message = exit.unwrap_err().message;
        assert!(message.contains("killed by SIGABRT\n"), "{message}");
        assert!(message.contains("1 of 15 repetitions, is in"), "{message}");
        assert!(text.starts_with("wall time     0.1000 s"), "{text}");
        assert!(fs::read_to_string(path).unwrap().contains("\"failed\""));
    }

    #[test]
    fn a_failure_to_save_does_not_hide_the_failure_of_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let session = session(Some(&folder.path().join("result.json")));
        drop(folder);
        let (exit, _) = conclude(session, Some(&[0.1]), died());
        let message = exit.unwrap_err().message;
        assert!(message.contains("killed by SIGABRT") && message.contains("is lost: cannot write"));
    }

    #[test]
    fn a_quiet_run_shows_its_median_line_alone() {
        let mut session = session(None);
        session.quiet = true;
        let (exit, text) = conclude(session, Some(&[0.1; 15]), Ending::Complete);
        assert_eq!(exit.unwrap(), Exit::Done);
        assert!(text.starts_with("wall time     0.1000 s   95 % [0.1000, 0.1000]"));
        assert!(!text.contains("throughput"));
    }
}
