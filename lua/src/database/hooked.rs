//! What `hooked_statements.lua` and `transactions.lua` stand on: the pieces of a statement between
//! which code of the user's runs. Cold, through mlua: each call takes and gives strings of MsgPack,
//! and holds no borrow of the database when it returns.

use lycosa_engine::tuple::{Encoded, Tuple};
use lycosa_engine::{Database, Error, ErrorKind, RowChange, SharedDatabase};
use mlua::{IntoLua, IntoLuaMulti, Lua, LuaString, MultiValue, Table, Value};

use super::context::{Context, Hooks};
use super::schema::function;
use crate::tuple::identity;

/// A tuple's bytes, or `false`: nil would mean a failure.
struct Found(Option<Vec<u8>>);

impl Found {
    fn new(tuple: Option<&Tuple>) -> Self {
        Self(tuple.map(|tuple| tuple.bytes().to_vec()))
    }
}

impl IntoLua for Found {
    fn into_lua(self, lua: &Lua) -> mlua::Result<Value> {
        match self.0 {
            Some(bytes) => lua.create_string(bytes).map(Value::String),
            None => Ok(Value::Boolean(false)),
        }
    }
}

/// A stored tuple as `Found`, and the identity that copies of it have.
struct Stored(Option<Tuple>);

impl IntoLuaMulti for Stored {
    fn into_lua_multi(self, lua: &Lua) -> mlua::Result<MultiValue> {
        let identity = identity_of(self.0.as_ref());
        (Found::new(self.0.as_ref()), identity).into_lua_multi(lua)
    }
}

fn identity_of(stored: Option<&Tuple>) -> u32 {
    stored.map_or(0, |tuple| identity(tuple.bytes()))
}

/// What a statement answers with, and the change that it made; that is nil twice when it made none.
/// The identities of all three follow.
struct Done {
    result: Option<Tuple>,
    change: Option<RowChange>,
}

impl IntoLuaMulti for Done {
    fn into_lua_multi(self, lua: &Lua) -> mlua::Result<MultiValue> {
        let (old, new) = match &self.change {
            Some(change) => (change.old.as_ref(), change.new.as_ref()),
            None => (None, None),
        };
        let seen = |tuple| self.change.is_some().then(|| Found::new(tuple));
        (
            Found::new(self.result.as_ref()),
            seen(old),
            seen(new),
            identity_of(self.result.as_ref()),
            identity_of(old),
            identity_of(new),
        )
            .into_lua_multi(lua)
    }
}

/// The changes of a transaction as a list of `{old, new, space_id, identity of old, of new}`.
struct Changes(Vec<RowChange>);

impl IntoLua for Changes {
    fn into_lua(self, lua: &Lua) -> mlua::Result<Value> {
        let list = lua.create_table()?;
        for change in &self.0 {
            let entry = lua.create_table()?;
            entry.push(Found::new(change.old.as_ref()))?;
            entry.push(Found::new(change.new.as_ref()))?;
            entry.push(change.space_id)?;
            entry.push(identity_of(change.old.as_ref()))?;
            entry.push(identity_of(change.new.as_ref()))?;
            list.push(entry)?;
        }
        Ok(Value::Table(list))
    }
}

/// The bytes of a string that Lua has encoded, or of a tuple object.
fn encoded(bytes: &[u8]) -> Encoded<'_> {
    Encoded::trusted(bytes)
}

/// Runs the statement of that name without its hooks.
fn run(
    database: &mut Database,
    kind: &str,
    (space_id, index_id): (u32, u32),
    first: &[u8],
    operations: &[u8],
) -> Result<Done, Error> {
    let position = database.log_position();
    let result = match kind {
        "INSERT" => Some(database.insert(space_id, encoded(first))?.to_tuple()),
        "REPLACE" => Some(database.replace(space_id, encoded(first))?.to_tuple()),
        "DELETE" => database.delete(space_id, index_id, encoded(first))?,
        "UPDATE" => database
            .update(space_id, index_id, encoded(first), encoded(operations), 1)?
            .map(lycosa_engine::tuple::TupleRef::to_tuple),
        "UPSERT" => {
            database.upsert(space_id, encoded(first), encoded(operations), 1)?;
            None
        }
        _ => {
            return Err(ErrorKind::IllegalParams {
                reason: format!("no statement '{kind}'"),
            }
            .into());
        }
    };
    Ok(Done {
        result,
        change: database.change_since(position),
    })
}

