//! One repetition of a workload in this process: from its Lua file (`scripted`) or from Rust
//! (`native`); or the search for the memory `wall`.

mod contract;
mod description;
mod intervals;
mod luajit;
mod measure;
mod native;
mod readings;
pub mod resources;
mod scripted;
mod stopping;
mod wall;

pub use contract::{
    Driver, FIBERS_MAX, IndexKind, LatencyNs, Measurement, Sample, WorkerError, WorkerOptions,
    WorkloadDefaults, WorkloadInfo, WorkloadOption, WorkloadSource,
};
pub use luajit::{LuaJit, MachineCode, luajit};
pub use resources::Resources;
pub use stopping::{Phase, phase, stop};
pub use wall::{AtQuota, WallCurve, WallEnding, WallOptions, WallStep, wall};

/// The bundled workloads: name and source.
const BUNDLED: &[(&str, &str)] = &[
    ("insert", include_str!("../../workloads/insert.lua")),
    ("tpcb", include_str!("../../workloads/tpcb.lua")),
    ("ycsb", include_str!("../../workloads/ycsb.lua")),
    ("mixed", include_str!("../../workloads/mixed.lua")),
    ("kv", include_str!("../../workloads/kv.lua")),
    ("tpcc", include_str!("../../workloads/tpcc.lua")),
    ("queue", include_str!("../../workloads/queue.lua")),
];

/// Runs one repetition in this process. Call it once a process: the fiber runtime is process-wide.
///
/// `place` runs first on the transaction thread, which is another than the caller's: what a system
/// says of threads must be said there. An error of its is the repetition's. `listen` hears of each
/// interval when it ends, on the same thread.
pub fn run<P, L>(options: &WorkerOptions, place: P, listen: L) -> Result<Measurement, WorkerError>
where
    P: FnOnce() -> Result<(), String> + Send + 'static,
    L: FnMut(&Sample) + Send + 'static,
{
    let place = move || {
        place().map_err(|message| WorkerError::Usage {
            message,
            suggestion: None,
        })
    };
    match options.driver {
        Driver::Lua => scripted::run(options, place, listen),
        Driver::Rust => native::run(options, place, listen),
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

/// Modules that the driver and workloads require and Tarantool lacks: path below the driver's folder,
/// and source.
pub const TARANTOOL_MODULES: &[(&str, &str)] = &[
    (
        "lycosa/checksum.lua",
        include_str!("../../workloads/lycosa/checksum.lua"),
    ),
    (
        "lycosa/random.lua",
        include_str!("../../workloads/lycosa/random.lua"),
    ),
    (
        "lycosa/histogram.lua",
        include_str!("../../workloads/lycosa/histogram.lua"),
    ),
    (
        "lycosa/schedule.lua",
        include_str!("../../workloads/lycosa/schedule.lua"),
    ),
    (
        "lycosa/series.lua",
        include_str!("../../workloads/lycosa/series.lua"),
    ),
];

/// Loads a workload without running it: its help and options, or what is wrong with it.
pub fn describe(source: &WorkloadSource) -> Result<WorkloadInfo, WorkerError> {
    scripted::describe(source)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    fn options(driver: Driver) -> WorkerOptions {
        WorkerOptions {
            workload: WorkloadSource::Bundled(String::from("insert")),
            records: 10,
            fibers: 1,
            ops_per_txn: 1,
            index: IndexKind::Tree,
            driver,
            jit: true,
            memory_bytes: 16 << 20,
            seed: 1,
            settings: Vec::new(),
            duration_s: None,
            warmup_s: 0.0,
            rate_per_s: None,
            report_interval_s: None,
            limit_memory_bytes: None,
            unit: None,
        }
    }

    #[test]
    fn the_thread_is_placed_on_itself_before_it_works() {
        for driver in [Driver::Lua, Driver::Rust] {
            let (sender, placed) = mpsc::channel();
            let place = move || {
                sender
                    .send(thread::current().id())
                    .map_err(|e| e.to_string())
            };
            assert_eq!(run(&options(driver), place, |_| {}).unwrap().ops, 10);
            assert_ne!(placed.recv(), Ok(thread::current().id()));
        }
    }

    #[test]
    fn where_the_thread_cannot_be_placed_nothing_runs() {
        for driver in [Driver::Lua, Driver::Rust] {
            let refused = run(
                &options(driver),
                || Err(String::from("no such cores")),
                |_| {},
            );
            assert_eq!(
                refused,
                Err(WorkerError::Usage {
                    message: String::from("no such cores"),
                    suggestion: None,
                })
            );
        }
    }
}
