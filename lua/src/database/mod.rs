//! `box` on the engine's database: what Lua's modules call, and the switch of transactions with
//! fibers.
//!
//! Statements and reads are FFI functions (`statements`, `reads`): they take plain pointers,
//! leave their result or error where Lua picks it up, and never yield, throw or enter Lua. Changes
//! of the schema (`schema`) are cold and go through mlua.

mod context;
mod hooked;
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

/// Fills `box` with everything that stands on the engine's database.
pub fn install(lua: &Lua, engine: &Engine) -> mlua::Result<()> {
    let database = engine.shared();
    let boundary = with_boundary(lua, std::ptr::from_mut)?;
    let context = Box::into_raw(Box::new(Context::new(database.clone(), boundary)));
    lua.set_app_data(Owner(context));

    let native = lua.create_table()?;
    native.set("context", address(context))?;
    native.set("version", env!("CARGO_PKG_VERSION"))?;
    native.set("pid", std::process::id())?;
    statements::install(lua, &native)?;
    reads::install(lua, &native)?;
    read_views::install(lua, &native, &database, context)?;
    schema::install(lua, &native, &database, context)?;
    sequences::install(lua, &native)?;
    hooked::install(lua, &native, &database, context)?;
    rules::install(lua, &native, &database, context)?;
    load_module(
        lua,
        "database",
        include_str!("../../modules/database.lua"),
        &native,
    )?;
    load_module(
        lua,
        "space_reads",
        include_str!("../../modules/space_reads.lua"),
        &native,
    )?;
    load_module(
        lua,
        "space",
        include_str!("../../modules/space.lua"),
        &native,
    )?;
    load_module(
        lua,
        "events",
        include_str!("../../modules/events.lua"),
        &native,
    )?;
    load_module(
        lua,
        "hooks",
        include_str!("../../modules/hooks.lua"),
        &native,
    )?;
    load_module(
        lua,
        "transactions",
        include_str!("../../modules/transactions.lua"),
        &native,
    )?;
    preload_module(
        lua,
        "hooked_statements",
        include_str!("../../modules/hooked_statements.lua"),
        &native,
    )?;
    load_module(
        lua,
        "schema_checks",
        include_str!("../../modules/schema_checks.lua"),
        &native,
    )?;
    load_module(
        lua,
        "functions",
        include_str!("../../modules/functions.lua"),
        &native,
    )?;
    preload_module(
        lua,
        "rules",
        include_str!("../../modules/rules.lua"),
        &native,
    )?;
    load_module(
        lua,
        "schema",
        include_str!("../../modules/schema.lua"),
        &native,
    )?;
    load_module(
        lua,
        "sequence",
        include_str!("../../modules/sequence.lua"),
        &native,
    )?;
    load_module(
        lua,
        "privileges",
        include_str!("../../modules/privileges.lua"),
        &native,
    )?;
    load_module(
        lua,
        "users",
        include_str!("../../modules/users.lua"),
        &native,
    )?;
    load_module(
        lua,
        "schema_index",
        include_str!("../../modules/schema_index.lua"),
        &native,
    )?;
    load_module(
        lua,
        "unsupported",
        include_str!("../../modules/unsupported.lua"),
        &native,
    )?;
    load_box_modules(lua, &native)
}

/// Loads what is in `box` beside spaces and transactions, each on those before it.
fn load_box_modules(lua: &Lua, native: &mlua::Table) -> mlua::Result<()> {
    box_system::install(lua, native)?;
    for (name, source) in [
        ("box_options", include_str!("../../modules/box/options.lua")),
        ("cfg", include_str!("../../modules/cfg.lua")),
        ("box_stat", include_str!("../../modules/box/stat.lua")),
        ("box_info", include_str!("../../modules/box/info.lua")),
        ("box_ctl", include_str!("../../modules/box/ctl.lua")),
        ("box_session", include_str!("../../modules/box/session.lua")),
        ("box_watch", include_str!("../../modules/box/watch.lua")),
        (
            "box_read_view",
            include_str!("../../modules/box/read_view.lua"),
        ),
    ] {
        load_module(lua, name, source, native)?;
    }
    Ok(())
}
