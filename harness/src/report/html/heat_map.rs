//! The matrix of a sweep over two axes as a heat map: the more throughput, the deeper the color. Each
//! cell holds its number where there is room; the tables below hold all of them.

use maud::{Markup, html};

use crate::axes::Measured;
use crate::quantity::rate;
use crate::report::matrix::Matrix;
use crate::report::side_by_side::cut;

/// Shades that the style sheet has.
const SHADES: usize = 10;

/// Width in units of the `viewBox`, as the other charts have it.
const WIDTH: f64 = 480.0;

/// Room for the names of the rows, and of the columns.
const NAMES: (f64, f64) = (74.0, 34.0);

/// Height of a row, at least and at most.
const ROW_HEIGHT: (f64, f64) = (6.0, 30.0);

/// What all rows together may be high before they become lower.
const ROWS_HEIGHT: f64 = 420.0;

/// Smallest cells that hold a number.
const NUMBER_SIZE: (f64, f64) = (46.0, 16.0);

/// Least distance of two names of rows.
const NAME_HEIGHT: f64 = 15.0;

/// A heat map of throughputs, with its legend.
pub(super) fn figure(
    matrix: &Matrix,
    points: &[Measured],
    best: usize,
    (noun, about): (&str, &str),
) -> Markup {
    let values = matrix.cells.iter().flatten().flatten();
    let values = values.map(|position| points[*position].ops_per_s);
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(0.0, f64::max);
    let map = Map {
        matrix,
        points,
        best,
        range: (low, high),
        cell: cell_size(matrix),
    };
    let height = NAMES.1 + map.cell.1 * matrix.rows.len() as f64 + 18.0;
    let [down, across] = &matrix.titles;
    let title = match about {
        "" => format!("Throughput, {noun}/s, by {down} and {across}"),
        about => format!("Throughput of {about}, {noun}/s, by {down} and {across}"),
    };
    let description = format!("{title}: {}", map.described(noun));
    html! {
        figure.heat {
            figcaption { (title) }
            svg viewBox=(format!("0 0 {WIDTH} {height:.1}")) role="img" aria-label=(description) {
                title { (title) }
                text.text x=(WIDTH) y="12" text-anchor="end" { (across) " \u{2192}" }
                text.text x="0" y="12" { (down) " \u{2193}" }
                (map.names())
                (map.cells())
            }
            p.scale aria-hidden="true" {
                (rate(low)) "/s "
                @for shade in 0..SHADES { span class=(format!("shade h{shade}")) {} }
                " " (rate(high)) "/s   \u{25a2} best"
            }
        }
    }
}

fn cell_size(matrix: &Matrix) -> (f64, f64) {
    let (columns, rows) = (matrix.columns.len().max(1), matrix.rows.len().max(1));
    let height = (ROWS_HEIGHT / rows as f64).clamp(ROW_HEIGHT.0, ROW_HEIGHT.1);
    ((WIDTH - NAMES.0) / columns as f64, height)
}

struct Map<'a> {
    matrix: &'a Matrix,
    points: &'a [Measured],
    best: usize,
    range: (f64, f64),
    cell: (f64, f64),
}