fn install_statements(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    native.set(
        "run_statement",
        function(
            lua,
            database,
            context,
            |database,
             (kind, space_id, index_id, first, operations): (
                LuaString,
                u32,
                u32,
                LuaString,
                Option<LuaString>,
            )| {
                let kind = kind.to_string_lossy();
                let first = first.as_bytes();
                let operations = operations.as_ref().map(LuaString::as_bytes);
                let operations = operations.as_deref().unwrap_or_default();
                run(database, &kind, (space_id, index_id), &first, operations)
            },
        )?,
    )
}

fn install_looks(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    native.set(
        "fill_from_sequence",
        function(
            lua,
            database,
            context,
            |database, (space_id, tuple): (u32, LuaString)| {
                let tuple = tuple.as_bytes();
                let filled = database.fill_from_sequence_of(space_id, encoded(&tuple))?;
                Ok(Found(filled))
            },
        )?,
    )?;
    native.set(
        "check_tuple",
        function(
            lua,
            database,
            context,
            |database, (space_id, tuple): (u32, LuaString)| {
                let tuple = tuple.as_bytes();
                database
                    .check_tuple(space_id, encoded(&tuple))
                    .map(|()| true)
            },
        )?,
    )?;
    native.set(
        "find",
        function(
            lua,
            database,
            context,
            |database, (space_id, index_id, key): (u32, u32, LuaString)| {
                let key = key.as_bytes();
                database
                    .find_for_statement(space_id, index_id, encoded(&key))
                    .map(Stored)
            },
        )?,
    )?;
    native.set(
        "find_same_key",
        function(
            lua,
            database,
            context,
            |database, (space_id, tuple): (u32, LuaString)| {
                let tuple = tuple.as_bytes();
                database
                    .find_same_key(space_id, encoded(&tuple))
                    .map(Stored)
            },
        )?,
    )?;
    native.set(
        "primary_key",
        function(
            lua,
            database,
            context,
            |database, (space_id, tuple): (u32, LuaString)| {
                let definition = database.space(space_id)?.index(0)?.definition();
                let key = definition.extract_key(&tuple.as_bytes());
                Ok(Found(Some(key)))
            },
        )?,
    )?;
    native.set(
        "check_same_key",
        function(
            lua,
            database,
            context,
            |database, (space_id, left, right): (u32, LuaString, LuaString)| {
                let (left, right) = (left.as_bytes(), right.as_bytes());
                database
                    .check_same_key(space_id, encoded(&left), encoded(&right))
                    .map(|()| true)
            },
        )?,
    )?;
    install_update_looks(lua, native, database, context)
}

fn install_update_looks(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    native.set(
        "preview_update",
        function(
            lua,
            database,
            context,
            |database, (space_id, old, operations, is_upsert): (u32, LuaString, LuaString, bool)| {
                let (old, operations) = (old.as_bytes(), operations.as_bytes());
                let new = database.preview_update(
                    space_id,
                    encoded(&old),
                    encoded(&operations),
                    1,
                    is_upsert,
                )?;
                Ok(Found(Some(new)))
            },
        )?,
    )?;
    native.set(
        "check_operations",
        function(
            lua,
            database,
            context,
            |database, (space_id, operations): (u32, LuaString)| {
                let operations = operations.as_bytes();
                database
                    .check_operations(space_id, encoded(&operations), 1)
                    .map(|()| true)
            },
        )?,
    )
}

fn install_transaction(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    native.set(
        "changes",
        function(
            lua,
            database,
            context,
            |database, position: Option<usize>| {
                Ok(Changes(database.changes(position.unwrap_or(0))))
            },
        )?,
    )?;
    native.set(
        "log_position",
        function(lua, database, context, |database, ()| {
            Ok(database.log_position())
        })?,
    )?;
    native.set(
        "undo_changes",
        function(lua, database, context, |database, ()| {
            database.undo_changes();
            Ok(true)
        })?,
    )?;
    native.set(
        "set_hooked",
        lua.create_function(
            move |_, (spaces, is_all, has_triggers): (Vec<u32>, bool, bool)| {
                // SAFETY: the context lives as long as the Lua state that is calling, and nothing
                // else uses it meanwhile.
                unsafe { &mut *context }.set_hooks(Hooks {
                    spaces,
                    is_all,
                    has_triggers,
                });
                Ok(())
            },
        )?,
    )
}

pub(super) fn install(
    lua: &Lua,
    native: &Table,
    database: &SharedDatabase,
    context: *mut Context,
) -> mlua::Result<()> {
    install_statements(lua, native, database, context)?;
    install_looks(lua, native, database, context)?;
    install_transaction(lua, native, database, context)
}
