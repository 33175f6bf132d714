//! The memory wall in words, as a table and as a curve of block characters.

use std::io;

use lycosa_lua::worker::{AtQuota, WallStep};

use super::page::{DIM, PLAIN, Page, YELLOW};
use super::table::{Column, Row, Table};
use crate::quantity::{Size, decimal_bytes, grouped, rate, significant};
use crate::result::wall::{WallEnd, WallRecord, ops_per_s};

/// Titles of the columns, with their widths on the terminal: 76 columns in all.
const COLUMNS: [(&str, usize); 9] = [
    ("data", 8),
    ("records", 9),
    ("ops/s", 9),
    ("of best", 9),
    ("p50 us", 8),
    ("p95 us", 8),
    ("p99 us", 8),
    ("resident", 10),
    ("quota", 7),
];

/// Lines of the curve.
const CURVE_HEIGHT: usize = 8;

/// Eighths of a block, from nothing to all of it.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Columns in front of the curve.
const AXIS_WIDTH: usize = 12;

/// The titles.
pub(crate) fn head(page: &mut Page<'_>) -> io::Result<()> {
    page.raw(DIM, &line(COLUMNS.map(|(title, _)| title.to_owned())))
}

/// The size at a position.
pub(crate) fn row(page: &mut Page<'_>, record: &WallRecord, position: usize) -> io::Result<()> {
    let is_wall = record.wall_step == Some(position);
    let style = if is_wall { YELLOW } else { PLAIN };
    page.raw(style, &line(cells(record, position)))
}

fn line(cells: [String; COLUMNS.len()]) -> String {
    let padded = cells
        .into_iter()
        .zip(COLUMNS)
        .map(|(cell, (_, width))| format!("{cell:>width$}"));
    padded.collect()
}

/// What stands under the titles.
fn cells(record: &WallRecord, position: usize) -> [String; COLUMNS.len()] {
    let step = &record.steps[position];
    let so_far = record.steps[..=position].iter().map(ops_per_s);
    let best = so_far.fold(0.0, f64::max);
    let latency = |ns: u64| significant(ns as f64 / 1e3);
    [
        decimal_bytes(step.data_bytes),
        rate(step.records as f64),
        rate(ops_per_s(step)),
        whole_percent(ops_per_s(step) / best),
        latency(step.txn_latency_ns.p50),
        latency(step.txn_latency_ns.p95),
        latency(step.txn_latency_ns.p99),
        decimal_bytes(step.peak_rss_bytes),
        whole_percent(step.quota_used_bytes as f64 / record.options.memory_bytes.max(1) as f64),
    ]
}

