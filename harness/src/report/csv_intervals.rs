//! The courses of all repetitions as CSV (RFC 4180): one row for each interval, void and cold
//! repetitions too.

use std::io;

use csv::WriterBuilder;
use lycosa_lua::worker::Sample;
use serde::Serialize;

use super::dataset::Dataset;
use super::plain;
use crate::result::Run;

/// A row; its fields are the columns, in this order. The first ones name the repetition as the CSV
/// of repetitions does.
#[derive(Debug, Serialize)]
struct Row<'a> {
    file: String,
    arm: String,
    workload: String,
    records: u64,
    fibers: u32,
    duration_s: Option<f64>,
    rate_per_s: Option<f64>,
    settings: &'a str,
    repetition: u32,
    cold: bool,
    void: Option<String>,
    t_s: f64,
    interval_s: f64,
    ops: u64,
    txn_latency_p50_ns: Option<u64>,
    txn_latency_p95_ns: Option<u64>,
    txn_latency_p99_ns: Option<u64>,
    txn_latency_p999_ns: Option<u64>,
    txn_latency_max_ns: Option<u64>,
    txn_count: u64,
    cpu_user_s: Option<f64>,
    cpu_system_s: Option<f64>,
    transaction_thread_cpu_s: Option<f64>,
    other_threads_cpu_s: Option<f64>,
    minor_faults: Option<u64>,
    major_faults: Option<u64>,
    voluntary_switches: Option<u64>,
    involuntary_switches: Option<u64>,
    read_bytes: Option<u64>,
    written_bytes: Option<u64>,
    energy_j: Option<f64>,
    package_energy_j: Option<f64>,
    resident_bytes: Option<u64>,
    swap_bytes: Option<u64>,
    lua_heap_bytes: Option<u64>,
    quota_used_bytes: Option<u64>,
    index_bytes: Option<u64>,
    tuple_bytes: Option<u64>,
}

/// Writes everything.
pub(crate) fn write(out: impl io::Write, dataset: &Dataset) -> anyhow::Result<()> {
    let mut writer = WriterBuilder::new().from_writer(out);
    for section in &dataset.sections {
        for point in section.series.iter().flat_map(|series| &series.points) {
            let file = plain(&dataset.sources[point.source].path);
            for run in &point.runs {
                // The keys are the user's, so they cannot be columns: an object of JSON.
                let settings = plain(&serde_json::to_string(&run.point.settings)?);
                for sample in &run.series {
                    writer.serialize(row(&file, &settings, run, sample))?;
                }
            }
        }
    }
    writer.flush()?;
    Ok(())
}

fn row<'a>(file: &str, settings: &'a str, run: &Run, sample: &Sample) -> Row<'a> {
    let latency = sample.txn_latency_ns;
    let measured = |ns: u64| Some(ns).filter(|_| latency.count > 0);
    let taken = sample.resources.clone().unwrap_or_default();
    Row {
        file: file.to_owned(),
        arm: plain(&run.arm),
        workload: plain(&run.point.workload),
        records: run.point.records,
        fibers: run.point.fibers,
        duration_s: run.point.duration_s,
        rate_per_s: run.point.rate_per_s,
        settings,
        repetition: run.repetition,
        cold: run.cold,
        void: run.void.as_deref().map(plain),
        t_s: sample.t_s,
        interval_s: sample.interval_s,
        ops: sample.ops,
        txn_latency_p50_ns: measured(latency.p50),
        txn_latency_p95_ns: measured(latency.p95),
        txn_latency_p99_ns: measured(latency.p99),
        txn_latency_p999_ns: measured(latency.p999),
        txn_latency_max_ns: measured(latency.max),
        txn_count: latency.count,
        cpu_user_s: taken.cpu_user_s,
        cpu_system_s: taken.cpu_system_s,
        transaction_thread_cpu_s: taken.transaction_thread_cpu_s,
        other_threads_cpu_s: taken.other_threads_cpu_s,
        minor_faults: taken.minor_faults,
        major_faults: taken.major_faults,
        voluntary_switches: taken.voluntary_switches,
        involuntary_switches: taken.involuntary_switches,
        read_bytes: taken.read_bytes,
        written_bytes: taken.written_bytes,
        energy_j: taken.energy_j,
        package_energy_j: taken.package_energy_j,
        resident_bytes: taken.resident_bytes,
        swap_bytes: taken.swap_bytes,
        lua_heap_bytes: taken.lua_heap_bytes,
        quota_used_bytes: taken.quota_used_bytes,
        index_bytes: taken.index_bytes,
        tuple_bytes: taken.tuple_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::super::dataset::testing::with_courses;
    use super::*;

    #[test]
    fn every_interval_of_every_repetition_is_a_row() {
        let mut dataset = with_courses(3);
        dataset.sections[0].series[0].points[0].runs[0].arm = String::from("a,b\u{1b}");
        let mut bytes = Vec::new();
        write(&mut bytes, &dataset).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let headers = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        // Two arms, fifteen repetitions and a cold one each.
        assert_eq!(rows.len(), 2 * 16 * 3);
        let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
        assert_eq!(&rows[0][column("arm")], "a,b\u{fffd}");
        assert_eq!(&rows[0][column("index_bytes")], "1000000");
        assert_eq!(&rows[0][column("energy_j")], "");
        assert_eq!(&rows[0][column("duration_s")], "");
    }
}
