//! The raw repetitions as CSV (RFC 4180): one row each, void and cold ones too. Whatever a summary
//! would say follows from them. Texts of the files are freed of what a terminal would obey.

use std::io;

use csv::WriterBuilder;
use serde::Serialize;

use super::dataset::{Dataset, SeriesPoint, Subject};
use crate::axes::Parameter;
use crate::environment::Translator;
use crate::report::plain;
use crate::result::Run;
use crate::worker::limit::LimitedBy;

/// A row; its fields are the columns, in this order.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    host_name: String,
    cpu: String,
    os: String,
    lycosa_version: String,
    git_revision: String,
    profile: String,
    program: Option<String>,
    arm: String,
    arm_options: String,
    axes: String,
    binary_arch: String,
    translator: Option<&'static str>,
    workload: String,
    records: u64,
    fibers: u32,
    ops_per_txn: u32,
    index: lycosa_lua::worker::IndexKind,
    driver: lycosa_lua::worker::Driver,
    jit_requested: bool,
    memory_bytes: u64,
    seed: u64,
    settings: String,
    repetition: u32,
    cold: bool,
    void: Option<String>,
    date: String,
    wall_s: f64,
    cpu_s: Option<f64>,
    process_s: f64,
    ops: u64,
    ops_per_s: f64,
    cost_per_hour: Option<f64>,
    cost_currency: Option<String>,
    ops_per_cost: Option<f64>,
    peak_rss_bytes: Option<u64>,
    bytes_per_record: Option<f64>,
    txn_latency_p50_ns: Option<u64>,
    txn_latency_p95_ns: Option<u64>,
    txn_latency_p99_ns: Option<u64>,
    txn_latency_p999_ns: Option<u64>,
    txn_latency_max_ns: Option<u64>,
    txn_count: u64,
    jit: bool,
    jit_traces: u64,
    jit_aborts: u64,
    checksum: String,
    duration_s: Option<f64>,
    warmup_s: f64,
    rate_per_s: Option<f64>,
    txn_latency_corrected_p50_ns: Option<u64>,
    txn_latency_corrected_p95_ns: Option<u64>,
    txn_latency_corrected_p99_ns: Option<u64>,
    txn_latency_corrected_p999_ns: Option<u64>,
    txn_latency_corrected_max_ns: Option<u64>,
    backlog_ops: Option<u64>,
    limit_memory_bytes: Option<u64>,
    limited_by: Option<LimitedBy>,
}

/// Writes everything.
pub(crate) fn write(out: impl io::Write, dataset: &Dataset) -> anyhow::Result<()> {
    let mut writer = WriterBuilder::new().from_writer(out);
    for section in &dataset.sections {
        let axes: Vec<String> = section.axes.iter().map(Parameter::name).collect();
        for series in &section.series {
            for point in &series.points {
                for run in &point.runs {
                    let subject = &dataset.subjects[series.subject];
                    writer.serialize(row(dataset, (subject, &axes), point, run)?)?;
                }
            }
        }
    }
    writer.flush()?;
    Ok(())
}

