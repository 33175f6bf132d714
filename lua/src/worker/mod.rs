//! One repetition of a workload in this process: from its Lua file (`scripted`) or from Rust (`native`).

mod contract;
mod measure;
mod native;
mod scripted;

pub use contract::{
    Driver, FIBERS_MAX, IndexKind, LatencyNs, Measurement, WorkerError, WorkerOptions,
    WorkloadInfo, WorkloadOption, WorkloadSource,
};

/// The bundled workloads: name and source.
const BUNDLED: &[(&str, &str)] = &[("insert", include_str!("../../workloads/insert.lua"))];

/// Runs one repetition in this process. Call it once a process: the fiber runtime is process-wide.
pub fn run(options: &WorkerOptions) -> Result<Measurement, WorkerError> {
    match options.driver {
        Driver::Lua => scripted::run(options),
        Driver::Rust => native::run(options),
    }
}

/// The bundled workloads, in the order in which they are shown.
pub fn bundled() -> Result<Vec<WorkloadInfo>, WorkerError> {
    BUNDLED
        .iter()
        .map(|(name, _)| describe(&WorkloadSource::Bundled((*name).to_owned())))
        .collect()
}

/// Source of a bundled workload, for programs that run the same file.
pub fn bundled_source(name: &str) -> Option<&'static str> {
    let found = BUNDLED.iter().find(|(known, _)| *known == name);
    found.map(|(_, source)| *source)
}

/// The script that drives a workload under a real Tarantool; the same one drives it here.
pub const TARANTOOL_DRIVER: &str = scripted::DRIVER;

/// Whether `LuaJIT`'s compiler works in this binary, on this machine.
pub fn has_jit() -> bool {
    let is_on = crate::state::new_state(true)
        .and_then(|lua| lua.load("return (jit.status())").eval::<bool>());
    is_on.unwrap_or(false)
}

/// Loads a workload without running it: its help and options, or what is wrong with it.
pub fn describe(source: &WorkloadSource) -> Result<WorkloadInfo, WorkerError> {
    scripted::describe(source)
}
