//! The Lua state: how it is made, and how the embedded modules get into it.
//!
//! A state has the full standard libraries, `ffi`, `jit` and `debug` among them, and the modules of
//! this crate: `box.NULL`, `box.tuple`, `box.error`, and `json`, `msgpack`, `clock`, `log` and those of
//! `library` for `require`. Making one takes a few milliseconds, most of them spent on compiling the modules.

use std::ffi::{c_int, c_void};

use mlua::{LightUserData, Lua, LuaOptions, ffi};

use crate::state_boundary::{Boundary, JitCounters, TypeIds, cdata_at, push_function};
use crate::{clock, encode, encode_buffer, error, json, library, log, tuple};

/// Makes a Lua state; with `jit` false its compiler is off.
pub fn new_state(jit: bool) -> mlua::Result<Lua> {
    // SAFETY: `ffi` and `debug` are part of what scripts for Tarantool expect; scripts are trusted
    // as much as the process itself.
    let lua = unsafe { Lua::unsafe_new_with(mlua::StdLib::ALL, LuaOptions::default()) };
    if !jit {
        lua.load("jit.off() jit.flush()").set_name("=jit").exec()?;
    }
    let is_compiled = is_jit_on(&lua)?;
    build(&lua, || install_modules(&lua, is_compiled))?;
    Ok(lua)
}

/// Runs `body`, which loads modules, without the collector and the compiler: what it makes stays, and
/// what it runs is not run again.
pub(crate) fn build(lua: &Lua, body: impl FnOnce() -> mlua::Result<()>) -> mlua::Result<()> {
    let is_jit_on = is_jit_on(lua)?;
    set_jit(lua, false)?;
    lua.gc_stop();
    let outcome = body();
    lua.gc_restart();
    if is_jit_on {
        set_jit(lua, true)?;
    }
    outcome
}

/// Switches the compiler, and tells nobody: `compilation.lua` tells when a script does.
fn set_jit(lua: &Lua, is_on: bool) -> mlua::Result<()> {
    const ENGINE: c_int = 0;
    const ON: c_int = 0x100;
    unsafe extern "C" {
        fn luaJIT_setmode(state: *mut ffi::lua_State, index: c_int, mode: c_int) -> c_int;
    }
    // SAFETY: part of LuaJIT, which mlua links; the mode of the engine is about no stack index.
    unsafe {
        lua.exec_raw::<()>((), |state| {
            luaJIT_setmode(state, 0, ENGINE | if is_on { ON } else { 0 });
        })
    }
}

/// Whether the compiler of `lua` is on.
fn is_jit_on(lua: &Lua) -> mlua::Result<bool> {
    let jit: mlua::Table = lua.globals().get("jit")?;
    jit.get::<mlua::Function>("status")?.call(())
}

fn install_modules(lua: &Lua, is_compiled: bool) -> mlua::Result<()> {
    Boundary::install(lua)?;
    let globals = lua.globals();
    // Scripts get `ffi` by `require` alone, so that a global of that name is theirs.
    globals.set("ffi", mlua::Value::Nil)?;
    let database = lua.create_table()?;
    globals.set("box", &database)?;
    publish(lua, "box", &database)?;
    install(lua, is_compiled)?;
    error::install(lua)?;
    tuple::install(lua)?;
    json::install(lua)?;
    clock::install(lua)?;
    log::install(lua)?;
    library::install(lua)
}

/// The counters of the JIT compiler of `lua`.
pub fn jit_counters(lua: &Lua) -> mlua::Result<JitCounters> {
    with_boundary(lua, |boundary| boundary.jit_counters)
}

/// Runs `action` with the boundary of `lua`; no Lua code may run meanwhile.
pub fn with_boundary<R>(lua: &Lua, action: impl FnOnce(&mut Boundary) -> R) -> mlua::Result<R> {
    let mut answer = None;
    // SAFETY: the stack is left as it was; the boundary lives as long as the state.
    unsafe {
        lua.exec_raw::<()>((), |state| {
            if let Some(boundary) = Boundary::of(state).as_mut() {
                answer = Some(action(boundary));
            }
        })?;
    }
    answer.ok_or_else(|| mlua::Error::runtime("the Lua state has no boundary"))
}

/// Makes a Lua function of a raw one, with the boundary as its first upvalue.
pub fn function(lua: &Lua, function: ffi::lua_CFunction) -> mlua::Result<mlua::Function> {
    // SAFETY: pushes one value, which becomes the answer.
    unsafe { lua.exec_raw((), |state| push_function(state, function)) }
}

/// Keeps `value` in the registry and answers with its reference, valid as long as the state.
pub(crate) fn reference(lua: &Lua, value: &mlua::Value) -> mlua::Result<c_int> {
    let mut reference = 0;
    // SAFETY: luaL_ref pops the value that is passed.
    unsafe {
        lua.exec_raw::<()>(value, |state| {
            reference = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
        })?;
    }
    Ok(reference)
}

/// An address for Lua's `ffi.cast`.
pub fn address<T>(pointer: *const T) -> LightUserData {
    LightUserData(pointer.cast::<c_void>().cast_mut())
}

/// Runs the embedded module `source` with `native` as its argument; `require('lycosa.<name>')`
/// answers with what it returns from then on.
pub fn load_module(
    lua: &Lua,
    name: &str,
    source: &str,
    native: &mlua::Table,
) -> mlua::Result<mlua::Table> {
    let module: mlua::Table = lua
        .load(source)
        .set_name(format!("@lycosa/{name}.lua"))
        .call(native)?;
    publish(lua, &format!("lycosa.{name}"), &module)?;
    Ok(module)
}

