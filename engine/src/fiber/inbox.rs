//! Wake-ups from other threads: a lock-free queue of fiber ids, read once per turn of the loop.

use std::time::Instant;

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::FiberId;

/// Wakes one fiber from any thread. A wake-up of a fiber that is not suspended when it arrives does
/// nothing, so publish what the fiber waits for first, wake it second, and let the fiber test it
/// before each suspend. After the runtime has ended a wake-up does nothing.
#[derive(Debug, Clone)]
pub struct Waker {
    fiber_id: FiberId,
    sender: Sender<FiberId>,
}

impl Waker {
    /// Queues the wake-up. Never blocks.
    pub fn wake(&self) {
        // The receiver is gone when the runtime has ended: then there is nobody to wake.
        let _ = self.sender.send(self.fiber_id);
    }

    /// The fiber that this wakes.
    pub fn fiber_id(&self) -> FiberId {
        self.fiber_id
    }
}

/// The receiving side, owned by the scheduler. It keeps a sender, so it never disconnects.
pub(super) struct Inbox {
    sender: Sender<FiberId>,
    receiver: Receiver<FiberId>,
}

impl Inbox {
    pub(super) fn new() -> Self {
        let (sender, receiver) = unbounded();
        Self { sender, receiver }
    }

    pub(super) fn waker(&self, fiber_id: FiberId) -> Waker {
        Waker {
            fiber_id,
            sender: self.sender.clone(),
        }
    }

    pub(super) fn try_take(&self) -> Option<FiberId> {
        self.receiver.try_recv().ok()
    }

    /// Blocks the thread until a wake-up arrives or `deadline` passes; `None` waits without limit.
    pub(super) fn wait(&self, deadline: Option<Instant>) -> Option<FiberId> {
        match deadline {
            None => self.receiver.recv().ok(),
            Some(deadline) => self.receiver.recv_deadline(deadline).ok(),
        }
    }
}
