//! Primitives on the life of a fiber: its start, its end, and what Lua keeps for it meanwhile.
//!
//! A living fiber has a place among those that Lua keeps: one for its Lua thread and one for the object that
//! stands for it. Places are used again, so they lie in the array of a small table, and neither is looked up
//! by a key. Most fibers end without leaving anything behind, and then no Lua code runs but their own.
//!
//! A Lua thread is used again by the next fiber at its place: threads are nearly all that making a fiber would
//! leave to the collector, half of the time that it took. No script can tell: it gets hold of a thread by
//! `coroutine.running` only, which is ours, and a thread that it has seen is not used again.

use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::ptr::NonNull;

use lycosa_engine::fiber::{Fiber, FiberId};
use mlua::ffi::{self, lua_State};

use super::primitives::{Message, fiber_at, message_of, text, text_at};
use super::{Bridge, Primitive, bridge};

/// Places without a fiber that have a thread. More would only be walked by the collector.
const IDLE_THREADS_LIMIT: usize = 128;

pub(super) const ALL: &[Primitive] = &[
    (c"prepare", prepare),
    (c"start", start),
    (c"mark", mark),
    (c"object", object),
    (c"new_object", new_object),
    (c"thread", thread),
    (c"running_thread", running_thread),
];

/// References into Lua's registry, and which places are free.
#[derive(Default)]
pub(super) struct Kept {
    /// The table: the thread of place `n` at `2 n + 1`, the object at `2 n + 2`.
    table: Cell<c_int>,
    metatable: Cell<c_int>,
    /// `finish(id, ok, ...)`, for fibers that leave something behind.
    finish: Cell<c_int>,
    /// Places without a fiber, with the threads that are still there.
    free: RefCell<Vec<Place>>,
    /// How many of those threads there are.
    idle_threads: Cell<usize>,
    /// Places there are.
    count: Cell<usize>,
}

/// A place, and the thread that is kept there.
#[derive(Clone, Copy)]
struct Place {
    number: usize,
    thread: Option<NonNull<lua_State>>,
}

impl Kept {
    fn next_free(&self) -> Place {
        let last = self.free.borrow().last().copied();
        last.unwrap_or(Place {
            number: self.count.get(),
            thread: None,
        })
    }

    /// Takes the place that `next_free` names.
    fn take(&self) {
        match self.free.borrow_mut().pop() {
            None => self.count.set(self.count.get() + 1),
            Some(place) => {
                let fewer = usize::from(place.thread.is_some());
                self.idle_threads.set(self.idle_threads.get() - fewer);
            }
        }
    }

    fn give_back(&self, place: Place) {
        let more = usize::from(place.thread.is_some());
        self.idle_threads.set(self.idle_threads.get() + more);
        self.free.borrow_mut().push(place);
    }
}

/// A fiber's tag: its place, whether Lua wants to hear of its end, and whether a script has its thread. 0 is that of a fiber without a place:
/// one that is not Lua's, or has ended.
#[derive(Clone, Copy)]
struct Tag(usize);

impl Tag {
    const NONE: Self = Self(0);
    const MARK: usize = 1;
    const SEEN: usize = 2;

    fn of(fiber: &Fiber) -> Self {
        Self(fiber.tag())
    }

    fn at(place: usize) -> Self {
        Self((place + 1) << 2)
    }

    fn place(self) -> Option<usize> {
        (self.0 >> 2).checked_sub(1)
    }

    fn is_marked(self) -> bool {
        self.0 & Self::MARK != 0
    }

    fn is_seen(self) -> bool {
        self.0 & Self::SEEN != 0
    }
}

/// Pushes what is kept of a fiber, else nil.
///
/// # Safety
///
/// `state` must be that of a primitive, with room for two values.
unsafe fn push_kept(state: *mut lua_State, fiber: Option<Fiber>, which: usize) -> c_int {
    let place = fiber.and_then(|fiber| Tag::of(&fiber).place());
    // SAFETY: `prepare` has made the table; reading it raises no error.
    unsafe {
        if let Some(place) = place {
            let table = bridge(state).kept.table.get();
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, table.into());
            ffi::lua_rawgeti(state, -1, (2 * place + which) as ffi::lua_Integer);
        } else {
            ffi::lua_pushnil(state);
        }
    }
    1
}

const THREAD: usize = 1;
const OBJECT: usize = 2;

/// Keeps the value on top at a place, and takes it from the stack.
///
/// # Safety
///
/// `state` must be a state with room for two more values.
unsafe fn keep(state: *mut lua_State, kept: &Kept, place: usize, which: usize) {
    // SAFETY: see above. The table may grow, which may raise an error, but nothing here has a destructor.
    unsafe {
        ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, kept.table.get().into());
        ffi::lua_insert(state, -2);
        ffi::lua_rawseti(state, -2, (2 * place + which) as ffi::lua_Integer);
        ffi::lua_settop(state, -2);
    }
}

