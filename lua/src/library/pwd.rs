//! The native half of the module `pwd`: the users and groups that the system knows.

use std::ffi::{CStr, CString, c_char};

use mlua::{Lua, LuaString, Table};

pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set("user", lua.create_function(user)?)?;
    native.set("group", lua.create_function(group)?)?;
    // SAFETY: both only answer with a number.
    let (uid, gid) = unsafe { (libc::getuid(), libc::getgid()) };
    native.set("uid", uid)?;
    native.set("gid", gid)?;
    Ok(native)
}

/// The text at `pointer`; nothing for null.
///
/// # Safety
///
/// `pointer` is null or at a text that ends in zero.
unsafe fn text(lua: &Lua, pointer: *const c_char) -> mlua::Result<Option<LuaString>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller promises.
    lua.create_string(unsafe { CStr::from_ptr(pointer) }.to_bytes())
        .map(Some)
}

/// The entry of a user by name, or by number when there is no name.
fn user(lua: &Lua, (name, id): (Option<LuaString>, u32)) -> mlua::Result<Option<Table>> {
    // SAFETY: the entry is in memory of the C library, which only this thread asks to fill.
    unsafe {
        let entry = match name.map(|name| CString::new(name.as_bytes().to_vec())) {
            Some(Ok(name)) => libc::getpwnam(name.as_ptr()),
            Some(Err(_)) => return Ok(None),
            None => libc::getpwuid(id),
        };
        let Some(entry) = entry.as_ref() else {
            return Ok(None);
        };
        let table = lua.create_table()?;
        table.set("name", text(lua, entry.pw_name)?)?;
        table.set("id", entry.pw_uid)?;
        table.set("group_id", entry.pw_gid)?;
        table.set("dir", text(lua, entry.pw_dir)?)?;
        table.set("shell", text(lua, entry.pw_shell)?)?;
        Ok(Some(table))
    }
}

/// The entry of a group by name, or by number when there is no name.
fn group(lua: &Lua, (name, id): (Option<LuaString>, u32)) -> mlua::Result<Option<Table>> {
    // SAFETY: as for `user`; the list of members ends with null.
    unsafe {
        let entry = match name.map(|name| CString::new(name.as_bytes().to_vec())) {
            Some(Ok(name)) => libc::getgrnam(name.as_ptr()),
            Some(Err(_)) => return Ok(None),
            None => libc::getgrgid(id),
        };
        let Some(entry) = entry.as_ref() else {
            return Ok(None);
        };
        let members = lua.create_table()?;
        let mut member = entry.gr_mem;
        while !member.is_null() && !(*member).is_null() {
            members.push(text(lua, *member)?)?;
            member = member.add(1);
        }
        let table = lua.create_table()?;
        table.set("name", text(lua, entry.gr_name)?)?;
        table.set("id", entry.gr_gid)?;
        table.set("members", members)?;
        Ok(Some(table))
    }
}
