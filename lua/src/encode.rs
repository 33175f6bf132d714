//! The full encoder: any Lua value that has a `MsgPack` form, into the scratch buffer.
//!
//! Compiled Lua code encodes flat tables itself (`msgpack_encoder.lua`) and comes here with all
//! else: nested tables, maps, `__serialize`, cdata, and everything when the JIT is off. A flat
//! table costs two walks with `lua_next`: one that classifies it, one that writes.
//!
//! Errors are thrown from inside. So no frame here owns anything: the bytes are the boundary's, and
//! while a user's `__serialize` function runs (it may encode, or yield) they wait as a Lua string.

use std::ffi::c_int;

use mlua::ffi;

use crate::encode_buffer::Scratch;
use crate::serializer::{
    DEEP_AS_NIL, DEEPEST, ERROR_AS_EXTENSION, INVALID_AS_NIL, INVALID_NUMBERS, LOAD_METATABLES,
    Options, Substitute, USE_TOSTRING, substitute,
};
use crate::state_boundary::{
    Boundary, Cdata, References, TypeIds, cdata_at, push_reference, string_at, throw_text,
};

/// What a table is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An array up to the largest key; holes become nil.
    Array(u32),
    /// A map of that many pairs.
    Map(u32),
}

/// What the `__serialize` field of a value's metatable asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Serialize {
    /// There is none.
    Absent,
    /// An array.
    Sequence,
    /// A map.
    Map,
    /// A function that gives the value to write; it is on the top of the stack.
    Function,
    /// Something that means nothing.
    Invalid,
}

/// Reads `__serialize` of the table at `index`; pushes it only when it is a function.
///
/// # Safety
///
/// `index` must be absolute, and two stack slots free.
pub(crate) unsafe fn serialize_rule(
    state: *mut ffi::lua_State,
    references: References,
    index: c_int,
) -> Serialize {
    // SAFETY: the stack is balanced on each path; raw access calls no metamethod.
    unsafe {
        if ffi::lua_getmetatable(state, index) == 0 {
            return Serialize::Absent;
        }
        // Making the name anew could run a finalizer in the middle of a value.
        push_reference(state, references.serialize_name);
        ffi::lua_rawget(state, -2);
        ffi::lua_remove(state, -2);
        let rule = match ffi::lua_type(state, -1) {
            ffi::LUA_TNIL => Serialize::Absent,
            ffi::LUA_TFUNCTION => return Serialize::Function,
            ffi::LUA_TSTRING => match string_at(state, -1) {
                b"seq" | b"sequence" | b"array" => Serialize::Sequence,
                b"map" | b"mapping" => Serialize::Map,
                _ => Serialize::Invalid,
            },
            _ => Serialize::Invalid,
        };
        ffi::lua_pop(state, 1);
        rule
    }
}

/// Walks the table at `index` and decides what it is written as.
///
/// # Safety
///
/// `index` must be absolute, and three stack slots free.
pub(crate) unsafe fn shape_of(
    state: *mut ffi::lua_State,
    index: c_int,
    rule: Serialize,
    sparse_to_map: impl Fn(f64, f64) -> bool,
) -> Shape {
    let mut count: u32 = 0;
    let mut largest = 0.0_f64;
    let mut only_positions = true;
    // SAFETY: lua_next pops the key it is given and pushes a pair, or nothing at the end.
    unsafe {
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, index) != 0 {
            ffi::lua_pop(state, 1);
            count += 1;
            if ffi::lua_type(state, -1) == ffi::LUA_TNUMBER {
                let key = ffi::lua_tonumber(state, -1);
                if key >= 1.0
                    && key <= f64::from(i32::MAX)
                    && key.trunc().to_bits() == key.to_bits()
                {
                    largest = largest.max(key);
                    continue;
                }
            }
            only_positions = false;
        }
    }
    match rule {
        Serialize::Map => Shape::Map(count),
        Serialize::Sequence => Shape::Array(largest as u32),
        _ if !only_positions || sparse_to_map(largest, f64::from(count)) => Shape::Map(count),
        _ => Shape::Array(largest as u32),
    }
}

