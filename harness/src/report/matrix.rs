//! The points of a sweep over two axes as a matrix: the first axis runs down, the second across.

use super::dataset::{Dataset, Section, Series};
use super::plain;
use super::table::{Align, Column, Row, Table};
use crate::axes::{self, Level, Measured, Parameter};
use crate::quantity::rate;

/// What marks the best point where there are no colors.
const BEST: &str = "*";

/// What stands where nothing was measured.
const NOTHING: &str = "-";

/// Where each point of a sweep stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    /// What runs down, and what across.
    pub(crate) titles: [String; 2],
    /// Values that run down.
    pub(crate) rows: Vec<String>,
    /// Values that run across.
    pub(crate) columns: Vec<String>,
    /// Positions of points, by row and column; none where nothing was measured.
    pub(crate) cells: Vec<Vec<Option<usize>>>,
}

impl Matrix {
    /// The matrix of these points; none without two axes.
    pub(crate) fn of(axes: &[Parameter], points: &[Measured]) -> Option<Self> {
        let [down, across] = axes else { return None };
        let levels = |axis: usize| {
            axes::distinct_levels(points.iter().filter_map(move |point| point.place.get(axis)))
        };
        let (rows, columns) = (levels(0), levels(1));
        let cells = rows
            .iter()
            .map(|row| {
                let at = |column: &Level| {
                    let is_there =
                        |point: &Measured| point.place[0] == *row && point.place[1] == *column;
                    points.iter().position(is_there)
                };
                columns.iter().map(at).collect()
            })
            .collect();
        let texts = |levels: Vec<Level>| levels.iter().map(|level| plain(&level.text)).collect();
        Some(Self {
            titles: [plain(&down.title()), plain(&across.title())],
            rows: texts(rows),
            columns: texts(columns),
            cells,
        })
    }

    /// Throughputs as a table, the best marked.
    pub(crate) fn table(&self, points: &[Measured], best: usize, noun: &str) -> Table {
        let [down, across] = &self.titles;
        let corner = Column {
            title: format!("{down} \\ {across}"),
            align: Align::Right,
            rank: 0,
        };
        let others = self.columns.iter().map(|text| Column::right(text, 0));
        let cell = |position: &Option<usize>| match position {
            Some(position) => {
                let mark = if *position == best { BEST } else { "" };
                format!("{}{mark}", rate(points[*position].ops_per_s))
            }
            None => String::from(NOTHING),
        };
        let rows = self.rows.iter().zip(&self.cells).map(|(name, cells)| Row {
            cells: std::iter::once(name.clone())
                .chain(cells.iter().map(cell))
                .collect(),
            ..Row::default()
        });
        Table {
            caption: format!("Throughput, {noun}/s; {BEST} is the best"),
            columns: std::iter::once(corner).chain(others).collect(),
            rows: rows.collect(),
        }
    }
}

/// The matrix of each series of a section with two axes: its label, the matrix, its points, and the
/// position of the best.
pub(crate) fn of_series<'a>(
    dataset: &'a Dataset,
    section: &'a Section,
) -> Vec<(&'a str, Matrix, Vec<Measured>, usize)> {
    let of_one = |series: &'a Series| {
        let points = series.measured();
        let matrix = Matrix::of(&section.axes, &points)?;
        let best = axes::best(&points)?;
        Some((dataset.label(series), matrix, points, best))
    };
    section.series.iter().filter_map(of_one).collect()
}

/// The same as tables.
pub(crate) fn matrices(dataset: &Dataset, section: &Section) -> Vec<Table> {
    let noun = plain(section.point.operation_noun());
    let all = of_series(dataset, section).into_iter();
    all.map(|(label, matrix, points, best)| {
        let mut table = matrix.table(&points, best, &noun);
        if section.series.len() > 1 {
            table.caption = format!("{label}: {}", table.caption);
        }
        table
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(fibers: f64, index: &str, ops_per_s: f64) -> Measured {
        let level = |text: &str, number| Level {
            text: text.to_owned(),
            number,
        };
        Measured {
            place: vec![level(&fibers.to_string(), Some(fibers)), level(index, None)],
            ops_per_s,
            interval: None,
            each_s: Vec::new(),
            p95_ns: None,
        }
    }

    #[test]
    fn the_best_is_marked_and_what_was_not_measured_is_a_dash() {
        let points = [
            point(50.0, "tree", 1e6),
            point(10.0, "tree", 2e6),
            point(10.0, "hash", 5e3),
        ];
        let axes = [Parameter::Fibers, Parameter::Index];
        let matrix = Matrix::of(&axes, &points).unwrap();
        let table = matrix.table(&points, 1, "inserts");
        let rows: Vec<&Vec<String>> = table.rows.iter().map(|row| &row.cells).collect();
        assert_eq!(rows[0], &["10", "2.00 M*", "5.00 k"]);
        assert_eq!(rows[1], &["50", "1.00 M", "-"]);
        assert_eq!(table.columns[0].title, "fibers \\ index");
        assert_eq!(Matrix::of(&axes[..1], &points), None);
    }
}
