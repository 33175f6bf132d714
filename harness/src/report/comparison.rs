//! Comparisons on the terminal: a table that grows by a size at a time, and what is said below it.
//!
//! All rows have the same six columns, 80 characters wide: two arms stand beside each other, more
//! arms below each other.

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use lycosa_lua::worker::Driver;

use super::page::{PLAIN, Page, Seconds, YELLOW};
use super::terminal;
use crate::comparison::{GeometricMean, Pair, Times, comparisons, geometric_means, pair_of_arms};
use crate::environment::{Context, NoiseFloor, arch_title};
use crate::pace::size;
use crate::quantity::percent;
use crate::result::{Point, Run};
use crate::schedule::Plan;
use crate::statistics::Verdict;

/// Who is compared, and over what.
pub(crate) fn header(
    page: &mut Page<'_>,
    context: &Context,
    plan: &Plan,
    point: &Point,
) -> io::Result<()> {
    let arms: Vec<String> = plan
        .arms
        .iter()
        .map(|arm| match &arm.expected.binary_arch {
            Some(arch) => format!("{} ({})", arm.name, arch_title(arch)),
            None => arm.name.clone(),
        })
        .collect();
    let arms = match &arms[..] {
        [reference, others @ ..] => format!("{reference} against {}", others.join(", ")),
        [] => String::new(),
    };
    page.line(
        PLAIN,
        &[
            arms,
            point.workload.clone(),
            point.concurrency(),
            terminal::index(point.index).to_owned(),
            format!("{} repetitions each, A B B A", plan.counted),
        ],
    )?;
    for warning in context.conditions.warnings() {
        page.sentence(YELLOW, "", &warning)?;
    }
    terminal::debug_build(page, context)
}

/// Characters of a column that names an arm or holds a time.
const CELL: usize = 17;

/// Where a table of two arms has them, and what its ratio is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heads {
    /// Name of the reference, whose times stand on the left.
    pub(crate) reference: String,
    /// Name of the side that is judged.
    pub(crate) judged: String,
}

impl Heads {
    /// The line above the rows.
    pub(crate) fn line(&self) -> String {
        let ratio = format!("{} / {}", self.judged, self.reference);
        let ratio = if ratio.chars().count() > RATIO {
            String::from("ratio")
        } else {
            ratio
        };
        row([
            "records",
            &shortened(&self.reference),
            &shortened(&self.judged),
            &ratio,
            "p",
            "floor",
        ])
    }
}

/// Characters of the column of ratios.
const RATIO: usize = 20;

fn row([records, left, right, ratio, p, floor]: [&str; 6]) -> String {
    format!("{records:>7}  {left:<CELL$}  {right:<CELL$}  {ratio:<RATIO$} {p:>6} {floor:>5}")
}

/// Both sides and their ratio, on one line.
pub(crate) fn pair_line(pair: &Pair) -> String {
    row([
        &size(pair.point.records),
        &time(&pair.reference_wall_s),
        &time(&pair.wall_s),
        &ratio(pair.ratio, pair.ci_low.zip(pair.ci_high), pair.verdict),
        &p_value(pair.p),
        &floor(pair.noise_floor),
    ])
}

/// The mean below the rows of two arms.
pub(crate) fn mean_line(mean: &GeometricMean) -> String {
    let text = ratio(mean.ratio, mean.ci_low.zip(mean.ci_high), mean.verdict);
    row([
        "",
        "geometric mean",
        "",
        &text,
        "",
        &floor(mean.noise_floor),
    ])
}

/// The table of a measurement, as it grows.
#[derive(Debug)]
pub(crate) struct Table {
    arms: Vec<String>,
    points: Vec<Point>,
    counted: usize,
    shown: usize,
}

impl Table {
    /// The table of a plan: the reference first, the points in order, how often each is repeated.
    pub(crate) fn new(arms: Vec<String>, points: Vec<Point>, counted: u32) -> Self {
        Self {
            arms,
            points,
            counted: counted as usize,
            shown: 0,
        }
    }

