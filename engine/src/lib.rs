//! Lycosa's engine: an in-memory, single-threaded, transactional store with cooperative fibers.
//!
//! It knows no Lua and keeps no globals. One thread owns every tuple and every index.

pub mod database;
pub mod datetime;
pub mod decimal;
pub mod engine;
pub mod error;
mod error_field;
pub mod fiber;
pub mod general_number;
pub mod index;
pub mod memory;
pub mod msgpack;
pub mod schema;
pub mod statistics;
pub mod tuple;
pub mod update;

mod prefetch;
mod space;
mod transaction;

pub use database::{
    Cursor, Database, DatabaseOptions, FIRST_USER_SPACE_ID, ReadView, RowChange, Select, Sequence,
    SequenceDefinition, SpaceAlteration, SpaceOptions, SpaceRowChange, StatementEnd,
};
pub use engine::{Engine, EngineOptions, SharedDatabase};
pub use error::{Error, ErrorKind, Result};
pub use error_field::{ErrorField, ErrorTuple};
pub use index::{IndexOptions, IndexType, IteratorType};
pub use space::Space;
pub use transaction::Savepoint;
