//! The JSON form of a result.

use std::io;
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::latency::LatencyError;
use super::plan::PlanRecord;
use super::summary::{self, SummaryRecord};
use super::wall::WallRecord;
use super::{ArmRecord, Record, Run, Status};
use crate::comparison::{ArmComparison, comparisons};
use crate::environment::Context;

/// Version of the form; a larger one is not understood.
pub(crate) const FORMAT: u32 = 1;

/// A whole result file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Document {
    /// Version of the form.
    #[serde(default = "first_format")]
    pub(crate) format: u32,
    /// Machine and build of the process that started the workers.
    pub(crate) context: Context,
    /// Whether every repetition that was asked for is here.
    #[serde(default = "complete")]
    pub(crate) status: Status,
    /// What was asked for; null in files of 0.1.0.
    #[serde(default)]
    pub(crate) plan: Option<PlanRecord>,
    /// What ran.
    #[serde(default)]
    pub(crate) arms: Vec<ArmRecord>,
    /// Every repetition, in order of time.
    pub(crate) runs: Vec<Run>,
    /// One entry for each arm and point that has counted repetitions; empty while it is running.
    // Made from `runs` whenever a file is read: there is one truth.
    #[serde(skip_deserializing)]
    pub(crate) summary: Vec<SummaryRecord>,
    /// One entry for each arm but the first; empty while it is running.
    // Made from `runs`, as the summary is.
    #[serde(skip_deserializing)]
    pub(crate) comparisons: Vec<ArmComparison>,
    /// A search for the memory wall, which has no runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) wall: Option<WallRecord>,
}

fn first_format() -> u32 {
    FORMAT
}

fn complete() -> Status {
    Status::Complete
}

impl Document {
    /// Puts a result together.
    pub(crate) fn new(
        context: &Context,
        record: &Record,
        status: Status,
    ) -> Result<Self, LatencyError> {
        Ok(Self {
            format: FORMAT,
            context: context.clone(),
            status,
            plan: None,
            arms: record.arms.clone(),
            runs: record.runs.clone(),
            summary: summary::summaries(&record.runs)?,
            comparisons: comparisons(&record.runs, context.noise_floor.as_ref()),
            wall: None,
        })
    }

    /// A result that is not whole yet: what has to be computed from the runs is left out.
    pub(crate) fn running(context: &Context, plan: &PlanRecord, record: &Record) -> Self {
        Self {
            format: FORMAT,
            context: context.clone(),
            status: Status::Running,
            plan: Some(plan.clone()),
            arms: record.arms.clone(),
            runs: record.runs.clone(),
            summary: Vec::new(),
            comparisons: Vec::new(),
            wall: None,
        }
    }

    /// Whether it holds anything that was measured.
    pub(crate) fn has_figures(&self) -> bool {
        let has_steps = |wall: &WallRecord| !wall.steps.is_empty();
        !self.runs.is_empty() || self.wall.as_ref().is_some_and(has_steps)
    }

    /// A search for the memory wall.
    pub(crate) fn of_wall(context: &Context, wall: &WallRecord, status: Status) -> Self {
        Self {
            format: FORMAT,
            context: context.clone(),
            status,
            plan: None,
            arms: Vec::new(),
            runs: Vec::new(),
            summary: Vec::new(),
            comparisons: Vec::new(),
            wall: Some(wall.clone()),
        }
    }
}

/// Why a file is no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("cannot read `{path}`: {source}")]
    Io { path: String, source: io::Error },
    #[error("`{path}` is no result of lycosa: {source}")]
    Json {
        path: String,
        source: serde_json::Error,
    },
    #[error("`{path}` is no result of lycosa: {source}")]
    Latency { path: String, source: LatencyError },
    #[error(
        "`{path}` was written by a later version (form {found}, this one reads up to {FORMAT})"
    )]
    Format { path: String, found: u32 },
    #[error("`{path}` is damaged: {reason}")]
    Damaged { path: String, reason: String },
}

/// Reads a result file.
pub(crate) fn read(path: &Path) -> Result<Document, ReadError> {
    let shown = || path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io {
        path: shown(),
        source,
    })?;
    let json = |source| ReadError::Json {
        path: shown(),
        source,
    };
    // The form is judged first: a later one may lack what this one needs.
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(json)?;
    let found = value.get("format").and_then(serde_json::Value::as_u64);
    if let Some(found) = found.filter(|found| *found > u64::from(FORMAT)) {
        return Err(ReadError::Format {
            path: shown(),
            found: u32::try_from(found).unwrap_or(u32::MAX),
        });
    }
    let mut document: Document = serde_json::from_value(value).map_err(json)?;
    let wall_damage = document.wall.as_ref().and_then(WallRecord::damage);
    if let Some(reason) = damage(&document.runs).or(wall_damage) {
        let path = shown();
        return Err(ReadError::Damaged { path, reason });
    }
    document.summary = summary::summaries(&document.runs).map_err(|source| ReadError::Latency {
        path: shown(),
        source,
    })?;
    document.comparisons = comparisons(&document.runs, document.context.noise_floor.as_ref());
    if let Some(wall) = &mut document.wall {
        wall.find_wall();
    }
    Ok(document)
}

