//! The Rust half of tuple objects: field access, conversion to tables and text.
//!
//! A tuple in Lua is a variable-length cdata that holds a copy of its `MsgPack` and has no
//! finalizer. A scalar field read by compiled code costs one FFI call (`lycosa_tuple_field`),
//! which walks to the field and leaves it where Lua picks it up; tables, 64-bit integers from
//! outside the JIT and the conversions come through raw `lua_CFunction`s.

use std::ffi::c_int;

use lycosa_engine::msgpack::{self, Value};
use lycosa_engine::tuple;
use mlua::ffi;

use crate::decode::{NUMBER_LIMIT, push_value};
use crate::state::{self, load_module};
use crate::state_boundary::{
    Boundary, Cdata, cdata_at, push_buffer, push_bytes, push_reference, string_at, throw_text,
};

/// Where [`lycosa_tuple_field`] leaves a scalar field: `struct lycosa_field` in Lua.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct FieldSlot {
    number: f64,
    integer: i64,
    bytes: *const u8,
    size: u32,
}

impl Default for FieldSlot {
    fn default() -> Self {
        Self {
            number: 0.0,
            integer: 0,
            bytes: std::ptr::null(),
            size: 0,
        }
    }
}

/// What kind of field was found; the numbers are known to `tuple.lua`.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Absent = 0,
    Nil = 1,
    False = 2,
    True = 3,
    Number = 4,
    String = 5,
    Signed = 6,
    Unsigned = 7,
    /// A container, bytes or an extension value: the full decoder makes it.
    Other = 8,
}

/// Words of a tuple cdata before its bytes: size, format, and which stored tuple it is a copy of.
pub(crate) const HEADER_WORDS: usize = 3;

/// A tuple cdata of the fixed size: `struct small_tuple` in Lua.
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct SmallTuple {
    pub(crate) size: u32,
    format_id: u32,
    stored: u32,
    data: [u32; SMALL_BYTES / size_of::<u32>()],
}

/// Longest tuple that a [`SmallTuple`] holds.
pub(crate) const SMALL_BYTES: usize = 36;

impl SmallTuple {
    /// Makes it a copy of `bytes`, those of the stored tuple with the [`identity`] `stored`; of a longer
    /// one it has the size only.
    #[inline]
    pub(crate) fn set(&mut self, bytes: &[u8], stored: u32) {
        self.size = bytes.len() as u32;
        self.stored = stored;
        if bytes.len() <= SMALL_BYTES {
            // SAFETY: the bytes fit, and are no part of this tuple.
            unsafe {
                let data = self.data.as_mut_ptr().cast::<u8>();
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
            }
        }
    }
}

/// Tells one stored tuple from another, from where its bytes are: copies of one compare equal in Lua. 0
/// is for tuples that are stored nowhere.
///
/// Tuples are aligned to eight bytes; those 32 GiB apart share a number, so that the bytes have to be
/// compared as well.
#[inline]
pub(crate) fn identity(stored: &[u8]) -> u32 {
    ((stored.as_ptr() as usize >> 3) as u32).max(1)
}

/// A tuple as its cdata holds it.
#[derive(Debug, Clone, Copy)]
pub struct TupleView<'a> {
    /// Which table of field names applies; 0 means none.
    pub format_id: u32,
    /// The `MsgPack` array.
    pub data: &'a [u8],
}

/// Reads the contents of a tuple cdata.
///
/// # Safety
///
/// `cdata` must be a tuple and stay reachable while the answer is used.
pub(crate) unsafe fn view<'a>(cdata: Cdata) -> TupleView<'a> {
    // SAFETY: the layout is `struct tuple` of tuple.lua: three words, then the bytes.
    #[expect(
        clippy::cast_ptr_alignment,
        reason = "cdata contents are aligned to eight bytes"
    )]
    unsafe {
        let header = cdata.contents.cast::<u32>();
        let contents = cdata.contents.add(HEADER_WORDS * size_of::<u32>());
        let data = std::slice::from_raw_parts(contents, header.read() as usize);
        TupleView {
            format_id: header.add(1).read(),
            data,
        }
    }
}

/// The tuple at `index`, or `None` when the value there is something else.
///
/// # Safety
///
/// `boundary` must belong to `state`, and the value must stay reachable while the answer is used.
pub unsafe fn tuple_at<'a>(
    state: *mut ffi::lua_State,
    boundary: &Boundary,
    index: c_int,
) -> Option<TupleView<'a>> {
    // SAFETY: the type is checked before the contents are read.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TCDATA {
            return None;
        }
        let cdata = cdata_at(state, index);
        boundary.types.is_tuple(cdata.type_id).then(|| view(cdata))
    }
}

