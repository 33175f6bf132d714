//! FFI functions for sequences: whole 64-bit numbers go in and out as such, which only FFI can do.

use lycosa_engine::{Error, ErrorKind, SequenceDefinition};
use mlua::{Lua, Table};

use super::context::Context;
use crate::state::address;

/// A definition as Lua lays it out, `struct lycosa_sequence`.
#[repr(C)]
struct Definition {
    step: i64,
    minimum: i64,
    maximum: i64,
    start: i64,
    cache: i64,
    is_cyclic: u32,
    owner: u32,
}

impl Definition {
    fn to_engine(&self) -> SequenceDefinition {
        SequenceDefinition {
            step: self.step,
            minimum: self.minimum,
            maximum: self.maximum,
            start: self.start,
            cache: self.cache,
            is_cyclic: self.is_cyclic != 0,
            owner: self.owner,
        }
    }
}

/// The name that Lua passes.
///
/// # Safety
/// `name` has `size` bytes, which stay while the answer is used.
unsafe fn name_of<'a>(name: *const u8, size: u32) -> Result<&'a str, Error> {
    // SAFETY: as the caller promises.
    let bytes = unsafe { std::slice::from_raw_parts(name, size as usize) };
    std::str::from_utf8(bytes).map_err(|_| {
        ErrorKind::Identifier {
            value: String::from_utf8_lossy(bytes).into_owned(),
        }
        .into()
    })
}

/// Makes a sequence; answers with its number.
unsafe extern "C" fn create(
    context: *mut Context,
    name: *const u8,
    size: u32,
    definition: *const Definition,
) -> i32 {
    // SAFETY: Lua passes the context of its state, a string and a struct that it keeps.
    let (context, name, definition) = unsafe { (&mut *context, name_of(name, size), &*definition) };
    context.next_serial();
    let outcome = name.and_then(|name| {
        let mut database = context.database.borrow_mut();
        database.create_sequence(name, definition.to_engine())
    });
    context.status(outcome.map(|id| id as i32))
}

/// Gives a sequence another name and definition.
unsafe extern "C" fn alter(
    context: *mut Context,
    id: u32,
    name: *const u8,
    size: u32,
    definition: *const Definition,
) -> i32 {
    // SAFETY: as in `create`.
    let (context, name, definition) = unsafe { (&mut *context, name_of(name, size), &*definition) };
    context.next_serial();
    let outcome = name.and_then(|name| {
        let mut database = context.database.borrow_mut();
        database.alter_sequence(id, name, definition.to_engine())
    });
    context.status(outcome.map(|()| 0))
}

/// Writes the next value to `value`.
unsafe extern "C" fn next(context: *mut Context, id: u32, value: *mut i64) -> i32 {
    // SAFETY: Lua passes the context of its state, and a place for the value.
    let (context, value) = unsafe { (&mut *context, &mut *value) };
    context.next_serial();
    let outcome = context.database.borrow_mut().sequence_next(id);
    context.status(outcome.map(|next| {
        *value = next;
        0
    }))
}

/// Writes the last value to `value`.
unsafe extern "C" fn current(context: *mut Context, id: u32, value: *mut i64) -> i32 {
    // SAFETY: as in `next`.
    let (context, value) = unsafe { (&mut *context, &mut *value) };
    let outcome = context.database.borrow().sequence_current(id);
    context.status(outcome.map(|current| {
        *value = current;
        0
    }))
}

/// Sets the last value; with `is_reset` 1 the sequence starts anew.
unsafe extern "C" fn set(context: *mut Context, id: u32, value: i64, is_reset: i32) -> i32 {
    // SAFETY: as in `next`.
    let context = unsafe { &mut *context };
    context.next_serial();
    let value = (is_reset == 0).then_some(value);
    let outcome = context.database.borrow_mut().set_sequence(id, value);
    context.status(outcome.map(|()| 0))
}

pub(super) fn install(_lua: &Lua, native: &Table) -> mlua::Result<()> {
    native.set("sequence_create", address(create as *const ()))?;
    native.set("sequence_alter", address(alter as *const ()))?;
    native.set("sequence_next", address(next as *const ()))?;
    native.set("sequence_current", address(current as *const ()))?;
    native.set("sequence_set", address(set as *const ()))
}
