//! Bytes in Lua that are no text: a variable-length cdata, so that a tuple holds them as `MsgPack`'s
//! binary type and not as a string.

use mlua::{Lua, Table};

use crate::state::address;

/// The bytes of a `struct varbinary`: a length of four bytes, then as many bytes.
///
/// # Safety
///
/// `contents` must be those of a live `struct varbinary`.
pub(crate) unsafe fn bytes<'a>(contents: *const u8) -> &'a [u8] {
    // SAFETY: only `fill` writes the length, of an object with that much room.
    unsafe {
        let length = contents.cast::<u32>().read_unaligned() as usize;
        std::slice::from_raw_parts(contents.add(4), length)
    }
}

/// Writes the length and the bytes of a new `struct varbinary`.
unsafe extern "C" fn fill(target: *mut u8, source: *const u8, length: u32) {
    // SAFETY: Lua passes a new object with room for as many bytes, and readable ones.
    unsafe {
        target.cast::<u32>().write_unaligned(length);
        std::ptr::copy(source, target.add(4), length as usize);
    }
}

/// Whether two objects hold the same bytes: 1 or 0.
unsafe extern "C" fn equal(
    left: *const u8,
    left_length: u32,
    right: *const u8,
    right_length: u32,
) -> i32 {
    // SAFETY: Lua passes bytes of live objects or strings with their lengths.
    let (left, right) = unsafe {
        (
            std::slice::from_raw_parts(left, left_length as usize),
            std::slice::from_raw_parts(right, right_length as usize),
        )
    };
    i32::from(left == right)
}

/// What `varbinary.lua` calls.
pub(crate) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set("fill", address(fill as *const ()))?;
    native.set("equal", address(equal as *const ()))?;
    Ok(native)
}
