//! The table as it grows, with an executor that starts no process.

use std::cell::RefCell;
use std::rc::Rc;

use super::*;
use crate::interrupt::Interrupt;
use crate::progress::Mode;
use crate::schedule::RepetitionError;
use crate::schedule::testing::{Script, plan, repetition};
use crate::worker::testing::context;

/// Standard output that can be looked at while it is written to.
#[derive(Clone, Default)]
struct Shown(Rc<RefCell<Vec<u8>>>);

impl Shown {
    fn text(&self) -> String {
        let text = String::from_utf8(self.0.borrow().clone()).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }
}

impl Write for Shown {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A pipe whose reader has gone.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Two sizes, six times each behind a cold repetition.
fn whole() -> Plan {
    plan(&["native"], 2, 1, 6)
}

/// Sweeps on from `record`; `answer` says what the n-th repetition from there brings.
fn sweep(
    record: Record,
    out: impl Write,
    quiet: bool,
    answer: impl FnMut(u32) -> Result<f64, RepetitionError>,
) -> (Measured, Result<Exit, Failure>) {
    let plan = whole();
    let mut session = Session {
        plan: plan.clone(),
        context: context(),
        saving: None,
    };
    let mut answer = answer;
    let mut executor = Script::answering(|number| answer(number).map(repetition));
    let progress = Progress::new(Mode::Quiet, &plan, &record);
    let mut rows = Rows::new(&plan, progress, out, quiet);
    rows.show_stored(&record);
    let measured = session.measure(record, &mut executor, &Interrupt::default(), &mut rows);
    let exit = rows.conclude(&session, &measured, Path::new("f.json"));
    (measured, exit)
}

/// First words of the lines of the table.
fn labels(text: &str) -> Vec<&str> {
    let words = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    words
        .take_while(|word| !["best", "verified", "interrupted"].contains(word))
        .collect()
}

#[test]
fn a_row_is_shown_as_soon_as_its_size_is_done() {
    let shown = Shown::default();
    let seen = shown.clone();
    let (_, exit) = sweep(Record::default(), shown.clone(), false, |number| {
        let expected: &[&str] = match number {
            1 => &[],
            2..=7 => &["cold"],
            _ => &["cold", "records", "1k"],
        };
        assert_eq!(labels(&seen.text()), expected, "before repetition {number}");
        Ok(1.0)
    });
    assert_eq!(exit.unwrap(), Exit::Done);
    let text = shown.text();
    assert_eq!(labels(&text), ["cold", "records", "1k", "2k"]);
    assert!(text.contains("checksums of each size agree"), "{text}");
}

#[test]
fn what_was_stopped_anywhere_is_shown_so_far_and_gone_on_with_to_the_same_table() {
    let (whole, _) = sweep(Record::default(), Shown::default(), false, |_| Ok(1.0));
    let whole = whole.outcome.record;
    for stop in 1..=whole.runs.len() as u32 {
        let shown = Shown::default();
        let (stopped, exit) = sweep(Record::default(), shown.clone(), false, |number| {
            if number == stop {
                return Err(RepetitionError::Interrupted);
            }
            Ok(1.0)
        });
        assert_eq!(exit.unwrap(), Exit::Interrupted);
        let text = shown.text();
        if stop == 1 {
            assert!(text.contains("before anything was measured"), "{text}");
        } else {
            let after = format!("after {} of 13 repetitions", stop - 1);
            assert!(text.contains(&after), "{text}");
            assert!(text.contains("\ngo on with    "), "{text}");
        }
        let is_between = [1, 2, 8].contains(&stop);
        assert_eq!(text.contains("\nunfinished"), !is_between, "{stop}: {text}");

        let shown = Shown::default();
        let (gone_on, exit) = sweep(stopped.outcome.record, shown.clone(), false, |_| Ok(1.0));
        assert_eq!(exit.unwrap(), Exit::Done);
        assert_eq!(gone_on.outcome.record.runs.len(), whole.runs.len());
        assert_eq!(labels(&shown.text()), ["cold", "records", "1k", "2k"]);
    }
}

#[test]
fn a_quiet_sweep_shows_its_rows_alone() {
    let shown = Shown::default();
    sweep(Record::default(), shown.clone(), true, |_| Ok(1.0))
        .1
        .unwrap();
    assert_eq!(labels(&shown.text()), ["records", "1k", "2k"]);
    assert_eq!(shown.text().lines().count(), 3, "{}", shown.text());
}

#[test]
fn a_failure_says_what_became_of_what_was_measured() {
    let shown = Shown::default();
    let (_, exit) = sweep(Record::default(), shown.clone(), false, |number| {
        if number == 9 {
            return Err(RepetitionError::Died {
                how: String::from("killed by SIGSEGV"),
            });
        }
        Ok(1.0)
    });
    let message = exit.unwrap_err().message;
    assert!(message.contains("killed by SIGSEGV"), "{message}");
    assert_eq!(
        labels(&shown.text()),
        ["cold", "records", "1k", "2k", "unfinished"]
    );
}

#[test]
fn a_reader_that_has_gone_keeps_nothing_from_being_measured() {
    let (measured, exit) = sweep(Record::default(), Closed, false, |_| Ok(1.0));
    assert_eq!(measured.outcome.record.runs.len(), 13);
    assert_eq!(exit.unwrap_err().exit, Exit::Done);
}
