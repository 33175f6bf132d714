//! Changes of the schema, statistics and memory figures for Lua: cold, through mlua.
//!
//! A function that fails answers with nothing and leaves its error in the boundary, where
//! `database.raise` picks it up: an error object, not mlua's own.

use std::rc::Rc;

use lycosa_engine::schema::{Collation, FieldDefinition, FieldType, KeyPart};
use lycosa_engine::statistics::Counter;
use lycosa_engine::{
    Database, Error, IndexOptions, IndexType, Result, SharedDatabase, SpaceAlteration,
    SpaceOptions, SpaceRowChange,
};
use mlua::{Either, IntoLuaMulti, Lua, LuaString, Table};

use super::context::Context;
use super::describe::{describe_space, space_name};
use super::numbers::SCHEMA_NUMBERS;

/// Makes a native function that runs `body` on the database.
pub(super) fn function<A, R, F>(
    lua: &Lua,
    database: &SharedDatabase,
    context: *mut Context,
    body: F,
) -> mlua::Result<mlua::Function>
where
    A: mlua::FromLuaMulti,
    R: IntoLuaMulti,
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
            Ok(value) => value.into_lua_multi(lua),
            Err(error) => {
                context.fail(&error);
                mlua::Value::Nil.into_lua_multi(lua)
            }
        }
    })
}

/// Makes a native function that changes the schema by `body`, unless the database is read-only.
fn change<A, R, F>(
    lua: &Lua,
    database: &SharedDatabase,
    context: *mut Context,
    body: F,
) -> mlua::Result<mlua::Function>
where
    A: mlua::FromLuaMulti,
    R: IntoLuaMulti,
    F: Fn(&mut Database, A) -> Result<R> + 'static,
{
    function(lua, database, context, move |database, arguments: A| {
        if database.is_read_only() {
            return Err(lycosa_engine::ErrorKind::ReadOnly.into());
        }
        body(database, arguments)
    })
}

/// What Tarantool keeps of a password for its method chap-sha1: the digest of its digest.
fn password_digest(password: &[u8]) -> String {
    use base64::Engine as _;
    use sha1::{Digest, Sha1};
    let twice = Sha1::digest(Sha1::digest(password));
    base64::engine::general_purpose::STANDARD.encode(twice)
}

/// A random UUID in its text form; nothing when the system has no random numbers to give.
fn random_uuid() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    let digits = u128::from_be_bytes(bytes);
    let versioned = digits & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let text = format!("{versioned:032x}");
    Some(format!(
        "{}-{}-{}-{}-{}",
        &text[..8],
        &text[8..12],
        &text[12..16],
        &text[16..20],
        &text[20..]
    ))
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
        declared: bytes(options, "declared"),
    })
}

/// MsgPack that Lua has encoded, if it is there.
fn bytes(options: &Table, name: &str) -> Option<Vec<u8>> {
    let text: Option<LuaString> = options.get(name).unwrap_or(None);
    text.map(|text| text.as_bytes().to_vec())
}

fn space_options(options: &Table) -> Result<SpaceOptions> {
    let format: Table = options.get("format").map_err(|_| malformed("format"))?;
    Ok(SpaceOptions {
        id: options.get("id").unwrap_or(None),
        is_temporary: options.get("is_temporary").unwrap_or(false),
        format: fields(&format)?,
        field_count: options.get("field_count").unwrap_or(0),
        owner: options.get("owner").unwrap_or(None),
        flags: bytes(options, "flags"),
        declared_format: bytes(options, "declared_format"),
    })
}

