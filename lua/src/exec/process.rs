//! The modules that make a process behave as Tarantool's: `lycosa.process`, which runs and ends it,
//! the additional globals, and where `require` searches.

use std::sync::Arc;

use lycosa_engine::fiber::{FiberId, Scheduler};
use mlua::{Lua, Table};

use super::{signals, terminal};
use crate::state::load_module;

/// The version of Tarantool whose behaviour is followed, with ours behind it: scripts compare it.
pub(crate) const TARANTOOL_VERSION: &str = concat!("3.9.0-lycosa-", env!("CARGO_PKG_VERSION"));

/// Makes the modules, on the fibers of `scheduler`.
pub(crate) fn install(lua: &Lua, scheduler: &Scheduler, waits: &Table) -> mlua::Result<()> {
    lua.globals().set("_TARANTOOL", TARANTOOL_VERSION)?;
    load_module(
        lua,
        "globals",
        include_str!("../../modules/globals.lua"),
        &lua.create_table()?,
    )?;
    load_module(
        lua,
        "stack_guard",
        include_str!("../../modules/stack_guard.lua"),
        waits,
    )?;
    let native = lua.create_table()?;
    native.set(
        "working_directory",
        lua.create_function(|_, ()| Ok(std::env::current_dir()?.display().to_string()))?,
    )?;
    load_module(
        lua,
        "search",
        include_str!("../../modules/search.lua"),
        &native,
    )?;
    load_module(
        lua,
        "process",
        include_str!("../../modules/process.lua"),
        &process_native(lua, scheduler, waits)?,
    )?;
    Ok(())
}

fn process_native(lua: &Lua, scheduler: &Scheduler, waits: &Table) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    let pending = Arc::new(signals::Pending::default());
    let taker = Arc::clone(&pending);
    native.set(
        "take_signal",
        lua.create_function(move |_, ()| Ok(taker.take()))?,
    )?;
    native.set("terminal", terminal::native(lua, scheduler)?)?;
    let scheduler = scheduler.clone();
    native.set(
        "watch_signals",
        lua.create_function(move |_, id: FiberId| {
            if let Some(fiber) = scheduler.find(id) {
                signals::watch(Arc::clone(&pending), scheduler.waker(&fiber))?;
            }
            Ok(())
        })?,
    )?;
    for name in ["wait", "wait_for_others"] {
        native.set(name, waits.get::<mlua::Function>(name)?)?;
    }
    Ok(native)
}
