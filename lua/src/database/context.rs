//! What the FFI functions of one Lua state work on: the encoded bytes that come in, and the results
//! that wait until Lua has copied them.
//!
//! Lua makes an object for a result after the call, and a finalizer may use `box` while it does. A
//! result is therefore asked for by number. One that only the context has (a deleted tuple) waits;
//! one that is stored in the database is lent, and gone with the next call.

use std::cell::Cell;

use lycosa_engine::tuple::{Encoded, Tuple};
use lycosa_engine::{Cursor, Error, Savepoint, SharedDatabase};

use super::pending;
use crate::state_boundary::Boundary;
use crate::tuple::{SmallTuple, identity};

/// How many results wait for their call to copy them at most; more were given up by errors.
const WAITING_MAX: usize = 8;

/// Every so many calls Lua is made to begin anew, and looks how long its fiber has run.
const CALLS_PER_CHECK: u32 = 4096;

/// A result that waits for its call to copy it.
struct Waiting {
    /// Its number.
    serial: i32,
    bytes: Vec<u8>,
    /// The [`identity`] of the tuple that the bytes were copied from; 0 for none.
    stored: u32,
}

/// What the FFI functions work on; Lua knows the first fields as `struct lycosa_result`.
#[repr(C)]
pub(crate) struct Context {
    /// The result of the last call, as compiled code takes it; of one that does not fit, the size.
    result: SmallTuple,
    /// Number of the last call that may change or answer with a tuple; always positive.
    serial: i32,
    /// Number of the last result that Lua has taken from `result`.
    taken: i32,
    /// The tuple that the last call answers with; valid while `serial` stays.
    data: *const u8,
    pub(super) database: SharedDatabase,
    boundary: *mut Boundary,
    /// Calls since the state was made, modulo 2^32.
    calls: Cell<u32>,
    /// A key, position or tuple that is kept while something else is encoded.
    pub(super) held: Vec<u8>,
    held_serial: u32,
    /// Results that own their bytes, the newest last.
    waiting: Vec<Waiting>,
    /// Memory of a result that was copied, to use again.
    spare: Vec<u8>,
    /// Tuples of selects by number, until Lua has copied them, the newest last.
    pub(super) selected: Vec<(i32, Vec<Tuple>)>,
    /// Open iterations by number; `free` lists the numbers to use again.
    pub(super) cursors: Vec<Option<Cursor>>,
    pub(super) free: Vec<u32>,
    /// Savepoints of Lua objects, by number; forgotten at the end of their transaction.
    pub(super) savepoints: Vec<Savepoint>,
    /// Spaces whose statements go through Lua: those from `hooked_from` on, `hooked_span` of them,
    /// may be such, others are not.
    pub(super) hooked_from: u32,
    pub(super) hooked_span: u32,
    pub(super) hooks: Hooks,
}

/// Which statements have code of the user's run around them.
#[derive(Default)]
pub(super) struct Hooks {
    /// Those on these spaces; few, so that a walk is the quickest look.
    pub(super) spaces: Vec<u32>,
    /// Those on any space.
    pub(super) is_all: bool,
    /// Whether triggers are among it, which may run other statements.
    pub(super) has_triggers: bool,
}

impl Context {
    pub(super) fn new(database: SharedDatabase, boundary: *mut Boundary) -> Self {
        Self {
            result: SmallTuple::default(),
            serial: 1,
            taken: 0,
            data: std::ptr::null(),
            database,
            boundary,
            calls: Cell::new(0),
            held: Vec::new(),
            held_serial: 0,
            waiting: Vec::new(),
            spare: Vec::new(),
            selected: Vec::new(),
            cursors: Vec::new(),
            free: Vec::new(),
            savepoints: Vec::new(),
            hooked_from: 0,
            hooked_span: 0,
            hooks: Hooks::default(),
        }
    }

    /// Whether a statement on this space goes through Lua, because code of the user's runs around it.
    #[inline]
    pub(super) fn is_hooked(&self, space_id: u32) -> bool {
        space_id.wrapping_sub(self.hooked_from) < self.hooked_span && self.finds_hook(space_id)
    }

    #[cold]
    fn finds_hook(&self, space_id: u32) -> bool {
        // Too deep within triggers, even a statement without any is to fail.
        self.hooks.is_all
            || self.hooks.spaces.contains(&space_id)
            || self.database.borrow().is_statement_limit_reached()
    }

    /// Sets the spaces whose statements go through Lua.
    pub(super) fn set_hooks(&mut self, hooks: Hooks) {
        let (least, greatest) = (hooks.spaces.iter().min(), hooks.spaces.iter().max());
        (self.hooked_from, self.hooked_span) = match (least, greatest) {
            _ if hooks.is_all || hooks.has_triggers => (0, u32::MAX),
            (Some(&least), Some(&greatest)) => (least, greatest - least + 1),
            _ => (0, 0),
        };
        self.hooks = hooks;
    }