/// Lets go of a fiber's object, and of its thread unless that can be used again. The stack stays as it is.
///
/// # Safety
///
/// `state` must be a state with room for three values, and the place one that is taken.
unsafe fn let_go(state: *mut lua_State, kept: &Kept, number: usize, again: *mut lua_State) {
    let has_room = kept.idle_threads.get() < IDLE_THREADS_LIMIT;
    let thread = NonNull::new(again).filter(|_| has_room);
    // SAFETY: see above; the place exists, so the table does not grow.
    unsafe {
        ffi::lua_pushnil(state);
        keep(state, kept, number, OBJECT);
        if thread.is_none() {
            ffi::lua_pushnil(state);
            keep(state, kept, number, THREAD);
        }
    }
    kept.give_back(Place { number, thread });
}

/// A thread without anything on its stack, in the environment of `state`: the one that is kept at the place, or
/// a new one, which is kept there then.
///
/// # Safety
///
/// `state` must be that of a primitive, with room for three values.
unsafe fn thread_at(state: *mut lua_State, kept: &Kept, place: Place) -> *mut lua_State {
    // SAFETY: see above; a thread that was used before has room for its environment.
    unsafe {
        if let Some(thread) = place.thread {
            ffi::lua_pushvalue(state, ffi::LUA_GLOBALSINDEX);
            ffi::lua_xmove(state, thread.as_ptr(), 1);
            ffi::lua_replace(thread.as_ptr(), ffi::LUA_GLOBALSINDEX);
            return thread.as_ptr();
        }
        let thread = ffi::lua_newthread(state);
        keep(state, kept, place.number, THREAD);
        thread
    }
}

/// Pushes a userdata that stands for a fiber. Answers with where in it the id is to be written.
///
/// # Safety
///
/// `state` must be that of a primitive, with room for two values.
unsafe fn push_object(state: *mut lua_State, kept: &Kept, id: FiberId) -> *mut f64 {
    // SAFETY: see above; the memory is aligned for a number.
    unsafe {
        let memory = ffi::lua_newuserdata(state, size_of::<f64>()).cast::<f64>();
        memory.write(id as f64);
        ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, kept.metatable.get().into());
        ffi::lua_setmetatable(state, -2);
        memory
    }
}

/// `prepare(metatable, finish)`: names the metatable of fiber objects and the function that hears of the
/// end of fibers that leave something behind. To be called once, by the main fiber.
unsafe extern "C-unwind" fn prepare(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive; nothing here has a destructor when Lua has no memory.
    unsafe {
        let kept = &bridge(state).kept;
        kept.finish
            .set(ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX));
        kept.metatable
            .set(ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX));
        ffi::lua_createtable(state, 64, 0);
        kept.table.set(ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX));
        let id = bridge(state).scheduler.current().id();
        let place = kept.next_free().number;
        ffi::lua_pushthread(state);
        keep(state, kept, place, THREAD);
        push_object(state, kept, id);
        keep(state, kept, place, OBJECT);
        kept.take();
        let main = bridge(state).scheduler.current();
        main.set_tag(Tag::at(place).0);
    }
    0
}

/// `start(at_once, f, ...)`: a fiber that calls `f(...)`. Answers with its object, or nil and why there is
/// none.
unsafe extern "C-unwind" fn start(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive. What may raise an error, for want of memory, comes
    // before the first Rust value with a destructor.
    unsafe {
        let kept = &bridge(state).kept;
        let at_once = ffi::lua_toboolean(state, 1) != 0;
        let count = ffi::lua_gettop(state) - 1;
        let place = kept.next_free();
        let thread = thread_at(state, kept, place);
        if ffi::lua_checkstack(thread, count + 8) == 0 {
            ffi::lua_pushnil(state);
            ffi::lua_pushstring(state, c"too many arguments of a fiber".as_ptr());
            return 2;
        }
        // The object takes the place of the first argument: the fiber may end before this returns.
        let id = push_object(state, kept, 0);
        ffi::lua_pushvalue(state, -1);
        ffi::lua_replace(state, 1);
        keep(state, kept, place.number, OBJECT);
        ffi::lua_xmove(state, thread, count);
        kept.take();
        let mut failure = ([0; 256], 0);
        let begun = Begun {
            thread,
            arguments: count - 1,
            place: place.number,
            id,
        };
        if make_fiber(state, at_once, begun, &mut failure) {
            return 1;
        }
        let_go(state, kept, place.number, std::ptr::null_mut());
        ffi::lua_pushnil(state);
        ffi::lua_pushlstring(state, failure.0.as_ptr().cast(), failure.1);
    }
    2
}

/// A fiber's Lua function, to be run.
#[derive(Clone, Copy)]
struct Begun {
    /// With the function and its arguments on its stack.
    thread: *mut lua_State,
    arguments: c_int,
    /// Where the thread is kept.
    place: usize,
    /// Where the object that is kept there has its id.
    id: *mut f64,
}

