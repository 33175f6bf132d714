//! Open files, by the number that the system knows them by; the Lua half closes them.
//!
//! Reading and writing go through the FFI, straight to and from the memory that Lua names. Each answers
//! with a count or a position, or with the negative number of the error.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

use mlua::{IntoLuaMulti, Lua, MultiValue, Table};

use crate::state::address;

pub(super) fn install(lua: &Lua, native: &Table) -> mlua::Result<()> {
    native.set("read", address(lycosa_read as *const ()))?;
    native.set("write", address(lycosa_write as *const ()))?;
    native.set("seek", address(lycosa_seek as *const ()))?;
    native.set("truncate", address(lycosa_truncate as *const ()))?;
    native.set("synchronize", address(lycosa_synchronize as *const ()))?;
    native.set("close", address(lycosa_close as *const ()))?;
    native.set("file_status", lua.create_function(status)?)
}

fn outcome(result: i64) -> i64 {
    if result >= 0 {
        result
    } else {
        -i64::from(
            io::Error::last_os_error()
                .raw_os_error()
                .unwrap_or(libc::EIO),
        )
    }
}

/// Reads at `offset`, or where the file stands when that is negative. Called by Lua's FFI.
extern "C" fn lycosa_read(descriptor: i32, memory: *mut u8, size: usize, offset: i64) -> i64 {
    // SAFETY: Lua gives memory of that size, as it would to `read` itself.
    outcome(unsafe {
        if offset < 0 {
            libc::read(descriptor, memory.cast(), size) as i64
        } else {
            libc::pread(descriptor, memory.cast(), size, offset as libc::off_t) as i64
        }
    })
}

/// Writes at `offset`, or where the file stands when that is negative. Called by Lua's FFI.
extern "C" fn lycosa_write(descriptor: i32, memory: *const u8, size: usize, offset: i64) -> i64 {
    // SAFETY: as for `lycosa_read`.
    outcome(unsafe {
        if offset < 0 {
            libc::write(descriptor, memory.cast(), size) as i64
        } else {
            libc::pwrite(descriptor, memory.cast(), size, offset as libc::off_t) as i64
        }
    })
}

/// Called by Lua's FFI.
extern "C" fn lycosa_seek(descriptor: i32, offset: i64, whence: i32) -> i64 {
    // SAFETY: takes numbers only.
    outcome(unsafe { libc::lseek(descriptor, offset as libc::off_t, whence) })
}

/// Called by Lua's FFI.
extern "C" fn lycosa_truncate(descriptor: i32, length: i64) -> i64 {
    // SAFETY: takes numbers only.
    outcome(unsafe { libc::ftruncate(descriptor, length as libc::off_t) }.into())
}

/// Called by Lua's FFI.
extern "C" fn lycosa_synchronize(descriptor: i32) -> i64 {
    // SAFETY: takes a number only.
    outcome(unsafe { libc::fsync(descriptor) }.into())
}

/// Called by Lua's FFI.
extern "C" fn lycosa_close(descriptor: i32) -> i64 {
    // SAFETY: the Lua half closes each descriptor once, and only those it has opened.
    outcome(unsafe { libc::close(descriptor) }.into())
}

fn status(lua: &Lua, descriptor: i32) -> mlua::Result<MultiValue> {
    // SAFETY: the file is not closed here; one that is not open makes the call fail.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
    match file.metadata() {
        Ok(metadata) => super::fio::status_table(lua, &metadata)?.into_lua_multi(lua),
        Err(error) => (mlua::Nil, error.raw_os_error().unwrap_or(libc::EIO)).into_lua_multi(lua),
    }
}