struct Encoder<'boundary> {
    state: *mut ffi::lua_State,
    boundary: &'boundary mut Boundary,
    options: Options,
}

impl Encoder<'_> {
    fn scratch(&mut self) -> &mut Scratch {
        &mut self.boundary.scratch
    }

    /// Writes the value at the absolute `index`, which stands inside `depth` containers.
    unsafe fn value(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        // SAFETY: each type is read as what it is; errors leave by a Lua throw, and no frame here
        // has anything to drop.
        unsafe {
            match ffi::lua_type(state, index) {
                ffi::LUA_TNIL | ffi::LUA_TNONE => self.scratch().put_nil(),
                ffi::LUA_TBOOLEAN => {
                    self.scratch()
                        .put_boolean(ffi::lua_toboolean(state, index) != 0);
                }
                ffi::LUA_TNUMBER => self.number(ffi::lua_tonumber(state, index)),
                ffi::LUA_TSTRING => self.scratch().put_string(string_at(state, index)),
                ffi::LUA_TTABLE => self.table(index, depth),
                ffi::LUA_TCDATA => self.cdata(index, depth),
                ffi::LUA_TUSERDATA => self.object(index, depth),
                other => self.unsupported(index, type_name(other)),
            }
        }
    }

    unsafe fn number(&mut self, value: f64) {
        if value.is_finite() || self.options.has(INVALID_NUMBERS) {
            self.scratch().put_number(value);
        } else if self.options.has(INVALID_AS_NIL) {
            self.scratch().put_nil();
        } else {
            // SAFETY: nothing here has a destructor.
            unsafe { throw_text(self.state, format_args!("number must not be NaN or Inf")) }
        }
    }

    /// Writes a value that has no form of its own as the options say, or throws.
    unsafe fn unsupported(&mut self, index: c_int, kind: &str) {
        let state = self.state;
        if self.options.has(USE_TOSTRING) {
            // SAFETY: the bytes so far are kept on the stack, because `tostring` may run Lua code.
            unsafe {
                self.boundary.scratch.push(state);
                ffi::luaL_tolstring(state, index, std::ptr::null_mut());
                self.go_on_with_top(0);
            }
        } else if self.options.has(INVALID_AS_NIL) {
            self.scratch().put_nil();
        } else {
            // SAFETY: nothing here has a destructor.
            unsafe { throw_text(state, format_args!("unsupported Lua type '{kind}'")) }
        }
    }

    /// Writes what stands for a userdata or a cdata of unknown type.
    unsafe fn object(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        // SAFETY: the bytes so far are kept on the stack, because Lua code runs.
        unsafe {
            if depth > DEEPEST || ffi::lua_checkstack(state, 8) == 0 {
                throw_text(state, format_args!("Too high nest level - {depth}"));
            }
            let is_cdata = ffi::lua_type(state, index) == ffi::LUA_TCDATA;
            if is_cdata && !self.options.has(LOAD_METATABLES) {
                return self.unsupported(index, "cdata");
            }
            self.boundary.scratch.push(state);
            match substitute(state, self.boundary, index) {
                Substitute::Value => self.go_on_with_top(depth + 1),
                Substitute::Encoded => {
                    let top = ffi::lua_gettop(state);
                    self.restore(top - 1);
                    self.scratch().put_bytes(string_at(state, top));
                    ffi::lua_settop(state, top - 2);
                }
                Substitute::None => {
                    self.restore(ffi::lua_gettop(state));
                    ffi::lua_pop(state, 1);
                    self.unsupported(index, if is_cdata { "cdata" } else { "userdata" });
                }
            }
        }
    }

    /// Writes an error as the extension that Lua makes of it.
    unsafe fn error_object(&mut self, index: c_int) {
        let state = self.state;
        // SAFETY: the bytes so far are kept on the stack, because Lua code runs.
        unsafe {
            if ffi::lua_checkstack(state, 8) == 0 {
                throw_text(
                    state,
                    format_args!("stack overflow: too many errors in one another"),
                );
            }
            self.boundary.scratch.push(state);
            push_reference(state, self.boundary.references.pack_error);
            ffi::lua_pushvalue(state, index);
            ffi::lua_call(state, 1, 1);
            let top = ffi::lua_gettop(state);
            self.restore(top - 1);
            self.scratch().put_bytes(string_at(state, top));
            ffi::lua_settop(state, top - 2);
        }
    }

    /// Makes the buffer hold the string at `index` again, after Lua code has run.
    unsafe fn restore(&mut self, index: c_int) {
        // SAFETY: the string stays on the stack until its bytes are in the buffer.
        unsafe {
            let before = string_at(self.state, index);
            self.scratch().clear();
            self.scratch().put_bytes(before);
        }
    }

    unsafe fn table(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        // SAFETY: as in `value`; the stack grows by four slots at most before the next check.
        unsafe {
            if depth >= self.options.max_depth {
                if self.options.has(DEEP_AS_NIL) {
                    return self.scratch().put_nil();
                }
                throw_text(state, format_args!("Too high nest level - {}", depth + 1));
            }
            if ffi::lua_checkstack(state, 8) == 0 {
                throw_text(
                    state,
                    format_args!("stack overflow: a table nests too deep to encode"),
                );
            }
            let options = self.options;
            let rule = if options.has(LOAD_METATABLES) {
                serialize_rule(state, self.boundary.references, index)
            } else {
                Serialize::Absent
            };
            let is_sparse = |largest, count| options.is_sparse(state, largest, count);
            match rule {
                Serialize::Function => self.call_serialize(index, depth),
                Serialize::Invalid => {
                    throw_text(state, format_args!("invalid __serialize value"));
                }
                _ => match shape_of(state, index, rule, is_sparse) {
                    Shape::Array(length) => self.array(index, length, depth),
                    Shape::Map(length) => self.map(index, length, depth),
                },
            }
        }
    }

    unsafe fn array(&mut self, index: c_int, length: u32, depth: u32) {
        let state = self.state;
        self.scratch().put_array_header(length);
        // SAFETY: each turn pushes one value and pops it.
        unsafe {
            let top = ffi::lua_gettop(state) + 1;
            for position in 1..=length {
                ffi::lua_rawgeti(state, index, ffi::lua_Integer::from(position as i32));
                self.value(top, depth + 1);
                ffi::lua_settop(state, top - 1);
            }
        }
    }

    unsafe fn map(&mut self, index: c_int, length: u32, depth: u32) {
        let state = self.state;
        self.scratch().put_map_header(length);
        // SAFETY: each turn leaves the key for lua_next and nothing else.
        unsafe {
            ffi::lua_pushnil(state);
            let key = ffi::lua_gettop(state);
            let mut written: u32 = 0;
            while ffi::lua_next(state, index) != 0 {
                self.value(key, depth + 1);
                self.value(key + 1, depth + 1);
                ffi::lua_settop(state, key);
                written += 1;
            }
            // A `__serialize` function inside may have changed the table since it was counted, and
            // everything that reads tuples relies on their being well-formed.
            if written != length {
                throw_text(
                    state,
                    format_args!(
                        "a table changed while it was encoded, from {length} pairs to {written}; \
                         its values' __serialize must leave it as it is"
                    ),
                );
            }
        }
    }

    /// Calls the `__serialize` function on the top of the stack and writes what it returns.
    unsafe fn call_serialize(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        // SAFETY: the bytes written so far are kept on the Lua stack during the call, because the
        // function may encode values itself or let another fiber do so.
        unsafe {
            self.boundary.check_stack(state);
            self.boundary.scratch.push(state);
            ffi::lua_insert(state, -2);
            ffi::lua_pushvalue(state, index);
            ffi::lua_call(state, 1, 1);
            self.go_on_with_top(depth + 1);
        }
    }

    /// After Lua code has run: restores the bytes that wait as a string below the top of the stack,
    /// writes the value at the top behind them, and pops both.
    unsafe fn go_on_with_top(&mut self, depth: u32) {
        let state = self.state;
        // SAFETY: the string stays on the stack until its bytes are back in the buffer.
        unsafe {
            let top = ffi::lua_gettop(state);
            self.restore(top - 1);
            self.value(top, depth);
            ffi::lua_settop(state, top - 2);
        }
    }

    unsafe fn cdata(&mut self, index: c_int, depth: u32) {
        let state = self.state;
        let types = self.boundary.types;
        let scratch = &mut self.boundary.scratch;
        // SAFETY: the contents are read as the type that the cdata says it has.
        unsafe {
            let cdata = cdata_at(state, index);
            if let Some(scalar) = scalar_cdata(types, cdata) {
                match scalar {
                    Scalar::Nil => scratch.put_nil(),
                    Scalar::Boolean(value) => scratch.put_boolean(value),
                    Scalar::Signed(value) => scratch.put_signed(value),
                    Scalar::Unsigned(value) => scratch.put_unsigned(value),
                    Scalar::Float(value) => scratch.put_float(value),
                    Scalar::Double(value) => scratch.put_double(value),
                }
                return;
            }
            let id = cdata.type_id;
            if types.is_tuple(id) {
                scratch.put_bytes(crate::tuple::view(cdata).data);
            } else if crate::values::encode(types, cdata, scratch) {
                // Written.
            } else if id == types.error && self.options.has(ERROR_AS_EXTENSION) {
                self.error_object(index);
            } else if id == types.error {
                scratch.push(state);
                ffi::lua_getfield(state, index, c"message".as_ptr());
                self.go_on_with_top(DEEPEST);
            } else {
                self.object(index, depth);
            }
        }
    }
}

