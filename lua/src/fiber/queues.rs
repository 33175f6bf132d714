//! Primitives on channels and condition variables.
//!
//! Each is a userdata that holds one pointer to the engine's object; `free` drops that when Lua
//! collects the userdata. A channel carries references into Lua's registry, so the values stay alive
//! while they are under way. A fiber that waits in a channel has it on its Lua stack, so the channel
//! is not collected meanwhile.

use std::ffi::c_int;

use lycosa_engine::fiber::{Channel, Condition, GetError, WaitError};
use mlua::ffi::{self, lua_State};

use super::{Primitive, bridge, timeout};

pub(super) const ALL: &[Primitive] = &[
    (c"condition_new", condition_new),
    (c"condition_free", condition_free),
    (c"condition_wait", condition_wait),
    (c"condition_signal", condition_signal),
    (c"condition_broadcast", condition_broadcast),
    (c"channel_new", channel_new),
    (c"channel_free", channel_free),
    (c"channel_put", channel_put),
    (c"channel_get", channel_get),
    (c"channel_close", channel_close),
    (c"channel_info", channel_info),
];

/// A value's place in Lua's registry.
type Reference = c_int;

/// The object in the userdata at index 1.
///
/// # Safety
///
/// The userdata must have been made by [`push`] with the same `T`: the Lua half checks the metatable.
unsafe fn object<'a, T>(state: *mut lua_State) -> Option<&'a T> {
    // SAFETY: the userdata holds null or a pointer from `Box::into_raw`.
    unsafe {
        let memory = ffi::lua_touserdata(state, 1).cast::<*const T>();
        if memory.is_null() {
            None
        } else {
            (*memory).as_ref()
        }
    }
}

/// Pushes a userdata that owns what `make` returns.
unsafe fn push<T>(state: *mut lua_State, make: impl FnOnce() -> T) -> c_int {
    // SAFETY: the userdata comes first, so that nothing is lost when Lua has no memory for it.
    unsafe {
        let memory = ffi::lua_newuserdata(state, size_of::<*const T>()).cast::<*mut T>();
        memory.write(Box::into_raw(Box::new(make())));
    }
    1
}

/// Drops the object in the userdata at index 1, once.
unsafe fn free<T>(state: *mut lua_State) {
    // SAFETY: as for `object`; the pointer is replaced by null before the drop.
    unsafe {
        let memory = ffi::lua_touserdata(state, 1).cast::<*mut T>();
        if !memory.is_null() && !(*memory).is_null() {
            drop(Box::from_raw(memory.replace(std::ptr::null_mut())));
        }
    }
}

/// Answers nil and `reason`: how `wait`, `put` and `get` say why they failed.
unsafe fn failure(state: *mut lua_State, reason: GetError) -> c_int {
    let reason = match reason {
        GetError::Closed => c"closed",
        GetError::TimedOut => c"timed out",
        GetError::Cancelled => c"cancelled",
    };
    // SAFETY: two of the 20 stack slots of a C function; the reason is static.
    unsafe {
        ffi::lua_pushnil(state);
        ffi::lua_pushstring(state, reason.as_ptr());
    }
    2
}

/// `condition_new()`.
unsafe extern "C-unwind" fn condition_new(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe { push(state, || Condition::new(&bridge(state).scheduler)) }
}

/// `condition_free(condition)`.
unsafe extern "C-unwind" fn condition_free(state: *mut lua_State) -> c_int {
    // SAFETY: called by the Lua half as the metatable's `__gc`.
    unsafe { free::<Condition>(state) };
    0
}

/// `condition_wait(condition, timeout)`: true, or nil and the reason.
unsafe extern "C-unwind" fn condition_wait(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive on a condition.
    unsafe {
        let limit = timeout(state, 2);
        match object::<Condition>(state).map(|condition| condition.wait(limit)) {
            Some(Err(WaitError::Cancelled)) => failure(state, GetError::Cancelled),
            Some(Err(WaitError::TimedOut)) => failure(state, GetError::TimedOut),
            Some(Ok(())) | None => {
                ffi::lua_pushboolean(state, 1);
                1
            }
        }
    }
}

/// `condition_signal(condition)`.
unsafe extern "C-unwind" fn condition_signal(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive on a condition.
    if let Some(condition) = unsafe { object::<Condition>(state) } {
        condition.signal();
    }
    0
}

/// `condition_broadcast(condition)`.
unsafe extern "C-unwind" fn condition_broadcast(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive on a condition.
    if let Some(condition) = unsafe { object::<Condition>(state) } {
        condition.broadcast();
    }
    0
}

/// `channel_new(capacity)`.
unsafe extern "C-unwind" fn channel_new(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let capacity = ffi::lua_tonumber(state, 1) as usize;
        push(state, || {
            Channel::<Reference>::new(&bridge(state).scheduler, capacity)
        })
    }
}

/// `channel_free(channel)`.
unsafe extern "C-unwind" fn channel_free(state: *mut lua_State) -> c_int {
    // SAFETY: called by the Lua half as the metatable's `__gc`; releasing a reference allocates
    // nothing, so it raises no error.
    unsafe {
        if let Some(channel) = object::<Channel<Reference>>(state) {
            while let Ok(reference) = channel.get(Some(std::time::Duration::ZERO)) {
                ffi::luaL_unref(state, ffi::LUA_REGISTRYINDEX, reference);
            }
        }
        free::<Channel<Reference>>(state);
    }
    0
}

/// `channel_put(channel, timeout, value)`: true, or nil and the reason.
unsafe extern "C-unwind" fn channel_put(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive on a channel; the reference is made, which may raise an
    // error, before any Rust value that has a destructor.
    unsafe {
        let limit = timeout(state, 2);
        ffi::lua_settop(state, 3);
        let reference = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
        let put = object::<Channel<Reference>>(state).map(|channel| channel.put(reference, limit));
        if let Some(Err(error)) = put {
            ffi::luaL_unref(state, ffi::LUA_REGISTRYINDEX, reference);
            return failure(state, error.reason);
        }
        ffi::lua_pushboolean(state, 1);
    }
    1
}

/// `channel_get(channel, timeout)`: true and the value, or nil and the reason.
unsafe extern "C-unwind" fn channel_get(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive on a channel.
    unsafe {
        let limit = timeout(state, 2);
        match object::<Channel<Reference>>(state).map(|channel| channel.get(limit)) {
            Some(Ok(reference)) => {
                ffi::lua_pushboolean(state, 1);
                ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, reference.into());
                ffi::luaL_unref(state, ffi::LUA_REGISTRYINDEX, reference);
                2
            }
            Some(Err(reason)) => failure(state, reason),
            None => failure(state, GetError::Closed),
        }
    }
}

/// `channel_close(channel)`.
unsafe extern "C-unwind" fn channel_close(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive on a channel.
    if let Some(channel) = unsafe { object::<Channel<Reference>>(state) } {
        channel.close();
    }
    0
}

/// `channel_info(channel)`: capacity, count, has readers, has writers, is closed.
unsafe extern "C-unwind" fn channel_info(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive on a channel; five of the 20 stack slots.
    unsafe {
        let Some(channel) = object::<Channel<Reference>>(state) else {
            return 0;
        };
        ffi::lua_pushnumber(state, channel.capacity() as f64);
        ffi::lua_pushnumber(state, channel.len() as f64);
        ffi::lua_pushboolean(state, c_int::from(channel.has_readers()));
        ffi::lua_pushboolean(state, c_int::from(channel.has_writers()));
        ffi::lua_pushboolean(state, c_int::from(channel.is_closed()));
    }
    5
}
