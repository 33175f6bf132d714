//! What keeps the figures from meaning what they seem to: each warning once for a subject, with all
//! the places where it holds.

use super::dataset::{Dataset, Section, Series, SeriesPoint, Subject};
use super::plain;
use crate::axes::Level;
use crate::environment::{Conditions, PowerSource, ThermalPressure, Translator, arch_title};
use crate::quantity::{grouped, rate};
use crate::result::run::TIMED_OPS;
use crate::result::{Run, Status};
use crate::statistics::{self, INTERVAL_SAMPLES_MIN};

use lycosa_lua::worker::Driver;

/// Load average before a repetition from which on other programs must have been running: its own
/// predecessors account for 1.
const LOAD_MAX: f64 = 2.0;

/// Places that a warning names; of further ones it gives the number.
const PLACES_MAX: usize = 4;

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Warning {
    /// File, subject or section.
    pub(crate) about: String,
    /// What is wrong.
    pub(crate) text: String,
}

impl Warning {
    /// In one piece.
    pub(crate) fn sentence(&self) -> String {
        if self.about.is_empty() {
            self.text.clone()
        } else {
            format!("{}: {}", self.about, self.text)
        }
    }
}

/// All warnings, by what they are about.
pub(crate) fn warnings(dataset: &Dataset) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = dataset
        .unread
        .iter()
        .map(|message| Warning {
            about: String::from("skipped"),
            text: plain(message),
        })
        .collect();
    let mut add = |about: &str, text: Option<String>| {
        warnings.extend(text.map(|text| Warning {
            about: about.to_owned(),
            text,
        }));
    };
    for source in &dataset.sources {
        add(&plain(&source.path), unfinished(source.document.status));
    }
    for section in &dataset.sections {
        add(&plain(&section.point.workload), disagreement(section));
    }
    for (position, subject) in dataset.subjects.iter().enumerate() {
        let all: Vec<(&Section, &Series)> = dataset
            .sections
            .iter()
            .flat_map(|section| section.series.iter().map(move |series| (section, series)))
            .filter(|(_, series)| series.subject == position)
            .collect();
        let points: Vec<Place<'_>> = all
            .iter()
            .flat_map(|(section, series)| {
                series.points.iter().map(|point| Place {
                    name: place_name(dataset, section, point),
                    point,
                })
            })
            .collect();
        for text in of_build(subject).into_iter().chain(of_points(&points)) {
            add(&subject.label, Some(text));
        }
    }
    warnings
}

/// A point and how it is called where there are several.
struct Place<'a> {
    name: String,
    point: &'a SeriesPoint,
}

fn place_name(dataset: &Dataset, section: &Section, point: &SeriesPoint) -> String {
    let place = section.place_text(point);
    if dataset.sections.len() > 1 {
        format!("{place} of {}", plain(&section.point.workload))
    } else {
        place
    }
}

fn unfinished(status: Status) -> Option<String> {
    match status {
        Status::Complete => None,
        Status::Running => Some(String::from(
            "it was not finished when it was read, or its process was killed",
        )),
        Status::Interrupted => Some(String::from(
            "it was interrupted, so repetitions are missing",
        )),
        Status::Failed => Some(String::from(
            "a repetition failed, so those behind it are missing",
        )),
    }
}

/// Checksums that should be equal and are not.
fn disagreement(section: &Section) -> Option<String> {
    let at = |place: &[Level]| -> Vec<&SeriesPoint> {
        let series = section.series.iter();
        series.filter_map(|series| series.at(place)).collect()
    };
    let differs = |points: &Vec<&SeriesPoint>| {
        let runs = points.iter().flat_map(|point| &point.runs);
        let mut known: Vec<&Run> = Vec::new();
        // Arms with options of their own may leave other data.
        runs.filter(|run| !run.checksum.is_empty()).any(|run| {
            let is_of = |other: &&&Run| other.point.leaves_the_same_data_as(&run.point);
            if let Some(other) = known.iter().find(is_of) {
                return other.checksum != run.checksum;
            }
            known.push(run);
            false
        })
    };
    let places: Vec<String> = section
        .places()
        .iter()
        .map(|place| at(place))
        .filter(differs)
        .filter_map(|points| points.first().map(|point| section.place_text(point)))
        .collect();
    (!places.is_empty()).then(|| {
        format!(
            "the checksums differ at {}: what was measured did not leave the same data behind",
            places.join(", ")
        )
    })
}

