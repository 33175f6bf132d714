//! The figures of a section as tables: one row for each place on its axes and subject.

use lycosa_lua::worker::LatencyNs;

use super::dataset::{Dataset, Ratio, Section, Series, SeriesPoint};
use super::method::estimate_text;
use super::page::Seconds;
use super::plain;
use super::table::{Column, Row, Table};
use crate::cost::large;
use crate::quantity::{decimal_bytes, rate, significant};
use crate::result::Point;
use crate::result::summary::Figures;
use crate::statistics::Verdict;

/// What stands where there is nothing to show.
const NOTHING: &str = "-";

/// Wall time, throughput and ratio.
pub(crate) fn times(dataset: &Dataset, section: &Section) -> Table {
    let reference = dataset.label(&section.series[section.reference]);
    let mut columns = heads(section);
    columns.extend([
        Column::right("n", 4),
        Column::right("median", 0),
        Column::left("95 % interval", 2),
        Column::right(format!("{}/s", section.point.operation_noun()), 3),
    ]);
    let unit = cost_unit(dataset, section);
    columns.extend(unit.iter().map(|unit| {
        Column::right(
            plain(&format!("{} per {unit}", section.point.operation_noun())),
            3,
        )
    }));
    let has_ratios = section.series.len() > 1;
    if has_ratios {
        columns.push(Column::left("ratio", 1));
        columns.push(Column::right("p", 5));
    }
    let rows = rows(dataset, section, |series, point, scale| {
        let mut cells = match &point.figures {
            Some(figures) => time_cells(figures, scale),
            None => vec![
                String::from("0"),
                NOTHING.into(),
                NOTHING.into(),
                NOTHING.into(),
            ],
        };
        if unit.is_some() {
            let cost = dataset.subjects[series.subject].cost();
            let bought = point.figures.as_ref().zip(cost);
            cells.push(bought.map_or_else(
                || NOTHING.into(),
                |(figures, cost)| large(cost.operations(figures.ops_per_s)),
            ));
        }
        if has_ratios {
            cells.extend(ratio_cells(point.ratio.as_ref()));
        }
        cells
    });
    let title = time_title(&section.point);
    let caption = if has_ratios {
        format!("{title}; ratios are times over those of {reference}")
    } else {
        String::from(title)
    };
    Table {
        caption,
        columns,
        rows,
    }
}

/// What the times of a point are.
pub(crate) fn time_title(point: &Point) -> &'static str {
    if point.is_by_time() {
        "Time of a million operations"
    } else {
        "Wall time"
    }
}

/// Latency, CPU time and memory.
pub(crate) fn latencies(dataset: &Dataset, section: &Section) -> Table {
    let has_corrected = section.points().any(|point| corrected(point).is_some());
    let mut columns = heads(section);
    columns.extend([
        Column::right("p50", 0),
        Column::right("p95", 2),
        Column::right("p99", 0),
        Column::right("p99.9", 1),
        Column::right("max", 2),
        Column::right("CPU time", 3),
        Column::right("peak memory", 4),
        Column::right("bytes a record", 5),
    ]);
    if has_corrected {
        let title = |(name, rank)| Column::right(format!("corrected {name}"), rank);
        columns.extend([("p50", 2), ("p95", 1), ("p99", 0), ("max", 2)].map(title));
    }
    let corrected_cells = |point: &SeriesPoint| match corrected(point) {
        _ if !has_corrected => Vec::new(),
        Some(of) => [of.p50, of.p95, of.p99, of.max].map(nanoseconds).to_vec(),
        None => vec![NOTHING.into(); 4],
    };
    let rows = rows(dataset, section, |_, point, scale| match &point.figures {
        Some(figures) => {
            let latency = figures.txn_latency_ns;
            let is_measured = latency.count > 0;
            let mut cells: Vec<String> = [
                latency.p50,
                latency.p95,
                latency.p99,
                latency.p999,
                latency.max,
            ]
            .map(|ns| given(is_measured, || nanoseconds(ns)))
            .into();
            let (cpu_s, bytes) = (figures.cpu_s, figures.bytes_per_record);
            cells.extend([
                given(cpu_s > 0.0, || scale.with_unit(cpu_s)),
                given(figures.peak_rss_bytes > 0, || {
                    decimal_bytes(figures.peak_rss_bytes)
                }),
                given(bytes > 0.0, || format!("{bytes:.1}")),
            ]);
            cells.extend(corrected_cells(point));
            cells
        }
        None => vec![NOTHING.into(); if has_corrected { 12 } else { 8 }],
    });
    let mut caption = String::from("Latency of a transaction, CPU time and memory");
    if has_corrected {
        caption.push_str("; corrected latency is from when a transaction was due");
    }
    Table {
        caption,
        columns,
        rows,
    }
}