fn whole_percent(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

/// The same table for the forms of a report.
pub(crate) fn table(record: &WallRecord) -> Table {
    let row = |position: usize| Row {
        cells: cells(record, position).into(),
        continues: false,
        is_marked: record.wall_step == Some(position),
    };
    Table {
        caption: String::from("Reads and updates in turn over all records, at each size"),
        columns: COLUMNS
            .iter()
            .map(|(title, _)| Column::right(*title, 0))
            .collect(),
        rows: (0..record.steps.len()).map(row).collect(),
    }
}

/// What was measured, in short.
pub(crate) fn conditions(record: &WallRecord) -> Vec<String> {
    let options = &record.options;
    let mut items = vec![
        format!("quota {}", Size(options.memory_bytes)),
        format!(
            "{} fibers x {} operations",
            options.fibers, options.ops_per_txn
        ),
        options.index.name().to_owned(),
        format!("payload {} bytes", grouped(options.payload_bytes)),
    ];
    if let Some(bytes) = options.limit_memory_bytes {
        let held = record
            .limited_by
            .map_or(String::new(), |by| format!(", held by {}", by.title()));
        items.push(format!("limit {}{held}", Size(bytes)));
    }
    if !options.jit {
        items.push(String::from("JIT off"));
    }
    items
}

/// Where the wall stands, or what ended the search before one was found.
pub(crate) fn conclusion(record: &WallRecord) -> String {
    let best = record.best_ops_per_s();
    if let Some(wall) = record.wall() {
        return format!(
            "at {}: {} ops/s, {} of the best before, {}",
            place(wall),
            rate(ops_per_s(wall)),
            whole_percent(ops_per_s(wall) / best),
            rate(best)
        );
    }
    let ended = ended(record);
    let Some(last) = record.steps.last() else {
        return format!("none: {ended}, before a size was measured");
    };
    let mut so_far = 0.0_f64;
    let lowest = record
        .steps
        .iter()
        .map(ops_per_s)
        .fold(1.0, |lowest, rate| {
            so_far = so_far.max(rate);
            f64::min(lowest, rate / so_far)
        });
    format!(
        "none: {ended}, before the throughput halved: it never fell below {} of the best before, up to {}",
        percent_below(lowest),
        place(last)
    )
}

/// Rounded down, but for what the computation lost.
fn percent_below(part: f64) -> String {
    format!("{:.0} %", (part * 100.0 + 1e-6).floor())
}

/// What ended the search.
fn ended(record: &WallRecord) -> String {
    let options = &record.options;
    match (record.ending, options.limit_memory_bytes) {
        (Some(WallEnd::Quota), _) => {
            let records = record.at_quota.as_ref().map_or(0, |end| end.records);
            let quota = Size(options.memory_bytes);
            format!(
                "the quota of {quota} ended it at {} records",
                grouped(records)
            )
        }
        (Some(WallEnd::Limit), Some(limit)) => format!("the limit of {} ended it", Size(limit)),
        (Some(WallEnd::Limit), None) => String::from("the system had no more memory"),
        _ => String::from("it was stopped"),
    }
}

fn place(step: &WallStep) -> String {
    let records = grouped(step.records);
    format!(
        "{} of data, {records} records",
        decimal_bytes(step.data_bytes)
    )
}

/// What the quota refused, and what went on behind it.
pub(crate) fn at_quota(end: &AtQuota) -> Vec<String> {
    let rolled_back = if end.records_kept == end.records {
        format!(
            "its transaction was rolled back: {} records stay",
            grouped(end.records)
        )
    } else {
        format!(
            "its transaction was NOT rolled back: {} records, not {}",
            grouped(end.records_kept),
            grouped(end.records)
        )
    };
    vec![
        format!("error {}: {}", end.code, end.message),
        rolled_back,
        format!(
            "{} deleted, then {} inserted into the room",
            grouped(end.deleted),
            grouped(end.inserted_again)
        ),
    ]
}

/// All of it behind the table: the curve, the wall, and what there was at the quota.
pub(crate) fn conclude(page: &mut Page<'_>, record: &WallRecord) -> io::Result<()> {
    if record.steps.len() > 1 {
        page.gap()?;
        curve(page, record)?;
    }
    page.gap()?;
    let style = if record.wall_step.is_some() {
        YELLOW
    } else {
        PLAIN
    };
    page.sentence(style, "wall", &conclusion(record))?;
    if let Some(end) = &record.at_quota {
        let label = match record.ending {
            Some(WallEnd::Limit) => "at the limit",
            _ => "at the quota",
        };
        // A label that is not quite empty keeps the others below the first.
        for (label, text) in [label, " ", " "].into_iter().zip(at_quota(end)) {
            page.sentence(PLAIN, label, &text)?;
        }
    }
    Ok(())
}

/// Throughput over the size of the data, and the 95th percentile of the latency below it. Where there
/// are more sizes than columns some are left out.
fn curve(page: &mut Page<'_>, record: &WallRecord) -> io::Result<()> {
    let steps = &record.steps;
    let room = page.width().saturating_sub(AXIS_WIDTH + 1).max(1);
    let width = (room / steps.len()).clamp(1, 3);
    let count = steps.len().min(room);
    let shown: Vec<usize> = (0..count)
        .map(|column| column * steps.len() / count)
        .collect();
    let of_shown = |value: fn(&WallStep) -> f64| -> Vec<f64> {
        shown.iter().map(|step| value(&steps[*step])).collect()
    };
    let rates = of_shown(ops_per_s);
    let best = rates.iter().copied().fold(0.0, f64::max);
    for line in (0..CURVE_HEIGHT).rev() {
        let label = match line {
            _ if line == CURVE_HEIGHT - 1 => rate(best),
            _ if line == CURVE_HEIGHT / 2 - 1 => rate(best / 2.0),
            _ => String::new(),
        };
        let columns = columns(&rates, width, |rate| block(rate / best, line, CURVE_HEIGHT));
        page.raw(PLAIN, &beside_label(&label, &columns))?;
    }
    if let Some(wall) = record.wall_step {
        let column = shown
            .partition_point(|step| *step <= wall)
            .saturating_sub(1);
        let mark = format!("{:indent$}^", "", indent = column * width);
        page.raw(YELLOW, &beside_label("wall", &mark))?;
    }
    let p95 = of_shown(|step| step.txn_latency_ns.p95 as f64);
    let highest = p95.iter().copied().fold(1.0, f64::max);
    let p95 = columns(&p95, width, |value| {
        block((value / highest).max(0.125), 0, 1)
    });
    page.raw(PLAIN, &beside_label("p95", &p95))?;
    let [first, last] = [0, steps.len() - 1].map(|step| decimal_bytes(steps[step].data_bytes));
    // Both ends of the scale, with two columns between them at least.
    let rest = (count * width)
        .saturating_sub(first.len())
        .max(last.len() + 2);
    page.raw(DIM, &beside_label("", &format!("{first}{last:>rest$}")))
}

fn beside_label(label: &str, text: &str) -> String {
    format!("{label:>width$}  {text}", width = AXIS_WIDTH - 2)
}

fn columns(values: &[f64], width: usize, character: impl Fn(f64) -> char) -> String {
    let columns = values.iter().map(|value| character(*value));
    columns
        .flat_map(|character| std::iter::repeat_n(character, width))
        .collect()
}

/// The character at a line, from 0 at the bottom, of a column that fills `part` of `height` lines.
fn block(part: f64, line: usize, height: usize) -> char {
    let eighths = (part.clamp(0.0, 1.0) * (height * 8) as f64).round() as usize;
    BLOCKS[eighths.saturating_sub(line * 8).min(8)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::wall::testing::record;

    fn written(width: usize, record: &WallRecord) -> String {
        let mut out = Vec::new();
        let page = &mut Page::new(&mut out, width);
        head(page).unwrap();
        for position in 0..record.steps.len() {
            row(page, record, position).unwrap();
        }
        conclude(page, record).unwrap();
        let text = String::from_utf8(out).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn the_wall_is_named_and_marked_under_the_curve() {
        let mut found = record(&[1000.0, 900.0, 450.0]);
        found.ending = Some(WallEnd::Halved);
        let text = written(80, &found);
        assert!(
            text.contains(
                "wall          at 450 MB of data, 3,000,000 records: 450 k ops/s, 45 % of the\n"
            ),
            "{text}"
        );
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.contains(&"      wall        ^"), "{text}");
        assert!(lines.contains(&"    1.00 M  ███▂▂▂"), "{text}");
        assert!(lines.contains(&"       p95  ▃▃▃▅▅▅███"), "{text}");
    }

    #[test]
    fn what_ended_the_search_before_a_wall_is_named() {
        let mut found = record(&[1000.0, 800.0]);
        found.ending = Some(WallEnd::Quota);
        found.at_quota = Some(AtQuota {
            records: 2_500_000,
            code: 2,
            message: String::from("Failed to allocate"),
            records_kept: 2_500_000,
            deleted: 250_000,
            inserted_again: 250_000,
            records_at_end: 2_500_000,
        });
        let text = conclusion(&found);
        assert_eq!(
            text,
            "none: the quota of 4 GiB ended it at 2,500,000 records, before the throughput halved: it \
             never fell below 80 % of the best before, up to 300 MB of data, 2,000,000 records"
        );
        assert!(written(80, &found).contains("at the quota  error 2: Failed to allocate\n"));
        found.ending = Some(WallEnd::Limit);
        found.options.limit_memory_bytes = Some(2 << 30);
        assert!(conclusion(&found).starts_with("none: the limit of 2 GiB ended it, before"));
        assert!(conclusion(&record(&[100.0, 1000.0])).contains(" 100 % of the best before"));
        found.steps.clear();
        assert_eq!(
            conclusion(&found),
            "none: the limit of 2 GiB ended it, before a size was measured"
        );
    }

    #[test]
    fn any_number_of_sizes_stays_within_the_width() {
        written(0, &record(&[1000.0, 400.0]));
        for count in [1, 2, 20, 60, 200, 1000] {
            let mut rates = vec![1000.0; count];
            rates.push(400.0);
            let found = record(&rates);
            let longest = written(80, &found)
                .lines()
                .map(|line| line.chars().count())
                .max();
            assert!(longest <= Some(80), "{count}: {longest:?}");
        }
    }
}
