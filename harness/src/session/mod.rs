//! A measurement from its first repetition to its last, saved after each of them.
//!
//! A file of a measurement that goes on holds its plan and its runs; what can be computed from them
//! is added at the end, so that saving takes a few milliseconds between two repetitions.

pub(crate) mod estimate;
pub(crate) mod resume;
#[cfg(test)]
mod tests;

use crate::environment::Context;
use crate::interrupt::Interrupt;
use crate::result::file::Document;
use crate::result::plan::PlanRecord;
use crate::result::saving::Saving;
use crate::result::{Record, Run, Status};
use crate::schedule::{self, Executor, Observer, Outcome, Plan, Slot};

/// What is measured, on what, and where it is kept.
#[derive(Debug)]
pub(crate) struct Session {
    /// What is measured.
    pub(crate) plan: Plan,
    /// Machine and build of this process.
    pub(crate) context: Context,
    /// Where it is saved, if it is.
    pub(crate) saving: Option<Saving>,
}

/// What a measurement brought.
#[derive(Debug)]
pub(crate) struct Measured {
    /// The runs, and how it ended.
    pub(crate) outcome: Outcome,
    /// The file that holds all of them; `None` if there is none to be, or nothing to be in it.
    pub(crate) saved: Result<Option<String>, String>,
}

impl Session {
    /// Runs what the plan holds and `record` does not. A save that fails is told once, and the
    /// measuring goes on: the next one may find room again.
    pub(crate) fn measure(
        &mut self,
        record: Record,
        executor: &mut dyn Executor,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Measured {
        let mut keeper = Keeper {
            plan: PlanRecord::of(&self.plan),
            context: &mut self.context,
            saving: self.saving.as_mut(),
            has_failed: false,
            observer,
        };
        let outcome = schedule::run(&self.plan, record, executor, interrupt, &mut keeper);
        let saved = keeper.conclude(&outcome);
        Measured { outcome, saved }
    }
}

/// Saves what an observer sees.
struct Keeper<'a> {
    plan: PlanRecord,
    context: &'a mut Context,
    saving: Option<&'a mut Saving>,
    has_failed: bool,
    observer: &'a mut dyn Observer,
}

impl Keeper<'_> {
    fn conclude(&mut self, outcome: &Outcome) -> Result<Option<String>, String> {
        let runs = &outcome.record.runs;
        self.note_jit(runs);
        let Some(saving) = self.saving.as_mut().filter(|_| !runs.is_empty()) else {
            return Ok(None);
        };
        let document = Document {
            plan: Some(self.plan.clone()),
            ..Document::new(self.context, &outcome.record, Status::from(&outcome.ending))
                .map_err(|error| error.to_string())?
        };
        save(saving, &document).map(|()| Some(saving.path().display().to_string()))
    }

    fn note_jit(&mut self, runs: &[Run]) {
        if !runs.is_empty() {
            self.context.jit = Some(runs.iter().any(|run| run.jit));
        }
    }
}

impl Observer for Keeper<'_> {
    fn started(&mut self, slot: Slot) {
        self.observer.started(slot);
    }

    fn output(&mut self, line: &str) {
        self.observer.output(line);
    }

    fn sample(&mut self, sample: &lycosa_lua::worker::Sample) {
        self.observer.sample(sample);
    }

    fn warning(&mut self, line: &str) {
        self.observer.warning(line);
    }

    fn tick(&mut self) {
        self.observer.tick();
    }

    fn finished(&mut self, slot: Slot, record: &Record) {
        self.note_jit(&record.runs);
        if let Some(saving) = self.saving.as_mut().filter(|saving| saving.is_replaced()) {
            let document = Document::running(self.context, &self.plan, record);
            match save(saving, &document) {
                Ok(()) => self.has_failed = false,
                Err(error) if !self.has_failed => {
                    self.has_failed = true;
                    self.observer
                        .warning(&format!("{error}; the measuring goes on"));
                }
                Err(_) => {}
            }
        }
        self.observer.finished(slot, record);
    }
}

fn save(saving: &mut Saving, document: &Document) -> Result<(), String> {
    saving
        .save(document)
        .map_err(|error| format!("cannot write `{}`: {error}", saving.path().display()))
}
