//! The native half of formats outside of spaces: the engine's check of a tuple by a format.

use lycosa_engine::schema::{FieldDefinition, FieldType, Format};
use lycosa_engine::tuple::Encoded;
use lycosa_engine::{Error, ErrorKind};
use mlua::{AnyUserData, Lua, LuaString, Table};

use crate::database::pending;
use crate::state::{function, with_boundary};
use crate::tuple::lua_bytes;

/// A field as `tuple_format.lua` describes it.
fn field(description: &Table) -> Result<FieldDefinition, Error> {
    let malformed = || ErrorKind::IllegalParams {
        reason: "format: a name and a type are text".to_owned(),
    };
    let name: String = description.get("name").map_err(|_| malformed())?;
    let kind: String = description.get("type").map_err(|_| malformed())?;
    let field_type = FieldType::parse(&kind).ok_or_else(malformed)?;
    let definition = FieldDefinition::new(&name, field_type);
    let is_nullable = description.get("is_nullable").unwrap_or(false);
    Ok(if is_nullable {
        definition.nullable()
    } else {
        definition
    })
}

fn validator(fields: &Table) -> Result<Format, Error> {
    let fields = fields
        .sequence_values::<Table>()
        .flatten()
        .map(|description| field(&description))
        .collect::<Result<_, _>>()?;
    Format::of_fields(fields)
}

/// Leaves an error for Lua to raise.
fn leave(lua: &Lua, error: &Error) -> mlua::Result<()> {
    with_boundary(lua, |boundary| boundary.set_error(pending(error)))
}

/// What `tuple_format.lua` calls: `validator` and `validate` answer with nil or false when they leave
/// an error.
pub(super) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    let is_type = |_: &Lua, name: LuaString| {
        Ok(name
            .to_str()
            .is_ok_and(|name| FieldType::parse(&name).is_some()))
    };
    native.set("is_type", lua.create_function(is_type)?)?;
    let make = |lua: &Lua, fields: Table| match validator(&fields) {
        Ok(format) => lua.create_any_userdata(format).map(Some),
        Err(error) => leave(lua, &error).map(|()| None),
    };
    native.set("validator", lua.create_function(make)?)?;
    let validate = |lua: &Lua, (format, bytes): (AnyUserData, LuaString)| {
        let format = format.borrow::<Format>()?;
        let outcome = Encoded::check(&bytes.as_bytes()).and_then(|tuple| format.validate(tuple));
        match outcome {
            Ok(()) => Ok(true),
            Err(error) => leave(lua, &error).map(|()| false),
        }
    };
    native.set("validate", lua.create_function(validate)?)?;
    native.set("bytes", function(lua, lua_bytes)?)?;
    Ok(native)
}
