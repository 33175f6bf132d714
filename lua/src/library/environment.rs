//! The environment variables of the process, for `os.environ` and `os.setenv`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use mlua::{Lua, LuaString, Table};

pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set(
        "environ",
        lua.create_function(|lua, ()| {
            let all = lua.create_table()?;
            for (name, value) in std::env::vars_os() {
                all.raw_set(
                    lua.create_string(name.as_bytes())?,
                    lua.create_string(value.as_bytes())?,
                )?;
            }
            Ok(all)
        })?,
    )?;
    table.set("setenv", lua.create_function(set_variable)?)?;
    Ok(table)
}

/// The Lua half has checked that the system can take the name and the value.
#[expect(
    clippy::unnecessary_wraps,
    reason = "a function of Lua answers with a result"
)]
fn set_variable(_: &Lua, (name, value): (LuaString, Option<LuaString>)) -> mlua::Result<()> {
    let name = OsString::from_vec(name.as_bytes().to_vec());
    match value {
        // SAFETY: only the transaction thread changes the environment, and no other thread of the
        // process reads it but through the standard library, which takes a lock.
        Some(value) => unsafe {
            std::env::set_var(name, OsString::from_vec(value.as_bytes().to_vec()));
        },
        // SAFETY: as above.
        None => unsafe { std::env::remove_var(name) },
    }
    Ok(())
}