/// A cdata that is a number, a boolean or a NULL pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar {
    Nil,
    Boolean(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f32),
    Double(f64),
}

/// Reads a scalar cdata; `None` when it is something else.
///
/// # Safety
///
/// `cdata` must be live, and `types` those of its state.
pub(crate) unsafe fn scalar_cdata(types: TypeIds, cdata: Cdata) -> Option<Scalar> {
    let id = cdata.type_id;
    let contents = cdata.contents;
    // SAFETY: the contents have the type that the identity names, aligned as LuaJIT aligns cdata.
    #[expect(
        clippy::cast_ptr_alignment,
        reason = "cdata contents are aligned for their type"
    )]
    unsafe {
        Some(if id == types.int64 {
            Scalar::Signed(contents.cast::<i64>().read())
        } else if id == types.uint64 {
            Scalar::Unsigned(contents.cast::<u64>().read())
        } else if id == types.void_pointer && contents.cast::<*const u8>().read().is_null() {
            Scalar::Nil
        } else if id == types.double {
            Scalar::Double(contents.cast::<f64>().read())
        } else if id == types.float {
            Scalar::Float(contents.cast::<f32>().read())
        } else if id == types.boolean {
            Scalar::Boolean(*contents != 0)
        } else if id == types.int32 {
            Scalar::Signed(i64::from(contents.cast::<i32>().read()))
        } else if id == types.uint32 {
            Scalar::Unsigned(u64::from(contents.cast::<u32>().read()))
        } else if id == types.int16 {
            Scalar::Signed(i64::from(contents.cast::<i16>().read()))
        } else if id == types.uint16 {
            Scalar::Unsigned(u64::from(contents.cast::<u16>().read()))
        } else if id == types.int8 {
            Scalar::Signed(i64::from(contents.cast::<i8>().read()))
        } else if id == types.uint8 {
            Scalar::Unsigned(u64::from(*contents))
        } else {
            return None;
        })
    }
}

