//! Commands that only tell something: `workloads`, `env`, `completions`.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;
use lycosa_lua::worker::{self, WorkloadInfo};

use super::arguments::Arguments;
use super::{Exit, Failure};
use crate::environment::{self, Context};
use crate::report::terminal::architecture;

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
        writeln!(out, "    {setting:<26}{}", option.help)?;
    }
    Ok(())
}

/// Shows the context block of results.
pub(crate) fn env(json: bool) -> Result<Exit, Failure> {
    let mut context = environment::context(&environment::facts());
    context.jit = Some(worker::has_jit());
    let mut out = anstream::stdout();
    if json {
        let text = serde_json::to_string_pretty(&context).map_err(anyhow::Error::from)?;
        writeln!(out, "{text}")?;
    } else {
        write_context(&mut out, &context)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn write_context(out: &mut dyn Write, context: &Context) -> io::Result<()> {
    let load: Vec<String> = context
        .load_average
        .iter()
        .map(|load| format!("{load:.2}"))
        .collect();
    let version = format!(
        "{} ({}, {} build)",
        context.lycosa_version, context.git_revision, context.profile
    );
    for (label, value) in [
        ("date", context.date.as_str()),
        ("host", &context.host_name),
        ("system", &context.os),
        ("chip", &context.cpu),
        ("architecture", &architecture(context)),
        (
            "JIT",
            if context.jit == Some(true) {
                "on"
            } else {
                "off"
            },
        ),
        ("load", &load.join(" ")),
        ("lycosa", &version),
        ("compiler", &context.rustc),
    ] {
        writeln!(out, "{label:<14}{value}")?;
    }
    Ok(())
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
