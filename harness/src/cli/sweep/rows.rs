//! The table of a sweep on standard output, growing as sizes are done, and what stands below it.

use std::io::{self, Write};
use std::path::Path;

use super::super::measuring::{failed_message, failed_repetition, width};
use super::super::{Exit, Failure, command_line};
use crate::axes::Parameter;
use crate::progress::Progress;
use crate::report::page::{DIM, PLAIN, Page, YELLOW};
use crate::report::sizes::SizeTable;
use crate::report::{findings, sweep as report, terminal};
use crate::result::{Point, Record, Run, summary};
use crate::schedule::{Ending, Observer, Outcome, Plan, Slot};
use crate::session::{Measured, Session};

/// The table, growing as sizes are done, below it the progress.
pub(super) struct Rows<'a, W: Write> {
    plan: &'a Plan,
    points: Vec<Point>,
    table: SizeTable,
    has_head: bool,
    pub(super) progress: Progress,
    out: W,
    quiet: bool,
    /// The first failure to write; what is measured is saved all the same.
    failed: Option<io::Error>,
}

impl<'a, W: Write> Rows<'a, W> {
    pub(super) fn new(plan: &'a Plan, progress: Progress, out: W, quiet: bool) -> Self {
        let points: Vec<Point> = plan.points.iter().map(Point::of).collect();
        Self {
            plan,
            table: SizeTable::new(&plan.axes, &points),
            points,
            has_head: false,
            progress,
            out,
            quiet,
            failed: None,
        }
    }

    /// What an earlier process measured.
    pub(super) fn show_stored(&mut self, record: &Record) {
        for run in record.runs.iter().filter(|run| run.cold) {
            self.show(|rows| rows.cold(run));
        }
        for point in 0..self.points.len() {
            self.show_if_done(point, record);
        }
    }

    fn show_if_done(&mut self, point: usize, record: &Record) {
        if self.counted(point, record) == self.plan.counted as usize {
            self.show(|rows| rows.row(point, record));
        }
    }

    fn counted(&self, point: usize, record: &Record) -> usize {
        record
            .counted(&self.plan.arms[0].name, &self.points[point])
            .len()
    }

    fn show(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) {
        if self.failed.is_some() {
            return;
        }
        if let Err(error) = write(self).and_then(|()| self.out.flush()) {
            self.failed = Some(error);
        }
    }

    /// Writes to the table while the bar is away.
    fn write(
        &mut self,
        write: impl FnOnce(&SizeTable, &mut Page<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut page = Page::new(&mut self.out, width());
        let table = &self.table;
        self.progress.suspend(|| write(table, &mut page))
    }

    fn cold(&mut self, run: &Run) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let time = terminal::figure(run);
        let items = [time, String::from("(not counted)")];
        self.write(|_, page| page.labelled(DIM, "cold", &items))
    }

    fn row(&mut self, point: usize, record: &Record) -> io::Result<()> {
        let point = self.points[point].clone();
        let at_point = record
            .runs
            .iter()
            .filter(|run| *run.shared_point() == point);
        let runs: Vec<Run> = at_point.cloned().collect();
        let Some(figures) = summary::figures(&runs).map_err(io::Error::other)? else {
            return Ok(());
        };
        let has_head = std::mem::replace(&mut self.has_head, true);
        let axes = self.plan.axes.clone();
        self.write(|table, page| {
            if !has_head {
                table.head(page)?;
            }
            table.row(page, &point, &figures)?;
            terminal::schedule(page, &point, &figures)?;
            findings::warnings(page, &runs, &axes)
        })
    }

