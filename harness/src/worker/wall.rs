//! The parent's end of a worker that looks for the memory wall: it hears of each size as it comes.

use lycosa_lua::worker::{WallCurve, WallOptions, WallStep};

use super::Request;
use super::answer::Answer;
use super::limit::{Limit, LimitedBy};
use super::process::Workers;
use crate::schedule::{Observer, RepetitionError, Slot};

/// Watches a search.
pub(crate) trait WallObserver {
    /// A line that the worker printed besides.
    fn output(&mut self, line: &str);
    /// One more size was measured, or the search is over.
    fn grown(&mut self, curve: WallCurve);
}

impl Workers {
    /// Looks for the wall in a process of its own, behind the sizes that are `done`. Whatever ends it,
    /// `observer` has the curve.
    pub(crate) fn wall(
        &self,
        options: &WallOptions,
        done: &[WallStep],
        observer: &mut dyn WallObserver,
    ) -> Result<Option<LimitedBy>, RepetitionError> {
        let limit = Limit::of(options.limit_memory_bytes, options.fibers)?;
        let request = Request::Wall {
            options: options.clone(),
            done: done.to_vec(),
        };
        let mut listener = Listener { observer };
        let end = self.converse(&request, limit.as_ref(), &mut listener)?;
        if let Some(limit) = limit.as_ref().filter(|limit| limit.has_ended(end.status)) {
            return Err(limit.reached(String::new()));
        }
        let answer: Answer<WallCurve> = self.conclude(&end)?;
        match (answer.outcome, &limit) {
            (Err(error), Some(limit)) => Err(limit.explained(error)),
            (outcome, _) => {
                listener.observer.grown(outcome?);
                Ok(limit.as_ref().map(Limit::held_by))
            }
        }
    }
}

/// Reads answers on their way.
struct Listener<'a> {
    observer: &'a mut dyn WallObserver,
}

impl Observer for Listener<'_> {
    fn started(&mut self, _: Slot) {}

    fn output(&mut self, line: &str) {
        self.observer.output(line);
    }

    fn answered(&mut self, json: &[u8]) {
        // One that cannot be read is told of at the end, when it is the last.
        if let Ok(Answer {
            outcome: Ok(curve), ..
        }) = serde_json::from_slice::<Answer<WallCurve>>(json)
        {
            self.observer.grown(curve);
        }
    }

    fn sample(&mut self, _: &lycosa_lua::worker::Sample) {}

    fn warning(&mut self, line: &str) {
        self.observer.output(line);
    }

    fn tick(&mut self) {}

    fn finished(&mut self, _: Slot, _: &crate::result::Record) {}
}