    /// Answers with a failure and leaves the error for Lua.
    #[cold]
    pub(super) fn fail(&mut self, error: &Error) -> i32 {
        // SAFETY: the boundary lives as long as the Lua state, whose code is calling.
        unsafe { (*self.boundary).set_error(pending(error)) };
        -1
    }

    /// Turns an outcome into the status that Lua checks: negative for a failure.
    #[inline]
    pub(super) fn status(&mut self, outcome: Result<i32, Error>) -> i32 {
        match outcome {
            Ok(status) => status,
            Err(error) => self.fail(&error),
        }
    }

    /// Counts a call. Whether Lua is to look at its fiber's time slice before it is done.
    #[inline]
    pub(super) fn is_check_due(&self) -> bool {
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        calls.is_multiple_of(CALLS_PER_CHECK)
    }

    /// The bytes that Lua has encoded as number `encoding`; none when others have been encoded
    /// since, or a check of the time slice is due. They stay as they are until the call returns.
    #[inline]
    pub(super) fn encoded<'a>(&self, size: u32, encoding: i32) -> Option<Encoded<'a>> {
        if self.is_check_due() {
            return None;
        }
        // SAFETY: the boundary lives as long as the Lua state, whose code is calling, and that many
        // bytes were written by the encoding of that number.
        unsafe {
            let scratch = &(*self.boundary).scratch;
            (scratch.serial() == encoding).then(|| {
                Encoded::trusted(std::slice::from_raw_parts(scratch.data(), size as usize))
            })
        }
    }

    /// Keeps bytes and answers with their number, which is not 0.
    pub(super) fn hold(&mut self, data: &[u8]) -> u32 {
        self.held.clear();
        self.held.extend_from_slice(data);
        self.held_serial = self.held_serial.wrapping_add(1).max(1);
        self.held_serial
    }

    /// Takes what was held as number `held`; put it back into `held` to use its memory again.
    pub(super) fn take_held(&mut self, held: u32) -> Option<Vec<u8>> {
        (held != 0 && held == self.held_serial).then(|| std::mem::take(&mut self.held))
    }

    /// Begins a call: what was lent before is gone.
    #[inline]
    pub(super) fn next_serial(&mut self) -> i32 {
        self.serial = (self.serial & (i32::MAX >> 1)) + 1;
        self.serial
    }

    /// Makes a tuple that the database keeps the result, until the next call. Answers with the
    /// result's number.
    #[inline]
    pub(super) fn lend(&mut self, bytes: &[u8]) -> i32 {
        self.data = bytes.as_ptr();
        self.result.set(bytes, identity(bytes));
        self.next_serial()
    }

    /// Makes a copy of a tuple that is or was stored the result, as `own` does.
    pub(super) fn own_stored(&mut self, tuple: &[u8]) -> i32 {
        self.keep(tuple, identity(tuple))
    }

    /// Makes a copy of the bytes the result, which waits for Lua. Answers with its number.
    pub(super) fn own(&mut self, bytes: &[u8]) -> i32 {
        self.keep(bytes, 0)
    }

    fn keep(&mut self, bytes: &[u8], stored: u32) -> i32 {
        self.forget(self.taken);
        let mut copy = std::mem::take(&mut self.spare);
        copy.clear();
        copy.extend_from_slice(bytes);
        if self.waiting.len() == WAITING_MAX {
            self.waiting.remove(0);
        }
        self.data = std::ptr::null();
        self.result.set(bytes, stored);
        let serial = self.next_serial();
        self.waiting.push(Waiting {
            serial,
            bytes: copy,
            stored,
        });
        serial
    }

    /// The result of number `serial`, if it is there, with the identity of the stored tuple that it is,
    /// or 0.
    #[inline]
    pub(super) fn result(&self, serial: i32) -> Option<(&[u8], u32)> {
        if self.serial == serial && !self.data.is_null() {
            // A finalizer that yields undoes the transaction, and what it stored.
            if self.database.borrow().is_aborted() {
                return None;
            }
            // SAFETY: no call has come since `lend`, and no transaction was undone, so that the
            // database still has the tuple.
            let bytes = unsafe { std::slice::from_raw_parts(self.data, self.result.size as usize) };
            return Some((bytes, identity(bytes)));
        }
        let found = self.waiting.iter().rev().find(|kept| kept.serial == serial);
        found.map(|kept| (kept.bytes.as_slice(), kept.stored))
    }

    /// Lets go of a result that Lua has copied.
    #[inline]
    pub(super) fn forget(&mut self, serial: i32) {
        if self.waiting.is_empty() {
            return;
        }
        if let Some(at) = self.waiting.iter().rposition(|kept| kept.serial == serial) {
            self.spare = self.waiting.remove(at).bytes;
        }
    }

    /// Keeps the tuples of a select, and answers with their number.
    pub(super) fn keep_selected(&mut self, tuples: Vec<Tuple>) -> i32 {
        if self.selected.len() == WAITING_MAX {
            self.selected.remove(0);
        }
        let serial = self.next_serial();
        self.selected.push((serial, tuples));
        serial
    }
}
