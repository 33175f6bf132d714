//! FFI functions for transactions and for statements that change tuples.
//!
//! Each takes the context and plain numbers; `size` is that of the MsgPack in the scratch buffer,
//! which is not passed as a pointer: making the pointer object could run a finalizer, and that
//! overwrite the buffer. A negative answer is a failure; the error is then left in the boundary,
//! but for [`RETRY`], which asks to begin the call anew.

use std::rc::Rc;

use lycosa_engine::tuple::Encoded;
use mlua::{Lua, Table};

use super::Context;
use crate::state::address;

/// What was held is gone, because a finalizer has held something else meanwhile.
pub(super) const RETRY: i32 = -2;

/// How many results wait for their call to copy them at most; more were given up by errors.
const WAITING_MAX: usize = 8;

unsafe extern "C" fn begin(context: *mut Context) -> i32 {
    // SAFETY: Lua passes the context of its state, and nothing else uses it meanwhile.
    let context = unsafe { &mut *context };
    context.savepoints.clear();
    let outcome = context.database.borrow_mut().begin();
    context.status(outcome.map(|()| 0))
}

unsafe extern "C" fn commit(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    context.serial = context.serial.wrapping_add(1);
    let outcome = context.database.borrow_mut().commit();
    context.status(outcome.map(|()| 0))
}

unsafe extern "C" fn rollback(context: *mut Context) {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    context.serial = context.serial.wrapping_add(1);
    context.database.borrow_mut().rollback();
}

unsafe extern "C" fn is_in_transaction(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    i32::from(unsafe { &*context }.database.borrow().is_in_transaction())
}

/// Answers with the savepoint's number.
unsafe extern "C" fn savepoint(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    let outcome = context.database.borrow_mut().savepoint();
    let outcome = outcome.map(|savepoint| {
        context.savepoints.push(savepoint);
        context.savepoints.len() as i32 - 1
    });
    context.status(outcome)
}

unsafe extern "C" fn rollback_to_savepoint(context: *mut Context, number: u32) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    context.serial = context.serial.wrapping_add(1);
    let outcome = match context.savepoints.get(number as usize) {
        Some(savepoint) => context
            .database
            .borrow_mut()
            .rollback_to_savepoint(*savepoint),
        None => Err(lycosa_engine::ErrorKind::NoSuchSavepoint.into()),
    };
    context.status(outcome.map(|()| 0))
}

/// Number of the running transaction, or 0.
unsafe extern "C" fn transaction_number(context: *mut Context) -> f64 {
    // SAFETY: as in `begin`.
    unsafe { &*context }
        .database
        .borrow()
        .transaction_number()
        .unwrap_or(0) as f64
}

unsafe extern "C" fn insert(context: *mut Context, space_id: u32, size: u32) -> i32 {
    // SAFETY: as in `begin`; the bytes are in the scratch buffer.
    let (context, tuple) = unsafe { (&mut *context, (*context).encoded(size)) };
    context.serial = context.serial.wrapping_add(1);
    let database = Rc::as_ptr(&context.database);
    // SAFETY: the context holds the database; the borrow ends before the context is used again.
    let outcome = match unsafe { &*database }.borrow_mut().insert(space_id, tuple) {
        Ok(stored) => {
            context.data = stored.bytes().as_ptr();
            Ok(0)
        }
        Err(error) => Err(error),
    };
    context.size = size;
    context.status(outcome)
}

unsafe extern "C" fn replace(context: *mut Context, space_id: u32, size: u32) -> i32 {
    // SAFETY: as in `insert`.
    let (context, tuple) = unsafe { (&mut *context, (*context).encoded(size)) };
    context.serial = context.serial.wrapping_add(1);
    let database = Rc::as_ptr(&context.database);
    // SAFETY: as in `insert`.
    let outcome = match unsafe { &*database }.borrow_mut().replace(space_id, tuple) {
        Ok(stored) => {
            context.data = stored.bytes().as_ptr();
            Ok(0)
        }
        Err(error) => Err(error),
    };
    context.size = size;
    context.status(outcome)
}

/// 1 when a tuple was deleted, which is the result then, else 0.
unsafe extern "C" fn delete(context: *mut Context, space_id: u32, index_id: u32, size: u32) -> i32 {
    // SAFETY: as in `insert`.
    let (context, key) = unsafe { (&mut *context, (*context).encoded(size)) };
    let outcome = context
        .database
        .borrow_mut()
        .delete(space_id, index_id, key);
    let outcome = outcome.map(|deleted| match deleted {
        Some(tuple) => {
            context.own(tuple.bytes());
            1
        }
        None => 0,
    });
    context.status(outcome)
}

/// The key was held; `operations` is in the scratch buffer. 1 when a tuple was updated.
unsafe extern "C" fn update(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    held: u32,
    size: u32,
) -> i32 {
    // SAFETY: as in `insert`.
    let (context, operations) = unsafe { (&mut *context, (*context).encoded(size)) };
    if held != context.held_serial {
        return RETRY;
    }
    let held = std::mem::take(&mut context.held);
    let database = Rc::clone(&context.database);
    let outcome = database
        .borrow_mut()
        .update(space_id, index_id, Encoded::trusted(&held), operations, 1)
        .map(|updated| match updated {
            Some(tuple) => {
                context.own(tuple.bytes());
                1
            }
            None => 0,
        });
    context.held = held;
    context.status(outcome)
}

