//! The report on the terminal: what is asked before the run, what was measured after it.
//!
//! What was measured stands in plain style; colour says that something is wrong, dim that it is
//! context.

use std::io;

use lycosa_lua::worker::{Driver, IndexKind, LatencyNs};

use super::findings;
use super::page::{DIM, PLAIN, Page, RED, Seconds, YELLOW};
use crate::axes::{self, Parameter};
use crate::environment::{Context, Translator, arch_title};
use crate::pace::{Rate, Time};
use crate::quantity::{decimal_bytes, grouped, rate, significant};
use crate::result::run::TIMED_OPS;
use crate::result::summary::Figures;
use crate::result::{Point, Run};
use crate::statistics::{self, INTERVAL_SAMPLES_MIN};

/// A rate counts as held down to this part of it.
const RATE_HELD: f64 = 0.99;

/// Operations of this time may be left over when the rate was held.
const BACKLOG_S: f64 = 0.01;

/// What is going to run.
pub(crate) fn header(page: &mut Page<'_>, context: &Context, point: &Point) -> io::Result<()> {
    let sizes = by_time(point, &[])
        .unwrap_or_else(|| format!("{} {}", grouped(point.records), point.size_noun()));
    header_of_points(page, context, point, &sizes, &[])
}

/// What is going to run at several points, told in `extent`; `point` is one of them, and what is an
/// axis is not said of it.
pub(crate) fn header_of_points(
    page: &mut Page<'_>,
    context: &Context,
    point: &Point,
    extent: &str,
    axes: &[Parameter],
) -> io::Result<()> {
    let mut items = vec![
        format!("lycosa {}", context.lycosa_version),
        point.workload.clone(),
        extent.to_owned(),
    ];
    items.extend(axes::concurrency(axes, point));
    if !axes.contains(&Parameter::Index) {
        items.push(index(point.index).to_owned());
    }
    if !axes.contains(&Parameter::Driver) {
        let driver = match point.driver {
            Driver::Lua => "from Lua",
            Driver::Rust => "from Rust",
        };
        items.push(driver.to_owned());
    }
    if !axes.contains(&Parameter::Rate) {
        items.extend(point.rate_per_s.map(|rate| format!("at {}", Rate(rate))));
    }
    page.line(DIM, &items)?;
    translator(page, context)?;
    for warning in context.conditions.warnings() {
        page.sentence(YELLOW, "", &warning)?;
    }
    debug_build(page, context)
}

/// `300s after a warm-up of 30s`, of a warm-up that is no axis; `None` where the records end it.
pub(crate) fn by_time(point: &Point, axes: &[Parameter]) -> Option<String> {
    let time = Time(point.duration_s?);
    Some(
        if point.warmup_s > 0.0 && !axes.contains(&Parameter::Warmup) {
            format!("{time} after a warm-up of {}", Time(point.warmup_s))
        } else {
            time.to_string()
        },
    )
}

/// The index as schemas call it.
pub(crate) fn index(kind: IndexKind) -> &'static str {
    match kind {
        IndexKind::Tree => "TREE",
        IndexKind::Hash => "HASH",
    }
}

/// Says, in red, that a translator is measured, if one is. It is said of quiet runs too: whoever
/// started a shell under Rosetta does not know.
pub(crate) fn translator(page: &mut Page<'_>, context: &Context) -> io::Result<()> {
    if context.translator != Translator::Native {
        page.sentence(RED, "", &translated(context))?;
    }
    Ok(())
}

/// Says that a build without optimizations is measured, if it is.
pub(crate) fn debug_build(page: &mut Page<'_>, context: &Context) -> io::Result<()> {
    if context.profile == "debug" {
        let text = "debug build: its figures mean nothing; build with cargo build --release";
        page.sentence(YELLOW, "", text)?;
    }
    Ok(())
}

