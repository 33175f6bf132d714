//! The decoder: `MsgPack` bytes to values on the Lua stack.
//!
//! Arrays and maps get the metatables that say so (`__serialize` of `seq` and `map`), nil inside
//! them becomes `box.NULL`, and integers from 1e14 up or -1e14 down become 64-bit cdata. The cost
//! is that of making the Lua values; cdata take one call into Lua each.

use std::ffi::c_int;

use lycosa_engine::msgpack::{self, Value};
use mlua::ffi;

use crate::decode_cursor::Cursor;
pub use crate::decode_cursor::DecodeError;
use crate::state_boundary::{Boundary, References, push_bytes, push_reference};

/// Integers nearer to zero than this become Lua numbers, all others 64-bit cdata.
pub(crate) const NUMBER_LIMIT: u64 = 100_000_000_000_000;

/// What `values.lua` calls `MsgPack`'s own binary strings among the extension types.
const BINARY: i8 = 0;

/// Containers inside one another deeper than this are an error.
const MAX_DEPTH: u32 = 256;

/// Pushes a 64-bit integer as cdata: signed, or unsigned.
///
/// # Safety
///
/// `references` must be those of `state`, and five stack slots must be free.
pub(crate) unsafe fn push_integer(
    state: *mut ffi::lua_State,
    references: References,
    value: u64,
    signed: bool,
) {
    // SAFETY: the referenced function takes the halves and makes the cdata.
    unsafe {
        push_reference(state, references.make_integer);
        ffi::lua_pushnumber(state, (value >> 32) as f64);
        ffi::lua_pushnumber(state, (value & 0xffff_ffff) as f64);
        ffi::lua_pushboolean(state, c_int::from(signed));
        ffi::lua_call(state, 3, 1);
    }
}

/// What a decoder allows and leaves out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Whether infinities and NaN are numbers.
    pub(crate) invalid_numbers: bool,
    /// Whether tables get the metatables that tell arrays from maps.
    pub(crate) save_metatables: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            invalid_numbers: true,
            save_metatables: true,
        }
    }
}

struct Decoder<'bytes> {
    state: *mut ffi::lua_State,
    references: References,
    cursor: Cursor<'bytes>,
    options: Options,
}

