//! A search for the memory wall on the page: throughput and latency over the size of the data, the
//! wall marked in both, and the table.

use maud::{Markup, html};

use super::axis::{Axis, Origin};
use super::chart::{Chart, Line};
use super::charts::number;
use crate::quantity::decimal_bytes;
use crate::report::{plain, wall};
use crate::result::wall::{WallRecord, ops_per_s};

/// Colors and marks of the curve and of the wall on it.
const CURVE: usize = 0;
const WALL: usize = 1;

/// The section of one search.
pub(super) fn section(label: &str, record: &WallRecord) -> anyhow::Result<Markup> {
    let charts: Vec<Markup> = charts(record)
        .iter()
        .map(Chart::figure)
        .collect::<Result<_, _>>()?;
    let table = wall::table(record);
    Ok(html! {
        section {
            h2 { "Memory wall: " (label) }
            p.dim { (wall::conditions(record).join(", ")) }
            ul.findings {
                li { "Wall: " (wall::conclusion(record)) "." }
                @if let Some(end) = &record.at_quota {
                    @for sentence in wall::at_quota(end) { li { "At the end: " (plain(&sentence)) "." } }
                }
            }
            ul.legend {
                li { (super::chart::swatch(CURVE)) "each size" }
                @if record.wall_step.is_some() {
                    li { (super::chart::swatch(WALL)) "the wall" }
                }
            }
            div.charts { @for chart in &charts { (chart) } }
            h3 { (table.caption) }
            (super::table(&table, "figures"))
        }
    })
}

/// Both charts; none of a search that has measured nothing.
fn charts(record: &WallRecord) -> Vec<Chart> {
    if record.steps.is_empty() {
        return Vec::new();
    }
    let throughput: Vec<f64> = record
        .steps
        .iter()
        .map(|step| ops_per_s(step) / 1e6)
        .collect();
    let p95 = record
        .steps
        .iter()
        .map(|step| step.txn_latency_ns.p95 as f64 / 1e3)
        .collect();
    let half = record.best_ops_per_s() / 2e6;
    vec![
        chart(
            record,
            "Throughput, million reads and updates a second",
            throughput,
            Some(half),
        ),
        chart(
            record,
            "95th percentile of a transaction's latency, us",
            p95,
            None,
        ),
    ]
}

fn chart(record: &WallRecord, title: &str, values: Vec<f64>, rule: Option<f64>) -> Chart {
    let sizes: Vec<f64> = record
        .steps
        .iter()
        .map(|step| step.data_bytes as f64)
        .collect();
    let y = Axis::fitting(&values, Origin::Zero, number);
    let points: Vec<(f64, f64)> = sizes.iter().copied().zip(values).collect();
    let mut lines = vec![Line {
        subject: CURVE,
        medians: points.clone(),
        ..Line::default()
    }];
    if let Some(wall) = record.wall_step.and_then(|position| points.get(position)) {
        lines.push(Line {
            subject: WALL,
            medians: vec![*wall],
            ..Line::default()
        });
    }
    Chart {
        title: title.to_owned(),
        description: format!(
            "{title}, over the size of the data. The table below holds the numbers."
        ),
        x_title: String::from("tuples and index entries"),
        x: Axis::fitting(&sizes, Origin::Zero, |bytes| {
            decimal_bytes(bytes.max(0.0) as u64)
        }),
        y,
        rule,
        lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::wall::testing::record;

    #[test]
    fn the_wall_is_marked_in_both_charts_and_half_of_the_best_is_a_rule() {
        let text = section("m2, wall.json", &record(&[1000.0, 900.0, 400.0]))
            .unwrap()
            .into_string();
        assert_eq!(text.matches("<figure>").count(), 2);
        assert!(text.matches("median c1").count() >= 2, "{text}");
        assert!(text.contains("class=\"rule"));
        assert!(text.contains("45 MB") || text.contains("450 MB"), "{text}");
    }

    #[test]
    fn a_search_without_a_wall_or_without_any_size_has_a_section_too() {
        let text = section("m2", &record(&[1000.0, 900.0]))
            .unwrap()
            .into_string();
        assert!(!text.contains("median c1"));
        let nothing = section("m2", &record(&[])).unwrap().into_string();
        assert!(!nothing.contains("<figure>"));
    }
}
