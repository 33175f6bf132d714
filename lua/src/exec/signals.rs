//! SIGINT and SIGTERM: a thread catches them and hands them to a fiber. A script that keeps the
//! transaction thread to itself, in a loop that never yields, hears nothing: then the thread writes
//! out what was printed and ends the process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use lycosa_engine::fiber::Waker;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::library::kill_children;

/// How long the transaction thread has to hear of a signal.
const GRACE: Duration = Duration::from_millis(500);

/// How long printed lines have to reach a reader before the process ends regardless.
const FLUSH_LIMIT: Duration = Duration::from_millis(200);

const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The last signal that nobody has taken yet; 0 is none.
#[derive(Debug, Default)]
pub(super) struct Pending(AtomicI32);

impl Pending {
    /// The signal, once.
    pub(super) fn take(&self) -> Option<i32> {
        match self.0.swap(0, Ordering::AcqRel) {
            0 => None,
            signal => Some(signal),
        }
    }
}

/// Catches the signals from now on: each is put into `pending`, and the fiber behind `waker` is woken.
pub(super) fn watch(pending: Arc<Pending>, waker: Waker) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new()
        .name(String::from("signals"))
        .spawn(move || {
            while let Some(signal) = signals.forever().next() {
                pending.0.store(signal, Ordering::Release);
                waker.wake();
                if !is_heard(&pending) {
                    eprintln!("lycosa: signal {signal}: the running fiber does not yield, ending");
                    end_at_once(128 + signal);
                }
            }
        })?;
    Ok(())
}

fn is_heard(pending: &Pending) -> bool {
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline {
        if pending.0.load(Ordering::Acquire) == 0 {
            return true;
        }
        thread::sleep(POLL_INTERVAL);
    }
    false
}

fn end_at_once(code: i32) -> ! {
    // The transaction thread may hold the lock of a stream whose reader is gone, so the flush must
    // not be waited for without limit.
    let flush = thread::spawn(|| {
        // SAFETY: null means all streams; the C library locks each.
        unsafe { libc::fflush(std::ptr::null_mut()) }
    });
    let deadline = Instant::now() + FLUSH_LIMIT;
    while !flush.is_finished() && Instant::now() < deadline {
        thread::sleep(POLL_INTERVAL);
    }
    kill_children();
    // SAFETY: ends the process without running anything of it.
    unsafe { libc::_exit(code) }
}