/// Says that the figures to come are a translator's, and how to get the chip's own.
fn translated(context: &Context) -> String {
    let translator = context.translator.title();
    let binary = arch_title(&context.binary_arch);
    let chip = arch_title(&context.host_arch);
    if binary == chip {
        return format!(
            "running under {translator}, though the chip is {chip} too; start this binary without \
             it for the chip's own figures"
        );
    }
    // A shell that is translated itself starts the wrong half of a universal binary.
    let remedy = if context.binary_architectures.contains(&context.host_arch) {
        format!("its file holds {chip} too, which arch -{chip} starts, for")
    } else {
        format!("a build for {chip} gives")
    };
    format!(
        "running under {translator}: this binary is {binary}, the chip {chip}; {remedy} the \
         chip's own figures"
    )
}

/// All that was measured.
pub(crate) fn report(
    page: &mut Page<'_>,
    context: &Context,
    point: &Point,
    runs: &[Run],
    figures: Option<&Figures>,
) -> io::Result<()> {
    for run in runs.iter().filter(|run| run.cold) {
        let items = [figure(run), String::from("(not counted)")];
        page.labelled(DIM, "cold", &items)?;
    }
    if let Some(figures) = figures {
        headline(page, figures, point)?;
        if !point.is_by_time() {
            let noun = point.operation_noun();
            page.labelled(PLAIN, "throughput", &[throughput(figures.ops_per_s, noun)])?;
        }
        page.labelled(PLAIN, "CPU time", &resources(figures))?;
        latencies(page, figures)?;
        schedule(page, point, figures)?;
        let taken = super::resources::items(&figures.resources);
        if !taken.is_empty() {
            page.labelled(DIM, "resources", &taken)?;
        }
        warnings(page, figures, runs)?;
    }
    let void: Vec<&str> = runs.iter().filter_map(|run| run.void.as_deref()).collect();
    if let Some(reason) = void.last() {
        let noun = if void.len() == 1 {
            "repetition"
        } else {
            "repetitions"
        };
        let text = format!("{} {noun}, run again; the last: {reason}", void.len());
        page.sentence(YELLOW, "void", &text)?;
    }
    if let Some(first) = runs.first() {
        let checksum = &first.checksum;
        let (label, values) = if checksum.is_empty() {
            (
                "not verified",
                vec![String::from("the workload has no verify()")],
            )
        } else {
            let verified = if point.is_by_time() {
                String::from("after every repetition")
            } else {
                format!(
                    "{} {}   checksum {checksum}",
                    grouped(point.records),
                    point.size_noun()
                )
            };
            ("verified", vec![verified])
        };
        page.labelled(PLAIN, label, &values)?;
    }
    machine(page, context, point, runs)
}

/// The one line that remains of a quiet run: the wall time, or where that was given, the throughput.
pub(crate) fn headline(page: &mut Page<'_>, figures: &Figures, point: &Point) -> io::Result<()> {
    if point.is_by_time() {
        throughput_line(page, figures, point)
    } else {
        median_line(page, figures)
    }
}

/// What one repetition came to, as [`headline`] has it.
pub(crate) fn figure(run: &Run) -> String {
    if run.point.is_by_time() {
        throughput(run.ops_per_s, run.point.operation_noun())
    } else {
        Seconds::like(run.wall_s).with_unit(run.wall_s)
    }
}

/// Throughput out of the times of a million operations; the bounds swap.
fn throughput_line(page: &mut Page<'_>, figures: &Figures, point: &Point) -> io::Result<()> {
    let time_s = figures.wall_s;
    let of = |time_s: f64| rate(TIMED_OPS / time_s);
    let interval = match time_s.interval {
        Some((low, high)) => format!("95 % [{}, {}]", of(high), of(low)),
        None => no_interval(figures.n),
    };
    page.labelled(
        PLAIN,
        "throughput",
        &[
            throughput(figures.ops_per_s, point.operation_noun()),
            interval,
            format!("min {}", of(time_s.max)),
            format!("max {}", of(time_s.min)),
            format!("MAD {}", percent(time_s.mad / time_s.median)),
            format!("CV {}", percent(time_s.cv)),
        ],
    )
}