/// Longest time that is believed, in seconds: three years.
pub(super) const TIME_S_MAX: f64 = 1e8;

/// The first figure that nothing measured can have, and where it stands; runs count from 1.
fn damage(runs: &[Run]) -> Option<String> {
    (1..).zip(runs).find_map(|(number, run)| {
        let (key, value) = impossible(run)?;
        Some(format!("run {number}: {key} is {value}"))
    })
}

fn impossible(run: &Run) -> Option<(&'static str, f64)> {
    // Zero is what files of 0.1.0 have for the life of a process.
    let not_negative = [
        ("cpu_s", run.cpu_s, TIME_S_MAX),
        ("process_s", run.process_s, TIME_S_MAX),
        ("ops_per_s", run.ops_per_s, f64::MAX),
        ("bytes_per_record", run.bytes_per_record, f64::MAX),
    ];
    let at_least_one = [
        (
            "records",
            run.point.records.max(run.point.is_by_time().into()),
        ),
        ("fibers", run.point.fibers.into()),
        ("ops_per_txn", run.point.ops_per_txn.into()),
        ("ops", run.ops),
        ("repetition", run.repetition.into()),
    ];
    if !(run.wall_s > 0.0 && run.wall_s <= TIME_S_MAX) {
        return Some(("wall_s", run.wall_s));
    }
    if let Some((key, _)) = at_least_one.into_iter().find(|(_, count)| *count == 0) {
        return Some((key, 0.0));
    }
    let found = not_negative
        .into_iter()
        .find(|(_, value, max)| !(0.0..=*max).contains(value));
    found.map(|(key, value, _)| (key, value))
}

