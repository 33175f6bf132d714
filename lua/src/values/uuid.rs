//! UUIDs in Lua: a cdata laid out as Tarantool's `struct tt_uuid`, its first three fields in the order
//! of bytes of the machine.

use mlua::{Lua, Table};

use crate::state::address;

/// `struct tt_uuid` in Lua.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct UuidCdata {
    time_low: u32,
    time_mid: u16,
    time_high: u16,
    rest: [u8; 8],
}

impl UuidCdata {
    /// The sixteen bytes as `MsgPack` holds them.
    pub(crate) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&self.time_low.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.time_mid.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.time_high.to_be_bytes());
        bytes[8..].copy_from_slice(&self.rest);
        bytes
    }
}

/// Fills sixteen bytes with a random UUID of version 4, big-endian; 0 when the system has no
/// randomness to give.
unsafe extern "C" fn random(target: *mut u8) -> i32 {
    // SAFETY: Lua passes a buffer of sixteen bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(target, 16) };
    if getrandom::fill(bytes).is_err() {
        return 0;
    }
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    1
}

/// What `uuid.lua` calls.
pub(crate) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set("random", address(random as *const ()))?;
    Ok(native)
}
