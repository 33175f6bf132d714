//! What Rust keeps beside one Lua state, and the raw glue around it.
//!
//! The [`Boundary`] holds the scratch buffer, the answer of a field access, the error that an FFI
//! function leaves for Lua, the counters of the JIT compiler and the identities of the cdata types.
//! It lives as long as the state. A raw `lua_CFunction` gets it as its first upvalue for free;
//! other code asks [`Boundary::of`], which costs a registry look-up.

use std::ffi::{c_int, c_void};

use lycosa_engine::fiber::Scheduler;
use mlua::ffi;

use crate::encode_buffer::Scratch;
use crate::error::PendingError;
use crate::serializer::Options;

/// What must be left of a fiber's stack where native code calls Lua again: room for the deepest native
/// code that Lua may reach without another such call.
pub(crate) const STACK_RESERVE_BYTES: usize = 384 << 10;

/// What Rust keeps beside one Lua state.
#[derive(Debug)]
pub struct Boundary {
    /// Where values are encoded before they are used.
    pub scratch: Scratch,
    /// Where [`crate::tuple`] leaves the field that Lua asked for.
    pub(crate) field: crate::tuple::FieldSlot,
    /// Errors of FFI functions that failed, until Lua fetches them.
    pub(crate) pending_errors: Vec<PendingError>,
    /// How the JIT compiler fares; Lua counts, Rust reads.
    pub(crate) jit_counters: JitCounters,
    /// The identities of the cdata types that cross the boundary.
    pub(crate) types: TypeIds,
    /// Registry references of the Lua values that Rust code needs.
    pub(crate) references: References,
    /// How values are encoded into tuples; `msgpack.cfg` sets it.
    pub(crate) options: Options,
    /// Where texts are built; kept so that no raw function owns memory while Lua may throw.
    pub(crate) text: Vec<u8>,
    /// Tells how much stack is left, once there are fibers.
    pub(crate) scheduler: Option<Scheduler>,
}

/// Events of the JIT compiler since the state was made.
#[repr(C)]
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct JitCounters {
    /// Traces that were compiled to the end.
    pub traces: u64,
    /// Recordings that were given up.
    pub aborts: u64,
    /// Times all compiled code was thrown away.
    pub flushes: u64,
}

/// Type identities as `tonumber(ffi.typeof(...))` gives them.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct TypeIds {
    pub(crate) int8: u16,
    pub(crate) int16: u16,
    pub(crate) int32: u16,
    pub(crate) int64: u16,
    pub(crate) uint8: u16,
    pub(crate) uint16: u16,
    pub(crate) uint32: u16,
    pub(crate) uint64: u16,
    pub(crate) float: u16,
    pub(crate) double: u16,
    pub(crate) boolean: u16,
    pub(crate) void_pointer: u16,
    /// `struct tuple` and `struct small_tuple`.
    pub(crate) tuples: [u16; 2],
    pub(crate) error: u16,
    pub(crate) uuid: u16,
    pub(crate) decimal: u16,
    pub(crate) datetime: u16,
    pub(crate) interval: u16,
    pub(crate) varbinary: u16,
}

impl TypeIds {
    /// Whether it is one of the types of tuples.
    pub(crate) fn is_tuple(&self, id: u16) -> bool {
        self.tuples.contains(&id)
    }
}

/// Registry references, all set once the Lua modules are loaded.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct References {
    pub(crate) null: c_int,
    pub(crate) serialize_name: c_int,
    pub(crate) sequence_metatable: c_int,
    pub(crate) map_metatable: c_int,
    pub(crate) make_integer: c_int,
    pub(crate) make_extension: c_int,
    pub(crate) pack_error: c_int,
    pub(crate) substitute: c_int,
    pub(crate) make_tuple: c_int,
    pub(crate) ffi_new: c_int,
    pub(crate) tuple_type: c_int,
    pub(crate) make_error: c_int,
}

