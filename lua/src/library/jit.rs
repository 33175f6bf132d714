//! LuaJIT's own modules in Lua: what shows bytecode, traces and where the time goes. `build.rs` says where they
//! come from.

/// Names and sources of modules of LuaJIT.
macro_rules! modules {
    ($($name:literal),+) => {
        &[$((
            concat!("jit.", $name),
            include_str!(concat!(env!("OUT_DIR"), "/luajit-build/src/jit/", $name, ".lua")),
        )),+]
    };
}

const MODULES: &[(&str, &str)] = modules!("bc", "dump", "p", "v", "vmdef", "zone");

/// What shows the machine code of this architecture.
#[cfg(target_arch = "x86_64")]
const DISASSEMBLERS: &[(&str, &str)] = modules!("dis_x86", "dis_x64");

/// What shows the machine code of this architecture.
#[cfg(target_arch = "aarch64")]
const DISASSEMBLERS: &[(&str, &str)] = modules!("dis_arm64");

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().chain(DISASSEMBLERS).map(|(name, _)| *name)
}

pub(super) fn source_of(name: &str) -> Option<&'static str> {
    let mut modules = MODULES.iter().chain(DISASSEMBLERS);
    modules
        .find(|(known, _)| *known == name)
        .map(|(_, source)| *source)
}
