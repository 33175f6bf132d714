//! FFI functions for transactions and for statements that change tuples.
//!
//! Each takes the context and plain numbers. Between any two steps of Lua code a finalizer may run
//! that uses `box` itself. So what is encoded comes as its size and the number of its encoding, and
//! a call whose bytes have been overwritten answers with [`RETRY`] (so do some others, to have Lua
//! check the time slice of its fiber); and a call with a result answers
//! with the result's number, which is positive. Other negative answers are failures; the error is
//! then left in the boundary.

use std::rc::Rc;

use lycosa_engine::tuple::{Encoded, TupleRef};
use lycosa_engine::update::Operations;
use lycosa_engine::{Database, Error, StatementEnd};
use mlua::{Lua, Table};

use super::context::Context;
use crate::state::address;
use crate::tuple::lycosa_tuple_fill;

/// What was encoded or held is gone, because a finalizer has come between, or the fiber's time slice
/// is to be checked: begin anew.
pub(super) const RETRY: i32 = -2;

/// Code of the user's runs around the statements of this space: `hooked_statements.lua` does them.
const HOOKED: i32 = -3;

unsafe extern "C" fn begin(context: *mut Context) -> i32 {
    // SAFETY: Lua passes the context of its state, and nothing else uses it meanwhile.
    let context = unsafe { &mut *context };
    let outcome = context.database.borrow_mut().begin();
    if outcome.is_ok() {
        context.savepoints.clear();
    }
    context.status(outcome.map(|()| 0))
}

unsafe extern "C" fn commit(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    context.next_serial();
    let outcome = context.database.borrow_mut().commit();
    context.status(outcome.map(|()| 0))
}

unsafe extern "C" fn rollback(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    context.next_serial();
    if context.database.borrow().statement_depth() > 0 {
        return context.fail(&lycosa_engine::ErrorKind::RollbackInSubStmt.into());
    }
    context.database.borrow_mut().rollback();
    0
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
    context.next_serial();
    let outcome = match context.savepoints.get(number as usize) {
        Some(savepoint) => context
            .database
            .borrow_mut()
            .rollback_to_savepoint(*savepoint),
        None => Err(lycosa_engine::ErrorKind::NoSuchSavepoint.into()),
    };
    context.status(outcome.map(|()| 0))
}

/// Opens a statement that code of the user's runs within.
unsafe extern "C" fn begin_statement(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    let outcome = context.database.borrow_mut().begin_statement();
    context.status(outcome.map(|()| 0))
}

/// 1 when the transaction was begun for the statement, and is to be committed or rolled back.
fn whole(end: StatementEnd) -> i32 {
    i32::from(end == StatementEnd::Whole)
}

unsafe extern "C" fn end_statement(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    whole(unsafe { &*context }.database.borrow_mut().end_statement())
}

unsafe extern "C" fn undo_statement(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    context.next_serial();
    whole(context.database.borrow_mut().undo_statement())
}

/// How many statements are open.
unsafe extern "C" fn statement_depth(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    unsafe { &*context }.database.borrow().statement_depth() as i32
}

/// Fails when a yield has undone the transaction.
unsafe extern "C" fn check_not_aborted(context: *mut Context) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    if context.database.borrow().is_aborted() {
        return context.fail(&lycosa_engine::ErrorKind::TransactionYield.into());
    }
    0
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

/// Puts the encoded tuple by `statement`. Answers with the number of the result, the stored tuple.
///
/// # Safety
/// As for the FFI functions: `context` is that of the Lua state that calls.
#[inline]
unsafe fn put(
    context: *mut Context,
    space_id: u32,
    size: u32,
    encoding: i32,
    statement: impl for<'a> FnOnce(&'a mut Database, Encoded<'_>) -> Result<TupleRef<'a>, Error>,
) -> i32 {
    // SAFETY: as in `begin`; the bytes are in the scratch buffer.
    let context = unsafe { &mut *context };
    if context.is_hooked(space_id) {
        return HOOKED;
    }
    let Some(tuple) = context.encoded(size, encoding) else {
        return RETRY;
    };
    let database = Rc::as_ptr(&context.database);
    // SAFETY: the context holds the database; the borrow ends before the context is used again.
    let outcome = match statement(&mut unsafe { &*database }.borrow_mut(), tuple) {
        Ok(stored) => Ok(context.lend(stored.bytes())),
        Err(error) => Err(error),
    };
    context.status(outcome)
}

