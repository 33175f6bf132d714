//! Changes of the schema, statistics and memory figures for Lua: cold, through mlua.
//!
//! A function that fails answers with nothing and leaves its error in the boundary, where
//! `database.raise` picks it up: an error object, not mlua's own.

use std::rc::Rc;

use lycosa_engine::index::Index;
use lycosa_engine::schema::{Collation, FieldDefinition, FieldType, KeyPart};
use lycosa_engine::statistics::Counter;
use lycosa_engine::{
    Database, Error, IndexOptions, IndexType, Result, SharedDatabase, Space, SpaceOptions,
};
use mlua::{Either, IntoLua, Lua, LuaString, Table};

use super::context::Context;

/// Makes a native function that runs `body` on the database.
fn function<A, R, F>(
    lua: &Lua,
    database: &SharedDatabase,
    context: *mut Context,
    body: F,
) -> mlua::Result<mlua::Function>
where
    A: mlua::FromLuaMulti,
    R: IntoLua,
    F: Fn(&mut Database, A) -> Result<R> + 'static,
{
    let database = Rc::clone(database);
    lua.create_function(move |lua, arguments: A| {
        let outcome = body(&mut database.borrow_mut(), arguments);
        // SAFETY: the context lives as long as the Lua state that is calling, and nothing else uses
        // it meanwhile.
        let context = unsafe { &mut *context };
        // Tuples may be gone that a call, which a finalizer has interrupted, wants to copy.
        context.next_serial();
        match outcome {
            Ok(value) => value.into_lua(lua),
            Err(error) => {
                context.fail(&error);
                Ok(mlua::Value::Nil)
            }
        }
    })
}

/// What Lua has checked already, so that a failure here is a defect of the module.
fn malformed(what: &str) -> Error {
    lycosa_engine::ErrorKind::IllegalParams {
        reason: format!("malformed {what}"),
    }
    .into()
}

/// A name from Lua, which may be any bytes.
fn name_of(name: &LuaString) -> Result<String> {
    match name.to_str() {
        Ok(name) => Ok(name.to_owned()),
        Err(_) => Err(lycosa_engine::ErrorKind::Identifier {
            value: name.to_string_lossy().clone(),
        }
        .into()),
    }
}

fn index_options(options: &Table) -> Result<IndexOptions> {
    let kind: String = options.get("type").map_err(|_| malformed("index type"))?;
    let list: Table = options.get("parts").map_err(|_| malformed("parts"))?;
    Ok(IndexOptions {
        index_type: if kind == "HASH" {
            IndexType::Hash
        } else {
            IndexType::Tree
        },
        is_unique: options.get("unique").unwrap_or(true),
        parts: parts(&list)?,
        id: options.get("id").unwrap_or(None),
    })
}

fn field_type(table: &Table) -> Result<FieldType> {
    let name: String = table.get("type").map_err(|_| malformed("type"))?;
    FieldType::parse(&name).ok_or_else(|| malformed("type"))
}

fn fields(list: &Table) -> Result<Vec<FieldDefinition>> {
    list.sequence_values::<Table>()
        .map(|entry| {
            let entry = entry.map_err(|_| malformed("format"))?;
            Ok(FieldDefinition {
                name: name_of(&entry.get("name").map_err(|_| malformed("field name"))?)?,
                field_type: field_type(&entry)?,
                is_nullable: entry.get("is_nullable").unwrap_or(false),
                collation: collation(&entry),
            })
        })
        .collect()
}

fn collation(entry: &Table) -> Option<&'static Collation> {
    let number: Option<u32> = entry.get("collation").unwrap_or(None);
    number.and_then(Collation::by_id)
}

fn parts(list: &Table) -> Result<Vec<KeyPart>> {
    list.sequence_values::<Table>()
        .map(|entry| {
            let entry = entry.map_err(|_| malformed("parts"))?;
            Ok(KeyPart {
                field: entry.get("field").map_err(|_| malformed("part field"))?,
                field_type: field_type(&entry)?,
                is_nullable: entry.get("is_nullable").unwrap_or(false),
                is_descending: entry.get("is_descending").unwrap_or(false),
                collation: collation(&entry),
                excludes_null: entry.get("exclude_null").unwrap_or(false),
            })
        })
        .collect()
}

fn describe_index(lua: &Lua, index: &Index) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set("id", index.id())?;
    table.set("name", index.name())?;
    table.set("type", index.index_type().name())?;
    table.set("unique", index.is_unique())?;
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

fn describe_space(lua: &Lua, space: &Space) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    table.set("id", space.id())?;
    table.set("name", space.name())?;
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
    let indexes = lua.create_table()?;
    for index in space.indexes() {
        indexes.push(describe_index(lua, index)?)?;
    }
    table.set("indexes", indexes)?;
    Ok(table)
}

