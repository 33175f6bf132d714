//! The report in the JSON of Google Benchmark, so that its `compare.py` and what else reads that
//! form can be used.
//!
//! A point is a benchmark with its counted repetitions as iterations, and their aggregates. Its name
//! starts with the subject, as in `native/insert/records:1000000/...`: two arms in one file are
//! compared with `compare.py filters FILE native/ rosetta/`, two files with `compare.py benchmarks`.
//! Times are milliseconds for the whole repetition.

use lycosa_lua::worker::{Driver, IndexKind};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::dataset::{Dataset, Section, Series, SeriesPoint};
use super::{method, plain};
use crate::axes::Parameter;
use crate::environment::{Cache, CacheContent};
use crate::pace::Time;
use crate::result::Run;
use crate::statistics;

/// Version of the form.
const SCHEMA_VERSION: u32 = 1;

/// A figure of a repetition.
type Figure = fn(&Run) -> f64;

/// Figures of an entry by their names in the form.
const FIGURES: [(&str, Figure); 8] = [
    ("real_time", |run| run.wall_s * 1e3),
    ("cpu_time", |run| run.cpu_s * 1e3),
    ("items_per_second", |run| run.ops_per_s),
    ("peak_rss_bytes", |run| run.peak_rss_bytes as f64),
    ("bytes_per_record", |run| run.bytes_per_record),
    ("txn_latency_p50_ns", |run| run.txn_latency_ns.p50 as f64),
    ("txn_latency_p99_ns", |run| run.txn_latency_ns.p99 as f64),
    ("txn_latency_p999_ns", |run| run.txn_latency_ns.p999 as f64),
];

/// An aggregate of all repetitions.
struct Aggregate {
    name: &'static str,
    unit: &'static str,
    of: fn(&[f64]) -> f64,
}

const AGGREGATES: [Aggregate; 4] = [
    Aggregate {
        name: "mean",
        unit: "time",
        of: mean,
    },
    Aggregate {
        name: "median",
        unit: "time",
        of: |samples| statistics::median(samples).unwrap_or(0.0),
    },
    Aggregate {
        name: "stddev",
        unit: "time",
        of: |samples| coefficient_of_variation(samples) * mean(samples),
    },
    Aggregate {
        name: "cv",
        unit: "percentage",
        of: coefficient_of_variation,
    },
];

fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len() as f64
}

fn coefficient_of_variation(samples: &[f64]) -> f64 {
    statistics::summarize(samples).map_or(0.0, |summary| summary.cv)
}

/// What all entries of a benchmark begin with.
#[derive(Debug, Serialize)]
struct Head<'a> {
    name: String,
    family_index: usize,
    per_family_instance_index: usize,
    run_name: &'a str,
    run_type: &'static str,
    repetitions: usize,
    threads: u32,
    iterations: u64,
    time_unit: &'static str,
}

/// The whole document.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    context: Value,
    benchmarks: Vec<Value>,
}

/// Makes it.
pub(crate) fn document(dataset: &Dataset) -> serde_json::Result<Document> {
    let mut benchmarks = Vec::new();
    for (family, section) in dataset.sections.iter().enumerate() {
        let all = section
            .series
            .iter()
            .flat_map(|series| series.points.iter().map(move |point| (series, point)));
        for (instance, (series, point)) in all.enumerate() {
            let name = name(dataset, section, series, point);
            benchmarks.extend(entries(&name, (family, instance), point)?);
        }
    }
    Ok(Document {
        context: context(dataset),
        benchmarks,
    })
}

/// Machine and build of the first file: the form knows one only.
fn context(dataset: &Dataset) -> Value {
    let Some(source) = dataset.sources.first() else {
        return json!({});
    };
    let context = &source.document.context;
    let caches: Vec<Value> = context.machine.caches.iter().map(cache).collect();
    json!({
        "date": context.date,
        "host_name": context.host_name,
        "executable": "lycosa",
        "num_cpus": context.machine.cpus_online.unwrap_or(0),
        "mhz_per_cpu": context.conditions.frequency_limit_mhz.unwrap_or(0),
        "caches": caches,
        "cpu": context.cpu,
        "os": context.os,
        "load_avg": context.load_average,
        "library_version": context.lycosa_version,
        "library_build_type": context.profile,
        "json_schema_version": SCHEMA_VERSION,
    })
}

fn cache(cache: &Cache) -> Value {
    let holds = match cache.holds {
        CacheContent::Data => "Data",
        CacheContent::Instructions => "Instruction",
        CacheContent::Unified => "Unified",
    };
    // Of how many CPUs a cache is, results do not say.
    json!({ "type": holds, "level": cache.level, "size": cache.size_bytes, "num_sharing": 0 })
}