fn of_build(subject: &Subject) -> Vec<String> {
    let context = &subject.context;
    let mut texts = Vec::new();
    if subject.program.is_none() && context.profile == "debug" {
        texts.push(String::from("debug build; its figures mean nothing"));
    }
    // An arm that is named after its translator says so itself.
    if context.translator != Translator::Native && subject.arm != context.translator.name() {
        texts.push(format!(
            "ran under {}: the binary is {}, the chip {}",
            context.translator.title(),
            plain(arch_title(&context.binary_arch)),
            plain(arch_title(&context.host_arch)),
        ));
    }
    texts
}

fn of_points(places: &[Place<'_>]) -> Vec<String> {
    let listed = |describe: &dyn Fn(&Place<'_>) -> Option<String>| -> Option<String> {
        let mut found: Vec<String> = places.iter().filter_map(describe).collect();
        let others = found.len().saturating_sub(PLACES_MAX);
        if others > 0 {
            found.truncate(PLACES_MAX);
            found.push(format!("and {others} more"));
        }
        (!found.is_empty()).then(|| found.join("; "))
    };
    [
        listed(&few).map(|at| {
            format!("no interval of 95 % below {INTERVAL_SAMPLES_MIN} repetitions: {at}")
        }),
        listed(&void).map(|at| format!("void repetitions, not counted: {at}")),
        listed(&drift)
            .map(|at| format!("drift from the first to the last third of the repetitions: {at}")),
        listed(&two_groups)
            .map(|at| format!("the times fall into two groups, and the median says little: {at}")),
        listed(&outliers).map(|at| format!("outliers, counted all the same: {at}")),
        listed(&interpreted)
            .map(|at| format!("Lua was interpreted, though its compiler was asked for: {at}")),
        listed(&aborted).map(|at| format!("the compiler gave up more traces than it made: {at}")),
    ]
    .into_iter()
    .flatten()
    .chain(of_conditions(places))
    .collect()
}

fn few(place: &Place<'_>) -> Option<String> {
    let n = place.point.counted_wall_s().len();
    (n < INTERVAL_SAMPLES_MIN).then(|| format!("{} has {n}", place.name))
}

fn void(place: &Place<'_>) -> Option<String> {
    let reasons: Vec<&str> = place
        .point
        .runs
        .iter()
        .filter_map(|run| run.void.as_deref())
        .collect();
    let last = reasons.last()?;
    Some(format!(
        "{} at {} ({})",
        reasons.len(),
        place.name,
        plain(last)
    ))
}

fn drift(place: &Place<'_>) -> Option<String> {
    let change = place.point.figures.as_ref()?.drift?;
    Some(format!("{} at {}", signed_percent(change), place.name))
}

fn two_groups(place: &Place<'_>) -> Option<String> {
    let groups = statistics::two_groups(&place.point.counted_wall_s())?;
    let ops = if place.point.point.is_by_time() {
        TIMED_OPS
    } else {
        place.point.point.records as f64
    };
    let rate_at = |wall_s: f64| rate(ops / wall_s);
    Some(format!(
        "{}: {} at {}/s, {} at {}/s",
        place.name,
        groups.lower_count,
        rate_at(groups.lower_median),
        groups.upper_count,
        rate_at(groups.upper_median),
    ))
}

fn outliers(place: &Place<'_>) -> Option<String> {
    let outliers = &place.point.figures.as_ref()?.outliers;
    let named: Vec<String> = outliers
        .iter()
        .map(|(number, distance)| format!("no. {number} ({})", signed_percent(*distance)))
        .collect();
    (!named.is_empty()).then(|| format!("{} at {}", named.join(", "), place.name))
}

fn interpreted(place: &Place<'_>) -> Option<String> {
    let point = &place.point.point;
    let is_asked_for = point.jit_requested && point.driver == Driver::Lua;
    let ran = place.point.runs.iter().any(|run| run.jit);
    (is_asked_for && !ran).then(|| place.name.clone())
}

fn aborted(place: &Place<'_>) -> Option<String> {
    let most = place
        .point
        .runs
        .iter()
        .filter(|run| run.jit && run.jit_aborts > run.jit_traces)
        .max_by_key(|run| run.jit_aborts)?;
    Some(format!(
        "{} against {} at {}",
        grouped(most.jit_aborts),
        grouped(most.jit_traces),
        place.name
    ))
}

/// What the machine was like before the counted repetitions, where it was not at its best.
fn of_conditions(places: &[Place<'_>]) -> Vec<String> {
    let before: Vec<&Conditions> = places
        .iter()
        .flat_map(|place| &place.point.runs)
        .filter(|run| run.is_counted())
        .map(|run| &run.before)
        .collect();
    let mut texts = Vec::new();
    let mut add = |is_so: fn(&Conditions) -> bool, text: &str| {
        let count = before.iter().filter(|conditions| is_so(conditions)).count();
        if count > 0 {
            let all = grouped(before.len() as u64);
            texts.push(format!(
                "{text} ({} of {all} repetitions)",
                grouped(count as u64)
            ));
        }
    };
    add(
        |conditions| conditions.power_source == Some(PowerSource::Battery),
        "on battery",
    );
    add(
        |conditions| conditions.low_power_mode == Some(true),
        "in low-power mode",
    );
    add(
        |conditions| {
            conditions
                .thermal_pressure
                .is_some_and(|pressure| pressure > ThermalPressure::Nominal)
        },
        "slowed down by heat",
    );
    let load = before
        .iter()
        .filter_map(|conditions| conditions.load_average)
        .fold(0.0, f64::max);
    if load > LOAD_MAX {
        texts.push(format!(
            "other programs were running: the load was up to {load:.1}"
        ));
    }
    texts
}

fn signed_percent(change: f64) -> String {
    let sign = if change < 0.0 { '-' } else { '+' };
    format!("{sign}{:.1} %", change.abs() * 100.0)
}

#[cfg(test)]
mod tests {
    use super::super::dataset::testing::{source, two_arms};
    use super::*;
    use crate::result::Run;
    use crate::result::testing::runs;

    /// The warnings of a file that holds these runs.
    fn of(runs: Vec<Run>) -> Vec<String> {
        let source = source("a.json", "m1", runs);
        let dataset = Dataset::new(vec![source], Vec::new(), None).unwrap();
        warnings(&dataset).iter().map(Warning::sentence).collect()
    }

    #[test]
    fn a_quiet_machine_is_not_warned_of() {
        let walls: Vec<f64> = (0..15_u32)
            .map(|i| 0.1 + f64::from(i * 7 % 15) * 1e-4)
            .collect();
        assert_eq!(of(runs(&walls)), Vec::<String>::new());
    }

    #[test]
    fn void_repetitions_are_counted_with_a_reason() {
        let warnings: Vec<String> = warnings(&two_arms())
            .iter()
            .map(Warning::sentence)
            .collect();
        assert_eq!(
            warnings,
            ["rosetta: void repetitions, not counted: 1 at 7M (the load rose from 0.5 to 6.0)"]
        );
    }

    #[test]
    fn conditions_are_told_with_how_many_repetitions_saw_them() {
        let mut all = runs(&[0.1; 6]);
        all[1].before.power_source = Some(PowerSource::Battery);
        all[2].before.thermal_pressure = Some(ThermalPressure::Heavy);
        all[3].before.low_power_mode = Some(true);
        all[4].before.load_average = Some(3.5);
        assert_eq!(
            of(all),
            [
                "native: on battery (1 of 6 repetitions)",
                "native: in low-power mode (1 of 6 repetitions)",
                "native: slowed down by heat (1 of 6 repetitions)",
                "native: other programs were running: the load was up to 3.5",
            ]
        );
    }

    #[test]
    fn an_interpreted_run_too_few_repetitions_and_other_data_are_named() {
        let mut all = runs(&[0.1, 0.2]);
        for run in &mut all {
            run.jit = false;
        }
        all[1].checksum = String::from("0");
        let warnings = of(all);
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        assert!(warnings[0].starts_with("insert: the checksums differ at 1M"));
        assert!(warnings[1].contains("below 6 repetitions: 1M has 2"));
        assert!(warnings[2].contains("Lua was interpreted"));
    }
}
