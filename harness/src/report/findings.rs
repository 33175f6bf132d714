//! What is said of a comparison besides its ratios: first launches, where the noise floor comes
//! from, repetitions that did not count, samples that a median describes badly.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use lycosa_lua::worker::Driver;

use super::page::{DIM, PLAIN, Page, Seconds, YELLOW};
use crate::axes::{self, Parameter, place_text};
use crate::comparison::{ColdStart, Note, arms, cold_start, notes, voids};
use crate::cost::Cost;
use crate::environment::{Context, NoiseFloor};
use crate::pace::size;
use crate::quantity::{Size, grouped, percent};
use crate::result::{Point, Run};
use crate::schedule::{Outcome, Plan};
use crate::state::selftest::{DAYS_MAX, Known};
use crate::statistics::{INTERVAL_SAMPLES_MIN, TwoGroups};
use crate::worker::limit::LimitedBy;

/// Noise floor from which a machine is no place to measure on.
pub(crate) const NOISY: f64 = 0.05;

/// The first launches of all arms, and what translating cost.
pub(crate) fn cold_starts(page: &mut Page<'_>, runs: &[Run]) -> io::Result<()> {
    let starts: Vec<(&str, ColdStart)> = arms(runs)
        .into_iter()
        .filter_map(|arm| Some((arm, cold_start(runs, arm)?)))
        .collect();
    if starts.is_empty() {
        return Ok(());
    }
    let items: Vec<String> = starts
        .iter()
        .map(|(arm, start)| {
            let all: Vec<String> = start.process_s.iter().map(|time| seconds(*time)).collect();
            let warm = start
                .warm_process_s
                .map_or_else(String::new, |warm| format!(" (warm {})", seconds(warm)));
            format!("{arm} {}{warm}", all.join(", "))
        })
        .collect();
    page.labelled(DIM, "cold start", &items)?;
    for (arm, start) in &starts {
        if let Some(cost) = start.translation_s {
            let text = format!("costs {} once ({arm})", seconds(cost));
            page.sentence(PLAIN, "translation", &text)?;
        }
    }
    Ok(())
}

fn seconds(time: f64) -> String {
    Seconds::like(time).with_unit(time)
}

/// Where the noise floor comes from, and what to do if there is none or it is high.
pub(crate) fn noise_floor(page: &mut Page<'_>, known: &Known, repetitions: u32) -> io::Result<()> {
    let own = if repetitions as usize >= 2 * INTERVAL_SAMPLES_MIN {
        "from odd against even repetitions of each arm"
    } else {
        "unknown: it takes 12 repetitions, or a self-test"
    };
    match known {
        Known::Fresh(floor) if floor.relative > NOISY => {
            let text = format!(
                "{}: this machine is noisy; smaller differences are not shown",
                of_selftest(floor)
            );
            page.sentence(YELLOW, "noise floor", &text)
        }
        Known::Fresh(floor) => page.sentence(DIM, "noise floor", &of_selftest(floor)),
        Known::Old(floor) => {
            let text = format!(
                "{own}; the {} is older than {DAYS_MAX} days",
                selftest_title(floor)
            );
            page.sentence(DIM, "noise floor", &text)
        }
        Known::Nothing => {
            let text = format!("{own}; `lycosa selftest` measures it");
            page.sentence(DIM, "noise floor", &text)
        }
    }
}

fn of_selftest(floor: &NoiseFloor) -> String {
    format!(
        "{}, by the {}",
        percent(floor.relative),
        selftest_title(floor)
    )
}

/// `self-test of 2026-11-30, 1M x 15`: a floor of other sizes may be another one.
pub(crate) fn selftest_title(floor: &NoiseFloor) -> String {
    let title = format!("self-test of {}", day(&floor.date));
    match floor.records.zip(floor.repetitions) {
        Some((records, repetitions)) => {
            format!("{title}, {} x {repetitions}", size(records))
        }
        None => title,
    }
}

/// The day of an RFC 3339 date.
fn day(date: &str) -> &str {
    date.get(..10).unwrap_or(date)
}

/// What the arms ran on.
pub(crate) fn machine(page: &mut Page<'_>, context: &Context) -> io::Result<()> {
    page.labelled(DIM, "machine", &[context.cpu.clone(), context.os.clone()])
}

/// The limit of memory, and what held it; in yellow where nothing did.
pub(crate) fn limit(page: &mut Page<'_>, runs: &[Run]) -> io::Result<()> {
    let mut held: Vec<(u64, LimitedBy)> = runs
        .iter()
        .filter_map(|run| Some((run.point.limit_memory_bytes?, run.limited_by?)))
        .collect();
    held.dedup();
    for (bytes, by) in held {
        let style = if by == LimitedBy::None { YELLOW } else { DIM };
        let text = format!("{} for each process, held by {}", Size(bytes), by.title());
        page.sentence(style, "limit", &text)?;
    }
    Ok(())
}