impl Decoder<'_> {
    /// Pushes the next value; on an error the stack may hold parts of it.
    unsafe fn value(&mut self, depth: u32) -> Result<(), DecodeError> {
        let state = self.state;
        // SAFETY: each scalar pushes one value; containers check the stack before they go deeper.
        unsafe {
            match self.cursor.read()? {
                Value::Nil => push_reference(state, self.references.null),
                Value::Boolean(value) => ffi::lua_pushboolean(state, c_int::from(value)),
                Value::Unsigned(value) if value < NUMBER_LIMIT => {
                    ffi::lua_pushnumber(state, value as f64);
                }
                Value::Unsigned(value) => push_integer(state, self.references, value, false),
                Value::Negative(value) if value.unsigned_abs() < NUMBER_LIMIT => {
                    ffi::lua_pushnumber(state, value as f64);
                }
                Value::Negative(value) => {
                    push_integer(state, self.references, value as u64, true);
                }
                Value::Float(value) => self.number(f64::from(value))?,
                Value::Double(value) => self.number(value)?,
                Value::String(bytes) => push_bytes(state, bytes),
                Value::Binary(bytes) => self.extension(BINARY, bytes),
                Value::Array(length) => return self.array(length, depth),
                Value::Map(length) => return self.map(length, depth),
                Value::Extension(kind, body) if msgpack::is_known_extension(kind, body) => {
                    self.extension(kind, body);
                }
                Value::Extension(kind, _) if msgpack::is_known_extension_type(kind) => {
                    return Err(DecodeError::InvalidExtension(kind));
                }
                Value::Extension(kind, _) => return Err(DecodeError::UnsupportedExtension(kind)),
            }
        }
        Ok(())
    }

    unsafe fn number(&mut self, value: f64) -> Result<(), DecodeError> {
        if !value.is_finite() && !self.options.invalid_numbers {
            return Err(DecodeError::InvalidNumber);
        }
        // SAFETY: pushes one value.
        unsafe { ffi::lua_pushnumber(self.state, value) };
        Ok(())
    }

    /// Gives the table on the top of the stack its metatable.
    unsafe fn finish(&mut self, metatable: c_int) {
        if self.options.save_metatables {
            // SAFETY: the table is on the top of the stack.
            unsafe {
                push_reference(self.state, metatable);
                ffi::lua_setmetatable(self.state, -2);
            }
        }
    }

    unsafe fn extension(&mut self, kind: i8, body: &[u8]) {
        // SAFETY: the referenced function takes the type and the body and makes the cdata.
        unsafe {
            push_reference(self.state, self.references.make_extension);
            ffi::lua_pushnumber(self.state, f64::from(kind));
            push_bytes(self.state, body);
            ffi::lua_call(self.state, 2, 1);
        }
    }

    unsafe fn enter(&mut self, depth: u32) -> Result<(), DecodeError> {
        // SAFETY: only asks for room.
        let room = unsafe { ffi::lua_checkstack(self.state, 8) != 0 };
        if depth >= MAX_DEPTH || !room {
            Err(DecodeError::TooDeep(depth + 1))
        } else {
            Ok(())
        }
    }

    unsafe fn array(&mut self, length: u32, depth: u32) -> Result<(), DecodeError> {
        let state = self.state;
        // SAFETY: each element is pushed and stored; the table stays below.
        unsafe {
            self.enter(depth)?;
            // A length from outside must not reserve more than the bytes can hold.
            let expected = (length as usize).min(self.cursor.remaining());
            ffi::lua_createtable(state, expected as c_int, 0);
            for position in 1..=length {
                self.value(depth + 1)?;
                ffi::lua_rawseti(state, -2, ffi::lua_Integer::from(position as i32));
            }
            self.finish(self.references.sequence_metatable);
        }
        Ok(())
    }

    unsafe fn map(&mut self, length: u32, depth: u32) -> Result<(), DecodeError> {
        let state = self.state;
        // SAFETY: each pair is pushed and stored; the table stays below.
        unsafe {
            self.enter(depth)?;
            let expected = (length as usize).min(self.cursor.remaining());
            ffi::lua_createtable(state, 0, expected as c_int);
            for _ in 0..length {
                self.value(depth + 1)?;
                self.value(depth + 1)?;
                ffi::lua_rawset(state, -3);
            }
            self.finish(self.references.map_metatable);
        }
        Ok(())
    }
}

/// Pushes the first value of `bytes` and answers with the number of bytes it took.
///
/// On an error the stack is as it was before.
///
/// # Safety
///
/// `state` must come from [`crate::state::new_state`], eight stack slots must be free, and `bytes`
/// must not move while Lua code runs. Making values may throw when memory is out, so the caller's
/// frames should own nothing with a destructor.
pub unsafe fn push_value(
    state: *mut ffi::lua_State,
    boundary: &Boundary,
    bytes: &[u8],
) -> Result<usize, DecodeError> {
    // SAFETY: as the caller promises.
    unsafe { push_value_with(state, boundary, bytes, Options::default()) }
}

/// [`push_value`] with options.
///
/// # Safety
///
/// As for [`push_value`].
pub(crate) unsafe fn push_value_with(
    state: *mut ffi::lua_State,
    boundary: &Boundary,
    bytes: &[u8],
    options: Options,
) -> Result<usize, DecodeError> {
    // SAFETY: as the caller promises.
    unsafe {
        let top = ffi::lua_gettop(state);
        let mut decoder = Decoder {
            state,
            references: boundary.references,
            cursor: Cursor::new(bytes),
            options,
        };
        match decoder.value(0) {
            Ok(()) => Ok(decoder.cursor.offset()),
            Err(error) => {
                ffi::lua_settop(state, top);
                Err(error)
            }
        }
    }
}