fn row(
    dataset: &Dataset,
    (subject, axes): (&Subject, &[String]),
    place: &SeriesPoint,
    run: &Run,
) -> Result<Row, serde_json::Error> {
    let (host, context, point) = (&subject.host, &subject.context, &run.point);
    // Other programs do not give all figures; what they do not give is empty.
    let latency = run.txn_latency_ns;
    let corrected = run.txn_latency_corrected_ns;
    let measured = |ns: u64| Some(ns).filter(|_| latency.count > 0);
    Ok(Row {
        file: plain(&dataset.sources[place.source].path),
        host_name: plain(&host.host_name),
        cpu: plain(&host.cpu),
        os: plain(&host.os),
        lycosa_version: plain(&context.lycosa_version),
        git_revision: plain(&context.git_revision),
        profile: plain(&context.profile),
        program: subject.program.as_deref().map(plain),
        arm: plain(&run.arm),
        arm_options: plain(&subject.options.join(" ")),
        axes: plain(&axes.join(",")),
        binary_arch: plain(&run.binary_arch),
        translator: run.translator.map(Translator::name),
        workload: plain(&point.workload),
        records: point.records,
        fibers: point.fibers,
        ops_per_txn: point.ops_per_txn,
        index: point.index,
        driver: point.driver,
        jit_requested: point.jit_requested,
        memory_bytes: point.memory_bytes,
        seed: point.seed,
        // The keys are the user's, so they cannot be columns: an object of JSON.
        settings: plain(&serde_json::to_string(&point.settings)?),
        repetition: run.repetition,
        cold: run.cold,
        void: run.void.as_deref().map(plain),
        date: plain(&run.date),
        wall_s: run.wall_s,
        cpu_s: Some(run.cpu_s).filter(|cpu_s| *cpu_s > 0.0),
        process_s: run.process_s,
        ops: run.ops,
        ops_per_s: run.ops_per_s,
        cost_per_hour: subject.cost().map(|cost| cost.per_hour),
        cost_currency: subject.cost().map(|cost| plain(&cost.currency)),
        ops_per_cost: subject.cost().map(|cost| cost.operations(run.ops_per_s)),
        peak_rss_bytes: Some(run.peak_rss_bytes).filter(|bytes| *bytes > 0),
        bytes_per_record: Some(run.bytes_per_record).filter(|bytes| *bytes > 0.0),
        txn_latency_p50_ns: measured(latency.p50),
        txn_latency_p95_ns: measured(latency.p95),
        txn_latency_p99_ns: measured(latency.p99),
        txn_latency_p999_ns: measured(latency.p999),
        txn_latency_max_ns: measured(latency.max),
        txn_count: latency.count,
        jit: run.jit,
        jit_traces: run.jit_traces,
        jit_aborts: run.jit_aborts,
        checksum: plain(&run.checksum),
        duration_s: point.duration_s,
        warmup_s: point.warmup_s,
        rate_per_s: point.rate_per_s,
        txn_latency_corrected_p50_ns: corrected.map(|latency| latency.p50),
        txn_latency_corrected_p95_ns: corrected.map(|latency| latency.p95),
        txn_latency_corrected_p99_ns: corrected.map(|latency| latency.p99),
        txn_latency_corrected_p999_ns: corrected.map(|latency| latency.p999),
        txn_latency_corrected_max_ns: corrected.map(|latency| latency.max),
        backlog_ops: run.backlog_ops,
        limit_memory_bytes: point.limit_memory_bytes,
        limited_by: run.limited_by,
    })
}

#[cfg(test)]
mod tests {
    use super::super::dataset::testing;
    use super::*;

    #[test]
    fn every_repetition_is_a_row_and_names_are_quoted_and_harmless() {
        let mut dataset = testing::two_arms();
        dataset.subjects[0].host.cpu = String::from("a \"chip\", 8 cores\u{1b}[2J\u{7}");
        let mut bytes = Vec::new();
        write(&mut bytes, &dataset).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let headers = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let runs: usize = dataset
            .sources
            .iter()
            .map(|source| source.document.runs.len())
            .sum();
        assert_eq!(rows.len(), runs);
        let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
        assert_eq!(
            &rows[0][column("cpu")],
            "a \"chip\", 8 cores\u{fffd}[2J\u{fffd}"
        );
        assert_eq!(&rows[0][column("index")], "tree");
        assert_eq!(&rows[0][column("settings")], "{\"payload\":\"short\"}");
        let first = &dataset.sections[0].series[0].points[0].runs[0];
        assert_eq!(rows[0][column("wall_s")].parse(), Ok(first.wall_s));
    }

    #[test]
    fn what_a_program_did_not_give_is_empty() {
        let mut dataset = testing::two_arms();
        let run = &mut dataset.sections[0].series[0].points[0].runs[0];
        (run.cpu_s, run.peak_rss_bytes, run.bytes_per_record) = (0.0, 0, 0.0);
        run.txn_latency_ns.count = 0;
        let mut bytes = Vec::new();
        write(&mut bytes, &dataset).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let headers = reader.headers().unwrap().clone();
        let first = reader.records().next().unwrap().unwrap();
        for name in [
            "cpu_s",
            "peak_rss_bytes",
            "bytes_per_record",
            "txn_latency_p50_ns",
        ] {
            let column = headers.iter().position(|header| header == name).unwrap();
            assert_eq!(&first[column], "", "{name}");
        }
    }
}
