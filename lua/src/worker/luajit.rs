//! What `LuaJIT` is in this binary, and whether its compiler gets memory for machine code.

use mlua::{Lua, LuaOptions, StdLib};
use serde::{Deserialize, Serialize};

/// A loop hot enough to be compiled, and where its code lies. The address of a C function that
/// compiled code calls stands for the interpreter's, which lies in the same image.
const PROBE: &str = "
    local util = require('jit.util')
    local sum = 0
    for i = 1, 1000 do sum = sum + i end
    local _, address = util.tracemc(1)
    return jit.version, (jit.status()), jit.arch, address, util.ircalladdr(0)
";

/// `LuaJIT` as it is in this binary, on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LuaJit {
    /// Its own name and version.
    pub version: String,
    /// Whether its compiler is on.
    pub jit: bool,
    /// Where a compiled loop lay; `None` if none could be compiled, in which case everything is
    /// interpreted, whatever the compiler says of itself.
    pub machine_code: Option<MachineCode>,
}

/// Where machine code lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineCode {
    /// Between it and the interpreter, in bytes.
    pub distance_bytes: u64,
    /// How far a jump reaches on this architecture, in bytes. Beyond it calls take a detour.
    pub reach_bytes: u64,
}

/// Asks a state of its own. Costs a fraction of a millisecond.
pub fn luajit() -> Option<LuaJit> {
    // SAFETY: the state runs the text above and nothing else.
    let lua = unsafe { Lua::unsafe_new_with(StdLib::ALL, LuaOptions::default()) };
    let (version, jit, arch, machine_code, interpreter): (_, _, String, Option<f64>, Option<f64>) =
        lua.load(PROBE).set_name("=jit").eval().ok()?;
    let reach_bytes = match arch.as_str() {
        "arm64" => 1 << 27,
        _ => 1 << 31,
    };
    Some(LuaJit {
        version,
        jit,
        machine_code: machine_code
            .zip(interpreter)
            .map(|(code, interpreter)| MachineCode {
                distance_bytes: (code - interpreter).abs() as u64,
                reach_bytes,
            }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_gets_memory_for_machine_code() {
        let found = luajit().unwrap();
        assert!(found.version.starts_with("LuaJIT 2.1"), "{}", found.version);
        assert!(found.jit);
        assert!(found.machine_code.is_some());
    }
}