/// That all arms left the same data, or that nothing says so.
pub(crate) fn checksums(page: &mut Page<'_>, runs: &[Run]) -> io::Result<()> {
    if runs.is_empty() {
        return Ok(());
    }
    let (silent, telling): (Vec<&Run>, Vec<&Run>) =
        runs.iter().partition(|run| run.checksum.is_empty());
    if telling.is_empty() {
        let text = "the workload has no verify()";
        return page.sentence(PLAIN, "not verified", text);
    }
    let distinct: BTreeSet<&str> = telling.iter().map(|run| run.checksum.as_str()).collect();
    // Arms with options of their own may be meant to leave other data.
    let has_other_data = |run: &&Run| !run.point.leaves_the_same_data_as(run.shared_point());
    let mut text = if telling.iter().copied().any(|run| has_other_data(&run)) {
        String::from("agree wherever the data must be equal")
    } else {
        format!("agree in all {} repetitions", grouped(telling.len() as u64))
    };
    if let [one] = Vec::from_iter(distinct)[..] {
        text.push_str("   ");
        text.push_str(one);
    }
    // Other programs need not give one.
    let silent: BTreeSet<&str> = silent.iter().map(|run| run.arm.as_str()).collect();
    for arm in silent {
        text.push_str("   none from ");
        text.push_str(arm);
    }
    page.sentence(PLAIN, "checksums", &text)
}

/// The options that arms do not share, an arm a line.
pub(crate) fn own_options(page: &mut Page<'_>, plan: &Plan) -> io::Result<()> {
    for arm in plan.arms.iter().filter(|arm| !arm.options.is_empty()) {
        page.sentence(PLAIN, &arm.name, &arm.option_texts().join("   "))?;
    }
    Ok(())
}

/// What a unit of cost buys: of each arm that has one, at its fastest point.
pub(crate) fn costs(
    page: &mut Page<'_>,
    costs: &BTreeMap<String, Cost>,
    axes: &[Parameter],
    runs: &[Run],
) -> io::Result<()> {
    for arm in arms(runs) {
        let Some(cost) = costs.get(arm) else { continue };
        let own: Vec<Run> = runs.iter().filter(|run| run.arm == arm).cloned().collect();
        let points = axes::measured(axes, &own).map_err(io::Error::other)?;
        let Some(best) = axes::best(&points) else {
            continue;
        };
        let noun = own[0].point.operation_noun();
        let place = axes::measured_text(axes, &points[best]);
        let place = match points.len() {
            1 => String::new(),
            _ => format!(", at {place}"),
        };
        let arm = match costs.len() {
            1 => String::new(),
            _ => format!("{arm}: "),
        };
        let bought = cost.bought(points[best].ops_per_s, noun);
        page.sentence(PLAIN, "cost", &format!("{arm}{bought} (at {cost}{place})"))?;
    }
    Ok(())
}

/// Void repetitions and what is worth a warning.
pub(crate) fn warnings(page: &mut Page<'_>, runs: &[Run], axes: &[Parameter]) -> io::Result<()> {
    for void in voids(runs) {
        let noun = if void.count == 1 {
            "repetition"
        } else {
            "repetitions"
        };
        let text = format!(
            "{} {noun} of {}, run again: {}",
            void.count,
            void.arm,
            void.reasons.join("; ")
        );
        page.sentence(YELLOW, "void", &text)?;
    }
    for note in notes(runs) {
        warning(page, &note, axes)?;
    }
    interpreted(page, runs)
}

/// `5 times about 0.101 s, 10 times about 0.113 s; the median is of neither`.
pub(crate) fn two_speeds(groups: &TwoGroups) -> String {
    let scale = Seconds::like(groups.lower_median);
    format!(
        "{} times about {}, {} times about {}; the median is of neither",
        groups.lower_count,
        scale.with_unit(groups.lower_median),
        groups.upper_count,
        scale.with_unit(groups.upper_median)
    )
}

/// An arm at a point, in words.
pub(crate) fn place(arm: &str, axes: &[Parameter], point: &Point) -> String {
    let driver = match point.driver {
        Driver::Rust if !axes.contains(&Parameter::Driver) => " (engine only)",
        _ => "",
    };
    format!("{arm} at {}{driver}", place_text(axes, point))
}

/// Arms whose Lua was not compiled, though it was asked for: their ratio is another one.
fn interpreted(page: &mut Page<'_>, runs: &[Run]) -> io::Result<()> {
    for arm in arms(runs) {
        let mut own = runs.iter().filter(|run| {
            run.arm == arm && run.point.jit_requested && run.point.driver == Driver::Lua
        });
        if let Some(first) = own.next()
            && !first.jit
            && own.all(|run| !run.jit)
        {
            let text = format!("{arm}: asked for, but it did not work: Lua was interpreted");
            page.sentence(YELLOW, "JIT", &text)?;
        }
    }
    Ok(())
}

