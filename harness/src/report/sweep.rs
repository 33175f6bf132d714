//! What a sweep shows, in words: the best point, those not told apart from it, the knee. The terminal
//! and the reports say it alike.

use std::io;

use super::figures_table::nanoseconds;
use super::matrix::Matrix;
use super::page::{PLAIN, Page};
use super::{plain, side_by_side};
use crate::axes::{self, Findings, Knee, Measured, Parameter};
use crate::environment::NoiseFloor;
use crate::quantity::rate;
use crate::result::Run;
use crate::statistics::INTERVAL_SAMPLES_MIN;

/// Most points that are named as not told apart from the best.
const NAMED_MAX: usize = 6;

/// A finding: its label, and what it says.
pub(crate) type Sentence = (&'static str, String);

/// Writes the matrix, if there are two axes, and what the sweep shows.
pub(crate) fn findings(
    page: &mut Page<'_>,
    axes: &[Parameter],
    runs: &[Run],
    noise_floor: Option<&NoiseFloor>,
) -> io::Result<()> {
    let points = axes::measured(axes, runs).map_err(io::Error::other)?;
    let floor = noise_floor.map(|floor| floor.relative);
    let Some(found) = Findings::of(&points, floor) else {
        return Ok(());
    };
    let noun = runs
        .first()
        .map_or("operations", |run| run.point.operation_noun());
    if let Some(matrix) = Matrix::of(axes, &points) {
        side_by_side::in_parts(page, &matrix.table(&points, found.best, noun))?;
    }
    for (label, text) in sentences(axes, &points, &found, noun) {
        page.sentence(PLAIN, label, &text)?;
    }
    Ok(())
}

/// What a sweep shows, a sentence for each finding.
pub(crate) fn sentences(
    axes: &[Parameter],
    points: &[Measured],
    findings: &Findings,
    noun: &str,
) -> Vec<Sentence> {
    let mut sentences = vec![("best", best(axes, points, findings, noun))];
    let knees = findings.knees.iter();
    sentences.extend(knees.map(|knee| ("knee", knee_text(axes, points, *knee))));
    let is_load = matches!(axes.first(), Some(Parameter::Fibers | Parameter::Rate));
    if findings.knees.is_empty() && is_load {
        let text = "none: p95 does not double where throughput no longer rises";
        sentences.push(("knee", text.to_owned()));
    }
    sentences
}

fn best(axes: &[Parameter], points: &[Measured], findings: &Findings, noun: &str) -> String {
    let best = &points[findings.best];
    let interval = best.interval.map_or_else(String::new, |(low, high)| {
        format!(" [{}, {}]", rate(low), rate(high))
    });
    format!(
        "{}: {} {noun}/s{interval}; {}",
        name(axes, best),
        rate(best.ops_per_s),
        others(axes, points, findings)
    )
}

/// What is known of the points beside the best.
fn others(axes: &[Parameter], points: &[Measured], findings: &Findings) -> String {
    if !findings.tells_apart {
        return format!(
            "which points are as fast takes {INTERVAL_SAMPLES_MIN} repetitions to tell"
        );
    }
    let count = findings.alike.len();
    if count + 1 == points.len() {
        return String::from("no other point is told apart from it");
    }
    if count == 0 {
        return String::from("all others are slower");
    }
    let named = findings.alike.iter().take(NAMED_MAX);
    let mut named: Vec<String> = named.map(|at| name(axes, &points[*at])).collect();
    if count > NAMED_MAX {
        named.push(format!("and {} more", count - NAMED_MAX));
    }
    format!("not told apart from it: {}", named.join("; "))
}

fn knee_text(axes: &[Parameter], points: &[Measured], knee: Knee) -> String {
    let (at, doubled) = (&points[knee.at], &points[knee.doubled_at]);
    let p95 = |point: &Measured| point.p95_ns.map_or_else(|| String::from("-"), nanoseconds);
    format!(
        "{}: {} {} brings a p95 of {} in place of {}, and no more throughput",
        name(axes, at),
        axes[0].title(),
        plain(&doubled.place[0].text),
        p95(doubled),
        p95(at)
    )
}

/// `fibers 50`, `fibers 50, index tree`.
fn name(axes: &[Parameter], point: &Measured) -> String {
    plain(&axes::measured_text(axes, point))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::Level;

    fn points(rows: &[(&str, f64, u64)]) -> Vec<Measured> {
        let point = |(text, ops_per_s, p95_ns): &(&str, f64, u64)| Measured {
            place: vec![Level {
                text: (*text).to_owned(),
                number: text.parse().ok(),
            }],
            ops_per_s: *ops_per_s,
            interval: Some((ops_per_s * 0.99, ops_per_s * 1.01)),
            each_s: (0..8)
                .map(|i| (1.0 + 1e-3 * f64::from(i)) / ops_per_s)
                .collect(),
            p95_ns: Some(*p95_ns),
        };
        rows.iter().map(point).collect()
    }

    fn said(rows: &[(&str, f64, u64)]) -> Vec<String> {
        let axes = [Parameter::Fibers];
        let points = points(rows);
        let findings = Findings::of(&points, None).unwrap();
        let sentences = sentences(&axes, &points, &findings, "transactions");
        sentences
            .into_iter()
            .map(|(label, text)| format!("{label}: {text}"))
            .collect()
    }

    #[test]
    fn the_best_and_the_knee_are_told_with_their_figures() {
        let rows = [
            ("10", 5e3, 2_000_000),
            ("50", 10e3, 5_000_000),
            ("100", 10e3, 11_000_000),
        ];
        assert_eq!(
            said(&rows),
            [
                "best: fibers 50: 10.0 k transactions/s [9.90 k, 10.1 k]; not told apart from it: \
                 fibers 100",
                "knee: fibers 50: fibers 100 brings a p95 of 11.0 ms in place of 5,000 us, and no \
                 more throughput",
            ]
        );
    }

    #[test]
    fn many_points_that_are_alike_are_not_all_named() {
        let texts: Vec<String> = (1..=10).map(|number| number.to_string()).collect();
        let mut rows: Vec<(&str, f64, u64)> = texts.iter().map(|t| (t.as_str(), 1e3, 5)).collect();
        let all = said(&rows);
        assert!(
            all[0].ends_with("; no other point is told apart from it"),
            "{all:?}"
        );
        rows.push(("11", 5e2, 5));
        let said = said(&rows);
        assert!(
            said[0].ends_with("fibers 6; fibers 7; and 3 more"),
            "{said:?}"
        );
        assert!(said[1].starts_with("knee: none"), "{said:?}");
    }
}
