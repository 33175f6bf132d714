//! Which repetitions there are, in which order they run, and what ends them.
//!
//! How a repetition is carried out is an [`Executor`]'s business and how it is shown an
//! [`Observer`]'s, so that the order, the checks and the endings are tested without processes.

mod course;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use lycosa_lua::worker::{Measurement, Resources, Sample, WorkerError, WorkerOptions};

use crate::axes::Parameter;
use crate::environment::{Conditions, Context, Translator};
use crate::quantity::Size;
use crate::result::{Point, Record, Run};
use crate::worker::limit::LimitedBy;
pub(crate) use course::run;

/// All that is to be measured: every arm at every point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// The arms, in the order in which they are shown.
    pub(crate) arms: Vec<Arm>,
    /// The points, one after the other; all arms interleave at each. An arm may have options of its
    /// own on top.
    pub(crate) points: Vec<WorkerOptions>,
    /// What the points differ in: that they are shown along.
    pub(crate) axes: Vec<Parameter>,
    /// Repetitions of each arm, at the first point, that warm the machine; shown, not counted.
    pub(crate) cold: u32,
    /// Repetitions of each arm at each point that count.
    pub(crate) counted: u32,
}

/// A way to run the workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arm {
    /// Its name in results.
    pub(crate) name: String,
    /// What its workers must turn out to be.
    pub(crate) expected: Expected,
    /// The options that it does not share with the other arms, with their values.
    pub(crate) options: Vec<(Parameter, String)>,
}

impl Arm {
    /// What its workers do at a point of the plan.
    pub(crate) fn at(&self, point: &WorkerOptions) -> WorkerOptions {
        let mut own = point.clone();
        for (parameter, value) in &self.options {
            // The values were read by the parameter itself.
            let _ = parameter.apply(&mut own, value);
        }
        own
    }

    /// Its own options as they are typed.
    pub(crate) fn option_texts(&self) -> Vec<String> {
        let texts = self.options.iter();
        texts
            .map(|(parameter, value)| parameter.as_option(value))
            .collect()
    }
}

/// What a worker must turn out to be; `None` is anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    /// Architecture of the binary, for example `aarch64`.
    pub(crate) binary_arch: Option<String>,
    /// What stands between the binary and the chip.
    pub(crate) translator: Option<Translator>,
}

/// One repetition's place in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    /// Position of its arm.
    pub(crate) arm: usize,
    /// Position of its point.
    pub(crate) point: usize,
    /// Whether it is a cold one.
    pub(crate) cold: bool,
    /// Number among its kind, from 1.
    pub(crate) repetition: u32,
}

impl Plan {
    /// Every repetition in order. Within a point the arms run forwards and backwards in turn
    /// (A B B A), so that whatever drifts hits all of them alike.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let arms = self.arms.len();
        let round = move |point, cold, repetition: u32| {
            (0..arms).map(move |position| Slot {
                arm: if repetition % 2 == 1 {
                    position
                } else {
                    arms - 1 - position
                },
                point,
                cold,
                repetition,
            })
        };
        (0..self.points.len()).flat_map(move |point| {
            let cold = if point == 0 { self.cold } else { 0 };
            let kinds = [(true, cold), (false, self.counted)];
            kinds.into_iter().flat_map(move |(cold, count)| {
                (1..=count).flat_map(move |repetition| round(point, cold, repetition))
            })
        })
    }

    /// The repetitions that `record` does not hold yet, in order.
    pub(crate) fn missing(&self, record: &Record) -> Vec<Slot> {
        let points: Vec<Point> = self.points.iter().map(Point::of).collect();
        let slot_of = |run: &Run| {
            Some(Slot {
                arm: self.arms.iter().position(|arm| arm.name == run.arm)?,
                point: points
                    .iter()
                    .position(|point| point == run.shared_point())?,
                cold: run.cold,
                repetition: run.repetition,
            })
        };
        let lasting = record.runs.iter().filter(|run| run.void.is_none());
        let done: HashSet<Slot> = lasting.filter_map(slot_of).collect();
        self.slots().filter(|slot| !done.contains(slot)).collect()
    }

    /// Number of repetitions.
    pub(crate) fn len(&self) -> u64 {
        let each = u64::from(self.counted) * self.points.len() as u64 + u64::from(self.cold);
        each * self.arms.len() as u64
    }
}

/// What a process is, as it is told when it is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Architecture of the binary.
    pub(crate) binary_arch: Option<String>,
    /// Translator.
    pub(crate) translator: Option<Translator>,
}

