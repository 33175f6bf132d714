//! FFI functions for reads. As in `statements.rs`, a negative answer is a failure.

use std::rc::Rc;

use lycosa_engine::tuple::Encoded;
use lycosa_engine::{Cursor, ErrorKind, IteratorType, Select};
use mlua::{Lua, Table};

use super::context::Context;
use super::statements::RETRY;
use crate::state::address;
use crate::tuple::identity;

/// Answers with the number of the result when the tuple is there, else 0.
pub(super) unsafe extern "C" fn get(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    size: u32,
    encoding: i32,
) -> i32 {
    // SAFETY: Lua passes the context of its state, and nothing else uses it meanwhile.
    let context = unsafe { &mut *context };
    let Some(key) = context.encoded(size, encoding) else {
        return RETRY;
    };
    let database = Rc::as_ptr(&context.database);
    // SAFETY: the context holds the database; the borrow ends before the context is used again.
    let outcome = match unsafe { &*database }
        .borrow_mut()
        .get(space_id, index_id, key)
    {
        Ok(Some(tuple)) => Ok(context.lend(tuple.bytes())),
        Ok(None) => Ok(0),
        Err(error) => Err(error),
    };
    context.status(outcome)
}

/// What [`extreme`] looks for.
const MINIMUM: u32 = 0;
const MAXIMUM: u32 = 1;

/// The least or greatest tuple, or a random one by the seed; answers as `get` does.
unsafe extern "C" fn extreme(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    which: u32,
    seed: f64,
    size: u32,
    encoding: i32,
) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let Some(key) = context.encoded(size, encoding) else {
        return RETRY;
    };
    let database = Rc::clone(&context.database);
    let mut database = database.borrow_mut();
    let outcome = match which {
        MINIMUM => database.min(space_id, index_id, key),
        MAXIMUM => database.max(space_id, index_id, key),
        _ => database.random(space_id, index_id, seed as u64),
    };
    let outcome = outcome.map(|found| match found {
        Some(tuple) => context.own_stored(tuple.bytes()),
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

/// A figure, or the status of a failure.
fn figure(context: &mut Context, outcome: Result<f64, lycosa_engine::Error>) -> f64 {
    match outcome {
        Ok(figure) => figure,
        Err(error) => f64::from(context.fail(&error)),
    }
}

/// Answers with the count.
unsafe extern "C" fn count(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    iterator: u32,
    size: u32,
    encoding: i32,
) -> f64 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let Some(key) = context.encoded(size, encoding) else {
        return f64::from(RETRY);
    };
    let outcome = iterator_type(iterator, key).and_then(|iterator| {
        context
            .database
            .borrow_mut()
            .count(space_id, index_id, iterator, key)
    });
    figure(context, outcome.map(|count| count as f64))
}

/// Answers with the length of an index.
unsafe extern "C" fn length(context: *mut Context, space_id: u32, index_id: u32) -> f64 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let outcome = context
        .database
        .borrow()
        .space(space_id)
        .and_then(|space| space.index(index_id).map(lycosa_engine::index::Index::len));
    figure(context, outcome.map(|length| length as f64))
}

/// Answers with bytes: of the tuples of a space with `index_id` -1, else of the structure of an
/// index.
unsafe extern "C" fn byte_size(context: *mut Context, space_id: u32, index_id: i32) -> f64 {
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
                    .map(|index| index.memory_bytes() as f64),
                Err(_) => Ok(space.data_bytes() as f64),
            });
    figure(context, outcome)
}

/// Runs a select. A position to go on behind was held as number `held` if `has_after` is 1. Answers
/// with the number of the result.
unsafe extern "C" fn select(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    iterator: u32,
    size: u32,
    encoding: i32,
    offset: f64,
    limit: f64,
    has_after: i32,
    held: u32,
) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let (Some(key), Some(position)) = (
        context.encoded(size, encoding),
        take_position(context, has_after, held),
    ) else {
        return RETRY;
    };
    let outcome = iterator_type(iterator, key).and_then(|iterator| {
        let select = Select {
            iterator,
            key,
            offset: offset as u64,
            limit: limit as u64,
            after: checked_position(has_after, &position)?,
        };
        context
            .database
            .borrow_mut()
            .select(space_id, index_id, &select)
    });
    context.held = position;
    let outcome = outcome.map(|tuples| context.keep_selected(tuples));
    context.status(outcome)
}

/// Takes the position that was held, or an empty one that stands for none.
fn take_position(context: &mut Context, has_after: i32, held: u32) -> Option<Vec<u8>> {
    if has_after == NO_POSITION {
        return Some(std::mem::take(&mut context.held));
    }
    context.take_held(held)
}

/// Room for all tuples of a select as `copy_selected` writes them; -1 when the result is gone.
unsafe extern "C" fn selected_size(context: *mut Context, serial: i32) -> f64 {
    // SAFETY: as in `get`.
    let context = unsafe { &*context };
    match context.selected.iter().find(|(of, _)| *of == serial) {
        Some((_, tuples)) => tuples
            .iter()
            .map(|tuple| tuple.bytes().len() + PREFIX_BYTES)
            .sum::<usize>() as f64,
        None => -1.0,
    }
}

