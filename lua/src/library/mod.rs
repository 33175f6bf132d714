//! The modules that scripts get by `require` and that cost nothing until then: each is compiled, and
//! its native half made, by the first `require` of its name.
//!
//! A module is a Lua file in `modules/library`, called with the table that its native half makes, and
//! answering with what `require` returns.

mod digest;
mod environment;
mod errno;
mod file_descriptor;
mod fio;
mod jit;
mod key_def;
mod popen;
mod pwd;
mod tarantool;
mod tuple_format;
mod utf8;
mod yaml;
mod yaml_style;

use mlua::{Lua, Table};

pub(crate) use popen::kill_children;

use crate::state::load_module;
use crate::{msgpack, values};

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
    module!("buffer", "buffer.lua"),
    module!("checks", "checks.lua"),
    module!("csv", "csv.lua"),
    module!("digest", "digest.lua", digest::native),
    module!("datetime", "datetime.lua", values::datetime::native),
    module!("lycosa.datetime_calendar", "datetime_calendar.lua"),
    module!("lycosa.datetime_checks", "datetime_checks.lua"),
    module!(
        "lycosa.datetime_interval",
        "datetime_interval.lua",
        values::datetime::interval_native
    ),
    module!("decimal", "decimal.lua", values::decimal::native),
    module!("errno", "errno.lua", errno::native),
    module!("fio", "fio.lua", fio::native),
    module!("lycosa.fio_failure", "fio_failure.lua"),
    module!("lycosa.fio_file", "fio_file.lua"),
    module!("lycosa.fio_trees", "fio_trees.lua"),
    module!("fun", "fun.lua"),
    module!("lycosa.fun_slices", "fun_slices.lua"),
    module!("lycosa.fun_reductions", "fun_reductions.lua"),
    module!("lycosa.fun_combinations", "fun_combinations.lua"),
    // Beside `run.lua`, which finds it there under a real Tarantool.
    module!("lycosa.histogram", "../../workloads/lycosa/histogram.lua"),
    module!("lycosa.series", "../../workloads/lycosa/series.lua"),
    module!("lycosa.schedule", "../../workloads/lycosa/schedule.lua"),
    // Beside `run.lua`, which finds them there under a real Tarantool.
    module!("lycosa.checksum", "../../workloads/lycosa/checksum.lua"),
    module!("lycosa.random", "../../workloads/lycosa/random.lua"),
    module!("socket", "socket.lua"),
    module!("key_def", "key_def.lua", key_def::native),
    module!("merger", "merger.lua"),
    module!("popen", "popen.lua", popen::native),
    module!("pwd", "pwd.lua", pwd::native),
    module!("title", "title.lua"),
    module!("msgpack", "msgpack.lua", msgpack::native),
    module!("msgpackffi", "msgpackffi.lua"),
    module!("lycosa.msgpack_objects", "msgpack_objects.lua"),
    module!("compat", "compat.lua"),
    module!("console", "console.lua"),
    module!("lycosa.console_completion", "console_completion.lua"),
    module!("lycosa.console_format", "console_format.lua"),
    module!("internal.argparse", "argparse.lua"),
    module!("strict", "strict.lua"),
    module!("tarantool", "tarantool.lua", tarantool::native),
    module!("tap", "tap.lua"),
    module!("uri", "uri.lua"),
    module!("lycosa.uri_escape", "uri_escape.lua"),
    module!("trigger", "trigger.lua"),
    module!(
        "lycosa.tuple_format",
        "tuple_format.lua",
        tuple_format::native
    ),
    module!("utf8", "utf8.lua", utf8::native),
    module!("uuid", "uuid.lua", values::uuid::native),
    module!("varbinary", "varbinary.lua", values::varbinary::native),
    module!("yaml", "yaml.lua", yaml::native),
    module!("lycosa.yaml_encode", "yaml_encode.lua"),
];

/// Modules of Tarantool that scripts may require but not use: calls of what is in them throw.
const REFUSED: &[&str] = &[
    "config",
    "crypto",
    "experimental.config",
    "experimental.connpool",
    "http.client",
    "iconv",
    "metrics",
    "net.box",
    "pickle",
    "swim",
    "xlog",
];

/// Extends the standard libraries, and makes `require` find the modules.
pub(crate) fn install(lua: &Lua) -> mlua::Result<()> {
    let extensions = include_str!("../../modules/extensions.lua");
    load_module(lua, "extensions", extensions, &environment::native(lua)?)?;
    let package: Table = lua.globals().get("package")?;
    let preload: Table = package.get("preload")?;
    // One function for all of them, which is told the name.
    let load = lua.create_function(load)?;
    let names = MODULES.iter().map(|module| module.name);
    let names = names.chain(jit::names()).chain(REFUSED.iter().copied());
    for name in names {
        preload.set(name, &load)?;
    }
    Ok(())
}

fn load(lua: &Lua, (name, _): (String, mlua::MultiValue)) -> mlua::Result<mlua::Value> {
    let Some(module) = MODULES.iter().find(|module| module.name == name) else {
        if let Some(source) = jit::source_of(&name) {
            return lua.load(source).set_name(format!("@{name}.lua")).call(name);
        }
        return lua
            .load(include_str!("../../modules/library/refused.lua"))
            .set_name("@lycosa/refused.lua")
            .call(name);
    };
    lua.load(module.source)
        .set_name(format!("@lycosa/{name}.lua"))
        .call((module.native)(lua)?)
}
