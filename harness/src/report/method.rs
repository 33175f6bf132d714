//! Sentences of a report: what was run, what came out of it, and how it was measured.

use lycosa_lua::worker::{Driver, IndexKind};

use super::dataset::{Dataset, Section, Series};
use super::page::Seconds;
use super::plain;
use crate::comparison::cold_start;
use crate::pace::size;
use crate::quantity::{Size, grouped};
use crate::result::Run;
use crate::statistics::{self, INTERVAL_SAMPLES_MIN, RatioEstimate};

/// Name of a section.
pub(crate) fn workload(section: &Section) -> String {
    plain(&section.point.workload)
}

/// What else all measurements of a section have in common.
pub(crate) fn conditions(section: &Section) -> Vec<String> {
    let point = &section.point;
    let mut items = vec![
        point.concurrency(),
        match point.index {
            IndexKind::Tree => String::from("TREE"),
            IndexKind::Hash => String::from("HASH"),
        },
        match point.driver {
            Driver::Lua => String::from("from Lua"),
            Driver::Rust => String::from("from Rust"),
        },
    ];
    if !point.jit_requested {
        items.push(String::from("JIT off"));
    }
    items.push(format!("seed {}", point.seed));
    if let Some(limit) = point.limit_memory_bytes {
        items.push(format!("limit {}", Size(limit)));
    }
    for (key, value) in &point.settings {
        items.push(plain(&format!("{key}={value}")));
    }
    items
}

/// What a section shows: for each series, how its times relate to the reference's, and what
/// translating cost at its first launch.
pub(crate) fn findings(dataset: &Dataset, section: &Section) -> Vec<String> {
    let reference = dataset.label(&section.series[section.reference]);
    let mut findings = Vec::new();
    for (position, series) in section.series.iter().enumerate() {
        let label = dataset.label(series);
        if position != section.reference {
            findings.extend(finding(label, reference, series));
        }
        let arm = &dataset.subjects[series.subject].arm;
        findings.extend(translation(label, arm, series));
    }
    findings
}

/// What the first launch of a translated arm took longer than later ones.
fn translation(label: &str, arm: &str, series: &Series) -> Option<String> {
    let first = series
        .points
        .iter()
        .find_map(|point| cold_start(&point.runs, arm)?.translation_s)?;
    Some(format!(
        "Translating costs {label} {} once, at its first launch.",
        Seconds::like(first).with_unit(first)
    ))
}

fn finding(label: &str, reference: &str, series: &Series) -> Option<String> {
    let ratios: Vec<(u64, RatioEstimate)> = series
        .points
        .iter()
        .filter_map(|point| Some((point.point.records, point.ratio.as_ref()?.pair.estimate())))
        .collect();
    let estimates: Vec<RatioEstimate> = ratios.iter().map(|(_, estimate)| *estimate).collect();
    let mean = statistics::geometric_mean(&estimates)?;
    let sizes = match ratios.as_slice() {
        [(records, _)] => format!("at {} records", size(*records)),
        several => format!("(geometric mean over {} sizes)", several.len()),
    };
    let is_open = mean
        .interval
        .is_some_and(|(low, high)| low <= 1.0 && 1.0 <= high);
    if is_open {
        return Some(format!(
            "No difference between {label} and {reference} is shown {sizes}: {}.",
            estimate_text(mean)
        ));
    }
    Some(format!(
        "{label} takes {} times as long as {reference} {sizes}.",
        estimate_text(mean)
    ))
}

/// `1.58 [1.56, 1.60]`.
pub(crate) fn estimate_text(estimate: RatioEstimate) -> String {
    match estimate.interval {
        Some((low, high)) => format!(
            "{} [{}, {}]",
            ratio_number(estimate.ratio),
            ratio_number(low),
            ratio_number(high)
        ),
        None => ratio_number(estimate.ratio),
    }
}

/// Three significant digits around 1.
fn ratio_number(ratio: f64) -> String {
    if ratio < 1.0 {
        format!("{ratio:.3}")
    } else {
        crate::quantity::significant(ratio)
    }
}

/// How the figures came about.
pub(crate) fn sentences(dataset: &Dataset) -> Vec<String> {
    let mut sentences = Vec::new();
    if !dataset.sections.is_empty() {
        sentences.extend(of_repetitions(dataset));
    }
    if dataset.walls().next().is_some() {
        sentences.push(String::from(
            "A search for the memory wall is one process, which measures each size once, and again \
             where the throughput seems to have halved.",
        ));
    }
    sentences
}

fn of_repetitions(dataset: &Dataset) -> Vec<String> {
    let points = || {
        dataset
            .sections
            .iter()
            .flat_map(|section| &section.series)
            .flat_map(|series| &series.points)
    };
    let counts: Vec<usize> = points()
        .map(|point| point.runs.iter().filter(|run| run.is_counted()).count())
        .collect();
    let range = match (counts.iter().min(), counts.iter().max()) {
        (Some(least), Some(most)) if least == most => format!("{least}"),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        _ => String::from("no"),
    };
    let is_not_counted = |run: &Run| !run.is_counted();
    let others = points()
        .flat_map(|point| &point.runs)
        .filter(|run| is_not_counted(run))
        .count();
    let mut sentences = vec![
        format!(
            "Each point stands for {range} counted repetitions, each in a process of its own; {} \
             cold or void ones do not count.",
            grouped(others as u64)
        ),
        format!(
            "Values are medians; their intervals of 95 % are exact order statistics, from \
             {INTERVAL_SAMPLES_MIN} repetitions on. Latencies are over every transaction of the \
             counted repetitions."
        ),
    ];
    if dataset.subjects.len() > 1 {
        sentences.push(String::from(
            "Ratios are of median wall times, with bootstrap intervals of 95 % and the p-value of \
             the Mann-Whitney test; `~` means that no difference was found, beyond what equal \
             programs differ by. Arms of one file took \
             turns; `unpaired` ratios are between different files, so that whatever changed \
             between them is in the ratio too.",
        ));
    }
    sentences
}
