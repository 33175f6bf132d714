//! An executor that starts no process, for tests of what stands above it.

use lycosa_lua::worker::WorkerOptions;

use super::{Arm, Executor, Expected, Observer, Plan, Repetition, RepetitionError, Slot};
use crate::environment::{Conditions, Translator};
use crate::result::Record;
use crate::result::testing::options;
use crate::worker::testing::{context, measurement};

/// Answers each repetition from a function of its number, and tells of conditions likewise.
pub(crate) struct Script<F> {
    /// Repetitions so far.
    pub(crate) repetitions: u32,
    /// Loads to be told, one after the other; then there is none.
    pub(crate) loads: Vec<f64>,
    /// What the n-th repetition brings.
    pub(crate) answer: F,
}

impl<F> Script<F> {
    /// One that tells of no load.
    pub(crate) fn answering(answer: F) -> Self {
        Self {
            repetitions: 0,
            loads: Vec::new(),
            answer,
        }
    }
}

impl<F: FnMut(u32) -> Result<Repetition, RepetitionError>> Executor for Script<F> {
    fn repetition(
        &mut self,
        _: usize,
        _: &WorkerOptions,
        _: &mut dyn Observer,
    ) -> Result<Repetition, RepetitionError> {
        self.repetitions += 1;
        (self.answer)(self.repetitions)
    }

    fn conditions(&mut self) -> Conditions {
        Conditions {
            load_average: Some(if self.loads.is_empty() {
                0.0
            } else {
                self.loads.remove(0)
            }),
            ..Conditions::default()
        }
    }
}

/// A repetition of 1,000 records that took `wall_s`.
pub(crate) fn repetition(wall_s: f64) -> Repetition {
    Repetition {
        context: Some(context()),
        program: None,
        command: vec![String::from("lycosa")],
        process_s: wall_s + 0.02,
        limited_by: None,
        process_resources: None,
        measurement: measurement(wall_s),
    }
}

/// Points of 1,000, 2,000, ... records.
pub(crate) fn plan(arms: &[&str], points: usize, cold: u32, counted: u32) -> Plan {
    let arm = |name: &&str| Arm {
        name: (*name).to_owned(),
        expected: Expected {
            binary_arch: Some(String::from("x86_64")),
            translator: Some(Translator::Native),
        },
        options: Vec::new(),
    };
    let point = |position: usize| WorkerOptions {
        records: 1_000 * (position as u64 + 1),
        ..options()
    };
    Plan {
        arms: arms.iter().map(arm).collect(),
        points: (0..points).map(point).collect(),
        axes: crate::axes::records(),
        cold,
        counted,
    }
}

/// Nobody watches.
pub(crate) struct Nobody;

impl Observer for Nobody {
    fn started(&mut self, _: Slot) {}
    fn output(&mut self, _: &str) {}
    fn sample(&mut self, _: &lycosa_lua::worker::Sample) {}
    fn warning(&mut self, _: &str) {}
    fn tick(&mut self) {}
    fn finished(&mut self, _: Slot, _: &Record) {}
}
