//! What is shown while a run goes on, on standard error: a bar on a terminal, plain lines elsewhere.

mod course;

use std::collections::VecDeque;
use std::io::Write;
use std::time::{Duration, Instant};

use console::{Term, measure_text_width, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lycosa_lua::worker::{Sample, WorkerOptions};

use course::Course;

use crate::axes;
use crate::quantity::{percent, rate};
use crate::report::page::{LABEL_WIDTH, Seconds, WIDTH_DEFAULT, YELLOW};
use crate::report::terminal;
use crate::result::run::TIMED_OPS;
use crate::result::{Point, Record, Run};
use crate::schedule::{Observer, Plan, Slot};
use crate::statistics::{self, Summary};

/// Lines of the workload that a quiet run keeps for the case that it fails.
const HELD_LINES_MAX: usize = 20;

/// Columns of `[########] `.
const BAR_WIDTH: usize = 11;

/// Columns of an arm's name beside the bar; longer ones are cut.
const NAME_WIDTH_MAX: usize = 16;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A bar that is redrawn.
    Bar,
    /// One line a repetition.
    Lines,
    /// Nothing.
    Quiet,
}

/// Shows a measurement as it goes on.
#[derive(Debug)]
pub(crate) struct Progress {
    mode: Mode,
    plan: Plan,
    bar: ProgressBar,
    started: Instant,
    slot: Option<Slot>,
    work: Work,
    elapsed_at_finish: Duration,
    /// Times of the counted repetitions of the present arm at the present point.
    walls_s: Vec<f64>,
    held: VecDeque<String>,
    course: Course,
}

/// How much there is to do, in records; a start of a process counts as some.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Work {
    done: f64,
    all: f64,
}

/// What a second is taken for where the time is given.
const RECORDS_PER_S: f64 = 1e6;

/// What a worker takes besides its records, in records.
const START_RECORDS: f64 = 100_000.0;

impl Progress {
    /// Starts the clock; what `record` already holds of the plan is done.
    pub(crate) fn new(mode: Mode, plan: &Plan, record: &Record) -> Self {
        let target = match mode {
            Mode::Bar => ProgressDrawTarget::stderr(),
            Mode::Lines | Mode::Quiet => ProgressDrawTarget::hidden(),
        };
        let kept = record.runs.iter().filter(|run| run.void.is_none()).count();
        let bar = ProgressBar::with_draw_target(Some(plan.len()), target);
        // The template is a constant; were it wrong, indicatif's own would do.
        if let Ok(style) = ProgressStyle::with_template(&template(plan)) {
            bar.set_style(style.progress_chars("##-"));
        }
        bar.set_position(kept as u64);
        let all = plan.slots().skip(kept).map(|slot| work(plan, slot)).sum();
        Self {
            mode,
            plan: plan.clone(),
            bar,
            started: Instant::now(),
            slot: None,
            work: Work { done: 0.0, all },
            elapsed_at_finish: Duration::ZERO,
            walls_s: Vec::new(),
            held: VecDeque::new(),
            course: Course::default(),
        }
    }

    /// Shows nothing and keeps what a worker prints, for questions to a worker beside any plan.
    pub(crate) fn silent() -> Self {
        let plan = Plan {
            arms: Vec::new(),
            points: Vec::new(),
            axes: Vec::new(),
            cold: 0,
            counted: 0,
        };
        Self::new(Mode::Quiet, &plan, &Record::default())
    }

    /// Takes the bar away, so that the report stands alone.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows the last lines that the workload printed and a quiet run kept to itself.
    pub(crate) fn show_held(&self) {
        self.held.iter().for_each(|line| write_line(line));
    }

    fn status(&self) -> String {
        status(
            columns().saturating_sub(LABEL_WIDTH + BAR_WIDTH),
            &self.place(),
            self.plan.counted,
            self.started.elapsed(),
            remaining(self.work, self.elapsed_at_finish, self.started.elapsed()),
            &self.walls_s,
            self.is_by_time(),
        )
    }

    fn is_by_time(&self) -> bool {
        let point = self.slot.map(|slot| &self.plan.points[slot.point]);
        point.is_some_and(WorkerOptions::is_by_time)
    }

    /// Names the present point and arm where there are several.
    fn place(&self) -> String {
        let Some(slot) = self.slot else {
            return String::new();
        };
        let mut place = String::new();
        if self.plan.points.len() > 1 {
            let point = Point::of(&self.plan.points[slot.point]);
            place = format!("{}   ", axes::place_text(&self.plan.axes, &point));
        }
        if self.plan.arms.len() > 1 {
            let name = &self.plan.arms[slot.arm].name;
            place.push_str(&truncate_str(name, NAME_WIDTH_MAX, "…"));
            place.push_str("   ");
        }
        place
    }

    /// Takes the bar away while something else writes to the terminal.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Prints a line above the bar.
    pub(crate) fn show(&self, line: &str) {
        match self.mode {
            Mode::Bar => self.suspend(|| write_line(line)),
            Mode::Lines => write_line(line),
            Mode::Quiet => {}
        }
    }
}