/// The tuple was held; `operations` is in the scratch buffer.
unsafe extern "C" fn upsert(context: *mut Context, space_id: u32, held: u32, size: u32) -> i32 {
    // SAFETY: as in `insert`.
    let (context, operations) = unsafe { (&mut *context, (*context).encoded(size)) };
    if held != context.held_serial {
        return RETRY;
    }
    context.serial = context.serial.wrapping_add(1);
    let held = std::mem::take(&mut context.held);
    let outcome = context
        .database
        .borrow_mut()
        .upsert(space_id, Encoded::trusted(&held), operations, 1)
        .map(|_skipped| 0);
    context.held = held;
    context.status(outcome)
}

/// Keeps a key, position or tuple while something else is encoded; answers with the number that it
/// is asked back by.
unsafe extern "C" fn hold(context: *mut Context, size: u32) -> u32 {
    // SAFETY: as in `insert`.
    let (context, data) = unsafe { (&mut *context, (*context).encoded(size)) };
    context.hold(data.bytes())
}

/// Keeps the bytes of a Lua string as `hold` does.
unsafe extern "C" fn hold_string(context: *mut Context, data: *const u8, size: u32) -> u32 {
    // SAFETY: as in `begin`; Lua passes a string and its length.
    unsafe { (*context).hold(std::slice::from_raw_parts(data, size as usize)) }
}

/// Makes the tuple in the scratch buffer the result.
unsafe extern "C" fn echo(context: *mut Context, size: u32) {
    // SAFETY: as in `insert`.
    let (context, data) = unsafe { (&mut *context, (*context).encoded(size)) };
    context.own(data.bytes());
}

/// Copies the result of the call that answered with `serial`. 0 when a later call has come between,
/// as a finalizer may, and the result was a tuple of the database that may be gone.
unsafe extern "C" fn copy_result(context: *mut Context, serial: u32, target: *mut u8) -> i32 {
    // SAFETY: as in `begin`; while the serial stays, `data` points to `size` bytes, and Lua has
    // made the target of that size.
    unsafe {
        let context = &mut *context;
        if context.owned_serial == serial {
            std::ptr::copy_nonoverlapping(context.owned.as_ptr(), target, context.owned.len());
            context.owned_waits = false;
        } else if context.serial == serial {
            std::ptr::copy_nonoverlapping(context.data, target, context.size as usize);
        } else if let Some(at) = context.waiting.iter().position(|(of, _)| *of == serial) {
            let (_, bytes) = context.waiting.remove(at);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len());
        } else {
            return 0;
        }
    }
    1
}

impl Context {
    /// The bytes that Lua has encoded.
    ///
    /// # Safety
    /// `size` bytes of the scratch buffer were written, and nothing is encoded while the answer is
    /// used.
    #[inline]
    pub(super) unsafe fn encoded<'a>(&self, size: u32) -> Encoded<'a> {
        // SAFETY: the boundary lives as long as the Lua state, whose code is calling; the rest is
        // as the caller promises.
        Encoded::trusted(unsafe {
            std::slice::from_raw_parts((*self.boundary).scratch.data(), size as usize)
        })
    }

    fn hold(&mut self, data: &[u8]) -> u32 {
        self.held.clear();
        self.held.extend_from_slice(data);
        self.held_serial = self.held_serial.wrapping_add(1);
        self.held_serial
    }

    /// Makes bytes the result that the context owns. A result that its call has not copied yet,
    /// because this one is of a finalizer, waits.
    pub(super) fn own(&mut self, bytes: &[u8]) {
        if self.owned_waits {
            let owned = std::mem::take(&mut self.owned);
            self.waiting.push((self.owned_serial, owned));
            if self.waiting.len() > WAITING_MAX {
                self.waiting.remove(0);
            }
        }
        self.serial = self.serial.wrapping_add(1);
        self.owned.clear();
        self.owned.extend_from_slice(bytes);
        self.data = self.owned.as_ptr();
        self.size = bytes.len() as u32;
        self.owned_serial = self.serial;
        self.owned_waits = true;
    }
}

pub(super) fn install(_lua: &Lua, native: &Table) -> mlua::Result<()> {
    native.set("begin", address(begin as *const ()))?;
    native.set("commit", address(commit as *const ()))?;
    native.set("rollback", address(rollback as *const ()))?;
    native.set("is_in_transaction", address(is_in_transaction as *const ()))?;
    native.set(
        "transaction_number",
        address(transaction_number as *const ()),
    )?;
    native.set("savepoint", address(savepoint as *const ()))?;
    native.set(
        "rollback_to_savepoint",
        address(rollback_to_savepoint as *const ()),
    )?;
    native.set("insert", address(insert as *const ()))?;
    native.set("replace", address(replace as *const ()))?;
    native.set("delete", address(delete as *const ()))?;
    native.set("update", address(update as *const ()))?;
    native.set("upsert", address(upsert as *const ()))?;
    native.set("hold", address(hold as *const ()))?;
    native.set("hold_string", address(hold_string as *const ()))?;
    native.set("echo", address(echo as *const ()))?;
    native.set("copy_result", address(copy_result as *const ()))
}
