//! The module `clock`: the clocks of the system, read through the FFI so that loops stay compiled.

use crate::state::{self, load_module, publish};

/// Reads a clock in nanoseconds; `which` is 0 for real time, 1 for monotonic, 2 for the processor
/// time of the process, 3 for that of the thread. Answers 0 when the system has no such clock.
/// Called by Lua's FFI.
extern "C" fn lycosa_clock_ns(which: i32) -> i64 {
    let clock = match which {
        0 => libc::CLOCK_REALTIME,
        1 => libc::CLOCK_MONOTONIC,
        2 => libc::CLOCK_PROCESS_CPUTIME_ID,
        _ => libc::CLOCK_THREAD_CPUTIME_ID,
    };
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the system fills in the structure it is given.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return 0;
    }
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// The same in seconds.
extern "C" fn lycosa_clock_seconds(which: i32) -> f64 {
    lycosa_clock_ns(which) as f64 / 1e9
}

/// Makes the module `clock`.
pub fn install(lua: &mlua::Lua) -> mlua::Result<()> {
    let native = lua.create_table()?;
    native.set("clock_ns", state::address(lycosa_clock_ns as *const ()))?;
    native.set(
        "clock_seconds",
        state::address(lycosa_clock_seconds as *const ()),
    )?;
    let module = load_module(lua, "clock", include_str!("../modules/clock.lua"), &native)?;
    publish(lua, "clock", &module)
}