    /// Writes the rows of the points that have become complete.
    pub(crate) fn grow(
        &mut self,
        runs: &[Run],
        measured_floor: Option<&NoiseFloor>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        while self.shown < self.points.len() && self.is_complete(runs) {
            self.write_next(runs, measured_floor, out)?;
        }
        out.flush()
    }

    /// Writes the rows of all that there is, complete or not.
    pub(crate) fn finish(
        &mut self,
        runs: &[Run],
        measured_floor: Option<&NoiseFloor>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        while self.shown < self.points.len() {
            self.write_next(runs, measured_floor, out)?;
        }
        out.flush()
    }

    fn is_complete(&self, runs: &[Run]) -> bool {
        let point = &self.points[self.shown];
        self.arms.iter().all(|arm| {
            let of_arm =
                |run: &&Run| run.is_counted() && run.arm == *arm && run.shared_point() == point;
            runs.iter().filter(of_arm).count() >= self.counted
        })
    }

    /// Writes the rows of the next point, with a heading where it begins something and the mean
    /// where it ends something.
    fn write_next(
        &mut self,
        runs: &[Run],
        measured_floor: Option<&NoiseFloor>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let point = &self.points[self.shown];
        let driver = point.driver;
        let before = self.shown.checked_sub(1).map(|at| self.points[at].driver);
        if before != Some(driver) {
            self.write_head(driver, out)?;
        }
        let (reference, others) = (&self.arms[0], &self.arms[1..]);
        let pairs: Vec<(&String, Pair)> = others
            .iter()
            .filter_map(|arm| {
                let pair = pair_of_arms(runs, (arm, reference), point, measured_floor)?;
                Some((arm, pair))
            })
            .collect();
        match &pairs[..] {
            [(_, pair)] if others.len() == 1 => writeln!(out, "{}", pair_line(pair))?,
            _ => write_below_each_other(reference, &pairs, out)?,
        }
        self.shown += 1;
        let after = self.points.get(self.shown).map(|point| point.driver);
        if after != Some(driver) {
            self.write_means(runs, driver, measured_floor, out)?;
        }
        Ok(())
    }

    fn write_head(&self, driver: Driver, out: &mut dyn Write) -> io::Result<()> {
        let is_split = self.points.iter().any(|point| point.driver != driver);
        if is_split {
            writeln!(out, "{}", driver_title(driver))?;
        }
        if let [reference, judged] = &self.arms[..] {
            let heads = Heads {
                reference: reference.clone(),
                judged: judged.clone(),
            };
            return writeln!(out, "{}", heads.line());
        }
        let to_reference = format!("to {}", self.arms[0]);
        let ratio = if to_reference.chars().count() > RATIO {
            "ratio"
        } else {
            &to_reference
        };
        writeln!(
            out,
            "{}",
            row(["records", "arm", "time", ratio, "p", "floor"])
        )
    }

    fn write_means(
        &self,
        runs: &[Run],
        driver: Driver,
        measured_floor: Option<&NoiseFloor>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let of_driver: Vec<Run> = runs
            .iter()
            .filter(|run| run.point.driver == driver)
            .cloned()
            .collect();
        for comparison in comparisons(&of_driver, measured_floor) {
            let mut means = geometric_means(&comparison.points);
            means.retain(|mean| mean.points > 1);
            for mean in means {
                if self.arms.len() == 2 {
                    writeln!(out, "{}", mean_line(&mean))?;
                } else {
                    let text = ratio(mean.ratio, mean.ci_low.zip(mean.ci_high), mean.verdict);
                    let arm = shortened(&comparison.arm);
                    let floor = floor(mean.noise_floor);
                    let line = row(["", &arm, "geometric mean", &text, "", &floor]);
                    writeln!(out, "{line}")?;
                }
            }
        }
        Ok(())
    }
}

