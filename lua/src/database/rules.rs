//! What `rules.lua` and `functions.lua` need of the engine: looks into encoded tuples, types of
//! values. Cold, through mlua.

use std::collections::HashMap;

use lycosa_engine::msgpack::{self, Value};
use lycosa_engine::schema::FieldType;
use lycosa_engine::tuple::{Encoded, field};
use lycosa_engine::{ErrorKind, SharedDatabase};
use mlua::{Lua, LuaString, Table};

use super::context::Context;
use super::schema::function;

/// The first value of `data`, and what follows it.
fn split_value(data: &[u8]) -> (&[u8], &[u8]) {
    let rest = msgpack::skip_trusted(data);
    (&data[..data.len() - rest.len()], rest)
}

/// A tuple of at least `count` fields with other values for those (from 1) that `values` names;
/// null stands where a tuple was shorter.
fn fill(tuple: &[u8], count: u32, values: &HashMap<u32, LuaString>) -> Vec<u8> {
    let (present, mut rest) = Encoded::trusted(tuple).split();
    let mut out = Vec::with_capacity(tuple.len() + 16);
    msgpack::write_array_header(&mut out, present.max(count));
    for number in 1..=count {
        let own = if number <= present {
            let (own, after) = split_value(rest);
            rest = after;
            Some(own)
        } else {
            None
        };
        match (values.get(&number), own) {
            (Some(value), _) => out.extend_from_slice(&value.as_bytes()),
            (None, Some(own)) => out.extend_from_slice(own),
            (None, None) => msgpack::write_nil(&mut out),
        }
    }
    out.extend_from_slice(rest);
    out
}

/// The numbers (from 1) of the first `count` fields that are null or not there.
fn null_fields(tuple: &[u8], count: u32) -> Vec<u32> {
    let is_null = |number: &u32| {
        field(tuple, number - 1).is_none_or(|at| msgpack::read_trusted(at).0 == Value::Nil)
    };
    (1..=count).filter(is_null).collect()
}

pub(super) fn install(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    native.set(
        "null_fields",
        lua.create_function(|lua, (tuple, count): (LuaString, u32)| {
            let numbers = null_fields(&tuple.as_bytes(), count);
            lua.create_table_from(numbers.into_iter().map(|number| (number, true)))
        })?,
    )?;
    native.set(
        "fill_fields",
        lua.create_function(
            |lua, (tuple, count, values): (LuaString, u32, HashMap<u32, LuaString>)| {
                let filled = fill(&tuple.as_bytes(), count, &values);
                lua.create_string(filled)
            },
        )?,
    )?;
    native.set(
        "fits_type",
        function(
            lua,
            database,
            context,
            |_, (name, value): (LuaString, LuaString)| {
                let name = name.to_string_lossy();
                let Some(field_type) = FieldType::parse(&name) else {
                    return Err(ErrorKind::IllegalParams {
                        reason: format!("unknown field type '{name}'"),
                    }
                    .into());
                };
                let mismatch = field_type.mismatch(&value.as_bytes());
                Ok((mismatch.is_none(), mismatch))
            },
        )?,
    )?;
    native.set(
        "remove_grants",
        function(
            lua,
            database,
            context,
            |database, (object_type, id): (LuaString, u32)| {
                database
                    .remove_grants_on(&object_type.to_string_lossy(), id)
                    .map(|()| true)
            },
        )?,
    )
}
