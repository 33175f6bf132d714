//! Errors on their way from Rust to Lua, where they are objects and not strings.
//!
//! A raw `lua_CFunction` pushes an error object with [`push_error`], lets go of all it owns, and
//! then calls `lua_error`. An FFI function may do neither: it leaves a [`PendingError`] in the
//! boundary and answers with a failure, and Lua fetches the object. Errors are cold.

use std::ffi::c_int;

use mlua::ffi;

use crate::state::{self, load_module};
use crate::state_boundary::{Boundary, push_bytes, push_reference};

/// An error that an FFI function has left for Lua.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingError {
    /// Tarantool's numeric code.
    pub code: u32,
    /// The class, for instance `ClientError`.
    pub kind: &'static str,
    /// The full message.
    pub message: String,
    /// Further fields of the object, such as `space` or `index`.
    pub payload: Vec<(String, String)>,
}

/// How many errors wait at most; more were left by calls that gave up.
const PENDING_MAX: usize = 8;

impl Boundary {
    /// Leaves `error` for Lua to fetch. A finalizer may come before it is fetched, leave and fetch
    /// one of its own: the last one left is fetched first.
    pub fn set_error(&mut self, error: PendingError) {
        if self.pending_errors.len() == PENDING_MAX {
            self.pending_errors.remove(0);
        }
        self.pending_errors.push(error);
    }
}

/// Pushes an error object.
///
/// To throw it, drop everything first, then call `lua_error`: a throw skips Rust's destructors.
///
/// # Safety
///
/// `boundary` must belong to `state`, and eight stack slots must be free.
pub unsafe fn push_error(
    state: *mut ffi::lua_State,
    boundary: &Boundary,
    code: u32,
    kind: &str,
    message: &str,
    payload: &[(&str, &str)],
) {
    let constructor = boundary.references.make_error;
    // SAFETY: as the caller promises; the stack ends one higher.
    unsafe {
        push_reference(state, constructor);
        ffi::lua_pushnumber(state, f64::from(code));
        push_bytes(state, kind.as_bytes());
        push_bytes(state, message.as_bytes());
        ffi::lua_createtable(state, 0, payload.len() as c_int);
        for (name, value) in payload {
            push_bytes(state, name.as_bytes());
            push_bytes(state, value.as_bytes());
            ffi::lua_rawset(state, -3);
        }
        ffi::lua_call(state, 4, 1);
    }
}

/// Pushes the error that an FFI function has left, and forgets it; pushes nil when there is none.
unsafe extern "C-unwind" fn lua_take_error(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: called by Lua as pushed by push_function. The pending error is copied to the stack
    // piece by piece and dropped before the constructor runs; a finalizer that runs meanwhile finds
    // it taken.
    unsafe {
        let boundary = Boundary::of_upvalue(state);
        let Some(error) = boundary.pending_errors.pop() else {
            ffi::lua_pushnil(state);
            return 1;
        };
        push_reference(state, boundary.references.make_error);
        ffi::lua_pushnumber(state, f64::from(error.code));
        push_bytes(state, error.kind.as_bytes());
        push_bytes(state, error.message.as_bytes());
        ffi::lua_createtable(state, 0, error.payload.len() as c_int);
        for (name, value) in &error.payload {
            push_bytes(state, name.as_bytes());
            push_bytes(state, value.as_bytes());
            ffi::lua_rawset(state, -3);
        }
        drop(error);
        ffi::lua_call(state, 4, 1);
        1
    }
}

/// Makes `box.error` and the module `lycosa.error`.
pub fn install(lua: &mlua::Lua) -> mlua::Result<()> {
    let codes: mlua::Table = lua
        .load(include_str!("../modules/error_codes.lua"))
        .set_name("@lycosa/error_codes.lua")
        .call(())?;
    let native = lua.create_table()?;
    native.set("codes", codes)?;
    native.set("take_error", state::function(lua, lua_take_error)?)?;
    let module = load_module(lua, "error", include_str!("../modules/error.lua"), &native)?;
    let reference = state::reference(lua, &module.get::<mlua::Value>("make")?)?;
    let type_id = module.get("type_id")?;
    state::with_boundary(lua, |boundary| {
        boundary.references.make_error = reference;
        boundary.types.error = type_id;
    })
}