/// Bytes of the size and the identity before each tuple of a select.
const PREFIX_BYTES: usize = 8;

/// Copies the tuples of a select, each behind its size and its identity, 4 bytes each, and answers with
/// how many they are; -1 when the result is gone.
unsafe extern "C" fn copy_selected(context: *mut Context, serial: i32, target: *mut u8) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let Some(at) = context.selected.iter().position(|(of, _)| *of == serial) else {
        return -1;
    };
    let (_, tuples) = context.selected.remove(at);
    let mut target = target;
    for tuple in &tuples {
        let bytes = tuple.bytes();
        let prefix = [bytes.len() as u32, identity(bytes)];
        // SAFETY: Lua has made the target as large as `selected_size` said.
        unsafe {
            std::ptr::copy_nonoverlapping(prefix.as_ptr().cast(), target, PREFIX_BYTES);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), target.add(PREFIX_BYTES), bytes.len());
            target = target.add(PREFIX_BYTES + bytes.len());
        }
    }
    tuples.len() as i32
}

/// Opens an iteration and answers with its number.
unsafe extern "C" fn cursor_open(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    iterator: u32,
    size: u32,
    encoding: i32,
    offset: f64,
    has_after: i32,
    held: u32,
) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let (Some(key), Some(position)) = (
        context.encoded(size, encoding),
        take_position(context, has_after, held),
    ) else {
        return RETRY;
    };
    let outcome = iterator_type(iterator, key).and_then(|iterator| {
        let after = checked_position(has_after, &position)?;
        context.database.borrow_mut().cursor(
            space_id,
            index_id,
            iterator,
            key,
            after,
            offset as u64,
        )
    });
    context.held = position;
    let outcome = outcome.map(|cursor| {
        if let Some(number) = context.free.pop() {
            context.cursors[number as usize] = Some(cursor);
            number as i32
        } else {
            context.cursors.push(Some(cursor));
            context.cursors.len() as i32 - 1
        }
    });
    context.status(outcome)
}

/// Answers with the number of the result when the iteration gives a tuple, else 0.
unsafe extern "C" fn cursor_next(context: *mut Context, number: u32) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    if context.is_check_due() {
        return RETRY;
    }
    let Some(mut cursor) = context
        .cursors
        .get_mut(number as usize)
        .and_then(Option::take)
    else {
        return 0;
    };
    let outcome = context.database.borrow_mut().advance(&mut cursor);
    let outcome = outcome.map(|next| match next {
        // The cursor keeps its last tuple alive until it is moved on or closed, which are calls.
        Some(tuple) => context.lend(tuple.bytes()),
        None => 0,
    });
    context.cursors[number as usize] = Some(cursor);
    context.status(outcome)
}

/// The tuple that an iteration gave last becomes the result once more; fails when a yield has undone
/// the transaction meanwhile.
unsafe extern "C" fn cursor_repeat(context: *mut Context, number: u32) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    if context.database.borrow().is_aborted() {
        return context.fail(&ErrorKind::TransactionYield.into());
    }
    let cursor = context
        .cursors
        .get(number as usize)
        .and_then(Option::as_ref);
    let tuple = cursor.and_then(Cursor::last);
    let bytes = tuple.map(|tuple| std::ptr::from_ref(tuple.bytes()));
    match bytes {
        // SAFETY: the cursor keeps the tuple alive.
        Some(bytes) => context.lend(unsafe { &*bytes }),
        None => 0,
    }
}

unsafe extern "C" fn cursor_close(context: *mut Context, number: u32) {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    context.next_serial();
    if let Some(slot) = context.cursors.get_mut(number as usize)
        && slot.take().is_some()
    {
        context.free.push(number);
    }
}

/// The position of the encoded tuple becomes the result, whose number is the answer.
unsafe extern "C" fn position(
    context: *mut Context,
    space_id: u32,
    index_id: u32,
    size: u32,
    encoding: i32,
) -> i32 {
    // SAFETY: as in `get`.
    let context = unsafe { &mut *context };
    let Some(tuple) = context.encoded(size, encoding) else {
        return RETRY;
    };
    let outcome = context
        .database
        .borrow()
        .position(space_id, index_id, tuple);
    let outcome = outcome.map(|position| context.own(&position));
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
    native.set("selected_size", address(selected_size as *const ()))?;
    native.set("copy_selected", address(copy_selected as *const ()))?;
    native.set("cursor_open", address(cursor_open as *const ()))?;
    native.set("cursor_next", address(cursor_next as *const ()))?;
    native.set("cursor_repeat", address(cursor_repeat as *const ()))?;
    native.set("cursor_close", address(cursor_close as *const ()))?;
    native.set("position", address(position as *const ()))?;
    native.set("schema_version", address(schema_version as *const ()))
}
