//! The table of a sweep: a row a point, as it grows. 80 columns hold it.

use std::io;

use lycosa_lua::worker::LatencyNs;

use super::figures_table::nanoseconds;
use super::page::{DIM, PLAIN, Page, Seconds};
use super::side_by_side::cut;
use crate::axes::{self, Parameter};
use crate::quantity::{decimal_bytes, percent, rate, significant};
use crate::result::Point;
use crate::result::summary::Figures;

/// Widest column of an axis beside another, and of one beside two latencies.
const AXIS_WIDTH_MAX: usize = 11;
const AXIS_WIDTH_AT_RATE_MAX: usize = 7;

/// Longest word for operations that the columns have room for.
const NOUN_WIDTH_MAX: usize = 8;

/// What is told of each point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Memory, which matters where sizes vary.
    Sizes,
    /// Latencies, which matter where anything else does.
    Load,
    /// Both latencies: from a transaction's begin and from when it was due.
    Rate,
}

/// The columns of a sweep's table.
#[derive(Debug)]
pub(crate) struct SizeTable {
    axes: Vec<(Parameter, usize)>,
    kind: Kind,
    /// Titles and widths behind the axes.
    columns: Vec<(String, usize)>,
}

impl Kind {
    fn of(axes: &[Parameter], points: &[Point]) -> Self {
        let is_at_rate = |point: &Point| point.rate_per_s.is_some();
        match axes.contains(&Parameter::Records) {
            true => Self::Sizes,
            false if points.iter().any(is_at_rate) => Self::Rate,
            false => Self::Load,
        }
    }

    fn columns(self, noun: &str) -> Vec<(String, usize)> {
        let (many, one) = short_noun(noun);
        let columns = match self {
            Self::Sizes => vec![
                (String::from("median"), 11),
                (String::from("95 %"), 9),
                (format!("M {many}/s"), 13),
                (format!("ns/{one}"), 11),
                (
                    match noun {
                        "inserts" => String::from("bytes/record"),
                        _ => format!("bytes/{one}"),
                    },
                    14,
                ),
                (String::from("peak"), 10),
            ],
            Self::Load => vec![
                (String::from("median"), 11),
                (String::from("95 %"), 9),
                (format!("{many}/s"), 13),
                (String::from("p50"), 9),
                (String::from("p95"), 9),
                (String::from("p99"), 9),
            ],
            Self::Rate => vec![
                (format!("{many}/s"), 12),
                (String::from("p50"), 9),
                (String::from("p95"), 9),
                (String::from("p99"), 9),
                (String::from("p50"), 9),
                (String::from("p95"), 9),
                (String::from("p99"), 9),
            ],
        };
        columns
            .into_iter()
            .map(|(title, width)| {
                let width = width.max(title.chars().count() + 2);
                (title, width)
            })
            .collect()
    }

    fn axis_width_max(self, axes: usize) -> usize {
        match (axes, self) {
            (1, _) => usize::MAX,
            (_, Self::Rate) => AXIS_WIDTH_AT_RATE_MAX,
            _ => AXIS_WIDTH_MAX,
        }
    }
}

/// What operations are called where there is little room: many of them, and one.
fn short_noun(noun: &str) -> (&str, &str) {
    match noun {
        "transactions" => ("txn", "txn"),
        _ => match noun.strip_suffix('s') {
            Some(one) if noun.chars().count() <= NOUN_WIDTH_MAX => (noun, one),
            _ => ("ops", "op"),
        },
    }
}

impl SizeTable {
    /// Columns that suit these points, which are of one workload.
    pub(crate) fn new(axes: &[Parameter], points: &[Point]) -> Self {
        let noun = points.first().map_or("operations", Point::operation_noun);
        let kind = Kind::of(axes, points);
        let most = kind.axis_width_max(axes.len());
        let widths = axes.iter().enumerate().map(|(position, axis)| {
            let texts = points.iter().map(|point| axis.level(point).text);
            let widths = texts.chain([axis.title()]).map(|text| text.chars().count());
            let gap = if position == 0 { 0 } else { 2 };
            (axis.clone(), widths.max().unwrap_or(0).min(most) + gap)
        });
        let mut columns = kind.columns(noun);
        if kind != Kind::Rate && points.first().is_some_and(Point::is_by_time) {
            // The time was given; what is compared is that of a million operations.
            columns[0] = (String::from("a million"), columns[0].1);
        }
        Self {
            axes: widths.collect(),
            kind,
            columns,
        }
    }

    /// The titles.
    pub(crate) fn head(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.kind == Kind::Rate {
            page.line(DIM, &[self.latency_titles()])?;
        }
        let names: Vec<String> = self.axes.iter().map(|(axis, _)| axis.title()).collect();
        let titles: Vec<String> = self
            .columns
            .iter()
            .map(|(title, _)| title.clone())
            .collect();
        page.line(DIM, &[self.row_text(&names, &titles)])
    }

