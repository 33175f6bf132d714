//! Statements for Lua code that is interpreted: C functions around the FFI functions of `statements` and
//! `reads`, which take the same arguments.
//!
//! An FFI call costs the interpreter over 100 ns, a C function about 10. Of a result the object is made
//! here as well.

use std::ffi::c_int;

use mlua::{Lua, Table, ffi};

use super::context::Context;
use super::{reads, statements};
use crate::state;
use crate::state_boundary::{Boundary, cdata_at, push_reference};
use crate::tuple::lycosa_tuple_fill;

/// The context that a statement was given as its first argument, a pointer cdata.
///
/// # Safety
///
/// Only modules of this crate have these functions; they pass `database.context`.
unsafe fn context_of(state: *mut ffi::lua_State) -> *mut Context {
    // SAFETY: as above; the contents of a pointer cdata are the pointer.
    unsafe {
        cdata_at(state, 1)
            .contents
            .cast::<*mut Context>()
            .read_unaligned()
    }
}

/// An argument that is a number, of either sign.
unsafe fn number(state: *mut ffi::lua_State, index: c_int) -> i64 {
    // SAFETY: reads one argument.
    unsafe { ffi::lua_tonumber(state, index) as i64 }
}

/// Defines a C function that calls an FFI function with the context and that many numbers.
macro_rules! statement {
    ($name:ident, $function:path, $($position:literal as $kind:ty),+) => {
        unsafe extern "C-unwind" fn $name(state: *mut ffi::lua_State) -> c_int {
            // SAFETY: called by the modules of this crate with the arguments of the FFI function; nothing
            // here has a destructor.
            unsafe {
                let answer = $function(context_of(state), $(number(state, $position) as $kind),+);
                ffi::lua_pushnumber(state, f64::from(answer));
            }
            1
        }
    };
}

statement!(insert, statements::insert, 2 as u32, 3 as u32, 4 as i32);
statement!(replace, statements::replace, 2 as u32, 3 as u32, 4 as i32);
statement!(get, reads::get, 2 as u32, 3 as u32, 4 as u32, 5 as i32);
statement!(
    delete,
    statements::delete,
    2 as u32,
    3 as u32,
    4 as u32,
    5 as i32
);
statement!(
    update,
    statements::update,
    2 as u32,
    3 as u32,
    4 as u32,
    5 as u32,
    6 as i32
);
statement!(
    upsert,
    statements::upsert,
    2 as u32,
    3 as u32,
    4 as u32,
    5 as i32
);
statement!(hold, statements::hold, 2 as u32, 3 as i32);

/// `take(context, result, format_id)`: a new object of a result, or nil when a finalizer that ran while it
/// was made has called the engine, and the result was one that is stored there.
unsafe extern "C-unwind" fn take(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as for the statements; the object is made for as many bytes as are written.
    unsafe {
        let context = context_of(state);
        let references = Boundary::of_upvalue(state).references;
        let serial = number(state, 2) as i32;
        let format_id = number(state, 3) as u32;
        let Some(size) = (*context).result(serial).map(|(bytes, _)| bytes.len()) else {
            ffi::lua_pushnil(state);
            return 1;
        };
        push_reference(state, references.ffi_new);
        push_reference(state, references.tuple_type);
        ffi::lua_pushnumber(state, size as f64);
        ffi::lua_call(state, 2, 1);
        let Some((bytes, stored)) = (*context).result(serial) else {
            ffi::lua_pushnil(state);
            return 1;
        };
        #[expect(
            clippy::cast_ptr_alignment,
            reason = "cdata contents are aligned to eight bytes"
        )]
        let tuple = cdata_at(state, -1).contents.cast_mut().cast::<u32>();
        lycosa_tuple_fill(tuple, bytes.as_ptr(), size as u32, format_id, stored);
        (*context).forget(serial);
        1
    }
}

pub(super) fn install(lua: &Lua, native: &Table) -> mlua::Result<()> {
    let functions = lua.create_table()?;
    functions.set("insert", state::function(lua, insert)?)?;
    functions.set("replace", state::function(lua, replace)?)?;
    functions.set("get", state::function(lua, get)?)?;
    functions.set("delete", state::function(lua, delete)?)?;
    functions.set("update", state::function(lua, update)?)?;
    functions.set("upsert", state::function(lua, upsert)?)?;
    functions.set("hold", state::function(lua, hold)?)?;
    functions.set("take", state::function(lua, take)?)?;
    native.set("interpreted", functions)
}