/// Pushes a new tuple object that holds a copy of `bytes`, which must be a `MsgPack` array.
///
/// # Safety
///
/// As for [`crate::decode::push_value`].
pub unsafe fn push_tuple(
    state: *mut ffi::lua_State,
    boundary: &mut Boundary,
    bytes: &[u8],
    format_id: u32,
) {
    boundary.scratch.clear();
    boundary.scratch.put_bytes(bytes);
    // SAFETY: the referenced function copies the scratch buffer into a new cdata.
    unsafe {
        push_reference(state, boundary.references.make_tuple);
        ffi::lua_pushnumber(state, bytes.len() as f64);
        ffi::lua_pushnumber(state, f64::from(format_id));
        ffi::lua_call(state, 2, 1);
    }
}

/// Field `number`, counted from 1 as Lua does, of the array in `data`, and what follows it; `None`
/// past the end and when `data`, which must be a tuple or a part of one, is another value.
#[inline]
pub(crate) fn field(data: &[u8], number: u32) -> Option<&[u8]> {
    tuple::field(data, number.checked_sub(1)?)
}

/// Leaves field `number`, counted from 1, in `slot` when it is a scalar.
fn scalar(slot: &mut FieldSlot, data: &[u8], number: u32) -> FieldKind {
    let Some(bytes) = field(data, number) else {
        return FieldKind::Absent;
    };
    match msgpack::read_trusted(bytes).0 {
        Value::Nil => FieldKind::Nil,
        Value::Boolean(value) => {
            if value {
                FieldKind::True
            } else {
                FieldKind::False
            }
        }
        Value::Unsigned(value) if value < NUMBER_LIMIT => {
            slot.number = value as f64;
            FieldKind::Number
        }
        Value::Unsigned(value) => {
            slot.integer = value as i64;
            FieldKind::Unsigned
        }
        Value::Negative(value) if value.unsigned_abs() < NUMBER_LIMIT => {
            slot.number = value as f64;
            FieldKind::Number
        }
        Value::Negative(value) => {
            slot.integer = value;
            FieldKind::Signed
        }
        Value::Float(value) => {
            slot.number = f64::from(value);
            FieldKind::Number
        }
        Value::Double(value) => {
            slot.number = value;
            FieldKind::Number
        }
        Value::String(text) => {
            slot.bytes = text.as_ptr();
            slot.size = text.len() as u32;
            FieldKind::String
        }
        Value::Binary(_) | Value::Array(_) | Value::Map(_) | Value::Extension(..) => {
            FieldKind::Other
        }
    }
}

/// Finds field `number`, counted from 1, and answers with its kind; a scalar is left in `slot`.
///
/// # Safety
///
/// `data` must point to `size` readable bytes and `slot` to a field slot. Called by Lua's FFI.
pub(crate) unsafe extern "C" fn lycosa_tuple_field(
    data: *const u8,
    size: u32,
    number: u32,
    slot: *mut FieldSlot,
) -> i32 {
    // SAFETY: the caller passes the contents of a live tuple cdata.
    let (bytes, slot) = unsafe { (std::slice::from_raw_parts(data, size as usize), &mut *slot) };
    scalar(slot, bytes, number) as i32
}

/// The number of fields of the tuple in `data`.
///
/// # Safety
///
/// `data` must point to `size` readable bytes. Called by Lua's FFI.
pub(crate) unsafe extern "C" fn lycosa_tuple_length(data: *const u8, size: u32) -> u32 {
    // SAFETY: the caller passes the contents of a live tuple cdata.
    length(unsafe { std::slice::from_raw_parts(data, size as usize) })
}

fn length(data: &[u8]) -> u32 {
    match msgpack::read_trusted(data).0 {
        Value::Array(length) => length,
        _ => 0,
    }
}

unsafe fn checked<'a>(
    state: *mut ffi::lua_State,
    boundary: &Boundary,
    usage: &str,
) -> TupleView<'a> {
    // SAFETY: argument 1 stays on the stack for the whole call.
    unsafe {
        match tuple_at(state, boundary, 1) {
            Some(view) => view,
            None => throw_text(state, format_args!("Usage: {usage}")),
        }
    }
}

unsafe fn push_or_throw(state: *mut ffi::lua_State, boundary: &Boundary, bytes: &[u8]) {
    // SAFETY: the bytes are those of a tuple that is on the stack, or of a Lua string there.
    unsafe {
        if let Err(error) = push_value(state, boundary, bytes) {
            throw_text(state, format_args!("{error}"));
        }
    }
}