/// Whether there is a result, of this version or another, in a file; reads no more of any other file
/// than shows that it is none.
pub(crate) fn is_result(path: &Path) -> io::Result<bool> {
    #[derive(Deserialize)]
    struct Signs {
        #[serde(rename = "context")]
        _context: IgnoredAny,
        #[serde(rename = "runs")]
        _runs: IgnoredAny,
    }
    let file = io::BufReader::new(std::fs::File::open(path)?);
    match serde_json::from_reader::<_, Signs>(file) {
        Ok(_) => Ok(true),
        Err(error) if error.is_io() => Err(error.into()),
        Err(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use crate::environment::{self, Facts};
    use serde_json::Value;

    fn document(walls: &[f64]) -> Document {
        let mut context = environment::context(&Facts::default());
        context.jit = Some(true);
        let record = Record {
            arms: vec![ArmRecord {
                name: String::from("native"),
                command: vec![String::from("lycosa")],
                context: Some(context.clone()),
                program: None,
                binary_digest: None,
            }],
            runs: testing::runs(walls),
        };
        Document::new(&context, &record, Status::Complete).unwrap()
    }

    fn value(walls: &[f64]) -> Value {
        serde_json::to_value(document(walls)).unwrap()
    }

    fn keys(value: &Value) -> Vec<&str> {
        let mut keys: Vec<&str> = value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn the_shape_is_the_documented_one() {
        let value = value(&[0.1; 6]);
        assert_eq!(
            keys(&value),
            [
                "arms",
                "comparisons",
                "context",
                "format",
                "plan",
                "runs",
                "status",
                "summary"
            ]
        );
        assert_eq!(
            keys(&value["runs"][1]),
            [
                "after",
                "arm",
                "backlog_ops",
                "before",
                "binary_arch",
                "bytes_per_record",
                "checksum",
                "cold",
                "cpu_s",
                "date",
                "driver",
                "duration_s",
                "fibers",
                "index",
                "jit",
                "jit_aborts",
                "jit_requested",
                "jit_traces",
                "memory_bytes",
                "ops",
                "ops_per_s",
                "ops_per_txn",
                "peak_rss_bytes",
                "process_resources",
                "process_s",
                "rate_per_s",
                "records",
                "repetition",
                "resources",
                "seed",
                "series",
                "settings",
                "translator",
                "txn_latency_corrected_histogram",
                "txn_latency_corrected_ns",
                "txn_latency_histogram",
                "txn_latency_ns",
                "unit",
                "wall_s",
                "warmup_s",
                "workload",
            ]
        );
        assert_eq!(
            keys(&value["runs"][0]["txn_latency_ns"]),
            ["count", "max", "p50", "p95", "p99", "p999"]
        );
        assert_eq!(
            keys(&value["summary"][0]),
            [
                "arm",
                "driver",
                "duration_s",
                "fibers",
                "index",
                "jit_requested",
                "memory_bytes",
                "n",
                "ops_per_s",
                "ops_per_txn",
                "rate_per_s",
                "records",
                "seed",
                "settings",
                "txn_latency_corrected_ns",
                "txn_latency_ns",
                "unit",
                "wall_s",
                "warmup_s",
                "workload"
            ]
        );
        assert_eq!(
            keys(&value["summary"][0]["wall_s"]),
            ["ci_high", "ci_low", "cv", "mad", "max", "median", "min"]
        );
        assert_eq!(
            keys(&value["arms"][0]),
            ["binary_digest", "command", "context", "name", "program"]
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let document = document(&[0.1, 0.2, 0.3]);
        std::fs::write(&path, serde_json::to_string(&document).unwrap()).unwrap();
        assert_eq!(read(&path).unwrap(), document);
    }

    #[test]
    fn a_file_of_the_first_version_is_read() {
        let mut old = value(&[0.1; 6]);
        let top = old.as_object_mut().unwrap();
        top.remove("format");
        top.remove("arms");
        for run in top["runs"].as_array_mut().unwrap() {
            for key in [
                "after",
                "before",
                "binary_arch",
                "date",
                "jit_requested",
                "process_s",
                "translator",
                "txn_latency_histogram",
                "duration_s",
                "warmup_s",
                "rate_per_s",
                "txn_latency_corrected_ns",
                "txn_latency_corrected_histogram",
                "backlog_ops",
            ] {
                run.as_object_mut().unwrap().remove(key);
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.json");
        std::fs::write(&path, old.to_string()).unwrap();
        let document = read(&path).unwrap();
        assert_eq!(document.runs.len(), 7);
        assert!(document.runs.iter().all(|run| run.point.jit_requested));
    }

    #[test]
    fn what_is_no_result_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.json");
        for (text, message) in [
            ("{", "is no result of lycosa: EOF"),
            ("[1]", "is no result of lycosa"),
            ("{\"format\": 99}", "by a later version (form 99"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(
                error.contains("bad.json") && error.contains(message),
                "{error}"
            );
        }
        assert!(
            read(&folder.path().join("none.json"))
                .unwrap_err()
                .to_string()
                .starts_with("cannot read")
        );
    }

    #[test]
    fn figures_that_nothing_measured_can_have_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edited.json");
        for (key, number, shown) in [
            ("wall_s", "0", "0"),
            ("wall_s", "-0.5", "-0.5"),
            ("wall_s", "1e20", "100000000000000000000"),
            ("cpu_s", "-1", "-1"),
            ("bytes_per_record", "-2", "-2"),
            ("records", "0", "0"),
            ("fibers", "0", "0"),
            ("ops", "0", "0"),
        ] {
            let mut edited = value(&[0.1, 0.2]);
            edited["runs"][2][key] = serde_json::from_str(number).unwrap();
            std::fs::write(&path, edited.to_string()).unwrap();
            let error = read(&path).unwrap_err().to_string();
            let end = format!("edited.json` is damaged: run 3: {key} is {shown}");
            assert!(error.ends_with(&end), "{error}");
        }
    }

    #[test]
    fn results_are_told_from_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (text, expected) in [
            (value(&[0.1]).to_string().as_str(), true),
            ("return {}", false),
            ("{\"context\": {}, \"benchmarks\": []}", false),
            ("", false),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(is_result(&path).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn raw_repetitions_are_all_there_and_the_cold_one_is_marked() {
        let value = value(&[0.1, 0.2]);
        let cold: Vec<&Value> = value["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| &run["cold"])
            .collect();
        assert_eq!(cold, [true, false, false]);
        assert_eq!(value["runs"][2]["wall_s"], 0.2);
        assert_eq!(value["runs"][2]["settings"]["payload"], "short");
        assert_eq!(value["summary"][0]["n"], 2);
    }

    #[test]
    fn below_six_repetitions_the_interval_is_null() {
        assert_eq!(
            value(&[0.1; 5])["summary"][0]["wall_s"]["ci_low"],
            Value::Null
        );
        assert_eq!(value(&[0.1; 6])["summary"][0]["wall_s"]["ci_low"], 0.1);
    }

    #[test]
    fn with_nothing_counted_the_summary_is_empty() {
        assert_eq!(value(&[])["summary"], Value::Array(Vec::new()));
    }
}