/// Answers as `put` does.
pub(super) unsafe extern "C" fn insert(
    context: *mut Context,
    space_id: u32,
    size: u32,
    encoding: i32,
) -> i32 {
    // SAFETY: passed on from Lua.
    unsafe {
        put(context, space_id, size, encoding, |database, tuple| {
            database.insert(space_id, tuple)
        })
    }
}

/// Answers as `put` does.
pub(super) unsafe extern "C" fn replace(
    context: *mut Context,
    space_id: u32,
    size: u32,
    encoding: i32,
) -> i32 {
    // SAFETY: passed on from Lua.
    unsafe {
        put(context, space_id, size, encoding, |database, tuple| {
            database.replace(space_id, tuple)
        })
    }
}

/// Answers with the number of the result when a tuple was deleted, else 0.
pub(super) unsafe extern "C" fn delete(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    size: u32,
    encoding: i32,
) -> i32 {
    // SAFETY: as in `insert`.
    let context = unsafe { &mut *context };
    if context.is_hooked(space_id) {
        return HOOKED;
    }
    let Some(key) = context.encoded(size, encoding) else {
        return RETRY;
    };
    let outcome = context
        .database
        .borrow_mut()
        .delete(space_id, index_id, key);
    let outcome = outcome.map(|deleted| match deleted {
        Some(tuple) => context.own_stored(tuple.bytes()),
        None => 0,
    });
    context.status(outcome)
}

/// The key was held as number `held`; the operations were encoded. Answers with the number of the
/// result when a tuple was updated, else 0.
pub(super) unsafe extern "C" fn update(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    held: u32,
    size: u32,
    encoding: i32,
) -> i32 {
    // SAFETY: as in `insert`.
    let context = unsafe { &mut *context };
    if context.is_hooked(space_id) {
        return HOOKED;
    }
    let (Some(operations), Some(key)) = (context.encoded(size, encoding), context.take_held(held))
    else {
        return RETRY;
    };
    let database = Rc::clone(&context.database);
    let outcome = database
        .borrow_mut()
        .update(space_id, index_id, Encoded::trusted(&key), operations, 1)
        .map(|updated| match updated {
            Some(tuple) => context.own_stored(tuple.bytes()),
            None => 0,
        });
    context.held = key;
    context.status(outcome)
}

/// The tuple was held as number `held`; the operations were encoded.
pub(super) unsafe extern "C" fn upsert(
    context: *mut Context,
    space_id: u32,
    held: u32,
    size: u32,
    encoding: i32,
) -> i32 {
    // SAFETY: as in `insert`.
    let context = unsafe { &mut *context };
    if context.is_hooked(space_id) {
        return HOOKED;
    }
    let (Some(operations), Some(tuple)) =
        (context.encoded(size, encoding), context.take_held(held))
    else {
        return RETRY;
    };
    context.next_serial();
    let outcome = context
        .database
        .borrow_mut()
        .upsert(space_id, Encoded::trusted(&tuple), operations, 1)
        .map(|_skipped| 0);
    context.held = tuple;
    context.status(outcome)
}

