//! Tarantool's `fiber` module.
//!
//! The Lua half, `modules/fiber.lua` and `modules/fiber_queues.lua`, checks arguments, keeps results and raises errors. This half
//! gives it primitives: raw C functions, because `mlua` keeps a notion of the current Lua state that
//! a stack switch inside one of its closures would corrupt. No primitive raises an error while it
//! holds a Rust value with a destructor: each answers with a status, and Lua raises.

mod descriptors;
mod life;
mod primitives;
mod queues;

use std::cell::{OnceCell, RefCell};
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use lycosa_engine::fiber::{Scheduler, Usage};
use mlua::ffi::{self, lua_State};
use mlua::{Lua, Table};

use crate::state::{address, with_boundary};
use crate::state_boundary::STACK_RESERVE_BYTES;

/// What the primitives work on; their first upvalue points to it. The Lua state owns it.
struct Bridge {
    scheduler: Scheduler,
    /// Wall-clock time when `started` was read, in seconds since 1970.
    started_unix_seconds: f64,
    started: Instant,
    /// Made by the first wait for a file descriptor.
    watcher: OnceCell<descriptors::Watcher>,
    /// The fibers' times, while they are measured.
    usage: RefCell<Option<Rc<Usage>>>,
    /// What Lua keeps for the fibers.
    kept: life::Kept,
}

impl Drop for Bridge {
    /// The Lua state closes: its fibers must never run again, or they would use what it frees.
    fn drop(&mut self) {
        self.scheduler.abandon_other_fibers();
    }
}

/// One primitive: its name and its function.
type Primitive = (&'static std::ffi::CStr, ffi::lua_CFunction);

/// Makes `require('fiber')` give Tarantool's fiber module, on `scheduler`. To be called by a fiber
/// of that scheduler, once per Lua state.
///
/// When the Lua state is dropped, fibers that are still alive are abandoned where they stand; call
/// [`Scheduler::end_other_fibers`] before to let them end.
///
/// Answers with what other modules need: the primitives that wait without Lua's errors (`wait`, until
/// the fiber is woken, and `wait_for_others`), and how to ask whether the stack is low.
pub fn install(lua: &Lua, scheduler: &Scheduler) -> mlua::Result<Table> {
    let since_epoch = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let bridge = Rc::new(Bridge {
        scheduler: scheduler.clone(),
        started_unix_seconds: since_epoch.as_secs_f64(),
        started: Instant::now(),
        watcher: OnceCell::new(),
        usage: RefCell::default(),
        kept: life::Kept::default(),
    });
    let pointer: *mut c_void = Rc::as_ptr(&bridge).cast_mut().cast();
    // A state that was not made by `new_state` has no boundary, and nothing of ours that recurses.
    let _ = with_boundary(lua, |boundary| boundary.scheduler = Some(scheduler.clone()));
    let stack_size_bytes = scheduler.stack_size_bytes() as f64;
    lua.set_app_data(bridge);
    // SAFETY: the closure leaves exactly one table on the stack, and holds nothing with a destructor
    // when an allocation fails.
    let primitives: Table = unsafe {
        lua.exec_raw((), move |state| {
            let all = [primitives::ALL, life::ALL, queues::ALL, descriptors::ALL];
            ffi::lua_createtable(state, 0, 32);
            for (name, function) in all.into_iter().flatten() {
                ffi::lua_pushlightuserdata(state, pointer);
                ffi::lua_pushcclosure(state, *function, 1);
                ffi::lua_setfield(state, -2, name.as_ptr());
            }
            ffi::lua_pushnumber(state, stack_size_bytes);
            ffi::lua_setfield(state, -2, c"stack_size_bytes".as_ptr());
        })
    }?;
    let waits = lua.create_table()?;
    waits.set("bridge", address(pointer))?;
    waits.set("stack_is_low", address(stack_is_low as *const ()))?;
    for name in ["wait", "wait_for_others"] {
        waits.set(name, primitives.get::<mlua::Function>(name)?)?;
    }
    let queues = lua
        .load(include_str!("../../modules/fiber_queues.lua"))
        .set_name("@lycosa/fiber_queues.lua")
        .into_function()?;
    let module: Table = lua
        .load(include_str!("../../modules/fiber.lua"))
        .set_name("@lycosa/fiber.lua")
        .call((primitives, queues))?;
    let package: Table = lua.globals().get("package")?;
    let loaded: Table = package.get("loaded")?;
    loaded.set("fiber", module)?;
    Ok(waits)
}

/// Whether so little of the running fiber's stack is left that native code must not call Lua again.
///
/// # Safety
///
/// `bridge` must be the address that [`install`] gave to Lua, whose state is still open.
unsafe extern "C" fn stack_is_low(bridge: *const Bridge) -> bool {
    // SAFETY: see above.
    let scheduler = unsafe { &(*bridge).scheduler };
    scheduler.stack_left_bytes() < STACK_RESERVE_BYTES
}

/// The bridge of the primitive that runs.
///
/// # Safety
///
/// `state` must be that of a primitive made by [`install`], whose Lua state is still open.
unsafe fn bridge<'a>(state: *mut lua_State) -> &'a Bridge {
    // SAFETY: the first upvalue of each primitive is the pointer to the bridge, which the Lua
    // state's application data keeps alive and nobody changes.
    unsafe { &*ffi::lua_touserdata(state, ffi::lua_upvalueindex(1)).cast::<Bridge>() }
}

/// A timeout at `index`: seconds, or nothing for no limit.
///
/// # Safety
///
/// `state` must be valid.
unsafe fn timeout(state: *mut lua_State, index: c_int) -> Option<std::time::Duration> {
    // SAFETY: neither call raises an error or needs stack.
    let seconds = unsafe {
        if ffi::lua_isnoneornil(state, index) != 0 {
            return None;
        }
        ffi::lua_tonumber(state, index)
    };
    seconds_to_duration(seconds)
}

/// Negative time and NaN are zero; what no clock can tell, infinity included, is no limit.
fn seconds_to_duration(seconds: f64) -> Option<std::time::Duration> {
    std::time::Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}
