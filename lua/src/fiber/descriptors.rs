//! Waiting for a file descriptor while other fibers run.
//!
//! One thread, started by the first wait that has to wait, polls all descriptors that fibers wait
//! for, and wakes the fiber of each that is ready. A wait costs a `poll` when the descriptor is ready
//! at once; else also a byte through a pipe, which makes the thread poll anew, and a step for every
//! other wait.

use std::ffi::{c_int, c_short};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use lycosa_engine::fiber::{Scheduler, Wake, Waker};
use mlua::ffi::{self, lua_State};

use super::{Primitive, bridge, timeout};

pub(super) const ALL: &[Primitive] = &[(c"wait_for_descriptor", wait_for_descriptor)];

/// Which events a fiber waits for, and which came: a sum of these.
const READ: u8 = 1;
const WRITE: u8 = 2;

/// One fiber's wait.
struct Wait {
    descriptor: c_int,
    events: u8,
    waker: Waker,
}

/// A wait that goes on, or has ended with some events.
type Entry = (Arc<Wait>, Option<u8>);

type Entries = Arc<Mutex<Vec<Entry>>>;

/// The waits that go on, and what makes the thread look at them anew. Dropped, it ends the thread.
pub(super) struct Watcher {
    entries: Entries,
    control: PipeWriter,
}

impl Watcher {
    fn start() -> io::Result<Self> {
        let (reader, control) = io::pipe()?;
        let entries = Entries::default();
        let watched = Arc::clone(&entries);
        thread::Builder::new()
            .name("descriptors".into())
            .spawn(move || watch(&watched, reader))?;
        Ok(Self { entries, control })
    }

    fn add(&self, wait: &Arc<Wait>) -> io::Result<()> {
        lock(&self.entries).push((Arc::clone(wait), None));
        (&self.control).write_all(&[0])
    }

    /// Takes a wait out: the events that have come, `None` when none have.
    fn remove(&self, wait: &Arc<Wait>) -> Option<u8> {
        let mut entries = lock(&self.entries);
        let index = (entries.iter()).position(|(other, _)| Arc::ptr_eq(other, wait))?;
        entries.swap_remove(index).1
    }
}

fn lock(entries: &Mutex<Vec<Entry>>) -> MutexGuard<'_, Vec<Entry>> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread: polls until the other end of `control` is gone.
fn watch(entries: &Mutex<Vec<Entry>>, mut control: PipeReader) {
    loop {
        let waits: Vec<Arc<Wait>> = (lock(entries).iter())
            .filter(|(_, came)| came.is_none())
            .map(|(wait, _)| Arc::clone(wait))
            .collect();
        let mut polled = vec![request(control.as_raw_fd(), READ)];
        polled.extend(
            waits
                .iter()
                .map(|wait| request(wait.descriptor, wait.events)),
        );
        poll(&mut polled, -1);
        if polled[0].revents != 0 && matches!(control.read(&mut [0; 64]), Ok(0) | Err(_)) {
            return;
        }
        let mut entries = lock(entries);
        for (wait, answer) in waits.iter().zip(&polled[1..]) {
            let came = events_of(wait.events, answer.revents);
            let entry = (entries.iter_mut()).find(|(other, _)| Arc::ptr_eq(other, wait));
            if let (1.., Some((_, ended))) = (came, entry) {
                *ended = Some(came);
                wait.waker.wake();
            }
        }
    }
}

fn request(descriptor: c_int, events: u8) -> libc::pollfd {
    let read = if events & READ == 0 { 0 } else { libc::POLLIN };
    let write = if events & WRITE == 0 {
        0
    } else {
        libc::POLLOUT
    };
    libc::pollfd {
        fd: descriptor,
        events: read | write,
        revents: 0,
    }
}

/// What of `requested` has come. Hang-ups and errors count as whatever was asked for, and a
/// descriptor that is not open as everything: the read or write that follows tells more.
fn events_of(requested: u8, came: c_short) -> u8 {
    if came & libc::POLLNVAL != 0 {
        return READ | WRITE;
    }
    let over = came & (libc::POLLHUP | libc::POLLERR) != 0;
    let read = if over || came & libc::POLLIN != 0 {
        READ
    } else {
        0
    };
    let write = if over || came & libc::POLLOUT != 0 {
        WRITE
    } else {
        0
    };
    requested & (read | write)
}

/// Polls, again after signals. When the system refuses, everything counts as ready.
fn poll(descriptors: &mut [libc::pollfd], timeout_ms: c_int) {
    loop {
        let count = descriptors.len() as libc::nfds_t;
        // SAFETY: the pointer and the count are those of one slice.
        let found = unsafe { libc::poll(descriptors.as_mut_ptr(), count, timeout_ms) };
        if found >= 0 {
            return;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            for descriptor in descriptors {
                descriptor.revents = descriptor.events;
            }
            return;
        }
    }
}

fn ready_now(descriptor: c_int, events: u8) -> u8 {
    let mut polled = [request(descriptor, events)];
    poll(&mut polled, 0);
    events_of(events, polled[0].revents)
}

/// Waits, and yields at least once. `Ok(None)` means that the fiber is cancelled. Whatever wakes the
/// fiber ends the wait.
fn wait_for(
    scheduler: &Scheduler,
    watcher: &std::cell::OnceCell<Watcher>,
    (descriptor, events): (c_int, u8),
    limit: Option<Duration>,
) -> io::Result<Option<u8>> {
    let ready = ready_now(descriptor, events);
    if ready != 0 || limit.is_some_and(|limit| limit.is_zero()) {
        if scheduler.yield_now() == Wake::Cancelled {
            return Ok(None);
        }
        return Ok(Some(ready | ready_now(descriptor, events)));
    }
    if watcher.get().is_none() {
        // Nobody else can have set it meanwhile: starting does not yield.
        let _ = watcher.set(Watcher::start()?);
    }
    let Some(watcher) = watcher.get() else {
        return Ok(Some(0));
    };
    let wait = Arc::new(Wait {
        descriptor,
        events,
        waker: scheduler.waker(&scheduler.current()),
    });
    watcher.add(&wait)?;
    let mut wake = scheduler.suspend(limit);
    let came = watcher.remove(&wait);
    if came.is_some() && wake != Wake::Cancelled {
        // The thread's wake-up may still be on its way: in one more turn it finds this fiber ready
        // and does nothing, where it would cut short the fiber's next sleep.
        wake = scheduler.yield_now();
    }
    Ok((wake != Wake::Cancelled).then_some(came.unwrap_or(0)))
}

/// `wait_for_descriptor(descriptor, events, timeout)`: the events that came, 0 when none did, false
/// when the fiber is cancelled; a text when the system refuses.
unsafe extern "C-unwind" fn wait_for_descriptor(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive; nothing with a destructor is left when Lua allocates.
    unsafe {
        let bridge = bridge(state);
        let descriptor = ffi::lua_tonumber(state, 1) as c_int;
        let events = ffi::lua_tonumber(state, 2) as u8;
        let limit = timeout(state, 3);
        let outcome = wait_for(
            &bridge.scheduler,
            &bridge.watcher,
            (descriptor, events),
            limit,
        );
        match outcome.map_err(|error| super::primitives::message_of(&error)) {
            Ok(Some(events)) => ffi::lua_pushnumber(state, events.into()),
            Ok(None) => ffi::lua_pushboolean(state, 0),
            Err((message, length)) => {
                ffi::lua_pushlstring(state, message.as_ptr().cast(), length);
            }
        }
    }
    1
}
