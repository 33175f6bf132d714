//! Primitives on fibers: switch, wake, cancel, join, names, clocks.
//!
//! Fibers travel as ids. The Lua half has checked every argument; a primitive that gets a wrong type
//! all the same sees zero or nothing, never memory that is not its own.

use std::ffi::{c_int, c_void};
use std::slice;
use std::time::{Duration, Instant};

use lycosa_engine::fiber::{Fiber, FiberId, JoinError, Status, Upcoming, Usage, Wake};
use mlua::ffi::{self, lua_State};

use super::{Primitive, bridge, timeout};

pub(super) const ALL: &[Primitive] = &[
    (c"yield", yield_now),
    (c"sleep", sleep),
    (c"wait", wait),
    (c"wait_for_others", wait_for_others),
    (c"current_id", current_id),
    (c"exists", exists),
    (c"next_id", next_id),
    (c"is_running", is_running),
    (c"wakeup", wakeup),
    (c"cancel", cancel),
    (c"is_cancelled", is_cancelled),
    (c"name", name),
    (c"set_name", set_name),
    (c"switches", switches),
    (c"measure", measure),
    (c"usage", usage),
    (c"is_joinable", is_joinable),
    (c"set_joinable", set_joinable),
    (c"join", join),
    (c"object_id", object_id),
    (c"time", time),
    (c"clock", clock),
    (c"precise_clock", precise_clock),
];

/// The fiber whose id is at `index`.
///
/// # Safety
///
/// `state` must be that of a primitive.
pub(super) unsafe fn fiber_at(state: *mut lua_State, index: c_int) -> Option<Fiber> {
    // SAFETY: `lua_tonumber` raises no error.
    let (bridge, id) = unsafe { (bridge(state), ffi::lua_tonumber(state, index)) };
    bridge.scheduler.find(id as FiberId)
}

/// `push_*` calls below need one stack slot, of which Lua guarantees every C function 20.
unsafe fn answer_boolean(state: *mut lua_State, answer: bool) -> c_int {
    // SAFETY: see above.
    unsafe { ffi::lua_pushboolean(state, c_int::from(answer)) };
    1
}

unsafe fn answer_number(state: *mut lua_State, answer: f64) -> c_int {
    // SAFETY: as for `answer_boolean`.
    unsafe { ffi::lua_pushnumber(state, answer) };
    1
}

/// `yield()`: true when the fiber is cancelled, else nothing, which is a touch of memory less.
unsafe extern "C-unwind" fn yield_now(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        match bridge(state).scheduler.yield_now() {
            Wake::Cancelled => answer_boolean(state, true),
            Wake::Woken | Wake::TimedOut => 0,
        }
    }
}

/// `sleep(seconds)`: whether the fiber is cancelled.
unsafe extern "C-unwind" fn sleep(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let scheduler = &bridge(state).scheduler;
        let wake = match timeout(state, 1) {
            Some(duration) => scheduler.sleep(duration),
            None => scheduler.suspend(None),
        };
        answer_boolean(state, wake == Wake::Cancelled)
    }
}

/// `wait()`: until something wakes the fiber.
unsafe extern "C-unwind" fn wait(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    let _ = unsafe { bridge(state).scheduler.suspend(None) };
    0
}

/// `wait_for_others()`: until no other fiber is ready or waits for time.
unsafe extern "C-unwind" fn wait_for_others(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    let scheduler = unsafe { &bridge(state).scheduler };
    loop {
        // Whatever wakes this fiber, it looks again.
        let _ = match scheduler.upcoming() {
            Upcoming::Now => scheduler.yield_now(),
            Upcoming::At(deadline) => {
                let remaining = deadline.saturating_duration_since(Instant::now());
                scheduler.sleep(remaining)
            }
            Upcoming::Nothing => return 0,
        };
    }
}

/// A message without a destructor, so that Lua may fail to copy it.
pub(super) type Message = ([u8; 256], usize);

pub(super) fn message_of(error: &dyn std::fmt::Display) -> Message {
    let text = error.to_string();
    let mut bytes = [0; 256];
    let length = text.floor_char_boundary(bytes.len());
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
    (bytes, length)
}

/// The string at `index`, which Lua keeps while it is on the stack.
pub(super) unsafe fn text_at(state: *mut lua_State, index: c_int) -> (*const u8, usize) {
    let mut length = 0;
    // SAFETY: only asks; a number would be converted in place, which allocates, so strings only.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TSTRING {
            return (std::ptr::NonNull::dangling().as_ptr(), 0);
        }
        let bytes = ffi::lua_tolstring(state, index, &raw mut length);
        (bytes.cast(), length)
    }
}

/// The longest valid UTF-8 that the bytes begin with.
pub(super) unsafe fn text<'a>(bytes: *const u8, length: usize) -> &'a str {
    // SAFETY: the caller got both from `text_at` and keeps the string on the stack.
    let bytes = unsafe { slice::from_raw_parts(bytes, length) };
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// `current_id()`.
unsafe extern "C-unwind" fn current_id(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let id = bridge(state).scheduler.current().id();
        answer_number(state, id as f64)
    }
}

/// `exists(id)`.
unsafe extern "C-unwind" fn exists(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let found = fiber_at(state, 1).is_some();
        answer_boolean(state, found)
    }
}

/// `next_id(id)`: the smallest id above, or nil.
unsafe extern "C-unwind" fn next_id(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let id = ffi::lua_tonumber(state, 1) as FiberId;
        let next = bridge(state)
            .scheduler
            .next_after(id)
            .map(|fiber| fiber.id());
        next.map_or(0, |next| answer_number(state, next as f64))
    }
}