/// `field(tuple, number)`: the field, of any type; nil past the end.
pub(crate) unsafe extern "C-unwind" fn lua_field(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by Lua as pushed by push_function; nothing here has a destructor.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let tuple = checked(state, boundary, "tuple[number]");
        let number = ffi::lua_tonumber(state, 2);
        let wanted = if (1.0..4_294_967_296.0).contains(&number) {
            number as u32
        } else {
            0
        };
        match field(tuple.data, wanted) {
            Some(bytes) => push_or_throw(state, boundary, bytes),
            None => ffi::lua_pushnil(state),
        }
        1
    }
}

/// `field_path(tuple, first, path)`: the value at a JSON path (`[4].a["b"]`) in field `first`, or
/// in the tuple itself when `first` is 0; nil when there is none.
pub(crate) unsafe extern "C-unwind" fn lua_field_path(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above; the path stays at index 3.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let tuple = checked(state, boundary, "tuple['path']");
        let first = ffi::lua_tonumber(state, 2) as u32;
        let start = if first == 0 {
            Some(tuple.data)
        } else {
            field(tuple.data, first)
        };
        let path = string_at(state, 3);
        match start.and_then(|bytes| crate::tuple_path::walk(bytes, path)) {
            Some(bytes) => push_or_throw(state, boundary, bytes),
            None => ffi::lua_pushnil(state),
        }
        1
    }
}

/// Reads the optional positions of `totable` and `unpack`: the first field and the last.
unsafe fn range(state: *mut ffi::lua_State, count: u32) -> (u32, u32) {
    // SAFETY: reads arguments 2 and 3 only.
    unsafe {
        let bound = |index: c_int, default: u32, name: &str| {
            if ffi::lua_type(state, index) <= ffi::LUA_TNIL {
                return default;
            }
            let position = ffi::lua_tonumber(state, index);
            if position >= 1.0 {
                position.min(f64::from(u32::MAX)) as u32
            } else {
                throw_text(
                    state,
                    format_args!("tuple.totable: invalid {name} argument"),
                )
            }
        };
        let first = bound(2, 1, "second");
        let last = bound(3, count, "third");
        (first, last.min(count))
    }
}

/// Pushes the fields from `first` to `last` with `store` called after each.
unsafe fn push_fields(
    state: *mut ffi::lua_State,
    boundary: &Boundary,
    data: &[u8],
    (first, last): (u32, u32),
    store: impl Fn(u32),
) {
    let (_, mut rest) = msgpack::read_trusted(data);
    for position in 1..=last {
        if position >= first {
            // SAFETY: the bytes belong to the tuple at index 1; nothing here has a destructor.
            unsafe { push_or_throw(state, boundary, rest) };
            store(position - first + 1);
        }
        rest = msgpack::skip_trusted(rest);
    }
}

/// `totable(tuple, first, last)`: a table of the fields, from 1.
pub(crate) unsafe extern "C-unwind" fn lua_totable(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by Lua as pushed by push_function; nothing here has a destructor.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let tuple = checked(state, boundary, "tuple:totable([from[, to]])");
        let (first, last) = range(state, length(tuple.data));
        let expected = (last as usize + 1).saturating_sub(first as usize);
        ffi::lua_createtable(state, expected.min(tuple.data.len()) as c_int, 0);
        push_fields(state, boundary, tuple.data, (first, last), |position| {
            ffi::lua_rawseti(state, -2, ffi::lua_Integer::from(position as i32));
        });
        push_reference(state, boundary.references.sequence_metatable);
        ffi::lua_setmetatable(state, -2);
        1
    }
}

/// `unpack(tuple, first, last)`: the fields as separate values.
pub(crate) unsafe extern "C-unwind" fn lua_unpack(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let tuple = checked(state, boundary, "tuple:unpack([from[, to]])");
        let (first, last) = range(state, length(tuple.data));
        let fields = (last as usize + 1).saturating_sub(first as usize);
        let count = fields.min(tuple.data.len()) as c_int;
        if ffi::lua_checkstack(state, count.saturating_add(8)) == 0 {
            throw_text(
                state,
                format_args!("tuple.unpack: {count} fields are too many to unpack"),
            );
        }
        push_fields(state, boundary, tuple.data, (first, last), |_| ());
        count
    }
}

