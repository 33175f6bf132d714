//! The charts of a section: wall time, throughput, ratio, spread, latency.
//!
//! With several numbers of records they run along the horizontal axis; with a single one the subjects
//! stand side by side there.

use super::axis::{Axis, Origin};
use super::chart::{Chart, Dot, Line};
use crate::pace::size;
use crate::quantity::short_count;
use crate::report::dataset::{Dataset, Section, Series, SeriesPoint};
use crate::report::figures_table::time_title;
use crate::report::side_by_side::cut;
use crate::result::Run;

/// Characters of all names together that fit below a chart.
const NAMES_WIDTH: usize = 48;

/// All charts that the section has data for.
pub(super) fn of(dataset: &Dataset, section: &Section) -> Vec<Chart> {
    let charts = Charts {
        dataset,
        section,
        sizes: section.sizes(),
    };
    let noun = section.point.operation_noun();
    let mut all = vec![charts.wall_time(), charts.throughput(noun)];
    all.extend(charts.ratio());
    all.push(charts.spread());
    all.extend(charts.latency());
    all
}

struct Charts<'a> {
    dataset: &'a Dataset,
    section: &'a Section,
    sizes: Vec<u64>,
}

/// A value of a repetition, and its median and interval out of those of the wall time.
struct Quantity {
    of_run: fn(&Run) -> f64,
    of_figures: fn(&SeriesPoint) -> Option<f64>,
    interval: fn(&SeriesPoint) -> Option<(f64, f64)>,
}

const WALL_TIME: Quantity = Quantity {
    of_run: Run::compared_s,
    of_figures: |point| Some(point.figures.as_ref()?.wall_s.median),
    interval: |point| point.figures.as_ref()?.wall_s.interval,
};

const THROUGHPUT: Quantity = Quantity {
    of_run: |run| run.ops_per_s,
    of_figures: |point| Some(point.figures.as_ref()?.ops_per_s),
    // The rate falls as the time rises, so the bounds swap.
    interval: |point| {
        let figures = point.figures.as_ref()?;
        let (low, high) = figures.wall_s.interval?;
        let operations = figures.ops_per_s * figures.wall_s.median;
        Some((operations / high, operations / low))
    },
};