/// The arms of one point, one a line.
fn write_below_each_other(
    reference: &str,
    pairs: &[(&String, Pair)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some((_, first)) = pairs.first() else {
        return Ok(());
    };
    let records = size(first.point.records);
    let (name, took) = (shortened(reference), time(&first.reference_wall_s));
    writeln!(
        out,
        "{}",
        row([&records, &name, &took, "", "", ""]).trim_end()
    )?;
    for (arm, pair) in pairs {
        let text = ratio(pair.ratio, pair.ci_low.zip(pair.ci_high), pair.verdict);
        let (arm, took) = (shortened(arm), time(&pair.wall_s));
        let (p, floor) = (p_value(pair.p), floor(pair.noise_floor));
        writeln!(out, "{}", row(["", &arm, &took, &text, &p, &floor]))?;
    }
    Ok(())
}

/// The geometric means of both drivers beside each other, where both were measured: what of a
/// ratio is the engine's and what Lua's.
pub(crate) fn drivers(
    page: &mut Page<'_>,
    runs: &[Run],
    measured_floor: Option<&NoiseFloor>,
) -> io::Result<()> {
    let all = comparisons(runs, measured_floor);
    for comparison in &all {
        let mean = |driver| {
            let found = comparison
                .geometric_means
                .iter()
                .find(|mean| mean.driver == driver);
            found.map(|mean| ratio(mean.ratio, mean.ci_low.zip(mean.ci_high), mean.verdict))
        };
        if let Some((engine, lua)) = mean(Driver::Rust).zip(mean(Driver::Lua)) {
            let mut items = vec![engine, format!("Lua-driven {lua}")];
            if all.len() > 1 {
                items.push(comparison.arm.clone());
            }
            page.labelled(PLAIN, "engine only", &items)?;
        }
    }
    Ok(())
}

fn driver_title(driver: Driver) -> &'static str {
    match driver {
        Driver::Lua => "Lua-driven",
        Driver::Rust => "engine only, driven from Rust",
    }
}

/// `0.1012 s +-0.5 %`.
fn time(times: &Times) -> String {
    let median = Seconds::like(times.median).with_unit(times.median);
    match times.relative_margin() {
        Some(width) if width > 0.995 => format!("{median} +->99 %"),
        Some(width) => format!("{median} +-{}", percent(width)),
        None => median,
    }
}

/// `1.614 [1.603, 1.634]`; `~` in place of a ratio that shows nothing.
pub(crate) fn ratio(ratio: f64, interval: Option<(f64, f64)>, verdict: Verdict) -> String {
    // Four digits of the largest figure, so that all fit their column.
    let decimals = match interval.map_or(ratio, |(_, high)| high) {
        ..10.0 => 3,
        ..100.0 => 2,
        ..1000.0 => 1,
        _ => 0,
    };
    let estimate = match verdict {
        Verdict::NoDifference => String::from("~"),
        Verdict::Difference | Verdict::TooFewSamples => format!("{ratio:.decimals$}"),
    };
    match interval {
        Some((low, high)) => {
            let width = format!("{ratio:.decimals$}").len();
            format!("{estimate:<width$} [{low:.decimals$}, {high:.decimals$}]")
        }
        None => format!("{estimate} (no interval)"),
    }
}

/// `0.032`, `<0.001`.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.001 {
        String::from("<0.001")
    } else {
        format!("{p:.3}")
    }
}

fn floor(noise_floor: Option<f64>) -> String {
    match noise_floor {
        None => String::from("-"),
        Some(floor) if floor >= 9.995 => String::from(">999%"),
        Some(floor) => percent(floor),
    }
}

/// A name that fits its column.
fn shortened(name: &str) -> String {
    if name.chars().count() <= CELL {
        return name.to_owned();
    }
    let head: String = name.chars().take(CELL - 2).collect();
    format!("{head}..")
}
