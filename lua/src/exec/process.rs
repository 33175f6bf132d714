//! The modules that make a process behave as Tarantool's: `lycosa.process`, which runs and ends it,
//! the additional globals, and where `require` searches.

use std::sync::Arc;

use lycosa_engine::fiber::{FiberId, Scheduler};
use mlua::{Lua, Table};

use super::signals;
use crate::state::load_module;

/// Makes the modules, on the fibers of `scheduler`.
pub(crate) fn install(lua: &Lua, scheduler: &Scheduler, waits: &Table) -> mlua::Result<()> {
    let nothing = lua.create_table()?;
    load_module(
        lua,
        "globals",
        include_str!("../../modules/globals.lua"),
        &nothing,
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
