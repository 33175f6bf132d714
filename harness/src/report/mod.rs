//! What a run's figures come to, and the forms in which they are told.

pub(crate) mod failure;
pub(crate) mod json;
pub(crate) mod latency;
pub(crate) mod page;
pub(crate) mod saving;
pub(crate) mod terminal;

use lycosa_lua::worker::{LatencyNs, Measurement, WorkerOptions, WorkloadSource};

use crate::schedule::Run;
use crate::statistics::{self, Summary};
use latency::LatencyError;

/// Figures of the counted repetitions, taken together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figures {
    /// Repetitions counted.
    pub(crate) n: usize,
    /// Wall-clock time, in seconds.
    pub(crate) wall_s: Summary,
    /// Operations a second at the median time.
    pub(crate) ops_per_s: f64,
    /// Median CPU time, in seconds.
    pub(crate) cpu_s: f64,
    /// Largest resident memory of any repetition.
    pub(crate) peak_rss_bytes: u64,
    /// Median of tuple and index memory over records.
    pub(crate) bytes_per_record: f64,
    /// Latency over every transaction.
    pub(crate) txn_latency_ns: LatencyNs,
    /// Relative change from the first to the last third, if it is more than noise.
    pub(crate) drift: Option<f64>,
    /// Repetitions (from 1) far from the median, with their relative distance.
    pub(crate) outliers: Vec<(u32, f64)>,
}

/// Figures of the counted ones among `runs`; `None` if there are none.
pub(crate) fn figures(runs: &[Run]) -> Result<Option<Figures>, LatencyError> {
    let counted: Vec<&Run> = runs.iter().filter(|run| !run.slot.cold).collect();
    let column = |value: fn(&Measurement) -> f64| -> Vec<f64> {
        counted.iter().map(|run| value(&run.measurement)).collect()
    };
    let times = column(|measurement| measurement.wall_s);
    let Some(wall_s) = statistics::summarize(&times) else {
        return Ok(None);
    };
    let median = |value| statistics::median(&column(value)).unwrap_or(0.0);
    let outliers = statistics::outliers(&times)
        .into_iter()
        .map(|at| (counted[at].slot.repetition, times[at] / wall_s.median - 1.0))
        .collect();
    Ok(Some(Figures {
        n: counted.len(),
        wall_s,
        ops_per_s: per_second(median(|measurement| measurement.ops as f64), wall_s.median),
        cpu_s: median(|measurement| measurement.cpu_s),
        peak_rss_bytes: counted
            .iter()
            .map(|run| run.measurement.peak_rss_bytes)
            .max()
            .unwrap_or(0),
        bytes_per_record: median(|measurement| measurement.bytes_per_record),
        txn_latency_ns: latency::merge(counted.iter().map(|run| &run.measurement))?,
        drift: statistics::drift(&times),
        outliers,
    }))
}

/// A rate; 0 where no time passed, since JSON has no infinity.
pub(crate) fn per_second(ops: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { ops / seconds } else { 0.0 }
}

/// Name of a workload in results: the bundled one's, or the file's without its folders.
pub(crate) fn workload_name(source: &WorkloadSource) -> String {
    match source {
        WorkloadSource::Bundled(name) => name.clone(),
        WorkloadSource::File(path) => path.file_name().map_or_else(
            || path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        ),
    }
}

/// What the workload's operations are called.
pub(crate) fn operation_noun(options: &WorkerOptions) -> &'static str {
    match &options.workload {
        WorkloadSource::Bundled(name) if name == "insert" => "inserts",
        _ => "operations",
    }
}

/// Made-up options and runs for tests of the reports.
#[cfg(test)]
pub(crate) mod testing {
    use lycosa_lua::worker::{Driver, IndexKind, WorkerOptions, WorkloadSource};

    use crate::schedule::{Run, Slot};
    use crate::worker::testing::measurement;

    /// The defining run.
    pub(crate) fn options() -> WorkerOptions {
        WorkerOptions {
            workload: WorkloadSource::Bundled(String::from("insert")),
            records: 1_000_000,
            fibers: 50,
            ops_per_txn: 100,
            index: IndexKind::Tree,
            driver: Driver::Lua,
            jit: true,
            memory_bytes: 4 << 30,
            seed: 1,
            settings: vec![(String::from("payload"), String::from("short"))],
        }
    }

    /// One cold repetition and one counted one for each time.
    pub(crate) fn runs(walls: &[f64]) -> Vec<Run> {
        let run = |cold, repetition, wall_s| Run {
            slot: Slot { cold, repetition },
            measurement: measurement(wall_s),
        };
        std::iter::once(run(true, 1, 0.131))
            .chain(
                (1..)
                    .zip(walls)
                    .map(|(number, wall)| run(false, number, *wall)),
            )
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counted_repetitions_make_the_figures() {
        let figures = figures(&testing::runs(&[0.1, 0.3, 0.2])).unwrap().unwrap();
        assert_eq!(figures.n, 3);
        assert!((figures.wall_s.median - 0.2).abs() < 1e-12);
        assert!((figures.ops_per_s - 5_000.0).abs() < 1e-6);
        assert_eq!(figures.txn_latency_ns.count, 6);
    }

    #[test]
    fn with_only_a_cold_repetition_there_are_no_figures() {
        assert_eq!(figures(&testing::runs(&[])).unwrap(), None);
    }

    #[test]
    fn a_rate_over_no_time_is_a_number() {
        assert!(per_second(5.0, 0.0).abs() < f64::EPSILON);
    }
}