fn space_alteration(options: &Table) -> Result<SpaceAlteration> {
    let name: Option<LuaString> = options.get("name").unwrap_or(None);
    let format: Option<Table> = options.get("format").unwrap_or(None);
    Ok(SpaceAlteration {
        name: name.as_ref().map(name_of).transpose()?,
        format: format.as_ref().map(fields).transpose()?,
        field_count: options.get("field_count").unwrap_or(None),
        row: SpaceRowChange {
            owner: options.get("owner").unwrap_or(None),
            flags: bytes(options, "flags"),
            declared_format: bytes(options, "declared_format"),
        },
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
                has_default: entry.get("has_default").unwrap_or(false),
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

fn install_space_changes(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    native.set(
        "create_space",
        change(
            lua,
            database,
            context,
            |database, (name, options): (LuaString, Table)| {
                database.create_space(&name_of(&name)?, space_options(&options)?)
            },
        )?,
    )?;
    native.set(
        "drop_space",
        change(lua, database, context, |database, id: u32| {
            database.drop_space(id).map(|()| true)
        })?,
    )?;
    native.set(
        "truncate",
        change(lua, database, context, |database, id: u32| {
            database.truncate(id).map(|()| true)
        })?,
    )?;
    native.set(
        "alter_space",
        change(
            lua,
            database,
            context,
            |database, (id, change): (u32, Table)| {
                let change = space_alteration(&change)?;
                database.alter_space(id, change).map(|()| true)
            },
        )?,
    )?;
    native.set(
        "bootstrap",
        change(
            lua,
            database,
            context,
            |database, (instance, replicaset): (String, String)| {
                database.bootstrap(&instance, &replicaset).map(|()| true)
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
        change(
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
        change(
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
        change(
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
        change(
            lua,
            database,
            context,
            |database, (space_id, index_id): (u32, u32)| {
                database.drop_index(space_id, index_id).map(|()| true)
            },
        )?,
    )
}

fn install_sequences(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    native.set(
        "drop_sequence",
        change(lua, database, context, |database, id: u32| {
            database.drop_sequence(id).map(|()| true)
        })?,
    )?;
    native.set(
        "attach_sequence",
        change(
            lua,
            database,
            context,
            |database, (space_id, sequence_id, field, is_generated): (u32, u32, u32, bool)| {
                database
                    .attach_sequence(space_id, sequence_id, field, is_generated)
                    .map(|()| true)
            },
        )?,
    )?;
    native.set(
        "detach_sequence",
        change(lua, database, context, |database, space_id: u32| {
            database.detach_sequence(space_id).map(|()| true)
        })?,
    )?;
    let shared = Rc::clone(database);
    native.set(
        "sequence_rows",
        lua.create_function(move |lua, ()| {
            let rows = lua.create_table()?;
            for sequence in shared.borrow().sequences() {
                rows.push(lua.create_string(sequence.row())?)?;
            }
            Ok(rows)
        })?,
    )
}

fn install_figures(lua: &Lua, native: &Table, database: &SharedDatabase) -> mlua::Result<()> {
    let shared = Rc::clone(database);
    native.set(
        "describe_space",
        lua.create_function(move |lua, id: u32| describe_space(lua, &shared.borrow(), id))?,
    )?;
    let shared = Rc::clone(database);
    native.set(
        "space_name",
        lua.create_function(move |_, id: u32| Ok(space_name(&shared.borrow(), id)))?,
    )?;
    let shared = Rc::clone(database);
    native.set(
        "take_changed_spaces",
        lua.create_function(move |_, ()| Ok(shared.borrow_mut().take_changed_spaces()))?,
    )?;
    native.set(
        "random_uuid",
        lua.create_function(|_, ()| {
            random_uuid().ok_or_else(|| mlua::Error::runtime("the system gives no random numbers"))
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
        "slab_statistics",
        lua.create_function(move |lua, ()| {
            let database = shared.borrow();
            let list = lua.create_table()?;
            for class in database.arena().statistics() {
                let entry = lua.create_table()?;
                entry.set("item_size", class.item_bytes)?;
                entry.set("item_count", class.item_count)?;
                entry.set("slab_count", class.slab_count)?;
                let slab_bytes = (class.used_bytes + class.free_bytes) / class.slab_count;
                entry.set("slab_size", slab_bytes)?;
                entry.set("mem_used", class.used_bytes)?;
                entry.set("mem_free", class.free_bytes)?;
                list.push(entry)?;
            }
            Ok(list)
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
    native.set(
        "schema_limits",
        lua.create_function(|lua, ()| lua.create_table_from(SCHEMA_NUMBERS))?,
    )?;
    native.set(
        "password_digest",
        lua.create_function(|_, password: LuaString| Ok(password_digest(&password.as_bytes())))?,
    )?;
    native.set(
        "is_identifier",
        lua.create_function(|_, name: LuaString| {
            let name = name.to_str().ok();
            Ok(name.is_some_and(|name| lycosa_engine::schema::is_identifier(&name)))
        })?,
    )?;
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
        "set_read_only",
        lua.create_function(move |_, is_read_only: bool| {
            shared.borrow_mut().set_read_only(is_read_only);
            Ok(())
        })?,
    )?;
    let shared = Rc::clone(database);
    native.set(
        "set_temporary",
        lua.create_function(move |_, (space_id, is_temporary): (u32, bool)| {
            shared.borrow_mut().set_temporary(space_id, is_temporary);
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
    install_sequences(lua, native, database, context)?;
    install_figures(lua, native, database)?;
    install_collations(lua, native)?;
    install_limits(lua, native, database)
}
