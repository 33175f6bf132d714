//! Channels between fibers: bounded, first in first out, with waiting readers and writers.
//!
//! A value goes straight to the reader that has waited longest; only without one is it buffered, and
//! only without room does the writer wait. Each step is O(1), a wait's end O(waiters).

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::handle::FiberState;
use super::scheduler::{Core, Scheduler, Wake};

/// Why a value was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GetError {
    /// The channel is closed and empty.
    #[error("the channel is closed")]
    Closed,
    /// The timeout passed first.
    #[error("timed out")]
    TimedOut,
    /// The reading fiber was cancelled.
    #[error("fiber is cancelled")]
    Cancelled,
}

/// Why a value was not put.
pub type PutFailure = GetError;

/// A put that failed, with the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutError<T> {
    /// The value that was not put.
    pub value: T,
    /// Why not.
    pub reason: PutFailure,
}

impl<T> fmt::Display for PutError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl<T: fmt::Debug> std::error::Error for PutError<T> {}

/// A fiber inside `put` (the slot holds its value until taken) or `get` (the slot receives one).
struct Waiter<T> {
    fiber: Rc<FiberState>,
    slot: Cell<Option<T>>,
    done: Cell<bool>,
}

type Waiters<T> = RefCell<VecDeque<Rc<Waiter<T>>>>;

/// A channel of `T`. Share it between fibers through an `Rc`.
pub struct Channel<T> {
    core: Rc<Core>,
    capacity: usize,
    closed: Cell<bool>,
    buffer: RefCell<VecDeque<T>>,
    readers: Waiters<T>,
    writers: Waiters<T>,
}

impl<T> Channel<T> {
    /// A channel that buffers up to `capacity` values; with 0 each `put` waits for its `get`.
    pub fn new(scheduler: &Scheduler, capacity: usize) -> Self {
        Self {
            core: Rc::clone(&scheduler.core),
            capacity,
            closed: Cell::new(false),
            buffer: RefCell::default(),
            readers: RefCell::default(),
            writers: RefCell::default(),
        }
    }

    /// Puts `value`, waiting for room at most for `timeout`; a timeout of zero never yields, and a cancelled
    /// fiber does not wait.
    pub fn put(&self, value: T, timeout: Option<Duration>) -> Result<(), PutError<T>> {
        if self.closed.get() {
            return Err(PutError {
                value,
                reason: GetError::Closed,
            });
        }
        if let Some(reader) = self.readers.borrow_mut().pop_front() {
            reader.slot.set(Some(value));
            self.finish(&reader);
            return Ok(());
        }
        if self.buffer.borrow().len() < self.capacity {
            self.buffer.borrow_mut().push_back(value);
            return Ok(());
        }
        if timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Err(PutError {
                value,
                reason: GetError::TimedOut,
            });
        }
        if self.core.running().cancelled.get() {
            return Err(PutError {
                value,
                reason: GetError::Cancelled,
            });
        }
        let writer = self.wait(&self.writers, Some(value), timeout);
        match writer.slot.take() {
            None => Ok(()),
            Some(value) => Err(PutError {
                value,
                reason: self.failure(&writer),
            }),
        }
    }

    /// Takes the oldest value, waiting for one at most for `timeout`; a timeout of zero never yields.
    /// What a closed channel still holds can be taken.
    pub fn get(&self, timeout: Option<Duration>) -> Result<T, GetError> {
        let buffered = self.buffer.borrow_mut().pop_front();
        if let Some(value) = buffered {
            if let Some(waiting) = self.take_from_writer() {
                self.buffer.borrow_mut().push_back(waiting);
            }
            return Ok(value);
        }
        if let Some(value) = self.take_from_writer() {
            return Ok(value);
        }
        if self.closed.get() {
            return Err(GetError::Closed);
        }
        if timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Err(GetError::TimedOut);
        }
        if self.core.running().cancelled.get() {
            return Err(GetError::Cancelled);
        }
        let reader = self.wait(&self.readers, None, timeout);
        reader.slot.take().ok_or_else(|| self.failure(&reader))
    }

    /// Closes the channel: waiting fibers fail with `Closed`, later puts too; buffered values stay.
    pub fn close(&self) {
        self.closed.set(true);
        for waiters in [&self.readers, &self.writers] {
            for waiter in waiters.take() {
                self.finish(&waiter);
            }
        }
    }

    /// Whether [`close`](Self::close) was called.
    pub fn is_closed(&self) -> bool {
        self.closed.get()
    }

    /// Values in the buffer.
    pub fn len(&self) -> usize {
        self.buffer.borrow().len()
    }

    /// Values the buffer can hold.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether the buffer holds no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the buffer holds as many values as it can.
    pub fn is_full(&self) -> bool {
        self.len() >= self.capacity
    }

    /// Whether fibers wait for a value.
    pub fn has_readers(&self) -> bool {
        !self.readers.borrow().is_empty()
    }

    /// Whether fibers wait for room.
    pub fn has_writers(&self) -> bool {
        !self.writers.borrow().is_empty()
    }

    /// Waits in `queue` until someone is done with the waiter, a timeout or a cancel.
    fn wait(
        &self,
        queue: &Waiters<T>,
        value: Option<T>,
        timeout: Option<Duration>,
    ) -> Rc<Waiter<T>> {
        let deadline: Option<Instant> =
            timeout.and_then(|timeout| self.core.clock.deadline_after(timeout));
        let waiter = Rc::new(Waiter {
            fiber: self.core.running(),
            slot: Cell::new(value),
            done: Cell::new(false),
        });
        queue.borrow_mut().push_back(Rc::clone(&waiter));
        while !waiter.done.get() {
            if self.core.suspend_until(deadline) != Wake::Woken {
                break;
            }
        }
        queue
            .borrow_mut()
            .retain(|other| !Rc::ptr_eq(other, &waiter));
        waiter
    }

    fn take_from_writer(&self) -> Option<T> {
        let writer = self.writers.borrow_mut().pop_front()?;
        let value = writer.slot.take();
        self.finish(&writer);
        value
    }

    fn finish(&self, waiter: &Waiter<T>) {
        waiter.done.set(true);
        self.core.make_ready(&waiter.fiber);
    }

    /// Why a waiter got nothing.
    fn failure(&self, waiter: &Waiter<T>) -> GetError {
        if waiter.fiber.cancelled.get() || std::thread::panicking() {
            GetError::Cancelled
        } else if self.closed.get() {
            GetError::Closed
        } else {
            GetError::TimedOut
        }
    }
}
