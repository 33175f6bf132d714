//! The course of a section's points as a table: how even throughput and latency were.

use super::dataset::course::{Course, Piece};
use super::dataset::{Dataset, Section, SeriesPoint};
use super::sparkline::sparkline;
use super::table::{Column, Row, Table};
use crate::axes::Parameter;
use crate::pace::Time;
use crate::quantity::{decimal_bytes, rate, short_count, significant};
use crate::report::terminal::latency_unit;
use crate::statistics;

/// Columns of a sparkline.
const COLUMNS: usize = 16;

/// What stands where there is nothing to show.
const NOTHING: &str = "-";

/// One row for each point that was told in intervals; `None` if none was.
pub(crate) fn table(dataset: &Dataset, section: &Section) -> Option<Table> {
    let mut rows: Vec<Row> = Vec::new();
    for place in section.places() {
        for series in &section.series {
            let told = series
                .at(&place)
                .and_then(|point| Some((point, point.course(COLUMNS)?)));
            let Some((point, course)) = told else {
                continue;
            };
            let mut cells = vec![name(section, point), dataset.label(series).to_owned()];
            cells.extend(figures(&course));
            rows.push(Row {
                continues: rows.last().is_some_and(|row| row.cells[0] == cells[0]),
                cells,
                is_marked: false,
            });
        }
    }
    (!rows.is_empty()).then(|| Table {
        caption: format!(
            "Course of the median repetition: {}/s, and latency of a transaction",
            section.point.operation_noun()
        ),
        columns: vec![
            Column::right(if is_by_size(section) { "size" } else { "point" }, 0),
            Column::left("arm", 0),
            Column::right("intervals", 5),
            Column::left("throughput", 1),
            Column::right("lowest", 0),
            Column::right("median", 3),
            Column::right("highest", 2),
            Column::left("p95", 1),
            Column::right("highest p95", 0),
            Column::right("highest p99", 2),
            Column::right("CPU", 3),
            Column::right("memory", 4),
        ],
        rows,
    })
}

/// Whether the points of a section differ in nothing but how long they run.
pub(crate) fn is_by_size(section: &Section) -> bool {
    matches!(section.axes.as_slice(), [] | [Parameter::Records])
}

/// What a point is called: by where it is on the axes, or by its records or its time.
pub(crate) fn name(section: &Section, point: &SeriesPoint) -> String {
    match point.point.duration_s {
        _ if !is_by_size(section) => section.place_text(point),
        Some(duration_s) => Time(duration_s).to_string(),
        None => short_count(point.point.records),
    }
}

fn figures(course: &Course) -> Vec<String> {
    let column = |value: fn(&Piece) -> f64| -> Vec<f64> {
        let values = course.pieces.iter().map(value);
        values.filter(|value| value.is_finite()).collect()
    };
    let rates = column(|piece| piece.ops_per_s);
    let (p95, p99) = (
        column(|piece| piece.latency_ns[1]),
        column(|piece| piece.latency_ns[2]),
    );
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let latency = |ns: f64| {
        let (divisor, unit) = latency_unit(ns as u64);
        format!("{} {unit}", significant(ns / divisor))
    };
    let cores: Vec<f64> = course
        .pieces
        .iter()
        .filter_map(|piece| piece.cores)
        .collect();
    let memory = course
        .pieces
        .iter()
        .filter_map(|piece| piece.resident_bytes);
    vec![
        course.intervals.to_string(),
        sparkline(&rates, COLUMNS),
        rate(rates.iter().copied().reduce(f64::min).unwrap_or_default()),
        rate(statistics::median(&rates).unwrap_or_default()),
        rate(largest(&rates)),
        sparkline(&p95, COLUMNS),
        latency(largest(&p95)),
        latency(largest(&p99)),
        statistics::median(&cores)
            .map_or(NOTHING.into(), |cores| format!("{:.0} %", 100.0 * cores)),
        memory.max().map_or(NOTHING.into(), decimal_bytes),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::dataset::testing::{two_arms, with_courses};
    use super::*;

    #[test]
    fn each_point_that_was_told_is_a_row() {
        let dataset = with_courses(12);
        let table = table(&dataset, &dataset.sections[0]).unwrap();
        assert_eq!(table.rows.len(), 2);
        for row in &table.rows {
            assert_eq!(row.cells.len(), table.columns.len());
        }
        let first = &table.rows[0].cells;
        assert_eq!((first[0].as_str(), first[2].as_str()), ("2M", "12"));
        assert_eq!(first[3].chars().count(), 12);
        assert_eq!(first[10], "100 %");
        assert_eq!(first[11], "32.0 MB");
        assert!(table.rows[1].continues);
    }

    #[test]
    fn without_intervals_there_is_no_table() {
        let dataset = two_arms();
        assert_eq!(table(&dataset, &dataset.sections[0]), None);
    }
}