fn type_name(kind: c_int) -> &'static str {
    match kind {
        ffi::LUA_TFUNCTION => "function",
        ffi::LUA_TTHREAD => "thread",
        ffi::LUA_TUSERDATA | ffi::LUA_TLIGHTUSERDATA => "userdata",
        _ => "unknown",
    }
}

/// Encodes the value at `index` into the scratch buffer of its state and answers with the length.
///
/// Throws a Lua error for values without a `MsgPack` form.
///
/// # Safety
///
/// `boundary` must belong to `state`, eight stack slots must be free, and the caller's frames must
/// own nothing with a destructor.
pub unsafe fn encode_at(state: *mut ffi::lua_State, boundary: &mut Boundary, index: c_int) -> u32 {
    let options = boundary.options;
    // SAFETY: as the caller promises.
    unsafe { encode_with(state, boundary, index, options) }
}

/// [`encode_at`] with options other than those for tuples.
///
/// # Safety
///
/// As for [`encode_at`].
pub(crate) unsafe fn encode_with(
    state: *mut ffi::lua_State,
    boundary: &mut Boundary,
    index: c_int,
    options: Options,
) -> u32 {
    boundary.scratch.clear();
    // SAFETY: as the caller promises.
    unsafe {
        let index = ffi::lua_absindex(state, index);
        Encoder {
            state,
            boundary: &mut *boundary,
            options,
        }
        .value(index, 0);
    }
    boundary.scratch.len() as u32
}