/// As `load_module`, when `lycosa.<name>` is first required.
pub fn preload_module(
    lua: &Lua,
    name: &'static str,
    source: &'static str,
    native: &mlua::Table,
) -> mlua::Result<()> {
    let native = native.clone();
    let load = lua.create_function(move |lua, _: mlua::MultiValue| {
        lua.load(source)
            .set_name(format!("@lycosa/{name}.lua"))
            .call::<mlua::Value>(&native)
    })?;
    let package: mlua::Table = lua.globals().get("package")?;
    package
        .get::<mlua::Table>("preload")?
        .set(format!("lycosa.{name}"), load)
}

/// Makes `require(name)` answer with `module`.
pub fn publish(lua: &Lua, name: &str, module: &mlua::Table) -> mlua::Result<()> {
    lua.globals()
        .get::<mlua::Table>("package")?
        .get::<mlua::Table>("loaded")?
        .set(name, module)
}

/// Loads the values and the encoder that all else stands on.
fn install(lua: &Lua, is_compiled: bool) -> mlua::Result<()> {
    let native = lua.create_table()?;
    native.set("is_compiled", is_compiled)?;
    let (scratch, counters) = with_boundary(lua, |boundary| {
        (
            address(&raw const boundary.scratch),
            address(&raw const boundary.jit_counters),
        )
    })?;
    native.set("scratch", scratch)?;
    native.set("jit_counters", counters)?;
    native.set(
        "put_number",
        address(encode_buffer::lycosa_put_number as *const ()),
    )?;
    native.set("encode_value", function(lua, encode::lua_encode_value)?)?;
    native.set("encode_tuple", function(lua, encode::lua_encode_tuple)?)?;
    native.set("encode_key", function(lua, encode::lua_encode_key)?)?;
    let values = load_module(
        lua,
        "values",
        include_str!("../modules/values.lua"),
        &native,
    )?;
    load_module(
        lua,
        "compilation",
        include_str!("../modules/compilation.lua"),
        &native,
    )?;
    verify_layout(lua, &values)?;
    adopt_values(lua, &values)?;
    load_module(
        lua,
        "thrown",
        include_str!("../modules/thrown.lua"),
        &native,
    )?;
    load_module(lua, "lazy", include_str!("../modules/lazy.lua"), &native)?;
    load_module(
        lua,
        "msgpack_encoder",
        include_str!("../modules/msgpack_encoder.lua"),
        &native,
    )?;
    load_module(
        lua,
        "serializer",
        include_str!("../modules/serializer.lua"),
        &native,
    )?;
    load_module(
        lua,
        "iterator",
        include_str!("../modules/iterator.lua"),
        &native,
    )?;
    Ok(())
}

/// Takes over what `values.lua` has made.
fn adopt_values(lua: &Lua, values: &mlua::Table) -> mlua::Result<()> {
    let keep = |name: &str| reference(lua, &values.get::<mlua::Value>(name)?);
    let null = keep("null")?;
    let serialize_name = keep("serialize_name")?;
    let sequence_metatable = keep("sequence_metatable")?;
    let map_metatable = keep("map_metatable")?;
    let make_integer = keep("make_integer")?;
    let make_extension = keep("make_extension")?;
    let substitute = keep("substitute")?;
    let ids: mlua::Table = values.get("type_ids")?;
    let id = |name: &str| ids.get::<u16>(name);
    let types = TypeIds {
        int8: id("int8_t")?,
        int16: id("int16_t")?,
        int32: id("int32_t")?,
        int64: id("int64_t")?,
        uint8: id("uint8_t")?,
        uint16: id("uint16_t")?,
        uint32: id("uint32_t")?,
        uint64: id("uint64_t")?,
        float: id("float")?,
        double: id("double")?,
        boolean: id("bool")?,
        void_pointer: id("void *")?,
        uuid: id("struct tt_uuid")?,
        decimal: id("struct decimal")?,
        datetime: id("struct datetime")?,
        interval: id("struct interval")?,
        varbinary: id("struct varbinary")?,
        ..TypeIds::default()
    };
    with_boundary(lua, |boundary| {
        boundary.types = types;
        let references = &mut boundary.references;
        references.null = null;
        references.serialize_name = serialize_name;
        references.sequence_metatable = sequence_metatable;
        references.map_metatable = map_metatable;
        references.make_integer = make_integer;
        references.make_extension = make_extension;
        references.substitute = substitute;
    })
}

/// Checks that a cdata is laid out as this crate reads it.
fn verify_layout(lua: &Lua, values: &mlua::Table) -> mlua::Result<()> {
    let probe: mlua::Value = values.get("layout_probe")?;
    let expected: u16 = values.get::<mlua::Table>("type_ids")?.get("int64_t")?;
    let mut found = (0, 0);
    // SAFETY: the probe is an int64_t cdata, so its header and eight bytes can be read.
    unsafe {
        lua.exec_raw::<()>(probe, |state| {
            let cdata = cdata_at(state, -1);
            #[expect(
                clippy::cast_ptr_alignment,
                reason = "cdata are aligned to eight bytes"
            )]
            let contents = cdata.contents.cast::<i64>().read();
            found = (cdata.type_id, contents);
            ffi::lua_pop(state, 1);
        })?;
    }
    if found == (expected, 0x1234_5678_9abc) {
        Ok(())
    } else {
        Err(mlua::Error::runtime(format!(
            "LuaJIT lays cdata out in an unknown way (type {}, expected {expected}); \
             build with the vendored LuaJIT",
            found.0
        )))
    }
}