    /// What the two latencies are, above the percentiles of each.
    fn latency_titles(&self) -> String {
        let axes: usize = self.axes.iter().map(|(_, width)| width).sum();
        let width = |columns: &[(String, usize)]| columns.iter().map(|(_, width)| width).sum();
        let [before, begin, due]: [usize; 3] = [
            axes + self.columns[0].1,
            width(&self.columns[1..4]),
            width(&self.columns[4..]),
        ];
        let titles = ["transaction, from begin", "corrected, from due"];
        format!("{:before$}{:>begin$}{:>due$}", "", titles[0], titles[1])
    }

    /// A point with its figures.
    pub(crate) fn row(
        &self,
        page: &mut Page<'_>,
        point: &Point,
        figures: &Figures,
    ) -> io::Result<()> {
        let median_s = figures.wall_s.median;
        let mut cells = match self.kind {
            Kind::Rate => Vec::new(),
            _ => vec![Seconds::like(median_s).with_unit(median_s), spread(figures)],
        };
        // What has decades between its points needs a unit of its own in each row.
        cells.push(match self.kind {
            Kind::Sizes => significant(figures.ops_per_s / 1e6),
            _ => rate(figures.ops_per_s),
        });
        match self.kind {
            Kind::Sizes => cells.extend(memory(figures)),
            Kind::Load => cells.extend(latencies(Some(figures.txn_latency_ns))),
            Kind::Rate => {
                cells.extend(latencies(Some(figures.txn_latency_ns)));
                cells.extend(latencies(figures.txn_latency_corrected_ns));
            }
        }
        let parameters: Vec<Parameter> = self.axes.iter().map(|(axis, _)| axis.clone()).collect();
        let place = axes::place(&parameters, point);
        let names: Vec<String> = place.into_iter().map(|level| level.text).collect();
        page.line(PLAIN, &[self.row_text(&names, &cells)])
    }

    fn row_text(&self, names: &[String], others: &[String]) -> String {
        let names = names.iter().zip(&self.axes).enumerate();
        let names = names.map(|(position, (name, (_, width)))| {
            let gap = if position == 0 { 0 } else { 2 };
            format!("{:>width$}", cut(&super::plain(name), width - gap))
        });
        let others = others.iter().zip(&self.columns);
        names
            .chain(others.map(|(text, (_, width))| format!("{text:>width$}")))
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
fn latencies(latency: Option<LatencyNs>) -> [String; 3] {
    match latency.filter(|latency| latency.count > 0) {
        Some(latency) => [latency.p50, latency.p95, latency.p99].map(nanoseconds),
        None => std::array::from_fn(|_| String::from("-")),
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
    fn at_a_rate_a_row_has_both_latencies_below_their_names() {
        let mut points = points(&[1_000_000]);
        points[0].rate_per_s = Some(20_000.0);
        let axes = [Parameter::Rate, Parameter::Index];
        let table = SizeTable::new(&axes, &points);
        let mut runs = testing::runs(&[0.1, 0.2]);
        for run in &mut runs {
            run.txn_latency_corrected_ns = Some(run.txn_latency_ns);
            run.txn_latency_corrected_histogram
                .clone_from(&run.txn_latency_histogram);
        }
        let figures = figures(&runs).unwrap().unwrap();
        let text = written(|page| {
            table.head(page)?;
            table.row(page, &points[0], &figures)
        });
        let expected = [
            "                            transaction, from begin        corrected, from due",
            " rate  index   inserts/s      p50      p95      p99      p50      p95      p99",
            "20k/s   tree      6.67 k  9.81 us 1,930 us 1,930 us  9.81 us 1,930 us 1,930 us",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn operations_have_their_own_name_where_there_is_room() {
        let titles = |noun| {
            let columns = Kind::Sizes.columns(noun);
            let titles = columns[2..5].iter().map(|(title, _)| title.clone());
            titles.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(titles("transactions"), "M txn/s, ns/txn, bytes/txn");
        assert_eq!(
            titles("messages"),
            "M messages/s, ns/message, bytes/message"
        );
        assert_eq!(titles("reservations"), "M ops/s, ns/op, bytes/op");
        for noun in ["inserts", "messages", "transactions", "reservations"] {
            for kind in [Kind::Sizes, Kind::Load, Kind::Rate] {
                let columns = kind.columns(noun);
                let width: usize = columns.iter().map(|(_, width)| width).sum();
                assert!(width <= 73, "{noun} {kind:?}: {width}");
            }
        }
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
