//! Comparisons on the terminal: a table that grows by a size at a time, and what is said below it.
//!
//! All rows have the same six columns, 80 characters wide: two arms stand beside each other, more
//! arms below each other.

use std::io::{self, Write};

use lycosa_lua::worker::Driver;

use super::page::{PLAIN, Page, Seconds, YELLOW};
use super::terminal;
use crate::comparison::{GeometricMean, Pair, Times, comparisons, geometric_means, pair_of_arms};
use crate::environment::{Context, NoiseFloor, arch_title};
use crate::quantity::{percent, short_count};
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
    let noun = point.operation_noun();
    page.line(
        PLAIN,
        &[
            arms,
            point.workload.clone(),
            format!("{} fibers x {} {noun}", point.fibers, point.ops_per_txn),
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
        &short_count(pair.point.records),
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
            let of_arm = |run: &&Run| run.is_counted() && run.arm == *arm && run.point == *point;
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
    let records = short_count(first.point.records);
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
        Some(width) => format!("{median} +-{}", percent(width)),
        None => median,
    }
}

/// `1.614 [1.603, 1.634]`; `~` in place of a ratio that shows nothing.
pub(crate) fn ratio(ratio: f64, interval: Option<(f64, f64)>, verdict: Verdict) -> String {
    let decimals = match ratio {
        ..10.0 => 3,
        ..100.0 => 2,
        _ => 1,
    };
    let estimate = match verdict {
        Verdict::NoDifference => String::from("~"),
        Verdict::Difference | Verdict::TooFewSamples => format!("{ratio:.decimals$}"),
    };
    match interval {
        Some((low, high)) => {
            let width = 2 + decimals;
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
    noise_floor.map_or_else(|| String::from("-"), percent)
}

/// A name that fits its column.
fn shortened(name: &str) -> String {
    if name.chars().count() <= CELL {
        return name.to_owned();
    }
    let head: String = name.chars().take(CELL - 2).collect();
    format!("{head}..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::testing;

    /// Runs of arms at sizes, each arm so many times as slow as the first.
    fn runs(arms: &[(&str, f64)], sizes: &[u64], driver: Driver) -> Vec<Run> {
        let mut all = Vec::new();
        for records in sizes {
            for (arm, factor) in arms {
                for number in 1..=15_u32 {
                    let jitter = 1.0 + 0.001 * f64::from(number * 7 % 15);
                    let wall_s = *records as f64 * 1e-7 * factor * jitter;
                    let mut run = testing::run(arm, false, number, wall_s);
                    run.point.records = *records;
                    run.point.driver = driver;
                    all.push(run);
                }
            }
        }
        all
    }

    fn table(runs: &[Run]) -> Table {
        let arms = crate::comparison::arms(runs);
        let points = crate::comparison::points(runs);
        Table::new(
            arms.into_iter().map(str::to_owned).collect(),
            points.into_iter().cloned().collect(),
            15,
        )
    }

    fn lines(out: &[u8]) -> usize {
        String::from_utf8_lossy(out).lines().count()
    }

    fn finished(runs: &[Run]) -> String {
        let mut out = Vec::new();
        table(runs).finish(runs, None, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn two_arms_stand_beside_each_other_within_80_columns() {
        let arms = [("native", 1.0), ("rosetta", 1.6)];
        let text = finished(&runs(&arms, &[1_000, 1_000_000, 20_000_000], Driver::Lua));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert!(lines[0].contains("native") && lines[0].contains("rosetta / native"));
        assert!(lines[1].starts_with("     1k  0.1007 ms +-0.4 %"), "{text}");
        assert!(lines[2].contains("0.1611 s +-0.4 %"), "{text}");
        assert!(lines[2].contains("1.600 [1.5"), "{text}");
        assert!(lines[3].contains("<0.001"), "{text}");
        assert!(lines[4].contains("geometric mean") && lines[4].contains("1.600 [1.5"));
        for line in lines {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn more_arms_stand_below_each_other() {
        let arms = [
            ("native", 1.0),
            ("again", 1.0),
            ("a-name-that-is-far-too-long", 2.0),
        ];
        let text = finished(&runs(&arms, &[1_000_000], Driver::Lua));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert_eq!(lines[1], "     1M  native             0.1007 s +-0.4 %");
        assert!(
            lines[2].contains("again") && lines[2].contains("~     [0.9"),
            "{text}"
        );
        assert!(lines[3].contains("a-name-that-is-..  0.2014 s"), "{text}");
        for line in lines {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn a_row_appears_when_its_size_is_complete_and_once() {
        let all = runs(&[("a", 1.0), ("b", 2.0)], &[1_000, 2_000], Driver::Lua);
        let mut table = table(&all);
        let mut out = Vec::new();
        let mut rows = Vec::new();
        for known in 0..=all.len() {
            table.grow(&all[..known], None, &mut out).unwrap();
            rows.push(lines(&out));
        }
        assert_eq!((rows[29], rows[30], rows[59]), (0, 2, 2));
        // The last row brings the mean with it.
        assert_eq!(rows[60], 4);
        table.finish(&all, None, &mut out).unwrap();
        assert_eq!(lines(&out), 4);
    }

    #[test]
    fn both_drivers_have_a_part_of_the_table_and_a_common_line() {
        let mut all = runs(&[("a", 1.0), ("b", 1.6)], &[1_000], Driver::Lua);
        all.extend(runs(&[("a", 1.0), ("b", 1.2)], &[1_000], Driver::Rust));
        let text = finished(&all);
        assert!(text.starts_with("Lua-driven\nrecords"), "{text}");
        assert!(
            text.contains("\nengine only, driven from Rust\nrecords"),
            "{text}"
        );
        let mut out = Vec::new();
        drivers(&mut Page::new(&mut out, 80), &all, None).unwrap();
        let text = String::from_utf8(out).unwrap();
        let text = anstream::adapter::strip_str(&text).to_string();
        assert!(text.starts_with("engine only   1.200 ["), "{text}");
        assert!(text.contains("Lua-driven 1.600 ["), "{text}");
    }

    #[test]
    fn figures_are_told_with_what_they_are_worth() {
        let shown = |value, verdict| ratio(value, Some((0.9, 1.1)), verdict);
        assert_eq!(shown(1.0, Verdict::NoDifference), "~     [0.900, 1.100]");
        assert_eq!(shown(1.05, Verdict::Difference), "1.050 [0.900, 1.100]");
        assert_eq!(
            ratio(2.0, None, Verdict::TooFewSamples),
            "2.000 (no interval)"
        );
        assert_eq!(
            (p_value(0.0004), p_value(0.04)),
            ("<0.001".into(), "0.040".into())
        );
        assert_eq!(
            (percent(0.005), percent(0.123)),
            ("0.5 %".into(), "12 %".into())
        );
    }
}
