//! The table of a sweep: a row a point, as it grows. 80 columns hold it.

use std::io;

use super::figures_table::nanoseconds;
use super::page::{DIM, PLAIN, Page, Seconds};
use super::side_by_side::cut;
use crate::axes::{self, Parameter};
use crate::quantity::{decimal_bytes, percent, rate, significant};
use crate::result::Point;
use crate::result::summary::Figures;

/// Widths of the columns behind the axes, where sizes vary.
const SIZE_WIDTHS: [usize; 6] = [11, 9, 13, 11, 14, 10];

/// The same where anything else does.
const LOAD_WIDTHS: [usize; 6] = [11, 9, 13, 9, 9, 9];

/// Widest column of an axis beside another.
const AXIS_WIDTH_MAX: usize = 11;

/// The columns of a sweep's table. What memory is used matters where sizes vary, and latencies where
/// anything else does.
#[derive(Debug)]
pub(crate) struct SizeTable {
    axes: Vec<(Parameter, usize)>,
    has_sizes: bool,
    titles: [&'static str; 6],
}

impl SizeTable {
    /// Columns that suit these points, which are of one workload.
    pub(crate) fn new(axes: &[Parameter], points: &[Point]) -> Self {
        let is_insert = points
            .first()
            .is_none_or(|point| point.operation_noun() == "inserts");
        let (millions, each) = if is_insert {
            ("M inserts/s", "ns/insert")
        } else {
            ("M ops/s", "ns/op")
        };
        let has_sizes = axes.contains(&Parameter::Records);
        let titles = if has_sizes {
            ["median", "95 %", millions, each, "bytes/record", "peak"]
        } else {
            let per_second = if is_insert { "inserts/s" } else { "ops/s" };
            ["median", "95 %", per_second, "p50", "p95", "p99"]
        };
        let axes = axes.iter().enumerate().map(|(position, axis)| {
            let texts = points.iter().map(|point| axis.level(point).text);
            let widths = texts.chain([axis.title()]).map(|text| text.chars().count());
            let gap = if position == 0 { 0 } else { 2 };
            let most = if axes.len() > 1 {
                AXIS_WIDTH_MAX
            } else {
                usize::MAX
            };
            (axis.clone(), widths.max().unwrap_or(0).min(most) + gap)
        });
        Self {
            axes: axes.collect(),
            has_sizes,
            titles,
        }
    }

    /// The titles.
    pub(crate) fn head(&self, page: &mut Page<'_>) -> io::Result<()> {
        let names: Vec<String> = self.axes.iter().map(|(axis, _)| axis.title()).collect();
        page.line(DIM, &[self.columns(&names, &self.titles.map(String::from))])
    }

    /// A point with its figures.
    pub(crate) fn row(
        &self,
        page: &mut Page<'_>,
        point: &Point,
        figures: &Figures,
    ) -> io::Result<()> {
        let median_s = figures.wall_s.median;
        let [fourth, fifth, sixth] = if self.has_sizes {
            memory(figures)
        } else {
            latencies(figures)
        };
        // What has decades between its points needs a unit of its own in each row.
        let throughput = if self.has_sizes {
            significant(figures.ops_per_s / 1e6)
        } else {
            rate(figures.ops_per_s)
        };
        let cells = [
            Seconds::like(median_s).with_unit(median_s),
            spread(figures),
            throughput,
            fourth,
            fifth,
            sixth,
        ];
        let parameters: Vec<Parameter> = self.axes.iter().map(|(axis, _)| axis.clone()).collect();
        let place = axes::place(&parameters, point);
        let names: Vec<String> = place.into_iter().map(|level| level.text).collect();
        page.line(PLAIN, &[self.columns(&names, &cells)])
    }

    fn columns(&self, names: &[String], others: &[String; 6]) -> String {
        let widths = if self.has_sizes {
            SIZE_WIDTHS
        } else {
            LOAD_WIDTHS
        };
        let names = names.iter().zip(&self.axes).enumerate();
        let names = names.map(|(position, (name, (_, width)))| {
            let gap = if position == 0 { 0 } else { 2 };
            format!("{:>width$}", cut(&super::plain(name), width - gap))
        });
        let others = others.iter().zip(widths);
        names
            .chain(others.map(|(text, width)| format!("{text:>width$}")))
            .collect::<Vec<_>>()
            .concat()
    }
}

/// Time an operation, and memory.
fn memory(figures: &Figures) -> [String; 3] {
    let each_ns = match figures.ops_per_s {
        0.0 => f64::NAN,
        ops_per_s => 1e9 / ops_per_s,
    };
    [
        significant(each_ns),
        format!("{:.1}", figures.bytes_per_record),
        decimal_bytes(figures.peak_rss_bytes),
    ]
}

/// Percentiles of transactions; `-` where there are none.
fn latencies(figures: &Figures) -> [String; 3] {
    let latency = figures.txn_latency_ns;
    [latency.p50, latency.p95, latency.p99].map(|ns| match latency.count {
        0 => String::from("-"),
        _ => nanoseconds(ns),
    })
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
        let table = SizeTable::new(&axes::records(), &points);
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
    fn where_anything_but_sizes_varies_a_row_has_latencies() {
        let points = points(&[1_000_000]);
        let axes = [Parameter::Fibers, Parameter::Index];
        let table = SizeTable::new(&axes, &points);
        let figures = figures(&testing::runs(&[0.1, 0.2])).unwrap().unwrap();
        let text = written(|page| {
            table.head(page)?;
            table.row(page, &points[0], &figures)
        });
        assert_eq!(
            text,
            "\
fibers  index     median     95 %    inserts/s      p50      p95      p99
    50   tree   0.1500 s        -       6.67 k  9.81 us 1,930 us 1,930 us
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