/// Drops the boundary with the application data of its state.
struct Owner(*mut Boundary);

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: the pointer came from a box, is dropped once, and the state is closed by now.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// The registry key under which a state's boundary is found; only its address matters.
static REGISTRY_KEY: u8 = 0;

impl Boundary {
    /// Throws a Lua error when the stack of the running fiber has no room for another call of Lua.
    ///
    /// # Safety
    ///
    /// `state` must be running, and the caller must hold nothing with a destructor.
    pub(crate) unsafe fn check_stack(&self, state: *mut ffi::lua_State) {
        let is_low = |scheduler: &Scheduler| scheduler.stack_left_bytes() < STACK_RESERVE_BYTES;
        if self.scheduler.as_ref().is_some_and(is_low) {
            // SAFETY: as the caller vouches.
            unsafe { throw_text(state, format_args!("C stack overflow")) }
        }
    }

    /// Makes the boundary of `lua`, which owns it from then on.
    pub(crate) fn install(lua: &mlua::Lua) -> mlua::Result<()> {
        let address = Box::into_raw(Box::new(Self {
            scratch: Scratch::default(),
            field: crate::tuple::FieldSlot::default(),
            pending_errors: Vec::new(),
            jit_counters: JitCounters::default(),
            types: TypeIds::default(),
            references: References::default(),
            options: Options::default(),
            text: Vec::new(),
            scheduler: None,
        }));
        lua.set_app_data(Owner(address));
        // SAFETY: the closure leaves the stack as it found it, and the pointer stays valid while
        // the state lives: application data is dropped after the state is closed.
        unsafe {
            lua.exec_raw::<()>((), |state| {
                ffi::lua_pushlightuserdata(state, address.cast());
                ffi::lua_rawsetp(
                    state,
                    ffi::LUA_REGISTRYINDEX,
                    (&raw const REGISTRY_KEY).cast::<c_void>(),
                );
            })
        }
    }

    /// The boundary of the state that `state` belongs to.
    ///
    /// # Safety
    ///
    /// `state` must come from [`crate::state::new_state`] and have one free stack slot.
    pub unsafe fn of(state: *mut ffi::lua_State) -> *mut Self {
        // SAFETY: the caller gives a state with a free slot; the registry holds the pointer.
        unsafe {
            ffi::lua_rawgetp(
                state,
                ffi::LUA_REGISTRYINDEX,
                (&raw const REGISTRY_KEY).cast::<c_void>(),
            );
            let boundary = ffi::lua_touserdata(state, -1);
            ffi::lua_pop(state, 1);
            boundary.cast()
        }
    }

    /// The boundary as a running `lua_CFunction` finds it in its first upvalue.
    ///
    /// # Safety
    ///
    /// The running function must have been pushed by [`push_function`].
    pub unsafe fn of_upvalue<'a>(state: *mut ffi::lua_State) -> &'a mut Self {
        // SAFETY: push_function stored the pointer, and one fiber runs at a time.
        unsafe { &mut *ffi::lua_touserdata(state, ffi::lua_upvalueindex(1)).cast::<Self>() }
    }
}

/// Pushes `function` with the boundary as its first upvalue.
///
/// # Safety
///
/// `state` must come from [`crate::state::new_state`] and have two free stack slots.
pub unsafe fn push_function(state: *mut ffi::lua_State, function: ffi::lua_CFunction) {
    // SAFETY: as the caller promises.
    unsafe {
        let boundary = Boundary::of(state);
        ffi::lua_pushlightuserdata(state, boundary.cast());
        ffi::lua_pushcclosure(state, function, 1);
    }
}

/// Pushes a string.
///
/// # Safety
///
/// `state` must have a free stack slot.
pub(crate) unsafe fn push_bytes(state: *mut ffi::lua_State, bytes: &[u8]) {
    // SAFETY: Lua copies the bytes before it returns.
    unsafe {
        ffi::lua_pushlstring(state, bytes.as_ptr().cast(), bytes.len());
    }
}

