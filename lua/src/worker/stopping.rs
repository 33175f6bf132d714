//! The user's wish that no more transactions begin, and how far the process is: what other threads
//! say to the transaction thread and ask of it. One repetition runs in a process, so both are the
//! process's own.

use std::sync::atomic::{AtomicU8, Ordering};

/// Not 0 once no more transactions shall begin. The driver reads it before each.
static STOP: AtomicU8 = AtomicU8::new(0);

static PHASE: AtomicU8 = AtomicU8::new(Phase::Preparation as u8);

/// How far a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Nothing has been done that could be verified.
    Preparation,
    /// Transactions run, and end soon after [`stop`].
    Transactions,
    /// What was done is being verified, or the answer is given.
    Verification,
}

/// Asks that no more transactions begin.
pub fn stop() {
    STOP.store(1, Ordering::Relaxed);
}

/// How far this process is.
pub fn phase() -> Phase {
    match PHASE.load(Ordering::Relaxed) {
        phase if phase == Phase::Preparation as u8 => Phase::Preparation,
        phase if phase == Phase::Transactions as u8 => Phase::Transactions,
        _ => Phase::Verification,
    }
}

pub(super) fn enter(phase: Phase) {
    PHASE.store(phase as u8, Ordering::Relaxed);
}

pub(super) fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed) != 0
}

/// Where the driver finds the wish, as long as the process lives.
pub(super) fn address() -> *mut std::ffi::c_void {
    STOP.as_ptr().cast()
}
