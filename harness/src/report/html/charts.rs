//! The charts of a section: wall time, throughput, ratio, spread, latency.
//!
//! The section's first axis runs along the horizontal one, with a line for each value of the second;
//! of a single place the subjects stand side by side there.

mod latency;

use super::axis::{Axis, Origin};
use super::chart::{Chart, Dot, Line};
use crate::axes::{Level, Parameter};
use crate::quantity::{decimal_bytes, short_count};
use crate::report::dataset::{Dataset, Section, SeriesPoint};
use crate::report::figures_table::time_title;
use crate::report::plain;
use crate::report::side_by_side::cut;
use crate::result::Run;

/// Characters of all names together that fit below a chart.
const NAMES_WIDTH: usize = 48;

/// All charts that the section has data for.
pub(super) fn of(dataset: &Dataset, section: &Section) -> Vec<Chart> {
    let charts = Charts::new(dataset, section);
    let noun = section.point.operation_noun();
    let mut all = vec![charts.wall_time(), charts.throughput(noun)];
    all.extend(charts.latency_along());
    all.extend(charts.ratio());
    all.push(charts.spread());
    all.extend(charts.latency());
    all
}

/// What tells the lines of a section apart: the series, and the value of the second axis.
#[derive(Debug, Clone)]
pub(super) struct Strand {
    /// Position of the series.
    series: usize,
    /// Levels of all axes but the first.
    rest: Vec<Level>,
    /// Number that decides on color, dash and mark.
    pub(super) ink: usize,
    /// Its name.
    pub(super) label: String,
}

/// The lines of a section, in the order of the legend.
pub(super) fn strands(dataset: &Dataset, section: &Section) -> Vec<Strand> {
    let mut strands: Vec<Strand> = Vec::new();
    let places = section.places();
    for (position, series) in section.series.iter().enumerate() {
        let label = dataset.label(series);
        for place in places.iter().filter(|place| series.at(place).is_some()) {
            let rest = &place[1..];
            let is_known = |other: &Strand| other.series == position && other.rest == rest;
            if strands.iter().any(is_known) {
                continue;
            }
            let named = section.axes[1..].iter().zip(rest);
            let named = named.map(|(axis, level)| format!("{} {}", axis.title(), level.text));
            let rest_text = plain(&named.collect::<Vec<_>>().join(", "));
            let (ink, label) = match (rest.is_empty(), section.series.len()) {
                (true, _) => (series.subject, label.to_owned()),
                (false, 1) => (strands.len(), rest_text),
                (false, _) => (strands.len(), format!("{label}, {rest_text}")),
            };
            strands.push(Strand {
                series: position,
                rest: rest.to_vec(),
                ink,
                label,
            });
        }
    }
    strands
}

struct Charts<'a> {
    dataset: &'a Dataset,
    section: &'a Section,
    strands: Vec<Strand>,
    /// Levels of the first axis.
    levels: Vec<Level>,
    /// Whether they are numbers.
    is_numeric: bool,
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
    interval: |point| point.figures.as_ref()?.ops_per_s_interval(),
};

impl<'a> Charts<'a> {
    fn new(dataset: &'a Dataset, section: &'a Section) -> Self {
        let levels = section.levels(0);
        Self {
            dataset,
            section,
            strands: strands(dataset, section),
            is_numeric: levels.iter().all(|level| level.number.is_some()),
            levels,
        }
    }

    fn wall_time(&self) -> Chart {
        let lines = self.lines(&WALL_TIME);
        let (factor, unit) = match largest(&lines) {
            largest if largest < 1e-3 => (1e6, "us"),
            largest if largest < 1.0 => (1e3, "ms"),
            _ => (1.0, "s"),
        };
        let title = format!("{}, {unit}", time_title(&self.section.point));
        let mut chart = self.over_places(title, scaled(lines, factor));
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
        self.over_places(title, scaled(lines, factor))
    }