/// `tostring(tuple)`: the text of the tuple, as Tarantool prints it.
pub(crate) unsafe extern "C-unwind" fn lua_tostring(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above; the text is built in memory that the boundary owns.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let tuple = checked(state, boundary, "tostring(tuple)");
        boundary.text.clear();
        if let Err(error) = crate::tuple_text::write(&mut boundary.text, tuple.data) {
            throw_text(state, format_args!("{error}"));
        }
        push_buffer(state, &mut boundary.text);
        1
    }
}

/// `bytes(tuple)`: the `MsgPack` of the tuple, as a string.
pub(crate) unsafe extern "C-unwind" fn lua_bytes(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above; Lua copies the bytes.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let tuple = checked(state, boundary, "tuple:bytes()");
        push_bytes(state, tuple.data);
        1
    }
}

/// Whether `size` bytes at `left` and `right` are equal: 1 or 0.
///
/// # Safety
///
/// Both must point to `size` readable bytes. Called by Lua's FFI.
pub(crate) unsafe extern "C" fn lycosa_same_bytes(
    left: *const u8,
    right: *const u8,
    size: u32,
) -> i32 {
    // SAFETY: the caller passes the contents of two live tuple cdata of that size.
    unsafe {
        let left = std::slice::from_raw_parts(left, size as usize);
        i32::from(left == std::slice::from_raw_parts(right, size as usize))
    }
}

/// Writes the header and the bytes of a new tuple cdata.
///
/// # Safety
///
/// `tuple` must point to a `struct tuple` with room for `size` bytes, and `source` to as many that
/// can be read. Called by Lua's FFI.
pub(crate) unsafe extern "C" fn lycosa_tuple_fill(
    tuple: *mut u32,
    source: *const u8,
    size: u32,
    format_id: u32,
    stored: u32,
) {
    // SAFETY: as the caller promises; source and tuple are different objects.
    unsafe {
        tuple.write(size);
        tuple.add(1).write(format_id);
        tuple.add(2).write(stored);
        let data = tuple.add(HEADER_WORDS).cast::<u8>();
        std::ptr::copy_nonoverlapping(source, data, size as usize);
    }
}

/// Writes a new tuple cdata of what was encoded as number `encoding`; 0 when something else has been
/// encoded since.
///
/// # Safety
///
/// `scratch` must be that of the state, and `tuple` as for [`lycosa_tuple_fill`]. Called by Lua's
/// FFI.
pub(crate) unsafe extern "C" fn lycosa_tuple_fill_encoded(
    scratch: *const crate::encode_buffer::Scratch,
    tuple: *mut u32,
    size: u32,
    encoding: i32,
    format_id: u32,
) -> i32 {
    // SAFETY: as the caller promises; `size` bytes were encoded.
    unsafe {
        if (*scratch).serial() != encoding {
            return 0;
        }
        lycosa_tuple_fill(tuple, (*scratch).data(), size, format_id, 0);
    }
    1
}

/// Makes `box.tuple` and the module `lycosa.tuple`.
pub fn install(lua: &mlua::Lua) -> mlua::Result<()> {
    let native = lua.create_table()?;
    let slot = state::with_boundary(lua, |boundary| state::address(&raw const boundary.field))?;
    native.set("slot", slot)?;
    native.set(
        "find_field",
        state::address(lycosa_tuple_field as *const ()),
    )?;
    native.set(
        "count_fields",
        state::address(lycosa_tuple_length as *const ()),
    )?;
    native.set("fill", state::address(lycosa_tuple_fill as *const ()))?;
    native.set(
        "fill_encoded",
        state::address(lycosa_tuple_fill_encoded as *const ()),
    )?;
    native.set("same_bytes", state::address(lycosa_same_bytes as *const ()))?;
    native.set("field", state::function(lua, lua_field)?)?;
    native.set("field_path", state::function(lua, lua_field_path)?)?;
    native.set("totable", state::function(lua, lua_totable)?)?;
    native.set("unpack", state::function(lua, lua_unpack)?)?;
    native.set("tostring", state::function(lua, lua_tostring)?)?;
    let module = load_module(lua, "tuple", include_str!("../modules/tuple.lua"), &native)?;
    let reference = state::reference(lua, &module.get::<mlua::Value>("from_scratch")?)?;
    let type_ids = module.get("type_ids")?;
    let ffi_new = state::reference(lua, &module.get::<mlua::Value>("ffi_new")?)?;
    let tuple_type = state::reference(lua, &module.get::<mlua::Value>("type")?)?;
    state::with_boundary(lua, |boundary| {
        boundary.references.make_tuple = reference;
        boundary.references.ffi_new = ffi_new;
        boundary.references.tuple_type = tuple_type;
        boundary.types.tuples = type_ids;
    })
}
