//! A workload from its Lua file: loads it, describes it, and runs it through `workloads/run.lua`.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use mlua::{Lua, Table, Value};

use super::contract::{
    LatencyNs, Measurement, Sample, WorkerError, WorkerOptions, WorkloadInfo, WorkloadSource,
};
use super::description::info_of;
use super::measure::{Latencies, peak_rss_bytes};
use super::readings::Readings;
use super::resources::Resources;
use super::stopping::{self, Phase};
use crate::{runtime, state};

pub(super) const DRIVER: &str = include_str!("../../workloads/run.lua");

/// Memory for a workload that is only looked at.
const DESCRIBE_MEMORY_BYTES: usize = 16 << 20;

pub(super) fn run<P, L>(
    options: &WorkerOptions,
    place: P,
    listen: L,
) -> Result<Measurement, WorkerError>
where
    P: FnOnce() -> Result<(), WorkerError> + Send + 'static,
    L: FnMut(&Sample) + Send + 'static,
{
    let owned = options.clone();
    let outcome = runtime::run(
        options.jit,
        options.memory_bytes as usize,
        move |lua, _engine| {
            place()?;
            let readings = Rc::new(RefCell::new(Readings::new(Box::new(listen))));
            let result = run_in_main_fiber(lua, &owned, &readings);
            // Printed lines must not wait in Lua's buffer when the answer is given.
            let _ = lua.load("io.stdout:flush()").exec();
            result
        },
    );
    outcome.unwrap_or_else(|error| Err(broken(&error)))
}

pub(super) fn describe(source: &WorkloadSource) -> Result<WorkloadInfo, WorkerError> {
    let source = source.clone();
    let outcome = runtime::run(false, DESCRIBE_MEMORY_BYTES, move |lua, _engine| {
        let workload = load(lua, &source)?;
        info_of(&source, &workload)
    });
    outcome.unwrap_or_else(|error| Err(broken(&error)))
}

pub(super) fn broken(error: &dyn std::error::Error) -> WorkerError {
    plain(error.to_string())
}

pub(super) fn plain(message: String) -> WorkerError {
    WorkerError::Workload {
        message,
        hook: None,
        fiber: None,
        traceback: Vec::new(),
    }
}

/// The text of an error that mlua caught, without its own additions.
pub(super) fn text_of(error: &mlua::Error) -> String {
    match error {
        mlua::Error::SyntaxError { message, .. } => message.clone(),
        mlua::Error::RuntimeError(message) => message.lines().next().unwrap_or_default().to_owned(),
        other => other.to_string(),
    }
}

/// Runs the workload's file and answers with the table that it returns.
fn load(lua: &Lua, source: &WorkloadSource) -> Result<Table, WorkerError> {
    let (name, text) = match source {
        WorkloadSource::Bundled(name) => match super::bundled_source(name) {
            Some(text) => (format!("@{name}.lua"), text.as_bytes().to_vec()),
            None => return Err(plain(format!("`{name}` is not a bundled workload"))),
        },
        WorkloadSource::File(path) => (format!("@{}", path.display()), read(path)?),
    };
    let value: Value = lua
        .load(text)
        .set_name(&name)
        // Bytecode from a file could do anything to the process.
        .set_mode(mlua::chunk::ChunkMode::Text)
        .eval()
        .map_err(|error| plain(text_of(&error)))?;
    let file = &name[1..];
    let Value::Table(workload) = value else {
        return Err(plain(format!(
            "{file} does not return a table of hooks; end it with `return workload`"
        )));
    };
    if !matches!(workload.get::<Value>("transaction"), Ok(Value::Function(_))) {
        return Err(plain(format!(
            "{file} has no function `transaction(ctx, fiber_id, n, first)`"
        )));
    }
    for hook in ["check", "prepare", "verify", "cleanup"] {
        if !matches!(
            workload.get::<Value>(hook),
            Ok(Value::Function(_) | Value::Nil)
        ) {
            return Err(plain(format!("{file}: `{hook}` is not a function")));
        }
    }
    Ok(workload)
}

