//! Charts of latency: along an axis, and by percentile. Where there is a rate, the corrected latency is
//! a second line of each color, without marks.

use lycosa_lua::worker::LatencyNs;

use super::{Axis, Chart, Charts, Line, Origin, Quantity, Strand, largest, number, scaled, values};
use crate::axes::{Level, Parameter};
use crate::report::plain;
use crate::result::summary::Figures;

/// The 95th percentile over all transactions of a point.
const LATENCY: Quantity = Quantity {
    of_run: |run| run.txn_latency_ns.p95 as f64,
    of_figures: |point| {
        let latency = point.figures.as_ref()?.txn_latency_ns;
        (latency.count > 0).then_some(latency.p95 as f64)
    },
    interval: |_| None,
};

/// The same from when transactions were due.
const CORRECTED: Quantity = Quantity {
    of_run: |_| 0.0,
    of_figures: |point| {
        let latency = point.figures.as_ref()?.txn_latency_corrected_ns?;
        (latency.count > 0).then_some(latency.p95 as f64)
    },
    interval: |_| None,
};

impl Charts<'_> {
    /// The 95th percentile along an axis of load; where sizes vary it says little.
    pub(super) fn latency_along(&self) -> Option<Chart> {
        if self.section.axes[0] == Parameter::Records || self.levels.len() < 2 {
            return None;
        }
        let mut lines = self.lines(&LATENCY);
        for line in &mut lines {
            line.dots.clear();
        }
        if lines.iter().all(|line| line.medians.is_empty()) {
            return None;
        }
        let has_corrected = self.add_corrected(&mut lines, |charts| charts.lines(&CORRECTED));
        let (factor, unit) = latency_unit(&lines);
        let title = titled(&format!("p95, {unit}"), has_corrected);
        Some(self.over_places(title, scaled(lines, factor)))
    }

    /// Percentiles at the last level of the first axis that the most lines share.
    pub(super) fn latency(&self) -> Option<Chart> {
        let at = |strand: &Strand, level: &Level| {
            let mut points = self.points(strand).into_iter();
            let point = points.find(|point| point.place[0] == *level)?;
            Some((point, point.figures.as_ref()?))
        };
        let holders = |level: &Level| {
            let has = |strand: &&Strand| at(strand, level).is_some();
            self.strands.iter().filter(has).count()
        };
        let levels = self.levels.iter().enumerate();
        let (_, level) = levels.max_by_key(|(position, level)| (holders(level), *position))?;
        let of = |latency: fn(&Figures) -> Option<LatencyNs>| -> Vec<Line> {
            let strands = self.strands.iter();
            strands
                .filter_map(|strand| {
                    let latency = latency(at(strand, level)?.1)?;
                    (latency.count > 0).then(|| percentiles(strand, &latency))
                })
                .collect()
        };
        let mut lines = of(|figures| Some(figures.txn_latency_ns));
        if lines.is_empty() {
            return None;
        }
        let corrected = of(|figures| figures.txn_latency_corrected_ns);
        let has_corrected = self.add_corrected(&mut lines, |_| corrected);
        let (factor, unit) = latency_unit(&lines);
        let lines = scaled(lines, factor);
        let text = plain(&level.text);
        let place = match &self.section.axes[0] {
            Parameter::Records => format!("{text} records"),
            axis => plain(&format!("{} {text}", axis.title())),
        };
        let title = titled(&format!("at {place}, {unit}"), has_corrected);
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

    /// Adds the lines of corrected latencies; whether there are any.
    fn add_corrected(
        &self,
        lines: &mut Vec<Line>,
        corrected: impl FnOnce(&Self) -> Vec<Line>,
    ) -> bool {
        let corrected = corrected(self).into_iter();
        let corrected: Vec<Line> = corrected
            .filter(|line| !line.medians.is_empty())
            .map(|line| Line {
                dots: Vec::new(),
                is_bare: true,
                ..line
            })
            .collect();
        let has_corrected = !corrected.is_empty();
        lines.extend(corrected);
        has_corrected
    }
}

/// The percentiles of a strand's transactions as a line.
fn percentiles(strand: &Strand, latency: &LatencyNs) -> Line {
    let values = [
        latency.p50,
        latency.p95,
        latency.p99,
        latency.p999,
        latency.max,
    ];
    let medians = (0..).map(f64::from);
    Line {
        subject: strand.ink,
        medians: medians.zip(values.map(|ns| ns as f64)).collect(),
        ..Line::default()
    }
}

/// The title of a chart of latencies.
fn titled(what: &str, has_corrected: bool) -> String {
    let note = if has_corrected {
        "; without marks the corrected one, from when it was due"
    } else {
        ""
    };
    let space = if what.starts_with("at ") { " " } else { ", " };
    format!("Latency of a transaction{space}{what}{note}")
}

/// The factor from nanoseconds to the unit that suits lines of latencies.
fn latency_unit(lines: &[Line]) -> (f64, &'static str) {
    match largest(lines) {
        largest if largest < 1e4 => (1.0, "ns"),
        largest if largest < 1e8 => (1e-3, "us"),
        _ => (1e-6, "ms"),
    }
}
