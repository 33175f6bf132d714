//! The Rust half of the values that Lua lacks: what their cdata hold, and what compiled Lua calls by
//! FFI. The Lua half of each is the module of its name in `modules/library`, compiled when the first
//! such value appears or the module is required.

pub(crate) mod datetime;
pub(crate) mod decimal;
pub(crate) mod uuid;
pub(crate) mod varbinary;

use lycosa_engine::msgpack::{
    EXTENSION_DATETIME, EXTENSION_DECIMAL, EXTENSION_INTERVAL, EXTENSION_UUID,
};

use crate::encode_buffer::Scratch;
use crate::state_boundary::{Cdata, TypeIds};

/// Appends the `MsgPack` of a cdata; false when it is of none of these types.
///
/// # Safety
///
/// `cdata` must be live, and `types` those of its state.
pub(crate) unsafe fn encode(types: TypeIds, cdata: Cdata, scratch: &mut Scratch) -> bool {
    let contents = cdata.contents;
    // SAFETY: the contents have the type that the identity names, aligned as LuaJIT aligns cdata.
    #[expect(
        clippy::cast_ptr_alignment,
        reason = "cdata contents are aligned for their type"
    )]
    unsafe {
        match cdata.type_id {
            id if id == types.decimal => {
                let decimal = &*contents.cast::<decimal::DecimalCdata>();
                scratch.put_extension(EXTENSION_DECIMAL, decimal.body());
            }
            id if id == types.uuid => {
                let uuid = contents.cast::<uuid::UuidCdata>().read();
                scratch.put_extension(EXTENSION_UUID, &uuid.to_bytes());
            }
            id if id == types.datetime => {
                let datetime = contents.cast::<datetime::DatetimeCdata>().read();
                scratch.put_extension(
                    EXTENSION_DATETIME,
                    datetime.get().extension_body().as_slice(),
                );
            }
            id if id == types.interval => {
                let interval = contents.cast::<datetime::IntervalCdata>().read();
                scratch.put_extension(EXTENSION_INTERVAL, &interval.get().extension_body());
            }
            id if id == types.varbinary => scratch.put_binary(varbinary::bytes(contents)),
            _ => return false,
        }
    }
    true
}

/// Whether JSON prints a cdata of this type as the string that `tostring` makes of it.
pub(crate) fn prints_itself(types: TypeIds, id: u16) -> bool {
    [
        types.error,
        types.uuid,
        types.decimal,
        types.datetime,
        types.interval,
        types.varbinary,
    ]
    .contains(&id)
}