fn read(path: &Path) -> Result<Vec<u8>, WorkerError> {
    std::fs::read(path).map_err(|error| plain(format!("{}: {error}", path.display())))
}

fn run_in_main_fiber(
    lua: &Lua,
    options: &WorkerOptions,
    readings: &Rc<RefCell<Readings>>,
) -> Result<Measurement, WorkerError> {
    let lua_failed = |error: mlua::Error| plain(text_of(&error));
    let workload = load(lua, &options.workload)?;
    check_settings(&info_of(&options.workload, &workload)?, options)?;
    let before = state::jit_counters(lua).map_err(lua_failed)?;
    let argument = arguments(lua, options, workload, readings).map_err(lua_failed)?;
    let (measured, failure): (Value, Value) = lua
        .load(DRIVER)
        .set_name("@lycosa/run.lua")
        .call(argument)
        .map_err(lua_failed)?;
    let after = state::jit_counters(lua).map_err(lua_failed)?;
    let Value::Table(measured) = measured else {
        return Err(explain(&failure, options));
    };
    let jit = options.jit && lua.load("return (jit.status())").eval().unwrap_or(false);
    let mut measurement = collect(&measured).map_err(lua_failed)?;
    if !options.is_by_time() && measurement.ops != options.records {
        let message = format!(
            "{} operations were done, not {}",
            measurement.ops, options.records
        );
        return Err(WorkerError::Verification { message });
    }
    measurement.jit = jit;
    measurement.jit_traces = after.traces - before.traces;
    measurement.jit_aborts = after.aborts - before.aborts;
    (measurement.resources, measurement.series) = readings.borrow_mut().take();
    Ok(measurement)
}

fn check_settings(info: &WorkloadInfo, options: &WorkerOptions) -> Result<(), WorkerError> {
    for (name, _) in &options.settings {
        if !info.options.iter().any(|option| option.name == *name) {
            let message = format!("workload `{}` has no option `{name}`", info.name);
            return Err(WorkerError::Usage {
                message,
                suggestion: None,
            });
        }
    }
    Ok(())
}

/// Calls `box.cfg` for a process that measures.
pub(super) fn configure(lua: &Lua, memory_bytes: u64) -> mlua::Result<()> {
    let cfg: mlua::Function = lua.globals().get::<Table>("box")?.get("cfg")?;
    let settings = lua.create_table()?;
    settings.set("memtx_memory", memory_bytes as f64)?;
    settings.set("wal_mode", "none")?;
    // Its lines would stand between those of the report.
    settings.set("log_level", "warn")?;
    cfg.call::<()>(settings)
}

/// The argument of the driver.
fn arguments(
    lua: &Lua,
    options: &WorkerOptions,
    workload: Table,
    readings: &Rc<RefCell<Readings>>,
) -> mlua::Result<Table> {
    configure(lua, options.memory_bytes)?;
    let ctx = lua.create_table()?;
    if !options.is_by_time() {
        ctx.set("records", options.records)?;
    }
    ctx.set("fibers", options.fibers)?;
    ctx.set("ops_per_txn", options.ops_per_txn)?;
    ctx.set("index", options.index.name())?;
    ctx.set("seed", options.seed as f64)?;
    let settings = lua.create_table()?;
    for (name, value) in &options.settings {
        settings.set(name.as_str(), value.as_str())?;
    }
    let pace = lua.create_table()?;
    pace.set("duration_s", options.duration_s)?;
    pace.set("warmup_s", options.warmup_s)?;
    pace.set("rate_per_s", options.rate_per_s)?;
    pace.set("report_interval_s", options.report_interval_s)?;
    let argument = lua.create_table()?;
    argument.set("workload", workload)?;
    argument.set("ctx", ctx)?;
    argument.set("settings", settings)?;
    argument.set("pace", pace)?;
    argument.set("host", host(lua, readings)?)?;
    Ok(argument)
}