impl Map<'_> {
    /// The names of columns and rows, as many as there is room for.
    fn names(&self) -> Markup {
        let (width, height) = self.cell;
        let characters = ((width / 8.0) as usize).max(2);
        let every_column = (22.0 / width).ceil().max(1.0) as usize;
        let every_row = (NAME_HEIGHT / height).ceil().max(1.0) as usize;
        let columns = self.matrix.columns.iter().enumerate().step_by(every_column);
        let rows = self.matrix.rows.iter().enumerate().step_by(every_row);
        html! {
            @for (position, name) in columns {
                text.text x=(units(NAMES.0 + (position as f64 + 0.5) * width)) y=(NAMES.1 - 5.0)
                    text-anchor="middle" { (cut(name, characters)) }
            }
            @for (position, name) in rows {
                text.text x=(NAMES.0 - 6.0) text-anchor="end"
                    y=(units(NAMES.1 + (position as f64 + 0.5) * height + 4.5)) { (cut(name, 9)) }
            }
        }
    }

    fn cells(&self) -> Markup {
        let (width, height) = self.cell;
        let has_numbers = width >= NUMBER_SIZE.0 && height >= NUMBER_SIZE.1;
        let all = self.matrix.cells.iter().enumerate();
        let all = all.flat_map(|(row, cells)| {
            let filled = cells.iter().enumerate();
            filled.filter_map(move |(column, position)| Some((row, column, (*position)?)))
        });
        html! {
            @for (row, column, position) in all {
                @let (x, y) = (NAMES.0 + column as f64 * width, NAMES.1 + row as f64 * height);
                @let value = self.points[position].ops_per_s;
                @let best = if position == self.best { " best" } else { "" };
                rect class=(format!("cell h{}{best}", self.shade(value))) x=(units(x + 1.0))
                    y=(units(y + 1.0)) width=(units(width - 2.0)) height=(units(height - 2.0)) {
                    title {
                        (self.matrix.rows[row]) ", " (self.matrix.columns[column]) ": "
                        (rate(value)) "/s"
                    }
                }
                @if has_numbers {
                    text class=(format!("number{best}")) x=(units(x + width / 2.0))
                        y=(units(y + height / 2.0 + 4.5)) text-anchor="middle" { (rate(value)) }
                }
            }
        }
    }

    /// The shade of a value: equal steps from the least to the most.
    fn shade(&self, value: f64) -> usize {
        let (low, high) = self.range;
        let part = (value - low) / (high - low);
        if part.is_finite() {
            ((part * SHADES as f64) as usize).min(SHADES - 1)
        } else {
            SHADES - 1
        }
    }

    /// For those who cannot see it.
    fn described(&self, noun: &str) -> String {
        let mut best = String::new();
        for (row, cells) in self.matrix.cells.iter().enumerate() {
            if let Some(column) = cells.iter().position(|cell| *cell == Some(self.best)) {
                let [down, across] = &self.matrix.titles;
                let (row, column) = (&self.matrix.rows[row], &self.matrix.columns[column]);
                best = format!("{down} {row}, {across} {column}");
            }
        }
        format!(
            "from {} to {} {noun} a second, the most at {best}. The tables below hold the numbers.",
            rate(self.range.0),
            rate(self.range.1)
        )
    }
}

/// A length with one decimal, as the other charts have them.
fn units(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::{Level, Parameter};

    fn drawn(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> String {
        let level = |text: String| Level { text, number: None };
        let mut points = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                points.push(Measured {
                    place: vec![level(format!("r{row}<")), level(format!("c{column}"))],
                    ops_per_s: value(row, column),
                    interval: None,
                    each_s: Vec::new(),
                    p95_ns: None,
                });
            }
        }
        let axes = [Parameter::Fibers, Parameter::Index];
        let matrix = Matrix::of(&axes, &points).unwrap();
        figure(&matrix, &points, 0, ("inserts", "native")).into_string()
    }

    #[test]
    fn the_least_is_the_lightest_and_the_best_is_framed_and_described() {
        let text = drawn(2, 3, |row, column| 6e6 - (row * 3 + column) as f64 * 1e6);
        assert!(text.contains("class=\"cell h9 best\""), "{text}");
        assert_eq!(text.matches("class=\"cell h0\"").count(), 1);
        assert!(
            text.contains("the most at fibers r0&lt;, index c0."),
            "{text}"
        );
        assert!(text.contains(">6.00 M<") && !text.contains("r0<"), "{text}");
    }

    #[test]
    fn equal_values_and_many_cells_can_be_drawn() {
        let text = drawn(2, 2, |_, _| 1e6);
        assert_eq!(text.matches("cell h9").count(), 4);
        let text = drawn(500, 2, |row, _| row as f64);
        assert!(!text.contains("class=\"number"), "numbers do not fit");
        assert!(text.matches("class=\"text\"").count() < 220);
        assert!(!drawn(2, 500, |_, _| f64::NAN).is_empty());
    }
}
