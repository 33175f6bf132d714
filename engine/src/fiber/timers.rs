//! Deadlines of suspended fibers, earliest first; equal deadlines in the order they were set.
//!
//! An ordered map instead of a binary heap: a wait that ends before its deadline, which is the usual
//! case, removes its entry at once, where a heap would keep garbage until the deadline passes.
//! Insert, remove and expire cost O(log n).

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use super::handle::FiberState;

/// Place of one deadline: the moment, then the order in which it was set.
pub(super) type TimerKey = (Instant, u64);

#[derive(Default)]
pub(super) struct Timers {
    entries: BTreeMap<TimerKey, Rc<FiberState>>,
    next_sequence: u64,
}

impl Timers {
    pub(super) fn insert(&mut self, deadline: Instant, fiber: Rc<FiberState>) -> TimerKey {
        let key = (deadline, self.next_sequence);
        self.next_sequence += 1;
        self.entries.insert(key, fiber);
        key
    }

    pub(super) fn remove(&mut self, key: TimerKey) {
        self.entries.remove(&key);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The next deadline.
    pub(super) fn earliest(&self) -> Option<Instant> {
        self.entries
            .first_key_value()
            .map(|((deadline, _), _)| *deadline)
    }

    /// Takes out one fiber whose deadline has come by `now`.
    pub(super) fn pop_expired(&mut self, now: Instant) -> Option<Rc<FiberState>> {
        let entry = self.entries.first_entry()?;
        (entry.key().0 <= now).then(|| entry.remove())
    }
}