/// Applies operations, which were encoded, to a tuple that was held and belongs to no space; answers
/// with the number of the result. As in an upsert, operations that do not fit are skipped if
/// `is_upsert` is 1.
unsafe extern "C" fn update_tuple(
    context: *mut Context,
    is_upsert: i32,
    held: u32,
    size: u32,
    encoding: i32,
) -> i32 {
    // SAFETY: as in `insert`.
    let context = unsafe { &mut *context };
    let (Some(operations), Some(tuple)) =
        (context.encoded(size, encoding), context.take_held(held))
    else {
        return RETRY;
    };
    let mut updated = Vec::new();
    let outcome = Operations::parse(operations.bytes(), 1, &|_| None).and_then(|operations| {
        if is_upsert == 0 {
            operations.apply(&tuple, &mut updated)
        } else {
            operations.apply_upsert(&tuple, &mut updated).map(drop)
        }
    });
    context.held = tuple;
    let outcome = outcome.map(|()| context.own(&updated));
    context.status(outcome)
}

/// Keeps a key, position or tuple while something else is encoded; answers with the number that it
/// is asked back by, or 0 when something else has been encoded already.
pub(super) unsafe extern "C" fn hold(context: *mut Context, size: u32, encoding: i32) -> u32 {
    // SAFETY: as in `insert`.
    let context = unsafe { &mut *context };
    match context.encoded(size, encoding) {
        Some(data) => context.hold(data.bytes()),
        None => 0,
    }
}

/// Keeps the bytes of a Lua string as `hold` does.
unsafe extern "C" fn hold_string(context: *mut Context, data: *const u8, size: u32) -> u32 {
    // SAFETY: as in `begin`; Lua passes a string and its length.
    unsafe { (*context).hold(std::slice::from_raw_parts(data, size as usize)) }
}

/// Makes the encoded tuple a result that the context owns; answers with its number.
unsafe extern "C" fn echo(context: *mut Context, size: u32, encoding: i32) -> i32 {
    // SAFETY: as in `insert`.
    let context = unsafe { &mut *context };
    match context.encoded(size, encoding) {
        Some(data) => context.own(data.bytes()),
        None => RETRY,
    }
}

/// Copies the result of number `serial`, which is of `size` bytes, to `target`. 0 when it is not of
/// that size, or when it was a tuple of the database and other calls have come between.
unsafe extern "C" fn copy_result(
    context: *mut Context,
    serial: i32,
    size: u32,
    target: *mut u8,
) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    match context.result(serial) {
        Some((bytes, _)) if bytes.len() == size as usize => {
            // SAFETY: Lua has made the target of that size.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
            context.forget(serial);
            1
        }
        _ => 0,
    }
}

/// Fills a new tuple object of Lua's with the result of number `serial`; otherwise as `copy_result`.
unsafe extern "C" fn fill_result(
    context: *mut Context,
    serial: i32,
    size: u32,
    format_id: u32,
    tuple: *mut u32,
) -> i32 {
    // SAFETY: as in `begin`.
    let context = unsafe { &mut *context };
    match context.result(serial) {
        Some((bytes, stored)) if bytes.len() == size as usize => {
            // SAFETY: Lua has made the object for `size` bytes.
            unsafe { lycosa_tuple_fill(tuple, bytes.as_ptr(), size, format_id, stored) };
            context.forget(serial);
            1
        }
        _ => 0,
    }
}

/// The size of the result of number `serial` in bytes; -1 when it is gone.
unsafe extern "C" fn result_size(context: *mut Context, serial: i32) -> i32 {
    // SAFETY: as in `begin`.
    match unsafe { &*context }.result(serial) {
        Some((bytes, _)) => bytes.len() as i32,
        None => -1,
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
    for (name, function) in [
        ("begin_statement", begin_statement as *const ()),
        ("end_statement", end_statement as *const ()),
        ("undo_statement", undo_statement as *const ()),
        ("statement_depth", statement_depth as *const ()),
        ("check_not_aborted", check_not_aborted as *const ()),
    ] {
        native.set(name, address(function))?;
    }
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
    native.set("update_tuple", address(update_tuple as *const ()))?;
    native.set("hold", address(hold as *const ()))?;
    native.set("hold_string", address(hold_string as *const ()))?;
    native.set("echo", address(echo as *const ()))?;
    native.set("result_size", address(result_size as *const ()))?;
    native.set("fill_result", address(fill_result as *const ()))?;
    native.set("copy_result", address(copy_result as *const ()))
}