fn name(dataset: &Dataset, section: &Section, series: &Series, point: &SeriesPoint) -> String {
    let mut parts = vec![
        dataset.label(series).to_owned(),
        method::workload(section),
        match point.point.duration_s {
            Some(duration_s) => format!("duration:{}", Time(duration_s)),
            None => format!("records:{}", point.point.records),
        },
        format!("fibers:{}", point.point.fibers),
        format!("ops_per_txn:{}", point.point.ops_per_txn),
    ];
    parts.push(String::from(match point.point.index {
        IndexKind::Tree => "index:tree",
        IndexKind::Hash => "index:hash",
    }));
    parts.push(String::from(match point.point.driver {
        Driver::Lua => "driver:lua",
        Driver::Rust => "driver:rust",
    }));
    if !point.point.jit_requested {
        parts.push(String::from("jit:off"));
    }
    if let Some(rate_per_s) = point.point.rate_per_s {
        parts.push(format!("rate:{rate_per_s}"));
    }
    parts.push(format!("seed:{}", point.point.seed));
    if section.axes.contains(&Parameter::Memory) {
        parts.push(format!("memory:{}", point.point.memory_bytes));
    }
    for (key, value) in &point.point.settings {
        parts.push(plain(&format!("{key}:{value}")));
    }
    parts.join("/")
}

/// The counted repetitions and, where there are several, their aggregates.
fn entries(
    name: &str,
    (family_index, per_family_instance_index): (usize, usize),
    point: &SeriesPoint,
) -> Result<Vec<Value>, serde_json::Error> {
    let counted: Vec<&Run> = point.runs.iter().filter(|run| run.is_counted()).collect();
    let head = |suffix: &str, run_type, iterations| Head {
        name: format!("{name}{suffix}"),
        family_index,
        per_family_instance_index,
        run_name: name,
        run_type,
        repetitions: counted.len(),
        threads: 1,
        iterations,
        time_unit: "ms",
    };
    let mut entries = Vec::new();
    for (index, run) in counted.iter().enumerate() {
        let mut fields = object(&head("", "iteration", 1))?;
        fields.insert(String::from("repetition_index"), json!(index));
        for (figure, value) in FIGURES {
            fields.insert(figure.to_owned(), json!(value(run)));
        }
        entries.push(Value::Object(fields));
    }
    if counted.len() < 2 {
        return Ok(entries);
    }
    for aggregate in &AGGREGATES {
        let suffix = format!("_{}", aggregate.name);
        let mut fields = object(&head(&suffix, "aggregate", counted.len() as u64))?;
        fields.insert(String::from("aggregate_name"), json!(aggregate.name));
        fields.insert(String::from("aggregate_unit"), json!(aggregate.unit));
        for (figure, value) in FIGURES {
            let samples: Vec<f64> = counted.iter().map(|run| value(run)).collect();
            fields.insert(figure.to_owned(), json!((aggregate.of)(&samples)));
        }
        entries.push(Value::Object(fields));
    }
    Ok(entries)
}

fn object(head: &Head<'_>) -> Result<Map<String, Value>, serde_json::Error> {
    match serde_json::to_value(head)? {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::dataset::testing;
    use super::*;

    #[test]
    fn a_benchmark_has_its_repetitions_and_four_aggregates() {
        let dataset = testing::two_arms();
        let document = document(&dataset).unwrap();
        let benchmarks = &document.benchmarks;
        let name = "rosetta/insert/records:1000000/fibers:50/ops_per_txn:100/index:tree/\
                    driver:lua/seed:1/payload:short";
        let own: Vec<&Value> = benchmarks
            .iter()
            .filter(|entry| entry["run_name"] == name)
            .collect();
        let (iterations, aggregates): (Vec<&Value>, Vec<&Value>) = own
            .iter()
            .partition(|entry| entry["run_type"] == "iteration");
        assert_eq!((iterations.len(), aggregates.len()), (15, 4));
        assert!(iterations.iter().all(|entry| entry["name"] == name));
        assert_eq!(aggregates[1]["name"], format!("{name}_median"));
        let figures = dataset.sections[0].series[1].points[0]
            .figures
            .as_ref()
            .unwrap();
        let median_ms = aggregates[1]["real_time"].as_f64().unwrap();
        assert!((median_ms - figures.wall_s.median * 1e3).abs() < 1e-9);
        assert!(aggregates[3]["real_time"].as_f64().unwrap() < 0.1);
    }
}