/// Starts or queues a fiber. When there is none, writes to `failure` why.
///
/// # Safety
///
/// `state` must be that of a primitive.
unsafe fn make_fiber(
    state: *mut lua_State,
    at_once: bool,
    begun: Begun,
    failure: &mut Message,
) -> bool {
    // SAFETY: the caller is a primitive.
    let bridge = unsafe { bridge(state) };
    let (place, id) = (begun.place, begun.id);
    let touched_first = begun.thread.addr();
    let prepare = move |fiber: &Fiber| {
        fiber.set_tag(Tag::at(place).0);
        fiber.set_touched_first(touched_first);
        // SAFETY: the object is kept until the fiber ends.
        unsafe { id.write(fiber.id() as f64) };
    };
    let body = move || {
        let me = bridge.scheduler.current();
        if at_once {
            prepare(&me);
        }
        // SAFETY: the thread is this fiber's alone and is kept until its function has ended; the
        // scheduler, to which the bridge belongs, runs this fiber, so the Lua state is open.
        unsafe { run(bridge, &me, begun) }
    };
    let made = if at_once {
        bridge.scheduler.create("lua", body).map(drop)
    } else {
        let queued = bridge.scheduler.spawn("lua", body);
        queued.map(|fiber| prepare(&fiber))
    };
    if let Err(error) = &made {
        *failure = message_of(error);
    }
    made.is_ok()
}

/// Runs a fiber's Lua function to its end.
///
/// # Safety
///
/// As for [`make_fiber`]; the fiber is the running one.
unsafe fn run(bridge: &Bridge, me: &Fiber, begun: Begun) {
    let Begun {
        thread, arguments, ..
    } = begun;
    // SAFETY: the caller vouches for the thread; protected calls let no error out, and `start` has made
    // room on the stack.
    unsafe {
        let status = ffi::lua_pcall(thread, arguments, ffi::LUA_MULTRET, 0);
        let is_ok = status == ffi::LUA_OK;
        if !is_ok || me.is_joinable() || Tag::of(me).is_marked() {
            finish(bridge, me.id(), thread, is_ok);
        }
        ffi::lua_settop(thread, 0);
        let is_used_again = is_ok && !Tag::of(me).is_seen();
        let again = if is_used_again {
            thread
        } else {
            std::ptr::null_mut()
        };
        me.set_tag(Tag::NONE.0);
        let_go(thread, &bridge.kept, begun.place, again);
    }
}

/// Tells Lua that a fiber's function has ended, with what it left on its thread's stack.
///
/// # Safety
///
/// As for [`run`].
unsafe fn finish(bridge: &Bridge, id: FiberId, thread: *mut lua_State, is_ok: bool) {
    // SAFETY: see above.
    unsafe {
        let count = ffi::lua_gettop(thread);
        let has_room = ffi::lua_checkstack(thread, 8) != 0;
        if has_room {
            let function = bridge.kept.finish.get();
            ffi::lua_rawgeti(thread, ffi::LUA_REGISTRYINDEX, function.into());
            ffi::lua_pushnumber(thread, id as f64);
            ffi::lua_pushboolean(thread, c_int::from(is_ok));
            for _ in 0..3 {
                ffi::lua_insert(thread, 1);
            }
        }
        if !has_room || ffi::lua_pcall(thread, count + 2, 0, 0) != ffi::LUA_OK {
            // The Lua half catches what a script raises, so this is want of memory.
            let (message, length) = text_at(thread, -1);
            eprintln!("fiber {id} ended: {}", text(message, length));
        }
    }
}

/// `mark(id)`: Lua wants to hear of the end of this fiber.
unsafe extern "C-unwind" fn mark(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    if let Some(fiber) = unsafe { fiber_at(state, 1) } {
        fiber.set_tag(fiber.tag() | Tag::MARK);
    }
    0
}

/// `object(id)`: the object of a fiber whose function has not ended, or nil.
unsafe extern "C-unwind" fn object(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe { push_kept(state, fiber_at(state, 1), OBJECT) }
}

/// `new_object(id)`: a userdata that stands for a fiber.
unsafe extern "C-unwind" fn new_object(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        let id = ffi::lua_tonumber(state, 1);
        push_object(state, &bridge(state).kept, id as FiberId);
    }
    1
}

/// `thread(id)`: the Lua thread of a fiber whose function has not ended, or nil.
unsafe extern "C-unwind" fn thread(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe { push_kept(state, fiber_at(state, 1), THREAD) }
}

/// `coroutine.running()`: the running thread, or nil when it is the first one, as LuaJIT's own. The fiber's
/// thread, which may be this one, is not used again.
unsafe extern "C-unwind" fn running_thread(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a primitive.
    unsafe {
        {
            let me = bridge(state).scheduler.current();
            me.set_tag(me.tag() | Tag::SEEN);
        }
        if ffi::lua_pushthread(state) == 1 {
            ffi::lua_pushnil(state);
        }
    }
    1
}
