//! The table of a sweep: a row a size, as it grows. 80 columns hold it.

use std::io;

use super::page::{DIM, PLAIN, Page, Seconds};
use crate::pace::size;
use crate::quantity::{decimal_bytes, percent, significant};
use crate::result::Point;
use crate::result::summary::Figures;

/// Narrowest column of sizes: its title.
const RECORDS_WIDTH_MIN: usize = "records".len();

/// Titles behind the sizes, with their widths.
const WIDTHS: [usize; 6] = [11, 9, 13, 11, 14, 10];

/// The columns of a sweep's table.
#[derive(Debug)]
pub(crate) struct SizeTable {
    records_width: usize,
    titles: [&'static str; 6],
}

impl SizeTable {
    /// Columns that suit these points, which are of one workload.
    pub(crate) fn new(points: &[Point]) -> Self {
        let widths = points
            .iter()
            .map(|point| size(point.records).len())
            .chain([RECORDS_WIDTH_MIN]);
        let is_insert = points
            .first()
            .is_none_or(|point| point.operation_noun() == "inserts");
        let (rate, each) = if is_insert {
            ("M inserts/s", "ns/insert")
        } else {
            ("M ops/s", "ns/op")
        };
        Self {
            records_width: widths.max().unwrap_or(RECORDS_WIDTH_MIN),
            titles: ["median", "95 %", rate, each, "bytes/record", "peak"],
        }
    }

    /// The titles.
    pub(crate) fn head(&self, page: &mut Page<'_>) -> io::Result<()> {
        let titles = self.titles.map(String::from);
        page.line(DIM, &[self.columns("records", &titles)])
    }

    /// A size with its figures.
    pub(crate) fn row(
        &self,
        page: &mut Page<'_>,
        point: &Point,
        figures: &Figures,
    ) -> io::Result<()> {
        let median_s = figures.wall_s.median;
        let each_ns = match figures.ops_per_s {
            0.0 => f64::NAN,
            ops_per_s => 1e9 / ops_per_s,
        };
        let cells = [
            Seconds::like(median_s).with_unit(median_s),
            spread(figures),
            significant(figures.ops_per_s / 1e6),
            significant(each_ns),
            format!("{:.1}", figures.bytes_per_record),
            decimal_bytes(figures.peak_rss_bytes),
        ];
        let size = size(point.records);
        page.line(PLAIN, &[self.columns(&size, &cells)])
    }

    fn columns(&self, first: &str, others: &[String; 6]) -> String {
        let width = self.records_width;
        std::iter::once(format!("{first:>width$}"))
            .chain(
                others
                    .iter()
                    .zip(WIDTHS)
                    .map(|(text, width)| format!("{text:>width$}")),
            )
            .collect::<Vec<_>>()
            .concat()
    }
}

/// `+-0.5 %`; a dash where there is no interval.
fn spread(figures: &Figures) -> String {
    figures.wall_s.relative_margin().map_or_else(
        || String::from("-"),
        |margin| format!("+-{}", percent(margin)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::summary::figures;
    use crate::result::testing;

    fn written(write: impl FnOnce(&mut Page<'_>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut Page::new(&mut out, 80)).unwrap();
        let text = String::from_utf8(out).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    fn points(sizes: &[u64]) -> Vec<Point> {
        let point = |records: &u64| Point {
            records: *records,
            ..Point::of(&testing::options())
        };
        sizes.iter().map(point).collect()
    }

    fn table(sizes: &[u64], walls: &[f64]) -> String {
        let points = points(sizes);
        let table = SizeTable::new(&points);
        let mut runs = testing::runs(walls);
        for run in &mut runs {
            run.ops = 1_000_000;
        }
        let figures = figures(&runs).unwrap().unwrap();
        written(|page| {
            table.head(page)?;
            for point in &points {
                table.row(page, point, &figures)?;
            }
            Ok(())
        })
    }

    #[test]
    fn a_row_has_every_figure_below_its_title() {
        let walls: Vec<f64> = (0..15).map(|i| 0.1 + 0.001 * f64::from(i % 5)).collect();
        assert_eq!(
            table(&[1_000_000, 20_000_000], &walls),
            "\
records     median     95 %  M inserts/s  ns/insert  bytes/record      peak
     1M   0.1020 s  +-1.0 %         9.80        102          44.1   71.0 MB
    20M   0.1020 s  +-1.0 %         9.80        102          44.1   71.0 MB
"
        );
    }

    #[test]
    fn below_six_repetitions_there_is_no_interval() {
        let text = table(&[1_000_000], &[0.1, 0.2]);
        let row = text.lines().nth(1).unwrap();
        assert!(row.starts_with("     1M   0.1500 s        -   "), "{row}");
    }

    #[test]
    fn sizes_that_have_no_short_form_fit_as_well() {
        let text = table(&[12_345_678_901, 1_000], &[123.4; 6]);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(text.contains("\n         1k "), "{text}");
    }
}
