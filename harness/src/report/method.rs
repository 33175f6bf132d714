//! Sentences of a report: what was run, what came out of it, and how it was measured.

use lycosa_lua::worker::{Driver, IndexKind};

use super::dataset::{Dataset, Section, Series};
use super::page::Seconds;
use super::{plain, sweep, terminal};
use crate::axes::{self, Findings, Parameter};
use crate::comparison::cold_start;
use crate::pace::{Rate, size};
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
    let is_common = |parameter: &Parameter| !section.axes.contains(parameter);
    let mut items = Vec::from_iter(axes::concurrency(&section.axes, point));
    let mut add = |parameter: &Parameter, text: String| {
        if is_common(parameter) {
            items.push(text);
        }
    };
    if let Some(time) = terminal::by_time(point, &section.axes) {
        add(&Parameter::Duration, time);
    } else {
        let records = format!("{} {}", size(point.records), point.size_noun());
        add(&Parameter::Records, records);
    }
    let index = match point.index {
        IndexKind::Tree => "TREE",
        IndexKind::Hash => "HASH",
    };
    add(&Parameter::Index, index.to_owned());
    let driver = match point.driver {
        Driver::Lua => "from Lua",
        Driver::Rust => "from Rust",
    };
    add(&Parameter::Driver, driver.to_owned());
    if !point.jit_requested {
        add(&Parameter::Jit, String::from("JIT off"));
    }
    add(&Parameter::Seed, format!("seed {}", point.seed));
    for (key, value) in &point.settings {
        let setting = Parameter::Setting(key.clone());
        add(&setting, plain(&format!("{key}={value}")));
    }
    if let Some(rate) = point.rate_per_s {
        add(&Parameter::Rate, format!("at {}", Rate(rate)));
    }
    if let Some(limit) = point.limit_memory_bytes {
        add(&Parameter::LimitMemory, format!("limit {}", Size(limit)));
    }
    items
}

/// What a section shows along its axes, of each series.
fn along_axes(dataset: &Dataset, section: &Section) -> Vec<String> {
    let mut texts = Vec::new();
    // Of arms that are compared at several sizes the ratios are told; which size is the best is
    // nobody's question.
    if section.axes == [Parameter::Records] && section.series.len() > 1 {
        return texts;
    }
    for series in &section.series {
        let points = series.measured();
        let host = &dataset.subjects[series.subject].host;
        let floor = host.noise_floor.as_ref().map(|floor| floor.relative);
        let Some(findings) = Findings::of(&points, floor) else {
            continue;
        };
        let noun = &plain(section.point.operation_noun());
        let about = match section.series.len() {
            1 => String::new(),
            _ => format!("{}, ", dataset.label(series)),
        };
        for (label, text) in sweep::sentences(&section.axes, &points, &findings, noun) {
            let label = match label {
                "best" => "best point",
                other => other,
            };
            texts.push(format!("{about}{label}: {text}."));
        }
    }
    texts
}

/// What a section shows: for each series, how its times relate to the reference's, and what
/// translating cost at its first launch.
pub(crate) fn findings(dataset: &Dataset, section: &Section) -> Vec<String> {
    let reference = dataset.label(&section.series[section.reference]);
    let mut findings = Vec::new();
    for (position, series) in section.series.iter().enumerate() {
        let label = dataset.label(series);
        if position != section.reference {
            findings.extend(finding(label, reference, section, series));
        }
        let arm = &dataset.subjects[series.subject].arm;
        findings.extend(translation(label, arm, series));
    }
    findings.extend(along_axes(dataset, section));
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

fn finding(label: &str, reference: &str, section: &Section, series: &Series) -> Option<String> {
    let ratios: Vec<(String, RatioEstimate)> = series
        .points
        .iter()
        .filter_map(|point| {
            let estimate = point.ratio.as_ref()?.pair.estimate();
            Some((section.place_text(point), estimate))
        })
        .collect();
    let estimates: Vec<RatioEstimate> = ratios.iter().map(|(_, estimate)| *estimate).collect();
    let mean = statistics::geometric_mean(&estimates)?;
    let (one, many) = match section.axes[..] {
        [Parameter::Records] => (" records", "sizes"),
        _ => ("", "points"),
    };
    let sizes = match ratios.as_slice() {
        [_] if section.point.is_by_time() && !one.is_empty() => String::from("by time"),
        [(place, _)] => format!("at {place}{one}"),
        several => format!("(geometric mean over {} {many})", several.len()),
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
