//! The scheduler's clock: real time, or time that moves only when every fiber waits.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Which clock sleeps and timeouts follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// The operating system's monotonic clock.
    #[default]
    Monotonic,
    /// Starts at the runtime's start and jumps to the next deadline as soon as no fiber is ready, so
    /// that a test of hour-long sleeps takes microseconds and gives the same order in every run.
    Virtual,
}

/// A clock in use. Monotonic time is read once per turn of the loop: about 25 ns.
#[derive(Debug)]
pub(super) struct LoopClock {
    kind: Clock,
    loop_time: Cell<Instant>,
}

impl LoopClock {
    pub(super) fn new(kind: Clock) -> Self {
        Self {
            kind,
            loop_time: Cell::new(Instant::now()),
        }
    }

    pub(super) fn is_virtual(&self) -> bool {
        self.kind == Clock::Virtual
    }

    /// Time at the start of the current turn.
    pub(super) fn loop_time(&self) -> Instant {
        self.loop_time.get()
    }

    /// Brings the loop time up to date. Virtual time stays where it is.
    pub(super) fn refresh(&self) -> Instant {
        if !self.is_virtual() {
            self.loop_time.set(Instant::now());
        }
        self.loop_time.get()
    }

    /// Moves virtual time forward to `deadline`.
    pub(super) fn advance_to(&self, deadline: Instant) {
        debug_assert!(self.is_virtual());
        self.loop_time.set(deadline.max(self.loop_time.get()));
    }

    /// The moment `delay` from now, or `None` when it lies beyond what the clock can tell.
    pub(super) fn deadline_after(&self, delay: Duration) -> Option<Instant> {
        let now = if self.is_virtual() {
            self.loop_time.get()
        } else {
            Instant::now()
        };
        now.checked_add(delay)
    }
}
