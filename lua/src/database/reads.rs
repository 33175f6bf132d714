//! FFI functions for reads. As in `statements.rs`, a negative answer is a failure.

use std::rc::Rc;

use lycosa_engine::tuple::Encoded;
use lycosa_engine::{Cursor, ErrorKind, IteratorType, Select};
use mlua::{Lua, Table};

use super::Context;
use super::statements::RETRY;
use crate::state::address;

/// 1 when the tuple is there, which is the result then, else 0.
unsafe extern "C" fn get(context: *mut Context, space_id: u32, index_id: u32, size: u32) -> i32 {
    // SAFETY: Lua passes the context of its state, and nothing else uses it meanwhile; the key is
    // in the scratch buffer.
    let (context, key) = unsafe { (&mut *context, (*context).encoded(size)) };
    context.serial = context.serial.wrapping_add(1);
    let database = Rc::as_ptr(&context.database);
    // SAFETY: the context holds the database; the borrow ends before the context is used again.
    let outcome = match unsafe { &*database }
        .borrow_mut()
        .get(space_id, index_id, key)
    {
        Ok(Some(tuple)) => {
            context.data = tuple.bytes().as_ptr();
            context.size = tuple.bytes().len() as u32;
            Ok(1)
        }
        Ok(None) => Ok(0),
        Err(error) => Err(error),
    };
    context.status(outcome)
}

/// What [`extreme`] looks for.
const MINIMUM: u32 = 0;
const MAXIMUM: u32 = 1;

/// The least or greatest tuple, or a random one by the seed in the context's number.
unsafe extern "C" fn extreme(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    which: u32,
    size: u32,
) -> i32 {
    // SAFETY: as in `get`.
    let (context, key) = unsafe { (&mut *context, (*context).encoded(size)) };
    let database = Rc::clone(&context.database);
    let mut database = database.borrow_mut();
    let outcome = match which {
        MINIMUM => database.min(space_id, index_id, key),
        MAXIMUM => database.max(space_id, index_id, key),
        _ => database.random(space_id, index_id, context.number as u64),
    };
    let outcome = outcome.map(|found| match found {
        Some(tuple) => {
            context.own(tuple.bytes());
            1
        }
        None => 0,
    });
    context.status(outcome)
}

/// Stands for the iterator that goes with the key: all for the empty one, else equality.
const DEFAULT_ITERATOR: u32 = u32::MAX;

fn iterator_type(number: u32, key: Encoded<'_>) -> Result<IteratorType, lycosa_engine::Error> {
    if number == DEFAULT_ITERATOR {
        return Ok(match key.bytes() {
            [0x90] => IteratorType::All,
            _ => IteratorType::Eq,
        });
    }
    IteratorType::from_number(number).ok_or_else(|| {
        ErrorKind::IteratorType {
            value: number.to_string(),
        }
        .into()
    })
}

/// Stands for no position.
const NO_POSITION: i32 = 0;

/// The held position, which may have come from anywhere.
fn checked_position(
    has_after: i32,
    held: &[u8],
) -> Result<Option<Encoded<'_>>, lycosa_engine::Error> {
    if has_after == NO_POSITION {
        return Ok(None);
    }
    match Encoded::check(held) {
        Ok(position) => Ok(Some(position)),
        Err(_) => Err(ErrorKind::IteratorPosition.into()),
    }
}

/// Leaves the count in the context's number.
unsafe extern "C" fn count(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    iterator: u32,
    size: u32,
) -> i32 {
    // SAFETY: as in `get`.
    let (context, key) = unsafe { (&mut *context, (*context).encoded(size)) };
    let outcome = iterator_type(iterator, key).and_then(|iterator| {
        context
            .database
            .borrow_mut()
            .count(space_id, index_id, iterator, key)
    });
    let outcome = outcome.map(|count| {
        context.number = count as f64;
        0
    });
    context.status(outcome)
}

/// Leaves the length of an index in the context's number.
unsafe extern "C" fn length(context: *mut Context, space_id: u32, index_id: u32) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let outcome = context
        .database
        .borrow()
        .space(space_id)
        .and_then(|space| space.index(index_id).map(lycosa_engine::index::Index::len));
    let outcome = outcome.map(|length| {
        context.number = length as f64;
        0
    });
    context.status(outcome)
}

/// Leaves bytes in the context's number: of the tuples of a space with `index_id` -1, else of the
/// structure of an index.
unsafe extern "C" fn byte_size(context: *mut Context, space_id: u32, index_id: i32) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let outcome =
        context
            .database
            .borrow()
            .space(space_id)
            .and_then(|space| match u32::try_from(index_id) {
                Ok(index_id) => space
                    .index(index_id)
                    .map(lycosa_engine::index::Index::memory_bytes),
                Err(_) => Ok(space.data_bytes()),
            });
    let outcome = outcome.map(|bytes| {
        context.number = bytes as f64;
        0
    });
    context.status(outcome)
}

