//! Commands that only tell something: `workloads`, `env`, `completions`.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;
use lycosa_lua::worker::{self, LuaJit, WorkloadInfo};

use super::arguments::Arguments;
use super::measuring::width;
use super::{Exit, Failure};
use crate::environment::{self, Context};
use crate::quantity::short_count;
use crate::report;
use crate::report::page::Page;
use crate::state::selftest::{self, Known};

/// Lists the bundled workloads.
pub(crate) fn workloads() -> Result<Exit, Failure> {
    let mut out = anstream::stdout();
    for info in worker::bundled().map_err(anyhow::Error::from)? {
        write_workload(&mut out, &info)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn write_workload(out: &mut dyn Write, info: &WorkloadInfo) -> io::Result<()> {
    writeln!(out, "{:<14}{}", info.name, info.help)?;
    for option in &info.options {
        let setting = format!("--set {}={}", option.name, option.default);
        writeln!(out, "    {setting:<25} {}", option.help)?;
    }
    let defaults = [
        ("records", info.defaults.records),
        ("ops-per-txn", info.defaults.ops_per_txn.map(u64::from)),
    ];
    for (name, value) in defaults {
        if let Some(value) = value {
            let noun = info.unit.as_deref().unwrap_or("operations");
            let what = match name {
                "records" => "in all",
                _ => "committed together",
            };
            let option = format!("--{name} {}", short_count(value));
            writeln!(out, "    {option:<25} {noun} {what}, unless told otherwise")?;
        }
    }
    Ok(())
}

/// Shows the context block of results.
pub(crate) fn env(json: bool) -> Result<Exit, Failure> {
    let facts = environment::facts();
    let runs_machine_code = |luajit: &LuaJit| luajit.jit && luajit.machine_code.is_some();
    let mut context = Context {
        jit: facts.luajit.as_ref().map(runs_machine_code),
        conditions: environment::conditions(),
        ..environment::context(&facts)
    };
    if let Known::Fresh(floor) = selftest::known(&context) {
        context.noise_floor = Some(floor);
    }
    let mut out = anstream::stdout();
    if json {
        let text = serde_json::to_string_pretty(&context).map_err(anyhow::Error::from)?;
        writeln!(out, "{text}")?;
    } else {
        report::environment::environment(&mut Page::new(&mut out, width()), &context)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// Prints completions; into memory first, since the generator panics on a closed pipe.
pub(crate) fn completions(shell: Shell) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "lycosa", &mut text);
    let mut out = io::stdout().lock();
    out.write_all(&text)?;
    out.flush()?;
    Ok(Exit::Done)
}
