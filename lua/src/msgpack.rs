//! The native half of the module `msgpack`: encoding with options, decoding from strings and from
//! memory, and headers.

use std::ffi::c_int;

use lycosa_engine::msgpack::{self, Value};
use mlua::{Lua, Table, ffi};

use crate::decode::{DecodeError, Options as DecodeOptions, push_value_with};
use crate::encode::encode_with;
use crate::serializer::Options;
use crate::state::function;
use crate::state_boundary::{Boundary, push_bytes, string_at, throw_text};

/// `encode(value, max_depth, precision, sparse_ratio, sparse_safe, flags)`: the bytes as a string.
unsafe extern "C-unwind" fn lua_encode(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by msgpack.lua as pushed by push_function; nothing here has a destructor.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let options = Options::from_arguments(state, 2);
        ffi::lua_settop(state, 1);
        encode_with(state, boundary, 1, options);
        boundary.scratch.push(state);
        1
    }
}

/// `configure(max_depth, precision, sparse_ratio, sparse_safe, flags)`: how tuples are encoded.
unsafe extern "C-unwind" fn lua_configure(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        Boundary::of_upvalue(state).options = Options::from_arguments(state, 1);
    }
    0
}

/// Answers with nil, nil and what is wrong with the bytes, for an error object; throws what is no
/// matter of the bytes.
unsafe fn refuse(state: *mut ffi::lua_State, error: DecodeError) -> c_int {
    // SAFETY: nothing here has a destructor.
    unsafe {
        ffi::lua_pushnil(state);
        ffi::lua_pushnil(state);
        match error {
            DecodeError::Truncated(_) => push_bytes(state, b"truncated input"),
            DecodeError::UnknownTag(..) => push_bytes(state, b"illegal code"),
            DecodeError::InvalidExtension(_) => push_bytes(state, b"invalid extension"),
            other => throw_text(state, format_args!("{other}")),
        }
        3
    }
}

unsafe fn decode_options(state: *mut ffi::lua_State, first: c_int) -> DecodeOptions {
    // SAFETY: reads two arguments.
    unsafe {
        DecodeOptions {
            invalid_numbers: ffi::lua_toboolean(state, first) != 0,
            save_metatables: ffi::lua_toboolean(state, first + 1) != 0,
        }
    }
}

/// `decode(string, offset, invalid_numbers, save_metatables)`: the value at the offset, from 1, and
/// the offset behind it.
unsafe extern "C-unwind" fn lua_decode(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above; the string stays at index 1 throughout.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let bytes = string_at(state, 1);
        let start = ffi::lua_tonumber(state, 2) as usize - 1;
        let options = decode_options(state, 3);
        let rest = bytes.get(start..).unwrap_or_default();
        match push_value_with(state, boundary, rest, options) {
            Ok(length) => {
                ffi::lua_pushnumber(state, (start + length + 1) as f64);
                2
            }
            Err(error) => refuse(state, error),
        }
    }
}

/// `decode_memory(address, size, invalid_numbers, save_metatables)`: the value there and how many
/// bytes it took; a size of -1 says that a whole value is there.
unsafe extern "C-unwind" fn lua_decode_memory(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the script answers for the address and the size, as with any FFI pointer.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let address = ffi::lua_tonumber(state, 1) as usize as *const u8;
        let size = ffi::lua_tonumber(state, 2);
        let options = decode_options(state, 3);
        if address.is_null() {
            throw_text(state, format_args!("msgpack.decode: the pointer is null"));
        }
        let size = if size < 0.0 {
            extent(address)
        } else {
            size as usize
        };
        let bytes = std::slice::from_raw_parts(address, size);
        match push_value_with(state, boundary, bytes, options) {
            Ok(length) => {
                ffi::lua_pushnumber(state, length as f64);
                2
            }
            Err(error) => refuse(state, error),
        }
    }
}

/// The number of bytes before a value's payload or elements, by its first byte.
fn header_length(tag: u8) -> usize {
    match tag {
        0xc4 | 0xcc | 0xd0 | 0xd9 | 0xd4..=0xd8 => 2,
        0xc5 | 0xcd | 0xd1 | 0xda | 0xdc | 0xde | 0xc7 => 3,
        0xc8 => 4,
        0xc6 | 0xca | 0xce | 0xd2 | 0xdb | 0xdd | 0xdf => 5,
        0xc9 => 6,
        0xcb | 0xcf | 0xd3 => 9,
        _ => 1,
    }
}