impl Charts<'_> {
    fn wall_time(&self) -> Chart {
        let lines = self.lines(&WALL_TIME);
        let (factor, unit) = match largest(&lines) {
            largest if largest < 1e-3 => (1e6, "us"),
            largest if largest < 1.0 => (1e3, "ms"),
            _ => (1.0, "s"),
        };
        let title = format!("{}, {unit}", time_title(&self.section.point));
        let mut chart = self.over_sizes(title, scaled(lines, factor));
        chart.y = chart.y.in_step_with(&chart.x, &values(&chart.lines));
        chart
    }

    fn throughput(&self, noun: &str) -> Chart {
        let lines = self.lines(&THROUGHPUT);
        let (factor, unit) = match largest(&lines) {
            largest if largest >= 1e6 => (1e-6, "million "),
            largest if largest >= 1e4 => (1e-3, "thousand "),
            _ => (1.0, ""),
        };
        let title = format!("Throughput, {unit}{noun} a second");
        self.over_sizes(title, scaled(lines, factor))
    }

    fn ratio(&self) -> Option<Chart> {
        let reference = self
            .dataset
            .label(&self.section.series[self.section.reference]);
        let mut lines: Vec<Line> = Vec::new();
        for (position, series) in self.section.series.iter().enumerate() {
            if position == self.section.reference {
                continue;
            }
            let mut line = Line {
                subject: series.subject,
                ..Line::default()
            };
            for point in &series.points {
                let Some(ratio) = &point.ratio else { continue };
                let x = self.place(position, point);
                let estimate = ratio.pair.estimate();
                line.medians.push((x, estimate.ratio));
                if let Some((low, high)) = estimate.interval {
                    line.intervals.push((x, low, high));
                }
            }
            lines.push(line);
        }
        lines.iter().any(|line| !line.medians.is_empty()).then(|| {
            let title = format!("Time over that of {reference}");
            let y = Axis::fitting(&values(&lines), Origin::One, number);
            let mut chart = self.chart(title, y, lines);
            chart.rule = Some(1.0);
            chart
        })
    }

    /// Every repetition against the median of its point: what the charts of whole times are too
    /// coarse for.
    fn spread(&self) -> Chart {
        let percent = |value: f64, median: f64| (value / median - 1.0) * 100.0;
        let count = self.section.series.len();
        let is_beside = self.sizes.len() > 1 && count > 1;
        let mut lines = Vec::new();
        for (position, series) in self.section.series.iter().enumerate() {
            let mut line = Line {
                subject: series.subject,
                lane: is_beside.then_some((position, count)),
                ..Line::default()
            };
            for point in &series.points {
                let Some(figures) = &point.figures else {
                    continue;
                };
                let x = self.place(position, point);
                let median = figures.wall_s.median;
                line.dots
                    .extend(dots(point, x, |run| percent(run.compared_s(), median)));
            }
            lines.push(line);
        }
        let title = String::from("Each repetition against its median, %");
        let y = Axis::fitting(&values(&lines), Origin::Zero, number);
        let mut chart = self.chart(title, y, lines);
        chart.rule = Some(0.0);
        chart
    }

    /// Percentiles at the largest number of records that the most series share.
    fn latency(&self) -> Option<Chart> {
        let holders = |records: u64| {
            let has = |series: &&Series| {
                series
                    .at(records)
                    .is_some_and(|point| point.figures.is_some())
            };
            self.section.series.iter().filter(has).count()
        };
        let records = self
            .sizes
            .iter()
            .copied()
            .max_by_key(|records| (holders(*records), *records))?;
        let mut lines = Vec::new();
        for series in &self.section.series {
            let figures = series.at(records).and_then(|point| point.figures.as_ref());
            let Some(figures) = figures.filter(|figures| figures.txn_latency_ns.count > 0) else {
                continue;
            };
            let latency = figures.txn_latency_ns;
            let values = [
                latency.p50,
                latency.p95,
                latency.p99,
                latency.p999,
                latency.max,
            ];
            let medians = (0..)
                .map(f64::from)
                .zip(values.map(|ns| ns as f64))
                .collect();
            lines.push(Line {
                subject: series.subject,
                medians,
                ..Line::default()
            });
        }
        if lines.is_empty() {
            return None;
        }
        let (factor, unit) = match largest(&lines) {
            largest if largest < 1e4 => (1.0, "ns"),
            largest if largest < 1e8 => (1e-3, "us"),
            _ => (1e-6, "ms"),
        };
        let lines = scaled(lines, factor);
        let title = format!(
            "Latency of a transaction at {} records, {unit}",
            size(records)
        );
        let y = Axis::fitting(&values(&lines), Origin::Zero, number);
        let names = ["p50", "p95", "p99", "p99.9", "max"].map(str::to_owned);
        Some(Chart {
            description: self.described(&title),
            title,
            x_title: String::from("percentile"),
            x: Axis::named(names.into()),
            y,
            rule: None,
            lines,
        })
    }

    fn lines(&self, quantity: &Quantity) -> Vec<Line> {
        let series = self.section.series.iter().enumerate();
        series
            .map(|(position, series)| {
                let mut line = Line {
                    subject: series.subject,
                    ..Line::default()
                };
                for point in &series.points {
                    let x = self.place(position, point);
                    line.medians
                        .extend((quantity.of_figures)(point).map(|median| (x, median)));
                    line.intervals
                        .extend((quantity.interval)(point).map(|(low, high)| (x, low, high)));
                    line.dots.extend(dots(point, x, quantity.of_run));
                }
                line
            })
            .collect()
    }

    /// Where a point stands on the horizontal axis.
    fn place(&self, position: usize, point: &SeriesPoint) -> f64 {
        if self.sizes.len() > 1 {
            point.point.records as f64
        } else {
            position as f64
        }
    }

    fn over_sizes(&self, title: String, lines: Vec<Line>) -> Chart {
        let y = Axis::fitting(&values(&lines), Origin::Zero, number);
        self.chart(title, y, lines)
    }

    fn chart(&self, title: String, y: Axis, lines: Vec<Line>) -> Chart {
        let (x_title, x) = match self.sizes.as_slice() {
            [records] => (
                format!("{} records", size(*records)),
                Axis::named(self.names()),
            ),
            sizes => {
                let sizes: Vec<f64> = sizes.iter().map(|records| *records as f64).collect();
                let format = |value: f64| short_count(value.max(0.0) as u64);
                (
                    String::from("records"),
                    Axis::fitting(&sizes, Origin::Zero, format),
                )
            }
        };
        Chart {
            description: self.described(&title),
            title,
            x_title,
            x,
            y,
            rule: None,
            lines,
        }
    }

    fn names(&self) -> Vec<String> {
        let width = (NAMES_WIDTH / self.section.series.len().max(1)).max(3);
        self.section
            .series
            .iter()
            .map(|series| cut(self.dataset.label(series), width))
            .collect()
    }

    fn described(&self, title: &str) -> String {
        let names: Vec<&str> = self
            .section
            .series
            .iter()
            .map(|series| self.dataset.label(series))
            .collect();
        format!(
            "{title}: {}. The tables below hold the numbers.",
            names.join("; ")
        )
    }
}

