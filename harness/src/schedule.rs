//! The order of repetitions, and what ends a run.
//!
//! How a repetition is carried out is an [`Executor`]'s business and how it is shown an
//! [`Observer`]'s, so that the order, the checks and the endings are tested without processes.

use lycosa_lua::worker::{Measurement, WorkerError};

use crate::environment::Translator;
use crate::interrupt::Interrupt;

/// How many repetitions, cold ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// Repetitions that warm the machine; they are shown and not counted.
    pub(crate) cold: u32,
    /// Repetitions that count.
    pub(crate) counted: u32,
}

/// One repetition's place in the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Whether it is a cold one.
    pub(crate) cold: bool,
    /// Number among its kind, from 1.
    pub(crate) repetition: u32,
}

impl Schedule {
    fn slots(self) -> impl Iterator<Item = Slot> {
        let slots = |cold, count| (1..=count).map(move |repetition| Slot { cold, repetition });
        slots(true, self.cold).chain(slots(false, self.counted))
    }
}

/// What a process is: the figures of one must not be reported as another's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Architecture of the binary, for example `aarch64`.
    pub(crate) binary_arch: String,
    /// What stands between the binary and the chip.
    pub(crate) translator: Translator,
}

impl std::fmt::Display for Identity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{}, {}",
            self.binary_arch,
            self.translator.name()
        )
    }
}

/// What an executor brings back from one repetition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Repetition {
    /// Translator under which it ran, by its own account.
    pub(crate) translator: Translator,
    /// Its figures.
    pub(crate) measurement: Measurement,
}

/// Carries out one repetition.
pub(crate) trait Executor {
    /// Runs it to its end, or to the user's.
    fn repetition(&mut self, observer: &mut dyn Observer) -> Result<Repetition, RepetitionError>;
}

/// Watches a run.
pub(crate) trait Observer {
    /// A repetition starts.
    fn started(&mut self, slot: Slot);
    /// The workload printed a line.
    fn output(&mut self, line: &str);
    /// Some time has passed.
    fn tick(&mut self);
    /// A repetition gave figures.
    fn finished(&mut self, run: &Run);
}

/// A repetition that gave figures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    /// Its place.
    pub(crate) slot: Slot,
    /// Its figures.
    pub(crate) measurement: Measurement,
}

/// Why a repetition gave no figures, or none that may be reported.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RepetitionError {
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("the worker process died without an answer: {how}")]
    Died { how: String },
    #[error("the worker process answered and then failed: {how}")]
    DiedAfterAnswer { how: String },
    #[error(
        "the worker process answered with what is no result: {reason}; is the binary being replaced while it runs?"
    )]
    NoResult { reason: String },
    #[error("cannot start a worker process of {program}: {source}")]
    Spawn {
        program: String,
        source: std::io::Error,
    },
    #[error("interrupted")]
    Interrupted,
    #[error(
        "the worker process answered as {found}, but this process is {expected}; start lycosa the same way as its workers"
    )]
    WrongIdentity { found: Identity, expected: Identity },
    #[error(
        "the repetitions do not agree: checksum {found} after {expected} before; the workload depends on more than its seed"
    )]
    Checksum { found: String, expected: String },
}

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// Every repetition gave its figures.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// A repetition failed.
    Failed(RepetitionError),
}

/// What a run brought, however it ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Repetitions that gave figures, in order of time.
    pub(crate) runs: Vec<Run>,
    /// How it ended.
    pub(crate) ending: Ending,
}

/// Runs a schedule until its end, its first failure or an interruption.
pub(crate) fn run(
    schedule: Schedule,
    expected: &Identity,
    executor: &mut dyn Executor,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut runs: Vec<Run> = Vec::new();
    for slot in schedule.slots() {
        if interrupt.is_raised() {
            return Outcome {
                runs,
                ending: Ending::Interrupted,
            };
        }
        observer.started(slot);
        let checked = executor
            .repetition(observer)
            .and_then(|repetition| check(repetition, expected, runs.first()));
        match checked {
            Ok(measurement) => {
                let run = Run { slot, measurement };
                observer.finished(&run);
                runs.push(run);
            }
            Err(RepetitionError::Interrupted) => {
                return Outcome {
                    runs,
                    ending: Ending::Interrupted,
                };
            }
            Err(error) => {
                return Outcome {
                    runs,
                    ending: Ending::Failed(error),
                };
            }
        }
    }
    Outcome {
        runs,
        ending: Ending::Complete,
    }
}

