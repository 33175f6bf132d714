//! `lycosa run`: from the arguments to the saved result.

use std::io::{self, Write};

use super::arguments::RunArguments;
use super::measuring::{
    costs_of_own, describe, failed_message, failed_repetition, launcher, measuring_context, mode,
    own_arm, prepare_saving, width,
};
use super::settings::worker_options;
use super::{Exit, Failure};
use crate::axes;
use crate::environment;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::report::page::{PLAIN, Page, YELLOW};
use crate::report::{findings, terminal};
use crate::result::summary;
use crate::result::{Point, Record};
use crate::schedule::{Ending, Outcome, Plan};
use crate::session::{Measured, Session};
use crate::worker::process::{ProcessExecutor, Workers};

/// Runs a workload as often as asked, shows and saves what was measured.
pub(crate) fn run(arguments: &RunArguments) -> Result<Exit, Failure> {
    arguments.baseline.check_limit()?;
    let saving = arguments.json.as_deref().map(prepare_saving).transpose()?;
    let facts = environment::facts();
    let interrupt = Interrupt::on_signals()?;
    let workers = Workers::new(launcher(&facts)?, interrupt.clone());
    let options = worker_options(
        &arguments.workload,
        arguments.driver.into(),
        arguments.records,
        |source| describe(&workers, source),
    )?;
    let mut executor = ProcessExecutor::new(vec![workers]);
    let mut context = measuring_context(&facts);
    context.costs = costs_of_own(&context, arguments.cost.as_ref());
    arguments.baseline.look_up_noise_floor(&mut context);
    let mut session = Session {
        plan: Plan {
            arms: vec![own_arm(&context)],
            points: vec![options],
            axes: axes::records(),
            cold: arguments.workload.repetitions.cold,
            counted: arguments.workload.repetitions.repeat,
        },
        context,
        saving,
    };

    let baseline = arguments.baseline.load(&session.plan, &session.context)?;
    let quiet = arguments.quiet;
    // What cannot be shown beforehand does not keep anything from being measured.
    let _ = if quiet {
        let mut err = anstream::stderr();
        terminal::translator(&mut Page::new(&mut err, width()), &session.context)
    } else {
        show_header(&session, &mut anstream::stderr())
    };
    let nothing = Record::default();
    let mut progress = Progress::new(mode(quiet), &session.plan, &nothing);
    let measured = session.measure(nothing, &mut executor, &interrupt, &mut progress);
    progress.clear();
    if matches!(measured.outcome.ending, Ending::Failed(_)) {
        progress.show_held();
    }
    let mut out = anstream::stdout();
    match conclude(&session, &measured, quiet, &mut out)? {
        Exit::Done => {
            let mut page = Page::new(&mut out, width());
            baseline.conclude(&session, &measured.outcome.record, &mut page)
        }
        exit => Ok(exit),
    }
}

fn show_header(session: &Session, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(out, width());
    let point = Point::of(&session.plan.points[0]);
    terminal::header(&mut page, &session.context, &point)?;
    page.gap()
}