/// What the driver asks of the process.
fn host(lua: &Lua, readings: &Rc<RefCell<Readings>>) -> mlua::Result<Table> {
    let host = lua.create_table()?;
    host.set(
        "peak_rss_bytes",
        lua.create_function(|_, ()| Ok(peak_rss_bytes() as f64))?,
    )?;
    host.set(
        "enter",
        lua.create_function(|_, phase: String| {
            stopping::enter(match phase.as_str() {
                "transactions" => Phase::Transactions,
                _ => Phase::Verification,
            });
            Ok(())
        })?,
    )?;
    host.set("stop", mlua::LightUserData(stopping::address()))?;
    add_readings(lua, &host, readings)?;
    Ok(host)
}

/// What reads resources: at the beginning, behind each interval, at the end.
fn add_readings(lua: &Lua, host: &Table, readings: &Rc<RefCell<Readings>>) -> mlua::Result<()> {
    let shared = Rc::clone(readings);
    let begin = lua.create_function(move |_, ()| {
        shared.borrow_mut().begin();
        Ok(())
    })?;
    let shared = Rc::clone(readings);
    let sample = lua.create_function(move |_, (sample, levels): (Table, Table)| {
        let (sample, levels) = (sample_of(&sample)?, levels_of(&levels)?);
        shared.borrow_mut().sample(sample, &levels);
        Ok(())
    })?;
    let shared = Rc::clone(readings);
    let finish = lua.create_function(move |_, levels: Table| {
        shared.borrow_mut().finish(&levels_of(&levels)?);
        Ok(())
    })?;
    host.set("begin", begin)?;
    host.set("sample", sample)?;
    host.set("finish", finish)
}

/// Lua counts in floating-point numbers.
fn count_of(table: &Table, name: &str) -> mlua::Result<u64> {
    Ok(table.get::<f64>(name)? as u64)
}

fn sample_of(sample: &Table) -> mlua::Result<Sample> {
    let latency: Table = sample.get("txn_latency_ns")?;
    let percentile = |name| count_of(&latency, name);
    Ok(Sample {
        t_s: sample.get("t_s")?,
        interval_s: sample.get("interval_s")?,
        ops: count_of(sample, "ops")?,
        txn_latency_ns: LatencyNs {
            p50: percentile("p50")?,
            p95: percentile("p95")?,
            p99: percentile("p99")?,
            p999: percentile("p999")?,
            max: percentile("max")?,
            count: percentile("count")?,
        },
        resources: None,
    })
}

fn levels_of(levels: &Table) -> mlua::Result<Resources> {
    Ok(Resources {
        lua_heap_bytes: Some(count_of(levels, "lua_heap_bytes")?),
        quota_used_bytes: Some(count_of(levels, "quota_used_bytes")?),
        index_bytes: Some(count_of(levels, "index_bytes")?),
        tuple_bytes: Some(count_of(levels, "tuple_bytes")?),
        ..Resources::default()
    })
}

/// Latencies of a run by the clock, from the driver's histogram.
fn of_histogram(histogram: &Table) -> mlua::Result<Latencies> {
    let counts: mlua::LuaString = histogram.get("counts")?;
    let bytes = counts.as_bytes();
    let counts = bytes.as_chunks::<8>().0.iter();
    let counts = counts.map(|chunk| f64::from_ne_bytes(*chunk) as u64);
    Ok(Latencies::of_buckets(
        counts,
        histogram.get::<f64>("max")? as u64,
    ))
}

