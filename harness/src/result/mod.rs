//! Results: what is kept of a measurement, in memory and in files. Files are JSON of a stable shape:
//! fields are added, never renamed or removed; what an older version did not write has a default.

pub(crate) mod binary;
pub(crate) mod file;
pub(crate) mod latency;
mod lock;
pub(crate) mod plan;
pub(crate) mod resources;
pub(crate) mod run;
pub(crate) mod saving;
pub(crate) mod summary;
pub(crate) mod wall;

use serde::{Deserialize, Serialize};

use crate::environment::Context;
use crate::schedule::Ending;
pub(crate) use run::{Place, Point, Run, Surroundings};

/// Everything that repetitions brought so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Record {
    /// The arms that have answered, in order of their first answer.
    pub(crate) arms: Vec<ArmRecord>,
    /// Repetitions that gave figures, void ones too, in order of time.
    pub(crate) runs: Vec<Run>,
}

impl Record {
    /// Counted runs of an arm at a point of the plan, in order of time.
    pub(crate) fn counted<'a>(&'a self, arm: &'a str, point: &'a Point) -> Vec<&'a Run> {
        self.runs
            .iter()
            .filter(|run| run.is_counted() && run.arm == arm && run.shared_point() == point)
            .collect()
    }
}

/// What ran under the name of an arm, by its own account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ArmRecord {
    /// Name, as in `runs`.
    pub(crate) name: String,
    /// Command that started its first worker, without what is the worker's own.
    #[serde(default)]
    pub(crate) command: Vec<String>,
    /// Machine and build as a worker of this arm saw them; null for other programs.
    #[serde(default)]
    pub(crate) context: Option<Context>,
    /// Name and version of another program.
    #[serde(default)]
    pub(crate) program: Option<String>,
    /// xxHash of the executables of its command, 16 hexadecimal digits; null where there are none.
    #[serde(default)]
    pub(crate) binary_digest: Option<String>,
}

/// How a measurement ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// All that was asked for is here.
    Complete,
    /// It goes on, or its process was killed.
    Running,
    /// The user stopped it.
    Interrupted,
    /// A repetition failed.
    Failed,
}

impl From<&Ending> for Status {
    fn from(ending: &Ending) -> Self {
        match ending {
            Ending::Complete => Self::Complete,
            Ending::Interrupted => Self::Interrupted,
            Ending::Failed(_) => Self::Failed,
        }
    }
}

/// Made-up options and runs for tests.
#[cfg(test)]
pub(crate) mod testing {
    use lycosa_lua::worker::{Driver, IndexKind, WorkerOptions, WorkloadSource};

    use super::{Place, Point, Run, Surroundings};
    use crate::environment::Translator;
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
            duration_s: None,
            report_interval_s: None,
            warmup_s: 0.0,
            rate_per_s: None,
            limit_memory_bytes: None,
            unit: Some(String::from("inserts")),
        }
    }

    /// A run of the defining point that took `wall_s`.
    pub(crate) fn run(arm: &str, cold: bool, repetition: u32, wall_s: f64) -> Run {
        let place = Place {
            arm: arm.to_owned(),
            point: Point::of(&options()),
            shared: None,
            repetition,
            cold,
        };
        let surroundings = Surroundings {
            process_s: wall_s + 0.02,
            translator: Some(Translator::Native),
            ..Surroundings::default()
        };
        Run::new(place, surroundings, measurement(wall_s))
    }

    /// One cold repetition and one counted one for each time.
    pub(crate) fn runs(walls: &[f64]) -> Vec<Run> {
        std::iter::once(run("native", true, 1, 0.131))
            .chain(
                (1..)
                    .zip(walls)
                    .map(|(number, wall)| run("native", false, number, *wall)),
            )
            .collect()
    }
}