/// Shows what was measured, whatever ended the run.
fn conclude(
    session: &Session,
    measured: &Measured,
    quiet: bool,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let Outcome { record, ending, .. } = &measured.outcome;
    let runs = &record.runs;
    let figures = summary::figures(runs).map_err(anyhow::Error::from)?;
    let counted = figures.as_ref().map_or(0, |figures| figures.n);
    let counted = format!("{counted} of {} repetitions", session.plan.counted);
    let mut page = Page::new(out, width());
    let point = Point::of(&session.plan.points[0]);
    if let Ending::Failed(error) = ending {
        if let Some(figures) = &figures {
            terminal::headline(&mut page, figures, &point)?;
        }
        let message = failed_message(error, &measured.saved, &counted);
        return Err(failed_repetition(error, message));
    }
    match &figures {
        _ if runs.is_empty() => {}
        Some(figures) if quiet => terminal::headline(&mut page, figures, &point)?,
        _ => {
            terminal::report(&mut page, &session.context, &point, runs, figures.as_ref())?;
            findings::costs(&mut page, &session.context.costs, &[], runs)?;
        }
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
    Ok(Exit::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Facts;
    use crate::result::testing;
    use crate::schedule::RepetitionError;

    /// What a run shows that measured `walls` behind a cold repetition, and how it ends.
    fn concluded(
        walls: Option<&[f64]>,
        ending: Ending,
        saved: Result<Option<String>, String>,
        quiet: bool,
    ) -> (Result<Exit, Failure>, String) {
        let context = environment::context(&Facts::default());
        let session = Session {
            plan: Plan {
                arms: vec![own_arm(&context)],
                points: vec![testing::options()],
                axes: axes::records(),
                cold: 1,
                counted: 15,
            },
            context,
            saving: None,
        };
        let record = Record {
            arms: Vec::new(),
            runs: walls.map_or_else(Vec::new, testing::runs),
        };
        let outcome = Outcome {
            record,
            ending,
            stopped: None,
        };
        let mut out = Vec::new();
        let exit = conclude(&session, &Measured { outcome, saved }, quiet, &mut out);
        (exit, String::from_utf8(out).unwrap())
    }

    const FILE: &str = "result.json";

    fn died() -> Ending {
        Ending::Failed(RepetitionError::Died {
            how: String::from("killed by SIGABRT"),
        })
    }

    #[test]
    fn an_interrupted_run_shows_what_was_measured() {
        let (exit, text) = concluded(
            Some(&[0.1, 0.2]),
            Ending::Interrupted,
            Ok(Some(FILE.into())),
            false,
        );
        assert_eq!(exit.unwrap(), Exit::Interrupted);
        assert!(text.contains("wall time     0.1500 s"), "{text}");
        assert!(text.contains("saved         result.json"), "{text}");
        assert!(text.contains("after 2 of 15 repetitions"), "{text}");
    }

    #[test]
    fn a_run_that_measured_nothing_says_so() {
        let (exit, text) = concluded(None, Ending::Interrupted, Ok(None), false);
        assert_eq!(exit.unwrap(), Exit::Interrupted);
        assert!(text.contains("before anything was measured"), "{text}");
    }

    #[test]
    fn a_failed_run_shows_what_was_measured_before() {
        let (exit, text) = concluded(Some(&[0.1]), died(), Ok(Some(FILE.into())), false);
        let message = exit.unwrap_err().message;
        assert!(message.contains("killed by SIGABRT\n"), "{message}");
        assert!(message.contains("1 of 15 repetitions, is in"), "{message}");
        assert!(text.starts_with("wall time     0.1000 s"), "{text}");
    }

    #[test]
    fn a_failure_to_save_does_not_hide_the_failure_of_the_run() {
        let saved = Err(String::from("cannot write `result.json`: it is full"));
        let (exit, _) = concluded(Some(&[0.1]), died(), saved, false);
        let message = exit.unwrap_err().message;
        assert!(
            message.contains("killed by SIGABRT") && message.contains("is not saved: cannot write"),
            "{message}"
        );
    }

    #[test]
    fn a_run_that_could_not_be_saved_shows_its_figures_and_fails() {
        let saved = Err(String::from("cannot write `result.json`: it is full"));
        let (exit, text) = concluded(Some(&[0.1]), Ending::Complete, saved, false);
        let failure = exit.unwrap_err();
        assert_eq!(failure.exit, Exit::Failed);
        assert!(text.contains("wall time     0.1000 s"), "{text}");
    }

    #[test]
    fn a_quiet_run_shows_its_median_line_alone() {
        let (exit, text) = concluded(Some(&[0.1; 15]), Ending::Complete, Ok(None), true);
        assert_eq!(exit.unwrap(), Exit::Done);
        assert!(text.starts_with("wall time     0.1000 s   95 % [0.1000, 0.1000]"));
        assert!(!text.contains("throughput"));
    }
}
