//! `lycosa`: in-memory transactional benchmark, scripted in Lua.
//!
//! This binary knows the command line, starts worker processes of itself, and does statistics and
//! reports. What a worker does is [`lycosa_lua`]'s business.

mod cli;
mod environment;
mod interrupt;
mod progress;
mod quantity;
mod report;
mod schedule;
mod statistics;
mod worker;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
