//! `box` on the engine's database: what Lua's modules call, and the switch of transactions with
//! fibers.
//!
//! Statements and reads are FFI functions (`statements`, `reads`): they take plain pointers,
//! leave their result or error where Lua picks it up, and never yield, throw or enter Lua. Changes
//! of the schema (`schema`) are cold and go through mlua.

mod context;
mod describe;
mod hooked;
mod interpreted;
mod numbers;
mod read_views;
mod reads;
mod rules;
mod schema;
mod sequences;
mod statements;

use lycosa_engine::{Engine, Error, ErrorKind};
use mlua::Lua;

use self::context::Context;
use crate::box_system;
use crate::error::PendingError;
use crate::exec::TARANTOOL_VERSION;
use crate::state::{address, load_module, preload_module, with_boundary};

/// The error object's parts.
pub(crate) fn pending(error: &Error) -> PendingError {
    let kind = match error.kind() {
        ErrorKind::MemoryIssue { .. } => "OutOfMemory",
        _ => "ClientError",
    };
    PendingError {
        code: error.code(),
        kind,
        message: error.to_string(),
        fields: error.kind().fields(),
    }
}

/// Frees the context with the application data of its state.
struct Owner(*mut Context);

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: the pointer came from a box, is dropped once, and the state is closed by now.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Name and source of an embedded module; the first argument is its file below `modules`.
macro_rules! sources {
    ($($name:literal: $file:literal,)+) => {
        &[$(($name, include_str!(concat!("../../modules/", $file))),)+]
    };
}

/// The Lua half of `box`, each module on those before it.
const MODULES: &[(&str, &str)] = sources! {
    "database": "database.lua",
    "space_reads": "space_reads.lua",
    "statements": "statements.lua",
    "space": "space.lua",
    "events": "events.lua",
    "hooks": "hooks.lua",
    "transactions": "transactions.lua",
    "schema_checks": "schema_checks.lua",
    "index_objects": "index_objects.lua",
    "schema": "schema.lua",
    "schema_index": "schema_index.lua",
    "unsupported": "unsupported.lua",
    "box_options": "box/options.lua",
    "box_parts": "box/parts.lua",
    "cfg": "cfg.lua",
};

/// What is compiled when it is first used (see `lazy.lua`): most scripts do without.
const LATE_MODULES: &[(&str, &str)] = sources! {
    "functions": "functions.lua",
    "sequence": "sequence.lua",
    "privileges": "privileges.lua",
    "users": "users.lua",
    "box_option_checks": "box/option_checks.lua",
    "box_stat": "box/stat.lua",
    "box_info": "box/info.lua",
    "box_ctl": "box/ctl.lua",
    "box_session": "box/session.lua",
    "box_watch": "box/watch.lua",
    "box_read_view": "box/read_view.lua",
    "hooked_statements": "hooked_statements.lua",
    "rules": "rules.lua",
};

/// Fills `box` with everything that stands on the engine's database.
pub fn install(lua: &Lua, engine: &Engine) -> mlua::Result<()> {
    let database = engine.shared();
    let boundary = with_boundary(lua, std::ptr::from_mut)?;
    let context = Box::into_raw(Box::new(Context::new(database.clone(), boundary)));
    lua.set_app_data(Owner(context));

    let native = lua.create_table()?;
    native.set("context", address(context))?;
    native.set("version", TARANTOOL_VERSION)?;
    native.set("pid", std::process::id())?;
    statements::install(lua, &native)?;
    reads::install(lua, &native)?;
    interpreted::install(lua, &native)?;
    read_views::install(lua, &native, &database, context)?;
    schema::install(lua, &native, &database, context)?;
    sequences::install(lua, &native)?;
    hooked::install(lua, &native, &database, context)?;
    rules::install(lua, &native, &database, context)?;
    box_system::install(lua, &native)?;
    for (name, source) in MODULES {
        load_module(lua, name, source, &native)?;
    }
    for (name, source) in LATE_MODULES {
        preload_module(lua, name, source, &native)?;
    }
    Ok(())
}