fn no_interval(n: usize) -> String {
    format!("no 95 % interval: it takes {INTERVAL_SAMPLES_MIN} repetitions, not {n}")
}

/// Latency, and with a rate also that from the times at which transactions were due.
fn latencies(page: &mut Page<'_>, figures: &Figures) -> io::Result<()> {
    page.labelled(PLAIN, "transaction", &latency(&figures.txn_latency_ns))?;
    let Some(corrected) = &figures.txn_latency_corrected_ns else {
        return Ok(());
    };
    page.labelled(PLAIN, "corrected", &latency(corrected))?;
    let text = "`transaction` is from a transaction's begin, `corrected` from when it was due";
    page.sentence(DIM, "", text)
}

/// Says that a rate was not held, if it was not.
pub(crate) fn schedule(page: &mut Page<'_>, point: &Point, figures: &Figures) -> io::Result<()> {
    let Some(asked) = point.rate_per_s else {
        return Ok(());
    };
    let backlog_ops = figures.backlog_ops.unwrap_or(0);
    // What is due in the last moment is not late yet.
    let is_held = backlog_ops as f64 <= (asked * BACKLOG_S).max(f64::from(point.ops_per_txn));
    // In a short time what is done is a whole number of transactions; the backlog says what is missing.
    if is_held && (point.is_by_time() || figures.ops_per_s >= asked * RATE_HELD) {
        return Ok(());
    }
    let behind = match backlog_ops {
        0 => String::new(),
        count => format!(
            "; up to {} operations were due and not begun at the end",
            grouped(count)
        ),
    };
    let text = format!(
        "{}/s were asked for and {}/s done{behind}",
        rate(asked),
        rate(figures.ops_per_s)
    );
    page.sentence(YELLOW, "rate", &text)
}

fn median_line(page: &mut Page<'_>, figures: &Figures) -> io::Result<()> {
    let wall = figures.wall_s;
    let scale = Seconds::like(wall.median);
    let interval = match wall.interval {
        Some((low, high)) => format!("95 % [{}, {}]", scale.bare(low), scale.bare(high)),
        None => no_interval(figures.n),
    };
    page.labelled(
        PLAIN,
        "wall time",
        &[
            scale.with_unit(wall.median),
            interval,
            format!("min {}", scale.bare(wall.min)),
            format!("max {}", scale.bare(wall.max)),
            format!("MAD {}", percent(wall.mad / wall.median)),
            format!("CV {}", percent(wall.cv)),
        ],
    )
}

fn warnings(page: &mut Page<'_>, figures: &Figures, runs: &[Run]) -> io::Result<()> {
    if let Some(change) = figures.drift {
        let direction = if change > 0.0 { "slower" } else { "faster" };
        let text = format!(
            "the last third ran {} {direction} than the first; let the machine settle",
            percent(change.abs())
        );
        page.sentence(YELLOW, "drift", &text)?;
    }
    let times: Vec<f64> = runs
        .iter()
        .filter(|run| run.is_counted())
        .map(|run| run.wall_s)
        .collect();
    if let Some(groups) = statistics::two_groups(&times) {
        page.sentence(YELLOW, "two speeds", &findings::two_speeds(&groups))?;
    }
    if !figures.outliers.is_empty() {
        let named: Vec<String> = figures
            .outliers
            .iter()
            .map(|(repetition, distance)| {
                let sign = if *distance < 0.0 { '-' } else { '+' };
                format!("no. {repetition} ({sign}{})", percent(distance.abs()))
            })
            .collect();
        let text = format!("{}; counted all the same", named.join(", "));
        page.sentence(YELLOW, "outliers", &text)?;
    }
    Ok(())
}

