//! Errors on their way from Rust to Lua, where they are objects and not strings.
//!
//! An FFI function may not throw: it leaves a [`PendingError`] in the boundary and answers with a
//! failure, and Lua fetches the object. Errors are cold.

use std::ffi::c_int;

use lycosa_engine::ErrorField;
use mlua::ffi;

use crate::state::{self, load_module, preload_module};
use crate::state_boundary::{Boundary, push_bytes, push_reference};

/// An error that an FFI function has left for Lua.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingError {
    /// Tarantool's numeric code.
    pub code: u32,
    /// The class, for instance `ClientError`.
    pub kind: &'static str,
    /// The full message.
    pub message: String,
    /// What the message names, such as a space or an index, in the order of the message. The code
    /// tells Lua what each is called.
    pub fields: Vec<ErrorField>,
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
        ffi::lua_createtable(state, error.fields.len() as c_int, 0);
        for (position, field) in error.fields.iter().enumerate() {
            match field {
                ErrorField::Text(text) => push_bytes(state, text.as_bytes()),
                ErrorField::Number(number) => ffi::lua_pushnumber(state, *number),
                ErrorField::Tuple(bytes) => push_bytes(state, bytes),
            }
            ffi::lua_rawseti(state, -2, position as ffi::lua_Integer + 1);
        }
        drop(error);
        ffi::lua_call(state, 4, 1);
        1
    }
}

/// Makes `box.error` and the module `lycosa.error`.
pub fn install(lua: &mlua::Lua) -> mlua::Result<()> {
    let native = lua.create_table()?;
    preload_module(
        lua,
        "error_codes",
        include_str!("../modules/error_codes.lua"),
        &native,
    )?;
    native.set("take_error", state::function(lua, lua_take_error)?)?;
    preload_module(
        lua,
        "error_msgpack",
        include_str!("../modules/error_msgpack.lua"),
        &native,
    )?;
    let module = load_module(lua, "error", include_str!("../modules/error.lua"), &native)?;
    let reference = state::reference(lua, &module.get::<mlua::Value>("make")?)?;
    let pack_error = state::reference(lua, &module.get::<mlua::Value>("pack")?)?;
    let type_id = module.get("type_id")?;
    state::with_boundary(lua, |boundary| {
        boundary.references.make_error = reference;
        boundary.references.pack_error = pack_error;
        boundary.types.error = type_id;
    })
}
