//! The native half of the module `tarantool`: what the build knows of itself.

use std::time::Instant;

use mlua::{Lua, Table};

/// The values for `tarantool.lua`.
pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    let system = match std::env::consts::OS {
        "macos" => "Darwin",
        "linux" => "Linux",
        other => other,
    };
    let kind = if cfg!(debug_assertions) {
        "Debug"
    } else {
        "Release"
    };
    native.set("version", crate::exec::TARANTOOL_VERSION)?;
    native.set(
        "target",
        format!("{system}-{}-{kind}", std::env::consts::ARCH),
    )?;
    native.set("pid", std::process::id())?;
    native.set("library_suffix", std::env::consts::DLL_EXTENSION)?;
    let started = Instant::now();
    native.set(
        "uptime",
        lua.create_function(move |_, ()| Ok(started.elapsed().as_secs_f64()))?,
    )?;
    Ok(native)
}