    fn ratio(&self) -> Option<Chart> {
        let reference = self
            .dataset
            .label(&self.section.series[self.section.reference]);
        let mut lines: Vec<Line> = Vec::new();
        for strand in &self.strands {
            if strand.series == self.section.reference {
                continue;
            }
            let mut line = Line {
                subject: strand.ink,
                ..Line::default()
            };
            for point in self.points(strand) {
                let Some(ratio) = &point.ratio else { continue };
                let x = self.place(strand, point);
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
        let count = self.strands.len();
        let is_beside = self.levels.len() > 1 && count > 1;
        let mut lines = Vec::new();
        for (position, strand) in self.strands.iter().enumerate() {
            let mut line = Line {
                subject: strand.ink,
                lane: is_beside.then_some((position, count)),
                ..Line::default()
            };
            for point in self.points(strand) {
                let Some(figures) = &point.figures else {
                    continue;
                };
                let x = self.place(strand, point);
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

    fn lines(&self, quantity: &Quantity) -> Vec<Line> {
        let strands = self.strands.iter();
        strands
            .map(|strand| {
                let mut line = Line {
                    subject: strand.ink,
                    ..Line::default()
                };
                for point in self.points(strand) {
                    let x = self.place(strand, point);
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

    /// The points of a line, from left to right.
    fn points(&self, strand: &Strand) -> Vec<&'a SeriesPoint> {
        let points = self.section.series[strand.series].points.iter();
        points
            .filter(|point| point.place[1..] == strand.rest)
            .collect()
    }

    /// Where a point stands on the horizontal axis.
    fn place(&self, strand: &Strand, point: &SeriesPoint) -> f64 {
        let level = &point.place[0];
        let position = if self.levels.len() > 1 {
            self.levels.iter().position(|other| other == level)
        } else {
            let is_one =
                |other: &Strand| (other.series, &other.rest) == (strand.series, &strand.rest);
            self.strands.iter().position(is_one)
        };
        match level.number {
            Some(number) if self.levels.len() > 1 && self.is_numeric => number,
            _ => position.unwrap_or(0) as f64,
        }
    }

    fn over_places(&self, title: String, lines: Vec<Line>) -> Chart {
        let y = Axis::fitting(&values(&lines), Origin::Zero, number);
        self.chart(title, y, lines)
    }

    fn chart(&self, title: String, y: Axis, lines: Vec<Line>) -> Chart {
        let axis = &self.section.axes[0];
        let (x_title, x) = match &self.levels[..] {
            [level] if *axis == Parameter::Records => {
                (format!("{} records", level.text), Axis::named(self.names()))
            }
            [level] => (
                format!("{} {}", axis.title(), level.text),
                Axis::named(self.names()),
            ),
            levels if self.is_numeric => {
                let numbers: Vec<f64> = levels.iter().filter_map(|level| level.number).collect();
                let format = match axis {
                    Parameter::Records => |value: f64| short_count(value.max(0.0) as u64),
                    Parameter::Memory | Parameter::LimitMemory => {
                        |value: f64| decimal_bytes(value.max(0.0) as u64)
                    }
                    _ => number,
                };
                (axis.title(), Axis::fitting(&numbers, Origin::Zero, format))
            }
            levels => {
                let texts = levels.iter().map(|level| level.text.as_str());
                (axis.title(), Axis::named(shortened(texts)))
            }
        };
        let x_title = plain(&x_title);
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
        shortened(self.strands.iter().map(|strand| strand.label.as_str()))
    }

    fn described(&self, title: &str) -> String {
        let strands = self.strands.iter();
        let names: Vec<&str> = strands.map(|strand| strand.label.as_str()).collect();
        format!(
            "{title}: {}. The tables below hold the numbers.",
            names.join("; ")
        )
    }
}

/// Names that fit below a chart together.
fn shortened<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let width = (NAMES_WIDTH / names.len().max(1)).max(3);
    names.iter().map(|name| cut(&plain(name), width)).collect()
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