/// One line on the machine and on what ran on it.
pub(crate) fn machine(
    page: &mut Page<'_>,
    context: &Context,
    point: &Point,
    runs: &[Run],
) -> io::Result<()> {
    let mut items = vec![
        context.cpu.clone(),
        context.os.clone(),
        architecture(context),
    ];
    let jit_ran = runs.iter().any(|run| run.jit);
    if jit_ran {
        let traces = runs.iter().map(|run| run.jit_traces).max().unwrap_or(0);
        let aborts = runs.iter().map(|run| run.jit_aborts).max().unwrap_or(0);
        items.push(format!(
            "JIT on, {} traces, {} aborted",
            grouped(traces),
            grouped(aborts)
        ));
    } else if !runs.is_empty() {
        items.push(String::from("JIT off"));
    }
    page.labelled(DIM, "machine", &items)?;
    findings::limit(page, runs)?;
    if point.jit_requested && point.driver == Driver::Lua && !jit_ran && !runs.is_empty() {
        let text = "asked for, but it did not work here: Lua was interpreted";
        page.sentence(YELLOW, "JIT", text)?;
    }
    Ok(())
}

/// `arm64, native`, or `x86_64 on arm64, Rosetta`.
pub(crate) fn architecture(context: &Context) -> String {
    let binary = arch_title(&context.binary_arch);
    let translator = context.translator.title();
    if context.translator == Translator::Native {
        format!("{binary}, {translator}")
    } else {
        format!(
            "{binary} on {}, {translator}",
            arch_title(&context.host_arch)
        )
    }
}

/// `9.88 M inserts/s`.
fn throughput(ops_per_s: f64, noun: &str) -> String {
    format!("{} {noun}/s", rate(ops_per_s))
}

/// CPU time and memory; `-` for what another program did not give.
fn resources(figures: &Figures) -> Vec<String> {
    let given = |is_given: bool, text: String| if is_given { text } else { "-".into() };
    let cpu_s = Seconds::like(figures.cpu_s).with_unit(figures.cpu_s);
    let peak = decimal_bytes(figures.peak_rss_bytes);
    let peak = given(figures.peak_rss_bytes > 0, peak);
    let bytes = format!("{:.1}", figures.bytes_per_record);
    let bytes = given(figures.bytes_per_record > 0.0, bytes);
    vec![
        given(figures.cpu_s > 0.0, cpu_s),
        format!("peak memory {peak}"),
        format!("{bytes} bytes a record"),
    ]
}

/// The unit that suits a latency, and how many nanoseconds it has.
pub(crate) fn latency_unit(latency_ns: u64) -> (f64, &'static str) {
    match latency_ns {
        0..1_000 => (1.0, "ns"),
        1_000..10_000_000 => (1e3, "us"),
        _ => (1e6, "ms"),
    }
}

/// Percentiles in the unit that suits the median; `-` where none were given.
fn latency(latency: &LatencyNs) -> Vec<String> {
    if latency.count == 0 {
        return vec!["-".into()];
    }
    let (divisor, unit) = latency_unit(latency.p50);
    let show = |value_ns: u64| significant(value_ns as f64 / divisor);
    vec![
        format!("p50 {}", show(latency.p50)),
        format!("p95 {}", show(latency.p95)),
        format!("p99 {}", show(latency.p99)),
        format!("p99.9 {}", show(latency.p999)),
        format!("max {} {unit}", show(latency.max)),
    ]
}

