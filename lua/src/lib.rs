//! `LuaJIT` with Tarantool's `box`, `fiber`, `clock` and their like on [`lycosa_engine`], and the
//! worker that runs one repetition of a workload.

mod box_system;
pub mod clock;
pub mod database;
pub mod decode;
mod decode_cursor;
pub mod encode;
pub mod encode_buffer;
pub mod error;
pub mod exec;
pub mod fiber;
pub mod json;
mod json_decode;
mod library;
pub mod log;
mod msgpack;
pub mod runtime;
mod serializer;
pub mod state;
pub mod state_boundary;
pub mod tuple;
mod tuple_path;
pub mod tuple_text;
mod values;
pub mod worker;
