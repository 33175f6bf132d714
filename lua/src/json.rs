//! The module `json`: the encoder, and how both halves are configured.
//!
//! Text is built in memory that the boundary owns, because errors are thrown from inside: no frame
//! here has anything to drop. While a `__serialize` function runs, the text so far waits as a Lua
//! string. Encoding costs two walks over each table, as in [`crate::encode`].

use std::ffi::c_int;
use std::io::Write as _;

use lycosa_engine::general_number::GeneralNumber;
use mlua::ffi;

use crate::decode::push_value;
use crate::encode::{Serialize, Shape, serialize_rule, shape_of};
use crate::serializer::{
    DEEP_AS_NIL, DEEPEST, INVALID_AS_NIL, INVALID_NUMBERS, LOAD_METATABLES, Options, Substitute,
    USE_TOSTRING, substitute,
};
use crate::state::{self, load_module, publish};
use crate::state_boundary::{Boundary, cdata_at, push_buffer, string_at, throw_text};

struct Encoder<'boundary> {
    state: *mut ffi::lua_State,
    boundary: &'boundary mut Boundary,
    options: Options,
}

impl Encoder<'_> {
    fn put(&mut self, text: &[u8]) {
        self.boundary.text.extend_from_slice(text);
    }

    fn put_display(&mut self, value: impl std::fmt::Display) {
        // Writing into a vector cannot fail.
        let _ = write!(self.boundary.text, "{value}");
    }

    unsafe fn value(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        // SAFETY: each type is read as what it is; errors leave by a Lua throw.
        unsafe {
            match ffi::lua_type(state, index) {
                ffi::LUA_TNIL | ffi::LUA_TNONE => self.put(b"null"),
                ffi::LUA_TBOOLEAN => {
                    let value = ffi::lua_toboolean(state, index) != 0;
                    self.put_display(value);
                }
                ffi::LUA_TNUMBER => self.number(ffi::lua_tonumber(state, index)),
                ffi::LUA_TSTRING => self.string(string_at(state, index)),
                ffi::LUA_TTABLE => self.table(index, depth),
                ffi::LUA_TCDATA => self.cdata(index, depth),
                ffi::LUA_TFUNCTION => self.unsupported(index, "function"),
                ffi::LUA_TTHREAD => self.unsupported(index, "thread"),
                _ => self.object(index, depth, "userdata"),
            }
        }
    }

    unsafe fn number(&mut self, value: f64) {
        const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
        if !value.is_finite() {
            if !self.options.has(INVALID_NUMBERS) {
                if self.options.has(INVALID_AS_NIL) {
                    return self.put(b"null");
                }
                // SAFETY: nothing here has a destructor.
                unsafe { throw_text(self.state, format_args!("number must not be NaN or Inf")) };
            }
            let name: &[u8] = match value {
                f64::INFINITY => b"inf",
                f64::NEG_INFINITY => b"-inf",
                _ => b"nan",
            };
            self.put(name);
        } else if value.fract() == 0.0 && (0.0..2.0 * TWO_POW_63).contains(&value) {
            self.put_display(value as u64);
        } else if value.fract() == 0.0 && (-TWO_POW_63..0.0).contains(&value) {
            self.put_display(value as i64);
        } else {
            let precision = self.options.precision;
            self.put_display(GeneralNumber { value, precision });
        }
    }

    fn string(&mut self, bytes: &[u8]) {
        self.put(b"\"");
        for &byte in bytes {
            match byte {
                b'"' => self.put(b"\\\""),
                b'\\' => self.put(b"\\\\"),
                b'\n' => self.put(b"\\n"),
                b'\r' => self.put(b"\\r"),
                b'\t' => self.put(b"\\t"),
                0x08 => self.put(b"\\b"),
                0x0c => self.put(b"\\f"),
                0x00..=0x1f | 0x7f => self.put_display(format_args!("\\u{byte:04x}")),
                _ => self.boundary.text.push(byte),
            }
        }
        self.put(b"\"");
    }

    unsafe fn unsupported(&mut self, index: c_int, kind: &str) {
        let state = self.state;
        if self.options.has(USE_TOSTRING) {
            // SAFETY: the text that `tostring` makes stays on the stack while it is read; what was
            // built before is kept there too, because `tostring` may run Lua code.
            unsafe {
                push_buffer(state, &mut self.boundary.text);
                ffi::luaL_tolstring(state, index, std::ptr::null_mut());
                let top = ffi::lua_gettop(state);
                self.boundary.text.clear();
                self.put(string_at(state, top - 1));
                self.string(string_at(state, top));
                ffi::lua_settop(state, top - 2);
            }
        } else if self.options.has(INVALID_AS_NIL) {
            self.put(b"null");
        } else {
            // SAFETY: nothing here has a destructor.
            unsafe { throw_text(state, format_args!("unsupported Lua type '{kind}'")) }
        }
    }

    unsafe fn table(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        let options = self.options;
        // SAFETY: room for the walk is asked for first; nothing here has a destructor.
        unsafe {
            if depth >= options.max_depth {
                if options.has(DEEP_AS_NIL) {
                    return self.put(b"null");
                }
                throw_text(state, format_args!("Too high nest level"));
            }
            if ffi::lua_checkstack(state, 8) == 0 {
                throw_text(
                    state,
                    format_args!("stack overflow: a table nests too deep to encode"),
                );
            }
            let rule = if options.has(LOAD_METATABLES) {
                serialize_rule(state, self.boundary.references, index)
            } else {
                Serialize::Absent
            };
            match rule {
                Serialize::Function => return self.call_serialize(index, depth),
                Serialize::Invalid => {
                    throw_text(state, format_args!("invalid __serialize value"));
                }
                _ => {}
            }
            let shape = shape_of(state, index, rule, |largest, count| {
                options.is_sparse(state, largest, count)
            });
            match shape {
                Shape::Array(length) => self.array(index, length, depth),
                Shape::Map(_) => self.map(index, depth),
            }
        }
    }

    unsafe fn array(&mut self, index: c_int, length: u32, depth: u32) {
        let state = self.state;
        self.put(b"[");
        // SAFETY: each turn pushes one value and pops it.
        unsafe {
            let top = ffi::lua_gettop(state) + 1;
            for position in 1..=length {
                if position > 1 {
                    self.put(b",");
                }
                ffi::lua_rawgeti(state, index, ffi::lua_Integer::from(position as i32));
                self.value(top, depth + 1);
                ffi::lua_settop(state, top - 1);
            }
        }
        self.put(b"]");
    }

    unsafe fn map(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        let mut separator: &[u8] = b"{";
        // SAFETY: each turn leaves the key for lua_next and nothing else.
        unsafe {
            ffi::lua_pushnil(state);
            let key = ffi::lua_gettop(state);
            while ffi::lua_next(state, index) != 0 {
                self.put(separator);
                self.key(key);
                self.put(b":");
                self.value(key + 1, depth + 1);
                ffi::lua_settop(state, key);
                separator = b",";
            }
        }
        self.put(if separator == b"{" { b"{}" } else { b"}" });
    }

    unsafe fn key(&mut self, index: c_int) {
        let state = self.state;
        // SAFETY: the key is read as what it is, and not converted in place.
        unsafe {
            let fits = match ffi::lua_type(state, index) {
                ffi::LUA_TSTRING => return self.string(string_at(state, index)),
                ffi::LUA_TNUMBER => ffi::lua_tonumber(state, index).fract() == 0.0,
                ffi::LUA_TCDATA => {
                    let id = cdata_at(state, index).type_id;
                    id == self.boundary.types.int64 || id == self.boundary.types.uint64
                }
                _ => false,
            };
            if !fits {
                throw_text(state, format_args!("table key must be a number or string"));
            }
            self.put(b"\"");
            self.value(index, 0);
            self.put(b"\"");
        }
    }

    /// Calls the `__serialize` function on the top of the stack and writes what it returns.
    unsafe fn call_serialize(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        // SAFETY: the text so far is kept on the Lua stack while the function runs.
        unsafe {
            self.boundary.check_stack(state);
            push_buffer(state, &mut self.boundary.text);
            ffi::lua_insert(state, -2);
            ffi::lua_pushvalue(state, index);
            ffi::lua_call(state, 1, 1);
            self.go_on_with_top(depth + 1);
        }
    }

    /// After Lua code has run: restores the text that waits as a string below the top of the stack,
    /// writes the value at the top behind it, and pops both.
    unsafe fn go_on_with_top(&mut self, depth: u32) {
        let state = self.state;
        // SAFETY: the string stays on the stack until its text is back in the buffer.
        unsafe {
            let top = ffi::lua_gettop(state);
            self.boundary.text.clear();
            self.put(string_at(state, top - 1));
            self.value(top, depth);
            ffi::lua_settop(state, top - 2);
        }
    }

    /// Writes what stands for a userdata or a cdata of unknown type.
    unsafe fn object(&mut self, index: c_int, depth: u32, kind: &str) {
        let state = self.state;
        // SAFETY: the text so far is kept on the stack, because Lua code runs.
        unsafe {
            if depth > DEEPEST || ffi::lua_checkstack(state, 8) == 0 {
                throw_text(state, format_args!("Too high nest level"));
            }
            if !self.options.has(LOAD_METATABLES) {
                return self.unsupported(index, kind);
            }
            push_buffer(state, &mut self.boundary.text);
            match substitute(state, self.boundary, index) {
                Substitute::Value => self.go_on_with_top(depth + 1),
                Substitute::Encoded => {
                    let bytes = string_at(state, -1);
                    if let Err(error) = push_value(state, self.boundary, bytes) {
                        throw_text(state, format_args!("{error}"));
                    }
                    ffi::lua_remove(state, -2);
                    self.go_on_with_top(depth);
                }
                Substitute::None => {
                    self.boundary.text.clear();
                    self.put(string_at(state, -1));
                    ffi::lua_pop(state, 1);
                    self.unsupported(index, kind);
                }
            }
        }
    }

    /// Writes a cdata by way of its `MsgPack`, or as the text of an object that prints.
    unsafe fn cdata(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        let types = self.boundary.types;
        // SAFETY: the contents are read as the type that the cdata says it has.
        unsafe {
            let cdata = cdata_at(state, index);
            let id = cdata.type_id;
            if types.is_tuple(id) {
                if let Err(error) = push_value(state, self.boundary, crate::tuple::view(cdata).data)
                {
                    throw_text(state, format_args!("{error}"));
                }
                self.value(ffi::lua_gettop(state), depth);
                ffi::lua_pop(state, 1);
            } else if crate::values::prints_itself(types, id) {
                let options = self.options;
                self.options = options.with(USE_TOSTRING);
                self.unsupported(index, "cdata");
                self.options = options;
            } else {
                match crate::encode::scalar_cdata(types, cdata) {
                    Some(crate::encode::Scalar::Nil) => self.put(b"null"),
                    Some(crate::encode::Scalar::Boolean(value)) => self.put_display(value),
                    Some(crate::encode::Scalar::Signed(value)) => self.put_display(value),
                    Some(crate::encode::Scalar::Unsigned(value)) => self.put_display(value),
                    Some(crate::encode::Scalar::Float(value)) => self.number(f64::from(value)),
                    Some(crate::encode::Scalar::Double(value)) => self.number(value),
                    None => self.object(index, depth, "cdata"),
                }
            }
        }
    }
}

/// `encode(value, max_depth, precision, sparse_ratio, sparse_safe, flags)`: the JSON text.
unsafe extern "C-unwind" fn lua_encode(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by json.lua as pushed by push_function; nothing here has a destructor.
    unsafe {
        let options = Options::from_arguments(state, 2);
        let boundary = Boundary::of_upvalue(state);
        boundary.text.clear();
        Encoder {
            state,
            boundary: &mut *boundary,
            options,
        }
        .value(1, 0);
        push_buffer(state, &mut boundary.text);
        1
    }
}

/// Makes the module `json`.
pub fn install(lua: &mlua::Lua) -> mlua::Result<()> {
    let native = lua.create_table()?;
    native.set("encode", state::function(lua, lua_encode)?)?;
    native.set(
        "decode",
        state::function(lua, crate::json_decode::lua_decode)?,
    )?;
    let module = load_module(lua, "json", include_str!("../modules/json.lua"), &native)?;
    publish(lua, "json", &module)
}