fn warning(page: &mut Page<'_>, note: &Note, axes: &[Parameter]) -> io::Result<()> {
    let place = place(&note.arm, axes, &note.point);
    if let Some(change) = note.drift {
        let direction = if change > 0.0 { "slower" } else { "faster" };
        let text = format!(
            "{place}: the last third ran {} {direction} than the first",
            percent(change.abs())
        );
        page.sentence(YELLOW, "drift", &text)?;
    }
    if let Some(groups) = note.groups {
        let text = format!("{place}: {}", two_speeds(&groups));
        page.sentence(YELLOW, "two speeds", &text)?;
    }
    if !note.outliers.is_empty() {
        let named: Vec<String> = note
            .outliers
            .iter()
            .map(|(repetition, distance)| {
                let sign = if *distance < 0.0 { '-' } else { '+' };
                format!("no. {repetition} {sign}{}", percent(distance.abs()))
            })
            .collect();
        let text = format!("{place}: {}; all are counted", named.join(", "));
        page.sentence(YELLOW, "outliers", &text)?;
    }
    Ok(())
}

/// How far a measurement came that the user stopped; `counted` says it of whole repetitions.
pub(crate) fn interrupted(outcome: &Outcome, counted: &str) -> String {
    let text = if outcome.record.runs.is_empty() {
        String::from("before anything was measured")
    } else {
        format!("after {counted}")
    };
    let Some(stopped) = &outcome.stopped else {
        return text;
    };
    let ops = grouped(stopped.done_ops);
    if stopped.is_verified {
        format!(
            "{text}; the repetition that ran was verified: its invariants held after {ops} operations"
        )
    } else {
        format!(
            "{text}; the repetition that ran had done {ops} operations, and the workload has no verify()"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Translator;
    use crate::result::testing;

    fn written(write: impl FnOnce(&mut Page<'_>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut Page::new(&mut out, 80)).unwrap();
        let text = String::from_utf8(out).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    fn runs(arm: &str, translator: Translator, cold_s: f64, times: &[f64]) -> Vec<Run> {
        let cold = testing::run(arm, true, 1, cold_s);
        let counted = (1..).zip(times);
        let counted = counted.map(|(number, time)| testing::run(arm, false, number, *time));
        std::iter::once(cold)
            .chain(counted)
            .map(|run| Run {
                translator: Some(translator),
                ..run
            })
            .collect()
    }

    fn steady() -> Vec<f64> {
        (0..12)
            .map(|number| 0.1 + 0.0001 * f64::from(number * 5 % 12))
            .collect()
    }

    #[test]
    fn what_translating_costs_once_is_told_of_the_translated_arm() {
        let mut all = runs("native", Translator::Native, 0.9, &steady());
        all.extend(runs("rosetta", Translator::Rosetta, 0.85, &steady()));
        assert_eq!(
            written(|page| cold_starts(page, &all)),
            "cold start    native 0.9200 s (warm 0.1206 s)   rosetta 0.8700 s (warm 0.1206 s)\n\
             translation   costs 0.7494 s once (rosetta)\n"
        );
    }

    #[test]
    fn where_the_noise_floor_comes_from_is_always_said() {
        let floor = |relative| NoiseFloor {
            relative,
            date: String::from("2026-11-30T12:00:00+01:00"),
            records: Some(1_000_000),
            repetitions: Some(15),
        };
        for (known, repetitions, text) in [
            (
                Known::Fresh(floor(0.009)),
                15,
                "0.9 %, by the self-test of 2026-11-30, 1M x 15",
            ),
            (
                Known::Fresh(floor(0.08)),
                15,
                "8.0 %, by the self-test of 2026-11-30, 1M x 15: this",
            ),
            (
                Known::Nothing,
                15,
                "from odd against even repetitions of each arm; `lycosa",
            ),
            (
                Known::Nothing,
                11,
                "unknown: it takes 12 repetitions, or a self-test; `lycosa",
            ),
            (Known::Old(floor(0.01)), 12, "the self-test of 2026-11-30"),
        ] {
            let written = written(|page| noise_floor(page, &known, repetitions));
            assert!(written.starts_with("noise floor   "), "{written}");
            let flat = written.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(text), "{written}");
        }
    }

    #[test]
    fn what_a_median_does_not_tell_is_told() {
        let mut times = steady();
        times[4] = 0.3;
        let mut all = runs("native", Translator::Native, 0.1, &times);
        all.extend(runs("other", Translator::Native, 0.1, &steady()));
        for run in all.iter_mut().filter(|run| run.arm == "other") {
            run.jit = false;
        }
        let mut void = testing::run("native", false, 3, 0.5);
        void.void = Some(String::from("the load rose from 1.0 to 9.0"));
        all.push(void);
        let text = written(|page| warnings(page, &all, &crate::axes::records()));
        for line in [
            "void          1 repetition of native, run again: the load rose from 1.0 to 9.0",
            "outliers      native at 1M: no. 5 +198 %; all are counted",
            "JIT           other: asked for, but it did not work: Lua was interpreted",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert_eq!(text.lines().count(), 3, "{text}");
    }
}
