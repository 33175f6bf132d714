//! Lycosa's engine: an in-memory, single-threaded, transactional store with cooperative fibers.
//!
//! It knows no Lua and keeps no globals. One thread owns every tuple and every index.

pub mod decimal;
pub mod error;
pub mod fiber;
pub mod index;
pub mod memory;
pub mod msgpack;
pub mod update;

pub use error::{Error, ErrorKind, Result};
