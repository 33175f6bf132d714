//! `lycosa`: in-memory transactional benchmark, scripted in Lua.
//!
//! This binary knows the command line, starts worker processes of itself, and does statistics and
//! reports. What a worker does is [`lycosa_lua`]'s business.

mod arms;
mod axes;
mod cli;
mod comparison;
mod cost;
mod environment;
mod interrupt;
mod pace;
mod progress;
mod quantity;
mod range;
mod report;
mod result;
mod schedule;
mod session;
mod state;
mod statistics;
mod suggestion;
mod worker;

use std::process::ExitCode;

/// One allocator on every system: Lua's collector frees as many objects as the workload makes, and
/// the systems' own allocators differ in how much that costs. It does not ask Linux for transparent
/// huge pages: whether they come depends on what ran before, which is no way to repeat a figure.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::main()
}
