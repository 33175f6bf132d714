//! The modules that scripts get by `require` and that cost nothing until then: each is compiled, and
//! its native half made, by the first `require` of its name.
//!
//! A module is a Lua file in `modules/library`, called with the table that its native half makes, and
//! answering with what `require` returns.

mod environment;
mod utf8;

use mlua::{Lua, Table};

use crate::state::load_module;

/// A module of this library.
struct Module {
    /// What `require` calls it.
    name: &'static str,
    source: &'static str,
    /// Makes the functions that the Lua file gets as its argument.
    native: fn(&Lua) -> mlua::Result<Table>,
}

/// Names of one file: `module!("fun", "fun.lua", native)`; without `native`, the table is empty.
macro_rules! module {
    ($name:literal, $file:literal) => {
        module!($name, $file, Lua::create_table)
    };
    ($name:literal, $file:literal, $native:expr) => {
        Module {
            name: $name,
            source: include_str!(concat!("../../modules/library/", $file)),
            native: $native,
        }
    };
}

/// All of them, by name.
const MODULES: &[Module] = &[
    module!("fun", "fun.lua"),
    module!("lycosa.fun_slices", "fun_slices.lua"),
    module!("lycosa.fun_reductions", "fun_reductions.lua"),
    module!("lycosa.fun_combinations", "fun_combinations.lua"),
    module!("strict", "strict.lua"),
    module!("trigger", "trigger.lua"),
    module!("utf8", "utf8.lua", utf8::native),
];

/// Extends the standard libraries, and makes `require` find the modules.
pub(crate) fn install(lua: &Lua) -> mlua::Result<()> {
    let extensions = include_str!("../../modules/extensions.lua");
    load_module(lua, "extensions", extensions, &environment::native(lua)?)?;
    let package: Table = lua.globals().get("package")?;
    let preload: Table = package.get("preload")?;
    for module in MODULES {
        preload.set(
            module.name,
            lua.create_function(|lua, _: mlua::MultiValue| load(lua, module))?,
        )?;
    }
    Ok(())
}

fn load(lua: &Lua, module: &Module) -> mlua::Result<mlua::Value> {
    lua.load(module.source)
        .set_name(format!("@lycosa/{}.lua", module.name))
        .call((module.native)(lua)?)
}
