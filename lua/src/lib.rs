//! `LuaJIT` with Tarantool's `box`, `fiber`, `clock` and their like on [`lycosa_engine`], and the
//! worker that runs one repetition of a workload.

pub mod exec;
pub mod fiber;
pub mod worker;
