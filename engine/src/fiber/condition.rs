//! Condition variables between fibers.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use super::handle::{FiberState, Phase};
use super::scheduler::{Core, Scheduler, Wake};

/// Why a wait ended without a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WaitError {
    /// The timeout passed first.
    #[error("timed out")]
    TimedOut,
    /// The waiting fiber was cancelled.
    #[error("fiber is cancelled")]
    Cancelled,
}

/// Lets fibers wait for an event that other fibers signal, in the order they came.
pub struct Condition {
    core: Rc<Core>,
    waiting: RefCell<VecDeque<Rc<FiberState>>>,
}

impl Condition {
    /// A condition for the fibers of `scheduler`.
    pub fn new(scheduler: &Scheduler) -> Self {
        Self {
            core: Rc::clone(&scheduler.core),
            waiting: RefCell::default(),
        }
    }

    /// Waits for a signal, at most for `timeout`. A plain wake-up of the fiber also ends the wait
    /// with `Ok`, as in Tarantool: test what you wait for again.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<(), WaitError> {
        let deadline = timeout.and_then(|timeout| self.core.clock.deadline_after(timeout));
        let me = self.core.running();
        self.waiting.borrow_mut().push_back(Rc::clone(&me));
        let wake = self.core.suspend_until(deadline);
        self.waiting
            .borrow_mut()
            .retain(|fiber| !Rc::ptr_eq(fiber, &me));
        match wake {
            Wake::Woken => Ok(()),
            Wake::TimedOut => Err(WaitError::TimedOut),
            Wake::Cancelled => Err(WaitError::Cancelled),
        }
    }

    /// Wakes the fiber that has waited longest. A fiber that something else has woken already does
    /// not use the signal up.
    pub fn signal(&self) {
        while let Some(fiber) = self.pop() {
            if fiber.phase.get() == Phase::Suspended {
                self.core.make_ready(&fiber);
                return;
            }
        }
    }

    /// Wakes every waiting fiber.
    pub fn broadcast(&self) {
        while let Some(fiber) = self.pop() {
            self.core.make_ready(&fiber);
        }
    }

    fn pop(&self) -> Option<Rc<FiberState>> {
        self.waiting.borrow_mut().pop_front()
    }
}