/// `is_running(id)`.
unsafe extern "C-unwind" fn is_running(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let running = fiber_at(state, 1).is_some_and(|fiber| fiber.status() == Status::Running);
        answer_boolean(state, running)
    }
}

/// `wakeup(id)`.
unsafe extern "C-unwind" fn wakeup(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    if let Some(fiber) = unsafe { fiber_at(state, 1) } {
        fiber.wakeup();
    }
    0
}

/// `cancel(id)`.
unsafe extern "C-unwind" fn cancel(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    if let Some(fiber) = unsafe { fiber_at(state, 1) } {
        fiber.cancel();
    }
    0
}

/// `is_cancelled()`: whether the running fiber is.
unsafe extern "C-unwind" fn is_cancelled(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let cancelled = bridge(state).scheduler.current().is_cancelled();
        answer_boolean(state, cancelled)
    }
}

/// `name(id)`.
unsafe extern "C-unwind" fn name(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive; the copy has no destructor when Lua allocates.
    unsafe {
        let (bytes, length) =
            fiber_at(state, 1).map_or(([0; 256], 0), |fiber| message_of(&fiber.name()));
        ffi::lua_pushlstring(state, bytes.as_ptr().cast(), length);
    }
    1
}

/// `set_name(id, name)`.
unsafe extern "C-unwind" fn set_name(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive, and the string stays on the stack.
    unsafe {
        let (bytes, length) = text_at(state, 2);
        if let Some(fiber) = fiber_at(state, 1) {
            fiber.set_name(text(bytes, length));
        }
    }
    0
}

/// `switches(id)`.
unsafe extern "C-unwind" fn switches(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let count = fiber_at(state, 1).map_or(0, |fiber| fiber.context_switches());
        answer_number(state, count as f64)
    }
}

/// `measure(is_on)`: begins to measure the fibers' times, or ends it.
unsafe extern "C-unwind" fn measure(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    let (bridge, is_on) = unsafe { (bridge(state), ffi::lua_toboolean(state, 1) != 0) };
    let mut usage = bridge.usage.borrow_mut();
    if !is_on {
        usage.take().into_iter().for_each(Usage::stop);
    } else if usage.is_none() {
        *usage = Some(Usage::start(&bridge.scheduler));
    }
    0
}

/// `usage(id)`: what a fiber takes, or without an id what switching takes: percentages of the last turn
/// and on average, and seconds.
unsafe extern "C-unwind" fn usage(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive; Lua guarantees room for three numbers.
    unsafe {
        let usage = bridge(state).usage.borrow().as_ref().map(|usage| {
            if ffi::lua_isnoneornil(state, 1) == 0 {
                usage.of_fiber(ffi::lua_tonumber(state, 1) as FiberId)
            } else {
                usage.of_scheduler()
            }
        });
        let usage = usage.unwrap_or_default();
        ffi::lua_pushnumber(state, usage.last_turn_percent);
        ffi::lua_pushnumber(state, usage.average_percent);
        ffi::lua_pushnumber(state, usage.total.as_secs_f64());
    }
    3
}

/// `is_joinable(id)`.
unsafe extern "C-unwind" fn is_joinable(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let joinable = fiber_at(state, 1).is_some_and(|fiber| fiber.is_joinable());
        answer_boolean(state, joinable)
    }
}

/// `set_joinable(id, joinable)`.
unsafe extern "C-unwind" fn set_joinable(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let joinable = ffi::lua_toboolean(state, 2) != 0;
        if let Some(fiber) = fiber_at(state, 1) {
            fiber.set_joinable(joinable);
        }
    }
    0
}

/// `join(id, timeout)`: nothing when the fiber has ended; else false when the timeout passed, or a
/// text when there is no joining it.
unsafe extern "C-unwind" fn join(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive; the message has no destructor when Lua allocates.
    unsafe {
        let limit = timeout(state, 2);
        let failure = match fiber_at(state, 1).map(|fiber| fiber.join(limit)) {
            Some(Ok(())) => return 0,
            Some(Err(JoinError::TimedOut(_))) => return answer_boolean(state, false),
            Some(Err(error)) => message_of(&error),
            None => message_of(&"the fiber is dead"),
        };
        ffi::lua_pushlstring(state, failure.0.as_ptr().cast(), failure.1);
    }
    1
}

/// `object_id(object)`: the id in a userdata that stands for a fiber.
unsafe extern "C-unwind" fn object_id(state: *mut lua_State) -> c_int {
    // SAFETY: called by the Lua half, which has checked the metatable that only it can set.
    unsafe {
        let memory: *mut c_void = ffi::lua_touserdata(state, 1);
        if memory.is_null() {
            return 0;
        }
        answer_number(state, memory.cast::<f64>().read())
    }
}

/// `time()`: wall-clock seconds since 1970 at the start of the present turn.
unsafe extern "C-unwind" fn time(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let bridge = bridge(state);
        let passed = bridge
            .scheduler
            .now()
            .saturating_duration_since(bridge.started);
        answer_number(state, bridge.started_unix_seconds + passed.as_secs_f64())
    }
}

/// `clock()`: monotonic seconds since the module was installed, at the start of the present turn.
unsafe extern "C-unwind" fn clock(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let bridge = bridge(state);
        let passed: Duration = bridge
            .scheduler
            .now()
            .saturating_duration_since(bridge.started);
        answer_number(state, passed.as_secs_f64())
    }
}

/// `precise_clock()`: monotonic seconds since the module was installed, now.
unsafe extern "C-unwind" fn precise_clock(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let passed = bridge(state).started.elapsed();
        answer_number(state, passed.as_secs_f64())
    }
}