fn percent(ratio: f64) -> String {
    if ratio.is_finite() {
        format!("{:.1} %", ratio * 100.0)
    } else {
        String::from("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{self, Facts};
    use crate::result::summary::figures;
    use crate::result::testing;

    fn point() -> Point {
        Point::of(&testing::options())
    }

    fn context() -> Context {
        let mut context = environment::context(&Facts {
            cpu: Some(String::from("Apple M2 (4P + 4E)")),
            os: Some(String::from("macOS 15.5")),
            ..Facts::default()
        });
        context.binary_arch = String::from("aarch64");
        context.host_arch = String::from("aarch64");
        context.profile = String::from("release");
        context
    }

    fn written(width: usize, write: impl FnOnce(&mut Page<'_>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut Page::new(&mut out, width)).unwrap();
        let text = String::from_utf8(out).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    fn report_of(walls: &[f64], width: usize) -> String {
        let runs = testing::runs(walls);
        let figures = figures(&runs).unwrap();
        written(width, |page| {
            header(page, &context(), &point())?;
            report(page, &context(), &point(), &runs, figures.as_ref())
        })
    }

    fn fifteen() -> Vec<f64> {
        (0..15)
            .map(|i| 0.1012 + 0.0001 * f64::from(i % 5))
            .collect()
    }

    #[test]
    fn a_report_has_every_figure_and_fits_the_width() {
        let text = report_of(&fifteen(), 80);
        for part in [
            "cold          0.1310 s   (not counted)",
            "wall time     0.1014 s   95 % [0.1013, 0.1015]   min 0.1012   max 0.1016",
            "MAD 0.1 %   CV 0.1 %",
            "throughput    9.86 k inserts/s",
            "CPU time      0.1014 s   peak memory 71.0 MB   44.1 bytes a record",
            "transaction   p50 9.81   p95 1,930",
            "max 1,930 us",
            "resources     CPU 100.0 % transaction thread, 0.0 % others",
            "17,303 minor faults, 0 major   2 voluntary switches, 13 forced",
            "verified      1,000,000 records   checksum 5f3a09c100000000",
            "machine       Apple M2 (4P + 4E)   macOS 15.5   arm64, native",
            "JIT on, 12 traces, 3 aborted",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        for width in [60, 80, 120] {
            for line in report_of(&fifteen(), width).lines() {
                assert!(line.chars().count() <= width, "{line}");
            }
        }
    }

    #[test]
    fn below_six_repetitions_it_is_said_why_there_is_no_interval() {
        let text = report_of(&[0.1, 0.2], 80);
        assert!(
            text.contains("no 95 % interval: it takes 6 repetitions, not 2"),
            "{text}"
        );
    }

    #[test]
    fn drift_and_outliers_are_named() {
        let mut walls: Vec<f64> = (0..15).map(|i| 0.1 + 0.001 * f64::from(i)).collect();
        let text = report_of(&walls, 80);
        assert!(
            text.contains("the last third ran 9.8 % slower than the first"),
            "{text}"
        );
        walls[14] = 0.5;
        let text = report_of(&walls, 80);
        assert!(
            text.contains("outliers      no. 15 (+367.3 %); counted all"),
            "{text}"
        );
    }

    #[test]
    fn a_translator_and_a_debug_build_are_pointed_out_before_the_run() {
        let mut context = context();
        context.binary_arch = String::from("x86_64");
        context.translator = Translator::Rosetta;
        context.profile = String::from("debug");
        context.conditions.low_power_mode = Some(true);
        let text = written(80, |page| header(page, &context, &point()));
        assert!(text.contains("running under Rosetta: this binary is x86_64, the chip arm64"));
        assert!(text.contains("debug build"));
        assert!(text.contains("low-power mode is on"));
        let text = written(200, |page| header(page, &context, &point()));
        assert!(text.contains("a build for arm64 gives the chip's own figures"));
        assert_eq!(architecture(&context), "x86_64 on arm64, Rosetta");
    }

    #[test]
    fn a_translated_half_of_a_universal_binary_tells_in_red_how_to_start_the_other() {
        let mut context = context();
        context.binary_arch = String::from("x86_64");
        context.translator = Translator::Rosetta;
        context.binary_architectures = vec![String::from("x86_64"), String::from("aarch64")];
        let mut out = Vec::new();
        header(&mut Page::new(&mut out, 200), &context, &point()).unwrap();
        let text = String::from_utf8(out).unwrap();
        let sentence = format!("{RED}running under Rosetta");
        assert!(text.contains(&sentence), "{text}");
        assert!(
            text.contains("its file holds arm64 too, which arch -arm64 starts"),
            "{text}"
        );
    }

    #[test]
    fn a_compiler_that_was_asked_for_and_did_not_run_is_pointed_out() {
        let mut runs = testing::runs(&[0.1]);
        for run in &mut runs {
            run.jit = false;
        }
        let text = written(80, |page| report(page, &context(), &point(), &runs, None));
        assert!(
            text.contains("JIT off") && text.contains("asked for, but"),
            "{text}"
        );
    }
}