/// The number of bytes of the value at `address`, of which no more than the value is read.
///
/// # Safety
///
/// A whole value must be there.
unsafe fn extent(address: *const u8) -> usize {
    let mut length = 0;
    let mut pending = 1_u64;
    while pending > 0 {
        pending -= 1;
        // SAFETY: as the caller promises, each value that is pending is there as a whole.
        let header = unsafe {
            let start = address.add(length);
            std::slice::from_raw_parts(start, header_length(*start))
        };
        let number = |from: usize| {
            let digits = header[from..].iter();
            digits.fold(0_u64, |number, &byte| number << 8 | u64::from(byte))
        };
        length += header.len();
        match header[0] {
            0x80..=0x8f => pending += 2 * u64::from(header[0] & 0x0f),
            0x90..=0x9f => pending += u64::from(header[0] & 0x0f),
            0xa0..=0xbf => length += usize::from(header[0] & 0x1f),
            0xc4..=0xc6 | 0xd9..=0xdb => length += number(1) as usize,
            // The type stands behind the length.
            0xc7..=0xc9 => length += (number(1) >> 8) as usize,
            0xd4..=0xd8 => length += 1 << (header[0] - 0xd4),
            0xdc | 0xdd => pending += number(1),
            0xde | 0xdf => pending += 2 * number(1),
            _ => {}
        }
    }
    length
}

/// `decode_header(address, size, kind)`: the length of the array or map (`kind`) whose header is
/// there, and the number of bytes of that header; or nil and what is wrong.
unsafe extern "C-unwind" fn lua_decode_header(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the script answers for the address and the size, as with any FFI pointer.
    unsafe {
        let address = ffi::lua_tonumber(state, 1) as usize as *const u8;
        let size = ffi::lua_tonumber(state, 2) as usize;
        if address.is_null() {
            ffi::lua_pushnil(state);
            push_bytes(state, b"unexpected end of buffer");
            return 2;
        }
        let bytes = std::slice::from_raw_parts(address, size);
        let is_map = string_at(state, 3) == b"map";
        let tags: &[u8] = if is_map { &[0xde, 0xdf] } else { &[0xdc, 0xdd] };
        let short = if is_map { 0x80 } else { 0x90 };
        if !(bytes[0] & 0xf0 == short || tags.contains(&bytes[0])) {
            ffi::lua_pushnil(state);
            push_bytes(state, b"unexpected msgpack type");
        } else if let Some((length, read)) = header(bytes) {
            ffi::lua_pushnumber(state, length);
            ffi::lua_pushnumber(state, read);
        } else {
            ffi::lua_pushnil(state);
            push_bytes(state, b"unexpected end of buffer");
        }
        2
    }
}

/// The length that the header of an array or a map tells, and the bytes it takes.
fn header(bytes: &[u8]) -> Option<(f64, f64)> {
    match msgpack::read(bytes).ok()? {
        (Value::Array(length) | Value::Map(length), rest) => {
            Some((f64::from(length), (bytes.len() - rest.len()) as f64))
        }
        _ => None,
    }
}

/// The bytes from an offset on, counted from 1; empty behind the end.
unsafe fn rest_of<'a>(state: *mut ffi::lua_State) -> &'a [u8] {
    // SAFETY: the caller has a string at index 1 and a number at index 2.
    unsafe {
        let start = (ffi::lua_tonumber(state, 2) as usize).saturating_sub(1);
        string_at(state, 1).get(start..).unwrap_or_default()
    }
}

/// `measure(string, offset)`: the number of bytes of the value there, or nil.
unsafe extern "C-unwind" fn lua_measure(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by msgpack.lua with a string and a number.
    unsafe {
        match msgpack::value_length(rest_of(state)) {
            Ok(length) => ffi::lua_pushnumber(state, length as f64),
            Err(error) => {
                // The error owns memory, and pushing nil cannot throw.
                drop(error);
                ffi::lua_pushnil(state);
            }
        }
        1
    }
}

/// `header(string, offset)`: the length and the bytes of the header there.
unsafe extern "C-unwind" fn lua_header(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let (length, read) = header(rest_of(state)).unwrap_or_default();
        ffi::lua_pushnumber(state, length);
        ffi::lua_pushnumber(state, read);
        2
    }
}

/// `kind(string, offset)`: `array`, `map`, or something else.
unsafe extern "C-unwind" fn lua_kind(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let kind: &[u8] = match rest_of(state).first() {
            Some(0x90..=0x9f | 0xdc | 0xdd) => b"array",
            Some(0x80..=0x8f | 0xde | 0xdf) => b"map",
            _ => b"scalar",
        };
        push_bytes(state, kind);
        1
    }
}

/// `array_header(length)`: the header of an array, as a string.
unsafe extern "C-unwind" fn lua_array_header(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above; the bytes are the boundary's.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        boundary.scratch.clear();
        let length = ffi::lua_tonumber(state, 1) as u32;
        boundary.scratch.put_array_header(length);
        boundary.scratch.push(state);
        1
    }
}

/// What `msgpack.lua` calls.
pub(crate) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set("encode", function(lua, lua_encode)?)?;
    native.set("configure", function(lua, lua_configure)?)?;
    native.set("decode", function(lua, lua_decode)?)?;
    native.set("decode_memory", function(lua, lua_decode_memory)?)?;
    native.set("decode_header", function(lua, lua_decode_header)?)?;
    native.set("measure", function(lua, lua_measure)?)?;
    native.set("header", function(lua, lua_header)?)?;
    native.set("kind", function(lua, lua_kind)?)?;
    native.set("array_header", function(lua, lua_array_header)?)?;
    Ok(native)
}
