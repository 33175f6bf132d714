//! `box` on the engine's database: what Lua's modules call, and the switch of transactions with
//! fibers.
//!
//! Statements and reads are FFI functions ([`statements`], [`reads`]): they take plain pointers,
//! leave their result or error where Lua picks it up, and never yield, throw or enter Lua. Changes
//! of the schema ([`schema`]) are cold and go through mlua.

mod reads;
mod schema;
mod statements;

use lycosa_engine::{Cursor, Engine, Error, ErrorKind, Savepoint, SharedDatabase};
use mlua::Lua;

use crate::error::PendingError;
use crate::state::{address, load_module, with_boundary};
use crate::state_boundary::Boundary;

/// What the FFI functions work on; Lua reads the leading fields as `struct lycosa_result`.
#[repr(C)]
pub(crate) struct Context {
    /// The tuple that the last call answers with; valid while `serial` stays.
    data: *const u8,
    size: u32,
    /// Grows with every call that may change or answer with a tuple.
    serial: u32,
    /// A number that the last call answers with.
    number: f64,
    database: SharedDatabase,
    boundary: *mut Boundary,
    /// A key or position that is kept while something else is encoded.
    held: Vec<u8>,
    held_serial: u32,
    /// A result that owns its bytes: a deleted tuple, a position.
    owned: Vec<u8>,
    owned_serial: u32,
    /// Whether the call that the result is of has yet to copy it.
    owned_waits: bool,
    /// Results of interrupted calls, by serial.
    waiting: Vec<(u32, Vec<u8>)>,
    /// Tuples of the last select, until Lua has copied them.
    selected: Vec<lycosa_engine::tuple::Tuple>,
    selected_serial: u32,
    /// Open iterations by number; `free` lists the numbers to use again.
    cursors: Vec<Option<Cursor>>,
    free: Vec<u32>,
    /// Savepoints of Lua objects, by number; forgotten at the end of their transaction.
    savepoints: Vec<Savepoint>,
}

impl Context {
    /// Answers with a failure and leaves the error for Lua.
    #[cold]
    fn fail(&mut self, error: &Error) -> i32 {
        // SAFETY: the boundary lives as long as the Lua state, whose code is calling.
        unsafe { (*self.boundary).set_error(pending(error)) };
        -1
    }

    /// Turns an outcome into the status that Lua checks: negative for a failure.
    #[inline]
    fn status(&mut self, outcome: Result<i32, Error>) -> i32 {
        match outcome {
            Ok(status) => status,
            Err(error) => self.fail(&error),
        }
    }
}

/// The error object's parts.
pub(crate) fn pending(error: &Error) -> PendingError {
    let kind = match error.kind() {
        ErrorKind::MemoryIssue { .. } => "OutOfMemory",
        _ => "ClientError",
    };
    let payload = match error.kind() {
        ErrorKind::TupleFound { index, space, .. } => {
            vec![
                (String::from("index"), index.clone()),
                (String::from("space"), space.clone()),
            ]
        }
        ErrorKind::NoSuchSpace { space } | ErrorKind::SpaceExists { space } => {
            vec![(String::from("space"), space.clone())]
        }
        _ => Vec::new(),
    };
    PendingError {
        code: error.code(),
        kind,
        message: error.to_string(),
        payload,
    }
}

/// Frees the context with the application data of its state.
struct Owner(*mut Context);

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: the pointer came from a box, is dropped once, and the state is closed by now.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Fills `box` with everything that stands on the engine's database.
pub fn install(lua: &Lua, engine: &Engine) -> mlua::Result<()> {
    let database = engine.shared();
    let boundary = with_boundary(lua, std::ptr::from_mut)?;
    let context = Box::into_raw(Box::new(Context {
        data: std::ptr::null(),
        size: 0,
        serial: 0,
        number: 0.0,
        database: database.clone(),
        boundary,
        held: Vec::new(),
        held_serial: 0,
        owned: Vec::new(),
        owned_serial: 0,
        owned_waits: false,
        waiting: Vec::new(),
        selected: Vec::new(),
        selected_serial: 0,
        cursors: Vec::new(),
        free: Vec::new(),
        savepoints: Vec::new(),
    }));
    lua.set_app_data(Owner(context));

    let native = lua.create_table()?;
    native.set("context", address(context))?;
    native.set("version", env!("CARGO_PKG_VERSION"))?;
    native.set("pid", std::process::id())?;
    statements::install(lua, &native)?;
    reads::install(lua, &native)?;
    schema::install(lua, &native, &database, context)?;
    load_module(
        lua,
        "database",
        include_str!("../../modules/database.lua"),
        &native,
    )?;
    load_module(
        lua,
        "space",
        include_str!("../../modules/space.lua"),
        &native,
    )?;
    load_module(
        lua,
        "schema",
        include_str!("../../modules/schema.lua"),
        &native,
    )?;
    load_module(lua, "cfg", include_str!("../../modules/cfg.lua"), &native)?;
    Ok(())
}
