//! What `box` asks of the operating system: the directory, the host's name. Cold.

use mlua::{Lua, Table};

/// Changes the process's directory; answers with what went wrong, or nothing.
fn change_directory(path: &str) -> Option<String> {
    std::env::set_current_dir(path)
        .err()
        .map(|error| error.to_string())
}

/// The host's name.
fn hostname() -> String {
    let mut name = [0_u8; 256];
    // SAFETY: the name is written into the buffer, whose size is passed but for the last byte,
    // which stays zero.
    let status = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(0);
    if status == 0 {
        String::from_utf8_lossy(&name[..end]).into_owned()
    } else {
        String::from("localhost")
    }
}

/// Adds the functions to `native`.
pub(crate) fn install(lua: &Lua, native: &Table) -> mlua::Result<()> {
    native.set(
        "change_directory",
        lua.create_function(|_, path: String| Ok(change_directory(&path)))?,
    )?;
    native.set("hostname", lua.create_function(|_, ()| Ok(hostname()))?)
}