/// What an executor brings back from one repetition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Repetition {
    /// Machine and build as the worker saw them; `None` for other programs.
    pub(crate) context: Option<Context>,
    /// Name and version of another program.
    pub(crate) program: Option<String>,
    /// Command that started it, without what is the worker's own.
    pub(crate) command: Vec<String>,
    /// Life of the process, in seconds.
    pub(crate) process_s: f64,
    /// What held the process to its limit of memory, if it had one.
    pub(crate) limited_by: Option<LimitedBy>,
    /// What the process took in all its life, seen from outside.
    pub(crate) process_resources: Option<Resources>,
    /// Its figures.
    pub(crate) measurement: Measurement,
}

/// Carries out repetitions.
pub(crate) trait Executor {
    /// Runs one of an arm (by its position) to its end, or to the user's.
    fn repetition(
        &mut self,
        arm: usize,
        options: &WorkerOptions,
        observer: &mut dyn Observer,
    ) -> Result<Repetition, RepetitionError>;

    /// What the machine is like now.
    fn conditions(&mut self) -> Conditions;
}

/// Watches a measurement.
pub(crate) trait Observer {
    /// A repetition starts.
    fn started(&mut self, slot: Slot);
    /// The workload printed a line.
    fn output(&mut self, line: &str);
    /// An interval of the repetition has ended.
    fn sample(&mut self, sample: &Sample);
    /// A process has answered; it may go on and answer again.
    fn answered(&mut self, _json: &[u8]) {}
    /// Something went wrong that does not end the measurement, and must be known at once.
    fn warning(&mut self, line: &str);
    /// Some time has passed.
    fn tick(&mut self);
    /// A repetition gave figures: the last one of the record, which may be void.
    fn finished(&mut self, slot: Slot, record: &Record);
}

/// Why a repetition gave no figures, or none that may be reported.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RepetitionError {
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("the worker process died without an answer: {how}")]
    Died { how: String },
    #[error(
        "the limit of {limit} ended the worker{}; raise --limit-memory, or measure less",
        with_detail(detail)
    )]
    LimitReached {
        limit: Size,
        /// What it said last.
        detail: String,
    },
    #[error("the worker process answered and then failed: {how}")]
    DiedAfterAnswer { how: String },
    #[error(
        "the worker process answered with what is no result: {reason}; is the binary being replaced while it runs?"
    )]
    NoResult { reason: String },
    #[error("`{command}` does not start a lycosa worker: {how}")]
    NoWorker { command: String, how: String },
    #[error("cannot start a worker process of {program}: {source}")]
    Spawn {
        program: String,
        source: std::io::Error,
    },
    #[error("`{program}` gave no figures: {how}{}", below(errors))]
    Program {
        program: String,
        how: String,
        /// The last that it wrote on standard error.
        errors: Vec<String>,
    },
    #[error("interrupted")]
    Interrupted,
    #[error("arm `{arm}` answered as {found}; it must be {expected}")]
    WrongIdentity {
        arm: String,
        found: Identity,
        expected: Identity,
    },
    #[error(
        "the repetitions do not agree: checksum {found} (arm `{arm}`) after {expected} (arm `{other_arm}`) before; the workload depends on more than its seed"
    )]
    Checksum {
        arm: String,
        found: String,
        other_arm: String,
        expected: String,
    },
    #[error(
        "arm `{arm}`: {count} repetitions were void, the last because {reason}; let the machine settle and go on"
    )]
    Unsteady {
        arm: String,
        count: u32,
        reason: String,
    },
}

/// What was said, in brackets; nothing if it was nothing.
fn with_detail(detail: &str) -> String {
    if detail.is_empty() {
        String::new()
    } else {
        format!(" ({detail})")
    }
}

/// Lines that stand indented below an error.
fn below(lines: &[String]) -> String {
    let lines = lines
        .iter()
        .map(|line| format!("\n         {}", line.trim_end()));
    lines.collect()
}

/// How a measurement ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// Every repetition gave its figures.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// A repetition failed.
    Failed(RepetitionError),
}

/// What a measurement brought, however it ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// All that was measured.
    pub(crate) record: Record,
    /// How it ended.
    pub(crate) ending: Ending,
    /// The repetition that an interruption stopped, if it could still be verified.
    pub(crate) stopped: Option<Stopped>,
}

/// A repetition that gave no figures because the user stopped it, and held its invariants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stopped {
    /// Operations done.
    pub(crate) done_ops: u64,
    /// Whether the workload has invariants.
    pub(crate) is_verified: bool,
}

impl std::fmt::Display for Identity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let arch = self
            .binary_arch
            .as_deref()
            .map(crate::environment::arch_title);
        let translator = self.translator.map(Translator::name);
        match (arch, translator) {
            (Some(arch), Some(translator)) => write!(formatter, "{arch}, {translator}"),
            (Some(one), None) | (None, Some(one)) => formatter.write_str(one),
            (None, None) => formatter.write_str("of unknown kind"),
        }
    }
}
