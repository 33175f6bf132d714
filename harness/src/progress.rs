//! What is shown while a run goes on, on standard error: a bar on a terminal, plain lines elsewhere.

use std::collections::VecDeque;
use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report::page::{LABEL_WIDTH, Seconds};
use crate::schedule::{Observer, Run, Schedule, Slot};
use crate::statistics;

/// Lines of the workload that a quiet run keeps for the case that it fails.
const HELD_LINES_MAX: usize = 20;

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

/// Shows a run as it goes on.
#[derive(Debug)]
pub(crate) struct Progress {
    mode: Mode,
    schedule: Schedule,
    bar: ProgressBar,
    started: Instant,
    finished: u32,
    elapsed_at_finish: Duration,
    counted_walls: Vec<f64>,
    held: VecDeque<String>,
}

impl Progress {
    /// Starts the clock.
    pub(crate) fn new(mode: Mode, schedule: Schedule) -> Self {
        let target = match mode {
            Mode::Bar => ProgressDrawTarget::stderr(),
            Mode::Lines | Mode::Quiet => ProgressDrawTarget::hidden(),
        };
        let total = u64::from(schedule.cold) + u64::from(schedule.counted);
        let bar = ProgressBar::with_draw_target(Some(total), target);
        // The template is a constant; were it wrong, indicatif's own would do.
        if let Ok(style) = ProgressStyle::with_template("{prefix}[{bar:12}] {msg}") {
            bar.set_style(style.progress_chars("##-"));
        }
        bar.set_prefix(format!("{:<LABEL_WIDTH$}", "running"));
        Self {
            mode,
            schedule,
            bar,
            started: Instant::now(),
            finished: 0,
            elapsed_at_finish: Duration::ZERO,
            counted_walls: Vec::new(),
            held: VecDeque::new(),
        }
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
        let total = self.schedule.cold + self.schedule.counted;
        status(
            (self.counted_walls.len(), self.schedule.counted),
            self.started.elapsed(),
            remaining(
                self.finished,
                total,
                self.elapsed_at_finish,
                self.started.elapsed(),
            ),
            statistics::median(&self.counted_walls),
        )
    }

    fn show(&self, line: &str) {
        match self.mode {
            Mode::Bar => self.bar.suspend(|| write_line(line)),
            Mode::Lines => write_line(line),
            Mode::Quiet => {}
        }
    }
}

/// Nothing can be done about a standard error that cannot be written.
fn write_line(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

impl Observer for Progress {
    fn started(&mut self, _: Slot) {
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

    fn tick(&mut self) {
        if self.mode == Mode::Bar {
            self.bar.set_message(self.status());
        }
    }

    fn finished(&mut self, run: &Run) {
        self.finished += 1;
        self.elapsed_at_finish = self.started.elapsed();
        if !run.slot.cold {
            self.counted_walls.push(run.measurement.wall_s);
        }
        self.bar.inc(1);
        self.bar.set_message(self.status());
        if self.mode == Mode::Lines {
            self.show(&finished_line(run, self.schedule, &self.counted_walls));
        }
    }
}

/// `10/15   1.1 s, 0.5 s left   median 0.1010 s`.
fn status(
    (counted, total): (usize, u32),
    elapsed: Duration,
    remaining: Option<Duration>,
    median_s: Option<f64>,
) -> String {
    let left = remaining.map_or_else(String::new, |remaining| {
        format!(", {} left", duration(remaining))
    });
    let median = median_s.map_or_else(String::new, |median_s| {
        format!("   median {}", Seconds::like(median_s).with_unit(median_s))
    });
    format!("{counted}/{total}   {}{left}{median}", duration(elapsed))
}

/// Time that the repetitions to come will take, if they take what those before took on average,
/// start of the process included.
fn remaining(
    finished: u32,
    total: u32,
    elapsed_at_finish: Duration,
    elapsed: Duration,
) -> Option<Duration> {
    let mean = elapsed_at_finish.checked_div(finished)?;
    let all = mean.checked_mul(total)?;
    Some(all.saturating_sub(elapsed))
}

/// One line for a finished repetition.
fn finished_line(run: &Run, schedule: Schedule, counted_walls: &[f64]) -> String {
    let wall_s = run.measurement.wall_s;
    let time = Seconds::like(wall_s).with_unit(wall_s);
    if run.slot.cold {
        let place = format!("cold {}/{}", run.slot.repetition, schedule.cold);
        return format!("{place:<LABEL_WIDTH$}{time}   (not counted)");
    }
    let place = format!("{}/{}", run.slot.repetition, schedule.counted);
    let median_s = statistics::median(counted_walls).unwrap_or(wall_s);
    let median = Seconds::like(median_s).with_unit(median_s);
    format!("{place:<LABEL_WIDTH$}{time}   median {median}")
}

/// `1.1 s`, `2 min 05 s`.
fn duration(duration: Duration) -> String {
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
    use crate::report::testing;

    const SCHEDULE: Schedule = Schedule {
        cold: 1,
        counted: 15,
    };

    #[test]
    fn the_bar_says_repetition_times_and_running_median_in_80_columns() {
        let line = status(
            (10, 15),
            Duration::from_millis(1_100),
            Some(Duration::from_millis(500)),
            Some(0.101),
        );
        assert_eq!(line, "10/15   1.1 s, 0.5 s left   median 0.1010 s");
        let longest = status(
            (100, 100),
            Duration::from_secs(5_999),
            Some(Duration::from_secs(9)),
            Some(123.4),
        );
        assert!(
            LABEL_WIDTH + "[############] ".len() + longest.len() <= 80,
            "{longest}"
        );
    }

    #[test]
    fn nothing_is_foretold_before_the_first_repetition_is_done() {
        let second = Duration::from_secs(1);
        assert_eq!(remaining(0, 16, Duration::ZERO, second), None);
        assert_eq!(
            remaining(2, 16, second, second),
            Some(Duration::from_secs(7))
        );
        assert_eq!(remaining(16, 16, second, second * 2), Some(Duration::ZERO));
    }

    #[test]
    fn without_a_terminal_each_repetition_is_a_line() {
        let runs = testing::runs(&[0.1, 0.3]);
        assert_eq!(
            finished_line(&runs[0], SCHEDULE, &[]),
            "cold 1/1      0.1310 s   (not counted)"
        );
        assert_eq!(
            finished_line(&runs[2], SCHEDULE, &[0.1, 0.3]),
            "2/15          0.3000 s   median 0.2000 s"
        );
    }

    #[test]
    fn a_quiet_run_keeps_the_last_lines_of_the_workload() {
        let mut progress = Progress::new(Mode::Quiet, SCHEDULE);
        for number in 0..30 {
            progress.output(&number.to_string());
        }
        let expected: Vec<String> = (10..30).map(|number: u32| number.to_string()).collect();
        assert_eq!(progress.held, expected);
    }
}