    /// The size that was being measured, the machine, the file, and how to go on.
    pub(super) fn conclude(
        &mut self,
        session: &Session,
        measured: &Measured,
        path: &Path,
    ) -> Result<Exit, Failure> {
        let Outcome { record, ending, .. } = &measured.outcome;
        let counted = format!(
            "{} of {} repetitions",
            record.runs.iter().filter(|run| run.void.is_none()).count(),
            self.plan.len()
        );
        for point in 0..self.points.len() {
            let done = self.counted(point, record);
            if done > 0 && done < self.plan.counted as usize {
                self.show(|rows| rows.row(point, record));
                let text = format!("{done} of {} repetitions", self.plan.counted);
                self.show(|rows| {
                    rows.write(|_, page| page.labelled(YELLOW, "unfinished", &[text]))
                });
            }
        }
        if let Ending::Failed(error) = ending {
            let mut message = failed_message(error, &measured.saved, &counted);
            if let Ok(Some(_)) = measured.saved {
                message.push_str("\n       go on with  ");
                message.push_str(&command_line::resuming(path));
            }
            return Err(failed_repetition(error, message));
        }
        if !self.quiet && !record.runs.is_empty() {
            self.show(|rows| rows.foot(session, &record.runs));
        }
        let saved = measured.saved.as_ref().map_err(Failure::failed)?;
        if let Some(path) = saved.as_ref().filter(|_| !self.quiet) {
            self.show(|rows| rows.write(|_, page| page.sentence(PLAIN, "saved", path)));
        }
        if session.saving.is_none() && !self.quiet {
            let count = self.plan.len();
            let text = format!("{} holds all {count} repetitions", path.display());
            self.show(|rows| rows.write(|_, page| page.sentence(PLAIN, "complete", &text)));
        }
        let exit = if matches!(ending, Ending::Complete) {
            Exit::Done
        } else {
            let text = findings::interrupted(&measured.outcome, &counted);
            self.show(|rows| rows.interrupted(&text, record, path));
            Exit::Interrupted
        };
        match self.failed.take() {
            Some(error) => Err(error.into()),
            None => Ok(exit),
        }
    }

    fn foot(&mut self, session: &Session, runs: &[Run]) -> io::Result<()> {
        let point = self.points[0].clone();
        let is_verified = runs.iter().all(|run| !run.checksum.is_empty());
        let axes = self.plan.axes.clone();
        let floor = session.context.noise_floor.clone();
        let each = match &axes[..] {
            [Parameter::Records] => "size",
            _ => "point",
        };
        self.write(|_, page| {
            page.gap()?;
            report::findings(page, &axes, runs, floor.as_ref())?;
            findings::costs(page, &session.context.costs, &axes, runs)?;
            if is_verified {
                let text = format!("every repetition; the checksums of each {each} agree");
                page.labelled(PLAIN, "verified", &[text])?;
            } else {
                let text = String::from("the workload has no verify()");
                page.labelled(PLAIN, "not verified", &[text])?;
            }
            terminal::machine(page, &session.context, &point, runs)
        })
    }

    fn interrupted(&mut self, text: &str, record: &Record, path: &Path) -> io::Result<()> {
        let is_empty = record.runs.is_empty();
        self.write(|_, page| {
            page.sentence(YELLOW, "interrupted", text)?;
            if is_empty {
                return Ok(());
            }
            // In one piece, so that it can be copied.
            page.labelled(PLAIN, "go on with", &[command_line::resuming(path)])
        })
    }
}

impl<W: Write> Observer for Rows<'_, W> {
    fn started(&mut self, slot: Slot) {
        self.progress.started(slot);
    }

    fn output(&mut self, line: &str) {
        self.progress.output(line);
    }

    fn sample(&mut self, sample: &lycosa_lua::worker::Sample) {
        self.progress.sample(sample);
    }

    fn warning(&mut self, line: &str) {
        self.progress.warning(line);
    }

    fn tick(&mut self) {
        self.progress.tick();
    }

    fn finished(&mut self, slot: Slot, record: &Record) {
        self.progress.finished(slot, record);
        match record.runs.last() {
            Some(run) if run.void.is_some() => {}
            Some(run) if slot.cold => self.show(|rows| rows.cold(run)),
            _ => self.show_if_done(slot.point, record),
        }
    }
}

#[cfg(test)]
mod tests;