fn collect(measured: &Table) -> mlua::Result<Measurement> {
    let latencies = if let Some(histogram) = measured.get::<Option<Table>>("histogram")? {
        of_histogram(&histogram)?
    } else {
        let raw: mlua::LuaString = measured.get("latencies")?;
        Latencies::of_native_words(&raw.as_bytes())
    };
    let corrected = measured.get::<Option<Table>>("corrected")?;
    let corrected = corrected.as_ref().map(of_histogram).transpose()?;
    Ok(Measurement {
        wall_s: measured.get("wall_s")?,
        cpu_s: measured.get("cpu_s")?,
        ops: measured.get::<f64>("ops")? as u64,
        peak_rss_bytes: measured.get::<f64>("peak_rss_bytes")? as u64,
        bytes_per_record: measured.get("bytes_per_record")?,
        checksum: measured
            .get::<Option<String>>("checksum")?
            .unwrap_or_default(),
        txn_latency_ns: latencies.percentiles(),
        txn_latency_histogram: latencies.encoded(),
        jit_traces: 0,
        jit_aborts: 0,
        binary_arch: std::env::consts::ARCH.to_owned(),
        jit: false,
        resources: None,
        series: Vec::new(),
        txn_latency_corrected_ns: corrected.as_ref().map(Latencies::percentiles),
        txn_latency_corrected_histogram: corrected
            .as_ref()
            .map(Latencies::encoded)
            .unwrap_or_default(),
        backlog_ops: measured
            .get::<Option<f64>>("backlog_ops")?
            .map(|ops| ops as u64),
    })
}

/// The failure that the driver answers with.
fn explain(failure: &Value, options: &WorkerOptions) -> WorkerError {
    let Value::Table(failure) = failure else {
        return plain(String::from("the driver gave no answer"));
    };
    let text = |name: &str| failure.get::<Option<String>>(name).ok().flatten();
    let message = text("message").unwrap_or_default();
    match text("kind").as_deref() {
        Some("usage") => WorkerError::Usage {
            message,
            suggestion: None,
        },
        // Elsewhere the operations done say nothing of where the quota was reached.
        Some("memory") if text("hook").as_deref() == Some("transaction") => WorkerError::Memory {
            quota_bytes: options.memory_bytes,
            records_done: failure.get::<f64>("records_done").unwrap_or(0.0) as u64,
            records: options.records,
        },
        Some("memory") => WorkerError::MemoryOf {
            quota_bytes: options.memory_bytes,
            hook: text("hook").unwrap_or_default(),
            traceback: frames_of(&text("traceback").unwrap_or_default()),
        },
        Some("stopped") => WorkerError::Stopped {
            done_ops: failure.get::<f64>("done_ops").unwrap_or(0.0) as u64,
            is_verified: failure.get("is_verified").unwrap_or(false),
        },
        Some("verification") => WorkerError::Verification { message },
        _ => {
            let traceback = frames_of(&text("traceback").unwrap_or_default());
            WorkerError::Workload {
                message: located(message, &traceback),
                hook: text("hook"),
                fiber: text("fiber"),
                traceback,
            }
        }
    }
}

/// The message with the file and line of the first frame in front, where it has none: Lua puts them
/// before texts, not before error objects.
fn located(message: String, traceback: &[String]) -> String {
    match traceback
        .first()
        .and_then(|frame| frame.split_once(": in "))
    {
        Some((place, _)) if !message.starts_with(place.split(':').next().unwrap_or(place)) => {
            format!("{place}: {message}")
        }
        _ => message,
    }
}

/// The frames of a traceback down to the workload's hook; those of the driver under it say nothing.
fn frames_of(traceback: &str) -> Vec<String> {
    traceback
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && *line != "stack traceback:")
        .take_while(|line| {
            !line.starts_with("lycosa/run.lua") && *line != "[C]: in function 'xpcall'"
        })
        // What stands above the workload's own frames is how this program raises errors.
        .skip_while(|line| {
            ["lycosa/", "fiber.lua:", "[C]:"]
                .iter()
                .any(|own| line.starts_with(own))
        })
        .map(str::to_owned)
        .collect()
}