/// The repetitions of a point in order of time, but the cold ones.
fn dots(point: &SeriesPoint, x: f64, value: impl Fn(&Run) -> f64) -> Vec<Dot> {
    let shown: Vec<&Run> = point.runs.iter().filter(|run| !run.cold).collect();
    let last = shown.len().saturating_sub(1).max(1) as f64;
    let middle = if shown.len() > 1 { 0.5 } else { 0.0 };
    shown
        .iter()
        .enumerate()
        .map(|(position, run)| Dot {
            x,
            y: value(run),
            order: position as f64 / last - middle,
            is_void: !run.is_counted(),
        })
        .collect()
}

/// Every value that a line has.
pub(super) fn values(lines: &[Line]) -> Vec<f64> {
    lines
        .iter()
        .flat_map(|line| {
            let bounds = line
                .intervals
                .iter()
                .flat_map(|(_, low, high)| [*low, *high]);
            let dots = line.dots.iter().map(|dot| dot.y);
            line.medians
                .iter()
                .map(|(_, y)| *y)
                .chain(dots)
                .chain(bounds)
        })
        .collect()
}

/// The largest value, at least 0.
pub(super) fn largest(lines: &[Line]) -> f64 {
    values(lines).into_iter().fold(0.0, f64::max)
}

/// The same lines in another unit.
pub(super) fn scaled(mut lines: Vec<Line>, factor: f64) -> Vec<Line> {
    for line in &mut lines {
        let medians = line.medians.iter_mut().map(|(_, y)| y);
        for y in medians.chain(line.dots.iter_mut().map(|dot| &mut dot.y)) {
            *y *= factor;
        }
        for (_, low, high) in &mut line.intervals {
            *low *= factor;
            *high *= factor;
        }
    }
    lines
}

/// A number on an axis: as few digits as tell it from its neighbours.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if size >= 1e4 {
        return crate::quantity::grouped(size.round() as u64);
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_axes_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (1.25, "1.25"),
            (2000.0, "2000"),
            (20_000.0, "20,000"),
            (1e9, "1e9"),
            (1e-7, "1e-7"),
            (0.300_000_000_000_000_04, "0.3"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