/// Runs a select. A position to go on behind was held as number `held` if `has_after` is 1. Answers with the number
/// of tuples; the context's number is the bytes of all of them, each behind its 4-byte size.
unsafe extern "C" fn select(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    iterator: u32,
    size: u32,
    offset: f64,
    limit: f64,
    has_after: i32,
    held: u32,
) -> i32 {
    // SAFETY: as in `get`.
    let (context, key) = unsafe { (&mut *context, (*context).encoded(size)) };
    if has_after != NO_POSITION && held != context.held_serial {
        return RETRY;
    }
    let held = std::mem::take(&mut context.held);
    let outcome = iterator_type(iterator, key).and_then(|iterator| {
        let after = checked_position(has_after, &held)?;
        let select = Select {
            iterator,
            key,
            offset: offset as u64,
            limit: limit as u64,
            after,
        };
        context
            .database
            .borrow_mut()
            .select(space_id, index_id, &select)
    });
    context.held = held;
    let outcome = outcome.map(|tuples| {
        let bytes: usize = tuples.iter().map(|tuple| tuple.bytes().len() + 4).sum();
        context.number = bytes as f64;
        context.selected = tuples;
        context.selected_serial = context.selected_serial.wrapping_add(1);
        context.size = context.selected_serial;
        context.selected.len() as i32
    });
    context.status(outcome)
}

/// Copies the tuples of the select with that serial, each behind its 4-byte size; 0 when another
/// select has come between.
unsafe extern "C" fn copy_selected(context: *mut Context, serial: u32, target: *mut u8) -> i32 {
    // SAFETY: as in `get`; Lua has made the target as large as `select` said.
    unsafe {
        let context = &mut *context;
        if context.selected_serial != serial {
            return 0;
        }
        let mut at = target;
        for tuple in context.selected.drain(..) {
            let bytes = tuple.bytes();
            at.cast::<u32>().write_unaligned(bytes.len() as u32);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.add(4), bytes.len());
            at = at.add(4 + bytes.len());
        }
    }
    1
}

/// Opens an iteration and answers with its number.
unsafe extern "C" fn cursor_open(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    iterator: u32,
    size: u32,
    offset: f64,
    has_after: i32,
    held: u32,
) -> i32 {
    // SAFETY: as in `get`.
    let (context, key) = unsafe { (&mut *context, (*context).encoded(size)) };
    if has_after != NO_POSITION && held != context.held_serial {
        return RETRY;
    }
    let held = std::mem::take(&mut context.held);
    let outcome = iterator_type(iterator, key).and_then(|iterator| {
        let after = checked_position(has_after, &held)?;
        context.database.borrow_mut().cursor(
            space_id,
            index_id,
            iterator,
            key,
            after,
            offset as u64,
        )
    });
    context.held = held;
    let outcome = outcome.map(|cursor| match context.free.pop() {
        Some(number) => {
            context.cursors[number as usize] = Some(cursor);
            number as i32
        }
        None => {
            context.cursors.push(Some(cursor));
            context.cursors.len() as i32 - 1
        }
    });
    context.status(outcome)
}

/// 1 when the iteration gives a tuple, which is the result then, else 0.
unsafe extern "C" fn cursor_next(context: *mut Context, number: u32) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let Some(mut cursor) = context
        .cursors
        .get_mut(number as usize)
        .and_then(Option::take)
    else {
        return 0;
    };
    context.serial = context.serial.wrapping_add(1);
    let outcome = context.database.borrow_mut().advance(&mut cursor);
    context.cursors[number as usize] = Some(cursor);
    let outcome = outcome.map(|next| match next {
        Some(tuple) => {
            // The cursor keeps its last tuple alive until it is moved on or closed; both change
            // the serial.
            context.data = tuple.bytes().as_ptr();
            context.size = tuple.bytes().len() as u32;
            1
        }
        None => 0,
    });
    context.status(outcome)
}

/// The tuple that an iteration gave last becomes the result once more.
unsafe extern "C" fn cursor_repeat(context: *mut Context, number: u32) {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    context.serial = context.serial.wrapping_add(1);
    let cursor = context
        .cursors
        .get(number as usize)
        .and_then(Option::as_ref);
    if let Some(tuple) = cursor.and_then(Cursor::last) {
        context.data = tuple.bytes().as_ptr();
        context.size = tuple.bytes().len() as u32;
    }
}

unsafe extern "C" fn cursor_close(context: *mut Context, number: u32) {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    context.serial = context.serial.wrapping_add(1);
    if let Some(slot) = context.cursors.get_mut(number as usize)
        && slot.take().is_some()
    {
        context.free.push(number);
    }
}

/// The position of the tuple in the scratch buffer becomes the result.
unsafe extern "C" fn position(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    size: u32,
) -> i32 {
    // SAFETY: as in `get`.
    let (context, tuple) = unsafe { (&mut *context, (*context).encoded(size)) };
    let outcome = context
        .database
        .borrow()
        .position(space_id, index_id, tuple);
    let outcome = outcome.map(|position| {
        context.own(&position);
        0
    });
    context.status(outcome)
}

/// Version of the schema.
unsafe extern "C" fn schema_version(context: *mut Context) -> f64 {
    // SAFETY: as in `get`.
    unsafe { &*context }.database.borrow().schema_version() as f64
}

pub(super) fn install(_lua: &Lua, native: &Table) -> mlua::Result<()> {
    native.set("get", address(get as *const ()))?;
    native.set("extreme", address(extreme as *const ()))?;
    native.set("count", address(count as *const ()))?;
    native.set("length", address(length as *const ()))?;
    native.set("byte_size", address(byte_size as *const ()))?;
    native.set("select", address(select as *const ()))?;
    native.set("copy_selected", address(copy_selected as *const ()))?;
    native.set("cursor_open", address(cursor_open as *const ()))?;
    native.set("cursor_next", address(cursor_next as *const ()))?;
    native.set("cursor_repeat", address(cursor_repeat as *const ()))?;
    native.set("cursor_close", address(cursor_close as *const ()))?;
    native.set("position", address(position as *const ()))?;
    native.set("schema_version", address(schema_version as *const ()))
}