/// Pushes the number of the encoding that has just ended behind the length.
///
/// # Safety
///
/// A stack slot must be free.
unsafe fn push_encoding(state: *mut ffi::lua_State, scratch: &Scratch) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { ffi::lua_pushnumber(state, f64::from(scratch.serial())) };
    2
}

/// `encode_value(value)`: encodes any value; returns the length and the number of the encoding.
pub(crate) unsafe extern "C-unwind" fn lua_encode_value(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by Lua as pushed by push_function; nothing here has a destructor.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let length = encode_at(state, boundary, 1);
        ffi::lua_pushnumber(state, f64::from(length));
        push_encoding(state, &boundary.scratch)
    }
}

/// `encode_tuple(value)`: encodes a value that must become an array; returns the length and the
/// number of the encoding, or nil when it became something else.
pub(crate) unsafe extern "C-unwind" fn lua_encode_tuple(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let length = encode_at(state, boundary, 1);
        match boundary.scratch.as_slice().first() {
            Some(0x90..=0x9f | 0xdc | 0xdd) => ffi::lua_pushnumber(state, f64::from(length)),
            _ => ffi::lua_pushnil(state),
        }
        push_encoding(state, &boundary.scratch)
    }
}

/// `encode_key(value)`: encodes nil as an empty array, a scalar as an array of it, and what is an
/// array already as itself; returns the length and the number of the encoding, or nil for a map.
pub(crate) unsafe extern "C-unwind" fn lua_encode_key(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let length = encode_at(state, boundary, 1);
        let scratch = &mut boundary.scratch;
        match scratch.as_slice().first().copied() {
            Some(0x90..=0x9f | 0xdc | 0xdd) => ffi::lua_pushnumber(state, f64::from(length)),
            Some(0x80..=0x8f | 0xde | 0xdf) => ffi::lua_pushnil(state),
            Some(0xc0) | None => {
                scratch.clear();
                scratch.put_array_header(0);
                ffi::lua_pushnumber(state, 1.0);
            }
            Some(_) => {
                scratch.wrap_in_array();
                ffi::lua_pushnumber(state, f64::from(length + 1));
            }
        }
        push_encoding(state, scratch)
    }
}
