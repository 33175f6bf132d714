//! What `box` asks of the operating system: the directory, the host's name, random bytes. Cold.

use std::io::Read;

use mlua::{Lua, Table};

/// More than this is asked for by nobody.
const RANDOM_MAX: usize = 4096;

/// Changes the process's directory; answers with what went wrong, or nothing.
fn change_directory(_: &Lua, path: String) -> mlua::Result<Option<String>> {
    Ok(std::env::set_current_dir(path)
        .err()
        .map(|error| error.to_string()))
}

/// `count` bytes that nobody can foretell.
fn random_bytes(lua: &Lua, count: usize) -> mlua::Result<mlua::LuaString> {
    let mut bytes = vec![0; count.min(RANDOM_MAX)];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    lua.create_string(bytes)
}

/// The host's name.
fn hostname(_: &Lua, (): ()) -> mlua::Result<String> {
    let mut name = [0_u8; 256];
    // SAFETY: the name is written into the buffer, whose size is passed but for the last byte,
    // which stays zero.
    let status = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(0);
    if status == 0 {
        Ok(String::from_utf8_lossy(&name[..end]).into_owned())
    } else {
        Ok(String::from("localhost"))
    }
}

/// Adds the functions to `native`.
pub(crate) fn install(lua: &Lua, native: &Table) -> mlua::Result<()> {
    native.set("change_directory", lua.create_function(change_directory)?)?;
    native.set("random_bytes", lua.create_function(random_bytes)?)?;
    native.set("hostname", lua.create_function(hostname)?)
}