/// Latency from when transactions were due, where there was a rate.
fn corrected(point: &SeriesPoint) -> Option<LatencyNs> {
    point.figures.as_ref()?.txn_latency_corrected_ns
}

/// A figure as text, if there is one: other programs do not give all.
fn given(is_given: bool, text: impl Fn() -> String) -> String {
    if is_given { text() } else { NOTHING.into() }
}

/// What the costs of the section's subjects are counted in; none where none has any.
fn cost_unit(dataset: &Dataset, section: &Section) -> Option<String> {
    let subjects = section.series.iter();
    let costs = subjects.filter_map(|series| dataset.subjects[series.subject].cost());
    let mut units: Vec<String> = costs.map(|cost| plain(cost.unit())).collect();
    units.dedup();
    match units.len() {
        0 => None,
        1 => units.pop(),
        // What a unit of one and a unit of another buy is not to be compared; the column says so.
        _ => Some(units.join(" or ")),
    }
}

/// The columns that say where a row belongs.
fn heads(section: &Section) -> Vec<Column> {
    let axes = section.axes.iter();
    axes.map(|axis| Column::right(plain(&axis.title()), 0))
        .chain([Column::left("arm", 0)])
        .collect()
}

/// One row for each point, its cells behind those that say where it belongs; all times at one place
/// are in one unit.
fn rows(
    dataset: &Dataset,
    section: &Section,
    cells: impl Fn(&Series, &SeriesPoint, Seconds) -> Vec<String>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for place in section.places() {
        let points: Vec<(&Series, &SeriesPoint)> = section
            .series
            .iter()
            .filter_map(|series| Some((series, series.at(&place)?)))
            .collect();
        let smallest = points
            .iter()
            .filter_map(|(_, point)| Some(point.figures.as_ref()?.wall_s.median))
            .fold(f64::INFINITY, f64::min);
        let scale = Seconds::like(smallest);
        for (position, (series, point)) in points.iter().enumerate() {
            let label = dataset.label(series);
            let levels = place.iter().map(|level| plain(&level.text));
            let mut row: Vec<String> = levels.chain([label.to_owned()]).collect();
            row.extend(cells(series, point, scale));
            rows.push(Row {
                cells: row,
                continues: position > 0,
                is_marked: false,
            });
        }
    }
    rows
}

fn time_cells(figures: &Figures, scale: Seconds) -> Vec<String> {
    let wall = figures.wall_s;
    vec![
        figures.n.to_string(),
        scale.with_unit(wall.median),
        wall.interval.map_or_else(
            || NOTHING.into(),
            |(low, high)| format!("[{}, {}]", scale.bare(low), scale.bare(high)),
        ),
        rate(figures.ops_per_s),
    ]
}

fn ratio_cells(ratio: Option<&Ratio>) -> [String; 2] {
    let Some(ratio) = ratio else {
        return [NOTHING.into(), NOTHING.into()];
    };
    [ratio_text(ratio), p_value(ratio.pair.p)]
}

/// `1.61 [1.60, 1.63]`; with a `~` when no difference was found, and with what weakens it.
fn ratio_text(ratio: &Ratio) -> String {
    let mut text = estimate_text(ratio.pair.estimate());
    if ratio.pair.verdict == Verdict::NoDifference {
        text.push_str(" ~");
    }
    if !ratio.took_turns {
        text.push_str(" unpaired");
    }
    text
}

/// A latency in the unit that suits it.
pub(crate) fn nanoseconds(value_ns: u64) -> String {
    let (divisor, unit) = match value_ns {
        0..1_000 => return format!("{value_ns} ns"),
        1_000..10_000_000 => (1e3, "us"),
        10_000_000..10_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {unit}", significant(value_ns as f64 / divisor))
}

fn p_value(p: f64) -> String {
    if p < 0.001 {
        String::from("< 0.001")
    } else {
        format!("{p:.3}")
    }
}