fn install_space_changes(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    native.set(
        "create_space",
        function(
            lua,
            database,
            context,
            |database, (name, id, field_count, format): (LuaString, Option<u32>, u32, Table)| {
                database.create_space(
                    &name_of(&name)?,
                    SpaceOptions {
                        id,
                        format: fields(&format)?,
                        field_count,
                    },
                )
            },
        )?,
    )?;
    native.set(
        "drop_space",
        function(lua, database, context, |database, id: u32| {
            database.drop_space(id).map(|()| true)
        })?,
    )?;
    native.set(
        "truncate",
        function(lua, database, context, |database, id: u32| {
            database.truncate(id).map(|()| true)
        })?,
    )?;
    native.set(
        "rename_space",
        function(
            lua,
            database,
            context,
            |database, (id, name): (u32, LuaString)| {
                database.rename_space(id, &name_of(&name)?).map(|()| true)
            },
        )?,
    )?;
    native.set(
        "set_format",
        function(
            lua,
            database,
            context,
            |database, (id, format): (u32, Table)| {
                database.set_format(id, fields(&format)?).map(|()| true)
            },
        )?,
    )
}

fn install_index_changes(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    native.set(
        "create_index",
        function(
            lua,
            database,
            context,
            |database, (space_id, name, options): (u32, LuaString, Table)| {
                database.create_index(space_id, &name_of(&name)?, &index_options(&options)?)
            },
        )?,
    )?;
    native.set(
        "alter_index",
        function(
            lua,
            database,
            context,
            |database, (space_id, index_id, options): (u32, u32, Table)| {
                database
                    .alter_index(space_id, index_id, &index_options(&options)?)
                    .map(|()| true)
            },
        )?,
    )?;
    native.set(
        "rename_index",
        function(
            lua,
            database,
            context,
            |database, (space_id, index_id, name): (u32, u32, LuaString)| {
                database
                    .rename_index(space_id, index_id, &name_of(&name)?)
                    .map(|()| true)
            },
        )?,
    )?;
    native.set(
        "drop_index",
        function(
            lua,
            database,
            context,
            |database, (space_id, index_id): (u32, u32)| {
                database.drop_index(space_id, index_id).map(|()| true)
            },
        )?,
    )
}

fn install_figures(lua: &Lua, native: &Table, database: &SharedDatabase) -> mlua::Result<()> {
    let shared = Rc::clone(database);
    native.set(
        "describe_spaces",
        lua.create_function(move |lua, ()| {
            let database = shared.borrow();
            let list = lua.create_table()?;
            for space in database.spaces() {
                list.push(describe_space(lua, space)?)?;
            }
            Ok(list)
        })?,
    )?;
    let shared = Rc::clone(database);
    native.set(
        "statistics",
        lua.create_function(move |lua, ()| {
            let database = shared.borrow();
            let table = lua.create_table()?;
            for counter in Counter::ALL {
                table.set(counter.name(), database.statistics().total(counter))?;
            }
            Ok(table)
        })?,
    )?;
    let shared = Rc::clone(database);
    native.set(
        "reset_statistics",
        lua.create_function(move |_, ()| {
            shared.borrow_mut().reset_statistics();
            Ok(())
        })?,
    )?;
    let shared = Rc::clone(database);
    native.set(
        "memory",
        lua.create_function(move |lua, ()| {
            let database = shared.borrow();
            let arena = database.arena();
            let table = lua.create_table()?;
            table.set("limit_bytes", arena.limit_bytes())?;
            table.set("arena_bytes", arena.arena_bytes())?;
            table.set("used_bytes", arena.used_bytes())?;
            let spaces = database.spaces();
            table.set(
                "data_bytes",
                spaces.iter().map(|space| space.data_bytes()).sum::<u64>(),
            )?;
            table.set(
                "index_bytes",
                spaces.iter().map(|space| space.index_bytes()).sum::<u64>(),
            )?;
            Ok(table)
        })?,
    )
}

/// `collation_number(name or number)`: the number, if there is such a collation.
fn install_collations(lua: &Lua, native: &Table) -> mlua::Result<()> {
    native.set(
        "collation_number",
        lua.create_function(|_, collation: Either<u32, LuaString>| {
            let known = match collation {
                Either::Left(number) => Collation::by_id(number),
                Either::Right(name) => name
                    .to_str()
                    .ok()
                    .and_then(|name| Collation::by_name(&name)),
            };
            Ok(known.map(Collation::id))
        })?,
    )
}

fn install_limits(lua: &Lua, native: &Table, database: &SharedDatabase) -> mlua::Result<()> {
    let shared = Rc::clone(database);
    native.set(
        "set_memory_limit",
        lua.create_function(move |_, bytes: f64| {
            shared.borrow().arena().set_limit_bytes(bytes as usize);
            Ok(())
        })?,
    )?;
    let shared = Rc::clone(database);
    native.set(
        "set_max_tuple_bytes",
        lua.create_function(move |_, bytes: f64| {
            shared.borrow_mut().set_max_tuple_bytes(bytes as usize);
            Ok(())
        })?,
    )
}

pub(super) fn install(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    install_space_changes(lua, native, database, context)?;
    install_index_changes(lua, native, database, context)?;
    install_figures(lua, native, database)?;
    install_collations(lua, native)?;
    install_limits(lua, native, database)
}