/// A figure is reported only if its process was what it should be and left the same data as the
/// repetitions before it.
fn check(
    repetition: Repetition,
    expected: &Identity,
    first: Option<&Run>,
) -> Result<Measurement, RepetitionError> {
    let Repetition {
        translator,
        measurement,
    } = repetition;
    let found = Identity {
        binary_arch: measurement.binary_arch.clone(),
        translator,
    };
    if found != *expected {
        return Err(RepetitionError::WrongIdentity {
            found,
            expected: expected.clone(),
        });
    }
    match first.map(|run| &run.measurement.checksum) {
        Some(checksum) if *checksum != measurement.checksum => Err(RepetitionError::Checksum {
            found: measurement.checksum,
            expected: checksum.clone(),
        }),
        _ => Ok(measurement),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::testing::measurement;

    #[derive(Default)]
    struct Log(Vec<String>);

    impl Observer for Log {
        fn started(&mut self, slot: Slot) {
            let kind = if slot.cold { "cold" } else { "counted" };
            self.0.push(format!("{kind} {}", slot.repetition));
        }
        fn output(&mut self, line: &str) {
            self.0.push(line.to_owned());
        }
        fn tick(&mut self) {}
        fn finished(&mut self, run: &Run) {
            self.0.push(format!("{:.0} s", run.measurement.wall_s));
        }
    }

    /// Answers each repetition from a list, by its number.
    struct Script<F>(u32, F);

    impl<F: FnMut(u32) -> Result<Repetition, RepetitionError>> Executor for Script<F> {
        fn repetition(&mut self, _: &mut dyn Observer) -> Result<Repetition, RepetitionError> {
            self.0 += 1;
            (self.1)(self.0)
        }
    }

    fn identity() -> Identity {
        Identity {
            binary_arch: String::from("x86_64"),
            translator: Translator::Native,
        }
    }

    fn repetition(wall_s: f64) -> Repetition {
        Repetition {
            translator: Translator::Native,
            measurement: measurement(wall_s),
        }
    }

    fn run_script(
        schedule: Schedule,
        interrupt: &Interrupt,
        script: impl FnMut(u32) -> Result<Repetition, RepetitionError>,
    ) -> (Outcome, Vec<String>) {
        let mut log = Log::default();
        let mut executor = Script(0, script);
        let outcome = run(schedule, &identity(), &mut executor, interrupt, &mut log);
        (outcome, log.0)
    }

    const THREE: Schedule = Schedule {
        cold: 1,
        counted: 2,
    };

    #[test]
    fn cold_repetitions_come_first_and_are_marked() {
        let (outcome, log) = run_script(THREE, &Interrupt::default(), |number| {
            Ok(repetition(f64::from(number)))
        });
        assert_eq!(
            log,
            ["cold 1", "1 s", "counted 1", "2 s", "counted 2", "3 s"]
        );
        assert!(matches!(outcome.ending, Ending::Complete));
        let cold: Vec<bool> = outcome.runs.iter().map(|run| run.slot.cold).collect();
        assert_eq!(cold, [true, false, false]);
    }

    #[test]
    fn a_failure_ends_the_run_and_keeps_what_was_measured() {
        let (outcome, log) = run_script(THREE, &Interrupt::default(), |number| match number {
            2 => Err(RepetitionError::Died {
                how: String::from("killed"),
            }),
            _ => Ok(repetition(1.0)),
        });
        assert_eq!(log, ["cold 1", "1 s", "counted 1"]);
        assert_eq!(outcome.runs.len(), 1);
        assert!(matches!(
            outcome.ending,
            Ending::Failed(RepetitionError::Died { .. })
        ));
    }

    #[test]
    fn an_interruption_during_a_repetition_drops_only_that_one() {
        let (outcome, _) = run_script(THREE, &Interrupt::default(), |number| match number {
            3 => Err(RepetitionError::Interrupted),
            _ => Ok(repetition(1.0)),
        });
        assert_eq!(outcome.runs.len(), 2);
        assert!(matches!(outcome.ending, Ending::Interrupted));
    }

    #[test]
    fn an_interruption_between_repetitions_starts_no_other() {
        let interrupt = Interrupt::default();
        let raised = interrupt.clone();
        let (outcome, log) = run_script(THREE, &interrupt, |_| {
            raised.raise();
            Ok(repetition(1.0))
        });
        assert_eq!(log, ["cold 1", "1 s"]);
        assert!(matches!(outcome.ending, Ending::Interrupted));
    }

    #[test]
    fn repetitions_that_leave_different_data_fail_the_run() {
        let (outcome, _) = run_script(THREE, &Interrupt::default(), |number| {
            let mut repetition = repetition(1.0);
            repetition.measurement.checksum = format!("{:016x}", number / 2);
            Ok(repetition)
        });
        assert_eq!(outcome.runs.len(), 1);
        let Ending::Failed(error) = outcome.ending else {
            panic!("the run must fail");
        };
        assert!(
            error
                .to_string()
                .contains("0000000000000001 after 0000000000000000")
        );
    }

    #[test]
    fn a_figure_of_another_architecture_or_translator_is_refused() {
        for change in [
            (|repetition| repetition.translator = Translator::QemuUser) as fn(&mut Repetition),
            |repetition| repetition.measurement.binary_arch = String::from("aarch64"),
        ] {
            let (outcome, _) = run_script(THREE, &Interrupt::default(), |_| {
                let mut repetition = repetition(1.0);
                change(&mut repetition);
                Ok(repetition)
            });
            assert!(outcome.runs.is_empty());
            assert!(matches!(
                outcome.ending,
                Ending::Failed(RepetitionError::WrongIdentity { .. })
            ));
        }
    }
}
