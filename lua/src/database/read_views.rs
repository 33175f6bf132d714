//! Read views for Lua: opened through mlua, closed through the FFI, since a finalizer may do it.

use lycosa_engine::{Database, ReadView, SharedDatabase};
use mlua::{IntoLuaMulti, Lua, MultiValue, Table};

use super::context::Context;
use super::schema::function;
use crate::state::address;

/// A view's number, and a table from the number of each space to that of its copy.
struct Opened(ReadView);

impl IntoLuaMulti for Opened {
    fn into_lua_multi(self, lua: &Lua) -> mlua::Result<MultiValue> {
        let copies = lua.create_table_from(self.0.spaces)?;
        (self.0.id as f64, copies).into_lua_multi(lua)
    }
}

/// Closes the read view with this number.
unsafe extern "C" fn read_view_close(context: *mut Context, id: f64) {
    // SAFETY: Lua passes the pointer it got at installation, and the context lives as long as the
    // Lua state; the database is not borrowed while Lua runs.
    let context = unsafe { &mut *context };
    context.next_serial();
    context.database.borrow_mut().close_read_view(id as u64);
}

pub(super) fn install(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    let open = |database: &mut Database, (): ()| database.open_read_view().map(Opened);
    native.set("read_view_open", function(lua, database, context, open)?)?;
    native.set("read_view_close", address(read_view_close as *const ()))
}
