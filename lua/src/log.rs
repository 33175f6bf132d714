//! The module `log`: lines on standard error in Tarantool's format.

use crate::state::{load_module, publish};

/// Makes the module `log`; `lycosa.log` has the hooks for the fiber's name and the output.
pub fn install(lua: &mlua::Lua) -> mlua::Result<()> {
    let native = lua.create_table()?;
    native.set("process_id", std::process::id())?;
    let module = load_module(lua, "log", include_str!("../modules/log.lua"), &native)?;
    publish(lua, "log", &module.get::<mlua::Table>("public")?)
}