/// Pushes what `buffer` holds and keeps its memory.
///
/// Making a string may run a step of the collector, and that a finalizer, which may use the same
/// buffer of the boundary: it must not find the one that is being read.
///
/// # Safety
///
/// `state` must have a free stack slot.
pub(crate) unsafe fn push_buffer(state: *mut ffi::lua_State, buffer: &mut Vec<u8>) {
    // When memory is out the string throws, and this memory is lost with it.
    let taken = std::mem::ManuallyDrop::new(std::mem::take(buffer));
    // SAFETY: as the caller promises.
    unsafe { push_bytes(state, &taken) };
    *buffer = std::mem::ManuallyDrop::into_inner(taken);
}

/// The bytes of the string at `index`; they stay valid while the string is on the stack.
///
/// # Safety
///
/// The value at `index` must be a string, and stay on the stack while the answer is used.
pub(crate) unsafe fn string_at<'a>(state: *mut ffi::lua_State, index: c_int) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: a string converts to itself and its bytes do not move.
    unsafe {
        let bytes = ffi::lua_tolstring(state, index, &raw mut length);
        std::slice::from_raw_parts(bytes.cast(), length)
    }
}

/// Pushes the position in the script that called into this crate, such as `app.lua:7: `, or an
/// empty string when it was no script; positions in the embedded modules tell nobody anything.
unsafe fn push_position(state: *mut ffi::lua_State) {
    const DEEPEST: c_int = 8;
    // SAFETY: each level pushes one string, and all but the last are popped.
    unsafe {
        for level in 1..DEEPEST {
            ffi::luaL_where(state, level);
            if !string_at(state, -1).starts_with(b"lycosa/") {
                return;
            }
            ffi::lua_pop(state, 1);
        }
        push_bytes(state, b"");
    }
}

/// Throws `message` as a Lua string, with the position in the script before it.
///
/// # Safety
///
/// No frame between this call and the caller's `lua_CFunction` may own anything with a destructor.
pub(crate) unsafe fn throw_text(state: *mut ffi::lua_State, message: std::fmt::Arguments<'_>) -> ! {
    use std::io::Write as _;
    // SAFETY: the text is built in memory that the boundary owns, so nothing is left to drop.
    unsafe {
        let boundary = &mut *Boundary::of(state);
        boundary.text.clear();
        // Writing into a vector cannot fail.
        let _ = boundary.text.write_fmt(message);
        push_buffer(state, &mut boundary.text);
        push_position(state);
        ffi::lua_insert(state, -2);
        ffi::lua_concat(state, 2);
        ffi::lua_error(state)
    }
}

/// A cdata value: its type and the address of its contents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cdata {
    pub(crate) type_id: u16,
    pub(crate) contents: *const u8,
}

/// The cdata at `index`.
///
/// # Safety
///
/// The value at `index` must be a cdata, and stay reachable while the answer is used.
pub(crate) unsafe fn cdata_at(state: *mut ffi::lua_State, index: c_int) -> Cdata {
    // SAFETY: LuaJIT answers with the address of the contents, which follow a 16-byte header whose
    // bytes 10 and 11 are the type identity; `state::verify_layout` checks that for each new state.
    unsafe {
        let contents = ffi::lua_topointer(state, index).cast::<u8>();
        Cdata {
            type_id: u16::from_ne_bytes([*contents.sub(6), *contents.sub(5)]),
            contents,
        }
    }
}

/// Pushes the Lua value that `reference` names.
///
/// # Safety
///
/// `state` must have a free stack slot.
pub(crate) unsafe fn push_reference(state: *mut ffi::lua_State, reference: c_int) {
    // SAFETY: reading the registry cannot fail.
    unsafe {
        ffi::lua_rawgeti(
            state,
            ffi::LUA_REGISTRYINDEX,
            ffi::lua_Integer::from(reference),
        );
    }
}
