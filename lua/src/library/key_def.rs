//! The native half of the module `key_def`: types of parts and the order of single values, which are
//! the engine's.

use lycosa_engine::msgpack;
use lycosa_engine::schema::{Collation, FieldType};
use mlua::{Lua, LuaString, Table};

pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set(
        "type_name",
        lua.create_function(|_, name: String| Ok(FieldType::parse(&name).map(FieldType::name)))?,
    )?;
    native.set(
        "collation",
        lua.create_function(|_, (name, id): (Option<String>, Option<u32>)| {
            let found = match name {
                Some(name) => Collation::by_name(&name),
                None => id.and_then(Collation::by_id),
            };
            Ok(found
                .map(|collation| (collation.id(), collation.name().to_owned()))
                .unzip())
        })?,
    )?;
    native.set(
        "mismatch",
        lua.create_function(|_, (name, value): (String, LuaString)| {
            let field_type = FieldType::parse(&name);
            Ok(field_type.and_then(|kind| kind.mismatch(&value.as_bytes())))
        })?,
    )?;
    native.set("compare", lua.create_function(compare)?)?;
    Ok(native)
}

/// Orders two encoded values: -1, 0 or 1. Both come from the encoder, so they are well-formed.
#[expect(
    clippy::unnecessary_wraps,
    reason = "a function of Lua answers with a result"
)]
fn compare(
    _: &Lua,
    (left, right, collation): (LuaString, LuaString, Option<u32>),
) -> mlua::Result<i8> {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let (left, right) = (
        msgpack::read_trusted(&left).0,
        msgpack::read_trusted(&right).0,
    );
    Ok(
        match (&left, &right, collation.and_then(Collation::by_id)) {
            (msgpack::Value::String(a), msgpack::Value::String(b), Some(collation)) => {
                collation.compare(a, b)
            }
            _ => lycosa_engine::schema::compare_values(&left, &right),
        } as i8,
    )
}
