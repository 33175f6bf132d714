//! What the objects of spaces and indexes in Lua are made of: tables that describe the engine's.

use lycosa_engine::Database;
use lycosa_engine::index::Index;
use mlua::{Lua, Table};

fn describe_index(lua: &Lua, index: &Index, options: &[u8]) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set("id", index.id())?;
    table.set("name", index.name())?;
    table.set("type", index.index_type().name())?;
    table.set("unique", index.is_unique())?;
    table.set("options", lua.create_string(options)?)?;
    let parts = lua.create_table()?;
    for part in index.definition().parts() {
        let entry = lua.create_table()?;
        entry.set("fieldno", part.field + 1)?;
        entry.set("type", part.field_type.name())?;
        entry.set("is_nullable", part.is_nullable)?;
        entry.set("exclude_null", part.excludes_null)?;
        if let Some(collation) = part.collation {
            entry.set("collation", collation.name())?;
        }
        entry.set(
            "sort_order",
            if part.is_descending { "desc" } else { "asc" },
        )?;
        parts.push(entry)?;
    }
    table.set("parts", parts)?;
    Ok(table)
}

/// The name of a space or view; nothing when there is none.
pub(super) fn space_name(database: &Database, id: u32) -> Option<String> {
    let space = database.space(id).ok()?;
    Some(
        database
            .view_name(id)
            .unwrap_or_else(|| space.name().to_owned()),
    )
}

/// Everything about a space for its object in Lua; nothing when there is none.
pub(super) fn describe_space(
    lua: &Lua,
    database: &Database,
    id: u32,
) -> mlua::Result<Option<Table>> {
    let Ok(space) = database.space(id) else {
        return Ok(None);
    };
    let table = lua.create_table()?;
    table.set("id", id)?;
    table.set("name", space_name(database, id))?;
    table.set("is_view", database.view_name(id).is_some())?;
    table.set("field_count", space.format().exact_field_count())?;
    let fields = lua.create_table()?;
    for field in space.format().fields() {
        let entry = lua.create_table()?;
        entry.set("name", field.name.as_str())?;
        entry.set("type", field.field_type.name())?;
        if field.is_nullable {
            entry.set("is_nullable", true)?;
        }
        if let Some(collation) = field.collation {
            entry.set("collation", collation.id())?;
        }
        fields.push(entry)?;
    }
    table.set("fields", fields)?;
    if let Some((owner, flags, format)) = database.space_declaration(id) {
        table.set("owner", owner)?;
        table.set("flags", lua.create_string(flags)?)?;
        table.set("format", lua.create_string(format)?)?;
    }
    let indexes = lua.create_table()?;
    for index in space.indexes() {
        let options = database
            .index_declaration(id, index.id())
            .unwrap_or_default();
        indexes.push(describe_index(lua, index, options)?)?;
    }
    table.set("indexes", indexes)?;
    if let Some((sequence_id, field)) = database.space_sequence(id) {
        table.set("sequence_id", sequence_id)?;
        table.set("sequence_fieldno", field + 1)?;
    }
    Ok(Some(table))
}