/// The bar, and a line for the course of a repetition where it is told.
fn template(plan: &Plan) -> String {
    let bar = format!("{:<LABEL_WIDTH$}[{{bar:8}}] {{wide_msg}}", "running");
    let is_told = |point: &WorkerOptions| point.report_interval_s.is_some();
    if plan.points.iter().any(is_told) {
        format!("{bar}\n{{prefix}}")
    } else {
        bar
    }
}

fn work(plan: &Plan, slot: Slot) -> f64 {
    let point = &plan.points[slot.point];
    let timed_s = point.duration_s.unwrap_or(0.0) + point.warmup_s;
    point.records as f64 + timed_s * RECORDS_PER_S + START_RECORDS
}

/// Columns of the terminal.
fn columns() -> usize {
    Term::stderr()
        .size_checked()
        .map_or(WIDTH_DEFAULT, |(_, columns)| usize::from(columns))
}

/// Nothing can be done about a standard error that cannot be written.
fn write_line(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

impl Observer for Progress {
    fn started(&mut self, slot: Slot) {
        self.slot = Some(slot);
        self.course = Course::default();
        self.bar.set_message(self.status());
    }

    fn output(&mut self, line: &str) {
        if self.mode == Mode::Quiet {
            if self.held.len() == HELD_LINES_MAX {
                self.held.pop_front();
            }
            self.held.push_back(line.to_owned());
        } else {
            self.show(line);
        }
    }

    fn sample(&mut self, sample: &Sample) {
        let Some(slot) = self.slot else {
            return;
        };
        let unit = self.plan.points[slot.point].unit.clone();
        let noun = unit.as_deref().unwrap_or("operations");
        match self.mode {
            Mode::Bar => {
                self.course.push(sample);
                let line = self.course.sparklines(columns(), noun);
                self.bar.set_prefix(line);
            }
            Mode::Lines => self.show(&course::line(sample, &self.place(), noun)),
            Mode::Quiet => {}
        }
    }

    fn warning(&mut self, line: &str) {
        self.suspend(|| write_line(&format!("{YELLOW}warning:{YELLOW:#} {line}")));
    }

    fn tick(&mut self) {
        if self.mode == Mode::Bar {
            self.bar.set_message(self.status());
        }
    }

    fn finished(&mut self, slot: Slot, record: &Record) {
        let Some(run) = record.runs.last() else {
            return;
        };
        self.work.done += work(&self.plan, slot);
        self.elapsed_at_finish = self.started.elapsed();
        if run.void.is_some() {
            // It is run again.
            self.work.all += work(&self.plan, slot);
        } else {
            self.bar.inc(1);
        }
        let counted = record.counted(&run.arm, run.shared_point());
        self.walls_s = counted.iter().map(|run| run.compared_s()).collect();
        self.bar.set_message(self.status());
        if self.mode == Mode::Lines {
            self.show(&finished_line(
                run,
                &self.plan,
                &self.place(),
                &self.walls_s,
            ));
        }
    }
}

/// `10/15   1.1 s, 0.5 s left   median 0.1010 s +-0.4 %`, and less where that is wider than
/// `columns`: what has passed is left out first, then the word `median`, then what is left.
fn status(
    columns: usize,
    place: &str,
    total: u32,
    elapsed: Duration,
    remaining: Option<Duration>,
    walls_s: &[f64],
    is_by_time: bool,
) -> String {
    let passed = duration(elapsed);
    let left = remaining.map(|remaining| format!("{} left", duration(remaining)));
    let median = statistics::summarize(walls_s)
        .map(|wall_s| running_median(&wall_s, is_by_time))
        .unwrap_or_default();
    let number = format!("{place}{}/{total}", walls_s.len());
    let both = left.as_ref().map(|left| format!("{passed}, {left}"));
    let bare_median = median.strip_prefix("median ").unwrap_or_default();
    let line = |time: &str, median: &str| {
        let parts = [&number, time, median];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("   ")
    };
    let lines = [
        line(both.as_deref().unwrap_or(&passed), &median),
        line(left.as_deref().unwrap_or(&passed), &median),
        line(left.as_deref().unwrap_or(&passed), bare_median),
        line("", &median),
    ];
    let fits = |line: &&String| measure_text_width(line) <= columns;
    lines.iter().find(fits).unwrap_or(&lines[3]).clone()
}

/// `median 0.1010 s +-0.4 %`: the interval so far by its farther end, once there is one.
fn running_median(wall_s: &Summary, is_by_time: bool) -> String {
    let median = if is_by_time {
        format!("{}/s", rate(TIMED_OPS / wall_s.median))
    } else {
        Seconds::like(wall_s.median).with_unit(wall_s.median)
    };
    match wall_s.relative_margin() {
        Some(margin) => format!("median {median} +-{}", percent(margin)),
        None => format!("median {median}"),
    }
}

/// Time that the work to come will take, if it takes what that before took on average.
fn remaining(work: Work, elapsed_at_finish: Duration, elapsed: Duration) -> Option<Duration> {
    if work.done <= 0.0 {
        return None;
    }
    let all_s = elapsed_at_finish.as_secs_f64() * work.all / work.done;
    let all = Duration::try_from_secs_f64(all_s).ok()?;
    Some(all.saturating_sub(elapsed))
}

/// One line for a finished repetition.
fn finished_line(run: &Run, plan: &Plan, place: &str, walls_s: &[f64]) -> String {
    let time = terminal::figure(run);
    if let Some(reason) = &run.void {
        return format!(
            "{:<LABEL_WIDTH$}{place}{time}   ({reason}; runs again)",
            "void"
        );
    }
    if run.cold {
        let number = format!("cold {}/{}", run.repetition, plan.cold);
        return format!("{number:<LABEL_WIDTH$}{place}{time}   (not counted)");
    }
    let number = format!("{}/{}", run.repetition, plan.counted);
    let median = statistics::summarize(walls_s).map_or_else(String::new, |wall_s| {
        let is_by_time = run.point.is_by_time();
        format!("   {}", running_median(&wall_s, is_by_time))
    });
    format!("{number:<LABEL_WIDTH$}{place}{time}{median}")
}

/// `1.1 s`, `2 min 05 s`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..100 => format!("{:.1} s", duration.as_secs_f64()),
        100..6_000 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::testing;
    use crate::schedule::Arm;

    fn plan(arms: &[&str], records: &[u64]) -> Plan {
        let point = |records| WorkerOptions {
            records,
            ..testing::options()
        };
        Plan {
            arms: arms
                .iter()
                .map(|name| Arm {
                    name: (*name).to_owned(),
                    expected: crate::schedule::Expected::default(),
                    options: Vec::new(),
                })
                .collect(),
            points: records.iter().copied().map(point).collect(),
            axes: axes::records(),
            cold: 1,
            counted: 15,
        }
    }

    #[test]
    fn the_bar_says_repetition_times_and_running_median_in_80_columns() {
        let walls_s: Vec<f64> = (0..10).map(|i| 0.101 + 0.0001 * f64::from(i % 3)).collect();
        let line = status(
            55,
            "",
            15,
            Duration::from_millis(1_100),
            Some(Duration::from_millis(500)),
            &walls_s,
            false,
        );
        assert_eq!(line, "10/15   1.1 s, 0.5 s left   median 0.1011 s +-0.1 %");
        let longest = status(
            55,
            "",
            99,
            Duration::from_secs(5_999),
            Some(Duration::from_secs(9)),
            &[100.0, 123.4, 123.4, 123.4, 123.4, 150.0],
            false,
        );
        assert!(LABEL_WIDTH + BAR_WIDTH + longest.len() <= 80, "{longest}");
        let walls_s = [0.001_96, 0.001_97, 0.001_98, 0.001_99, 0.002, 0.002_1];
        let second = Duration::from_secs(1);
        let several = |place| status(55, place, 6, second, Some(second), &walls_s, false);
        assert_eq!(
            several("1k   native   "),
            "1k   native   6/6   1.0 s left   1.985 ms +-5.8 %"
        );
        assert_eq!(
            several("1k   an-arm-of-16-let   "),
            "1k   an-arm-of-16-let   6/6   median 1.985 ms +-5.8 %"
        );
    }

    #[test]
    fn several_arms_and_points_are_named() {
        let mut progress = Progress::new(
            Mode::Quiet,
            &plan(&["native", "rosetta"], &[1_000, 20_000_000]),
            &Record::default(),
        );
        progress.started(Slot {
            arm: 1,
            point: 1,
            cold: false,
            repetition: 3,
        });
        assert_eq!(progress.place(), "20M   rosetta   ");
    }

    #[test]
    fn nothing_is_foretold_before_the_first_repetition_is_done() {
        let second = Duration::from_secs(1);
        let work = |done| Work { done, all: 16.0 };
        assert_eq!(remaining(work(0.0), Duration::ZERO, second), None);
        assert_eq!(
            remaining(work(2.0), second, second),
            Some(Duration::from_secs(7))
        );
        assert_eq!(
            remaining(work(16.0), second, second * 2),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn without_a_terminal_each_repetition_is_a_line() {
        let plan = plan(&["native"], &[1_000_000]);
        let mut runs = testing::runs(&[0.1, 0.3]);
        assert_eq!(
            finished_line(&runs[0], &plan, "", &[]),
            "cold 1/1      0.1310 s   (not counted)"
        );
        assert_eq!(
            finished_line(&runs[2], &plan, "", &[0.1, 0.3]),
            "2/15          0.3000 s   median 0.2000 s"
        );
        runs[2].void = Some(String::from("the load rose from 0.3 to 4.1"));
        assert_eq!(
            finished_line(&runs[2], &plan, "5M   ", &[]),
            "void          5M   0.3000 s   (the load rose from 0.3 to 4.1; runs again)"
        );
    }

    #[test]
    fn a_quiet_run_keeps_the_last_lines_of_the_workload() {
        let plan = plan(&["native"], &[1_000_000]);
        let mut progress = Progress::new(Mode::Quiet, &plan, &Record::default());
        for number in 0..30 {
            progress.output(&number.to_string());
        }
        let expected: Vec<String> = (10..30).map(|number: u32| number.to_string()).collect();
        assert_eq!(progress.held, expected);
    }
}
