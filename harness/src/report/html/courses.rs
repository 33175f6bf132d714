//! The charts of a course: throughput, latency, CPU and memory over time, a fold for each point.

use maud::{Markup, html};

use super::axis::{Axis, Origin};
use super::chart::{Chart, Line};
use super::charts::{largest, number, scaled, values};
use crate::axes::Level;
use crate::report::course_table::{is_by_size, name};
use crate::report::dataset::course::{Course, Piece};
use crate::report::dataset::{Dataset, Section};
use crate::report::page::Seconds;

/// Pieces that a course is drawn in: about one for each two pixels on a phone.
const PIECES_MAX: usize = 180;

/// The folds of all points that were told in intervals, the last one open.
pub(super) fn folds(dataset: &Dataset, section: &Section) -> anyhow::Result<Markup> {
    let told: Vec<Fold> = section
        .places()
        .iter()
        .filter_map(|place| Fold::of(dataset, section, place))
        .collect();
    let figures: Vec<Vec<Markup>> = told
        .iter()
        .map(|fold| fold.charts(section).iter().map(Chart::figure).collect())
        .collect::<Result<_, _>>()?;
    Ok(html! {
        @for (position, (fold, figures)) in told.iter().zip(&figures).enumerate() {
            details.course open[position + 1 == told.len()] {
                summary { "Over time, " (fold.name) }
                p.dim { (fold.sentence()) }
                div.charts { @for figure in figures { (figure) } }
            }
        }
    })
}

/// What was told of one point.
struct Fold<'a> {
    name: String,
    /// Subject, name, course.
    courses: Vec<(usize, &'a str, Course)>,
}

impl<'a> Fold<'a> {
    fn of(dataset: &'a Dataset, section: &'a Section, place: &[Level]) -> Option<Self> {
        let point = section.series.iter().find_map(|series| series.at(place))?;
        let courses: Vec<_> = section
            .series
            .iter()
            .filter_map(|series| {
                let course = series.at(place)?.course(PIECES_MAX)?;
                Some((series.subject, dataset.label(series), course))
            })
            .collect();
        (!courses.is_empty()).then_some(Self {
            name: match point.point.duration_s {
                None if is_by_size(section) => format!("{} records", name(section, point)),
                _ => name(section, point),
            },
            courses,
        })
    }

    fn sentence(&self) -> String {
        let each = self
            .courses
            .iter()
            .map(|(_, _, course)| course.intervals_each);
        let each = each.max().unwrap_or(1);
        let joined = if each > 1 {
            format!(
                " A point stands for {each} intervals, with their mean throughput and their \
                 largest latencies."
            )
        } else {
            String::new()
        };
        let longest = self.courses.iter().filter_map(|(_, _, course)| {
            let pieces = course.pieces.windows(2);
            let lengths = pieces.map(|pair| pair[1].t_s - pair[0].t_s);
            lengths.reduce(f64::max)
        });
        let step = longest.fold(0.0, f64::max);
        format!(
            "The repetition whose throughput is the median, every {}.{joined}",
            Seconds::like(step).with_unit(step)
        )
    }

    fn charts(&self, section: &Section) -> Vec<Chart> {
        let noun = section.point.operation_noun();
        let mut charts = vec![self.throughput(noun)];
        charts.extend(
            self.courses
                .iter()
                .map(|(subject, name, course)| self.latency(*subject, name, course)),
        );
        charts.extend(self.level("CPU over time, % of a core", |piece| {
            Some(piece.cores? * 100.0)
        }));
        charts.extend(self.level("Resident memory over time, MB", |piece| {
            Some(piece.resident_bytes? as f64 / 1e6)
        }));
        charts.extend(self.level("Tuples and indexes over time, MB", |piece| {
            Some(piece.data_bytes? as f64 / 1e6)
        }));
        charts
    }

    fn throughput(&self, noun: &str) -> Chart {
        let lines = self.lines(|piece| Some(piece.ops_per_s));
        let (factor, unit) = match largest(&lines) {
            largest if largest >= 1e6 => (1e-6, "million "),
            largest if largest >= 1e4 => (1e-3, "thousand "),
            _ => (1.0, ""),
        };
        let title = format!("Throughput over time, {unit}{noun} a second");
        self.chart(title, scaled(lines, factor), &[0.0])
    }

    /// Percentiles never cross, so their order names them.
    fn latency(&self, subject: usize, name: &str, course: &Course) -> Chart {
        let lines = [0, 1, 2].map(|percentile| {
            let points = course.pieces.iter();
            let points = points.map(|piece| (piece.t_s, piece.latency_ns[percentile]));
            bare_line(subject, points.collect())
        });
        let (factor, unit) = match largest(&lines) {
            largest if largest < 1e4 => (1.0, "ns"),
            largest if largest < 1e8 => (1e-3, "us"),
            _ => (1e-6, "ms"),
        };
        let of = if self.courses.len() > 1 {
            format!(" of {name}")
        } else {
            String::new()
        };
        let title = format!("Latency over time{of}, {unit}: p50, p95, p99 from below");
        self.chart(title, scaled(lines.into(), factor), &[])
    }

    /// `None` where no course tells it.
    fn level(&self, title: &str, value: fn(&Piece) -> Option<f64>) -> Option<Chart> {
        let lines = self.lines(value);
        let is_told = lines.iter().any(|line| !line.medians.is_empty());
        is_told.then(|| self.chart(title.to_owned(), lines, &[0.0]))
    }

    fn lines(&self, value: fn(&Piece) -> Option<f64>) -> Vec<Line> {
        let courses = self.courses.iter();
        courses
            .map(|(subject, _, course)| {
                let points = course.pieces.iter();
                let points = points.filter_map(|piece| Some((piece.t_s, value(piece)?)));
                bare_line(*subject, points.collect())
            })
            .collect()
    }

    /// `shown` are values that the vertical axis holds besides those of the lines.
    fn chart(&self, title: String, lines: Vec<Line>, shown: &[f64]) -> Chart {
        let times = lines.iter().flat_map(|line| &line.medians);
        // The beginning, which also keeps time from a logarithmic axis.
        let mut times: Vec<f64> = times.map(|(t_s, _)| *t_s).collect();
        times.push(0.0);
        let y = [&values(&lines), shown].concat();
        let names: Vec<&str> = self.courses.iter().map(|(_, name, _)| *name).collect();
        Chart {
            description: format!(
                "{title}, at {}: {}. The table of courses below has its ends.",
                self.name,
                names.join("; ")
            ),
            title,
            x_title: String::from("seconds"),
            x: Axis::fitting(&times, Origin::Zero, number),
            y: Axis::fitting(&y, Origin::Zero, number),
            rule: None,
            lines,
        }
    }
}

fn bare_line(subject: usize, medians: Vec<(f64, f64)>) -> Line {
    Line {
        subject,
        // A single point without a mark would not be seen.
        is_bare: medians.len() > 1,
        medians,
        ..Line::default()
    }
}
