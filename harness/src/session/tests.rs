//! Saving after every repetition, with an executor that starts no process.

use std::fs;
use std::path::Path;

use super::*;
use crate::result::file;
use crate::schedule::testing::{Script, plan, repetition};
use crate::schedule::{Ending, RepetitionError};
use crate::worker::testing::context;

/// Keeps what is said, and does something after each repetition.
struct Said<F> {
    lines: Vec<String>,
    after_each: F,
}

impl<F: FnMut(&Record)> Observer for Said<F> {
    fn started(&mut self, _: Slot) {}
    fn output(&mut self, _: &str) {}
    fn sample(&mut self, _: &lycosa_lua::worker::Sample) {}
    fn warning(&mut self, line: &str) {
        self.lines.push(line.to_owned());
    }
    fn tick(&mut self) {}
    fn finished(&mut self, _: Slot, record: &Record) {
        (self.after_each)(record);
    }
}

/// Measures two sizes, three times each behind a cold repetition; `after_each` sees what has been
/// saved. Gives what was measured and said.
fn measure(path: &Path, fails_at: u32, after_each: impl FnMut(&Record)) -> (Measured, Vec<String>) {
    let mut session = Session {
        plan: plan(&["native"], 2, 1, 3),
        context: context(),
        saving: Some(Saving::prepare(path).unwrap()),
    };
    let mut executor = Script::answering(|number| {
        if number == fails_at {
            Err(RepetitionError::Interrupted)
        } else {
            Ok(repetition(f64::from(number)))
        }
    });
    let mut said = Said {
        lines: Vec::new(),
        after_each,
    };
    let measured = session.measure(
        Record::default(),
        &mut executor,
        &Interrupt::default(),
        &mut said,
    );
    (measured, said.lines)
}

#[test]
fn after_each_repetition_the_file_holds_all_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let mut seen = 0;
    let (measured, lines) = measure(&path, 0, |record| {
        let document = file::read(&path).unwrap();
        assert_eq!(document.status, Status::Running);
        assert_eq!(document.runs, record.runs);
        assert_eq!(document.plan.unwrap().points.len(), 2);
        assert_eq!(document.context.jit, Some(true));
        seen += 1;
    });
    assert_eq!(seen, 7);
    assert_eq!(lines, Vec::<String>::new());
    assert_eq!(measured.saved.unwrap().unwrap(), path.display().to_string());
    let document = file::read(&path).unwrap();
    assert_eq!(document.status, Status::Complete);
    assert_eq!(document.summary.len(), 2);
}

#[test]
fn an_interrupted_measurement_says_so_in_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let (measured, _) = measure(&path, 4, |_| {});
    assert!(matches!(measured.outcome.ending, Ending::Interrupted));
    let document = file::read(&path).unwrap();
    assert_eq!(
        (document.status, document.runs.len()),
        (Status::Interrupted, 3)
    );
}

#[test]
fn a_measurement_that_brought_nothing_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (measured, _) = measure(&folder.path().join("result.json"), 1, |_| {});
    assert_eq!(measured.saved, Ok(None));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_save_that_fails_is_told_once_and_the_measuring_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let path = inner.join("result.json");
    let (measured, lines) = measure(&path, 0, |_| {
        let _ = fs::remove_dir_all(&inner);
    });
    assert_eq!(measured.outcome.record.runs.len(), 7);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("cannot write `"), "{lines:?}");
    assert!(measured.saved.unwrap_err().contains("cannot write"));
}

#[test]
fn a_save_that_fails_for_a_while_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let path = inner.join("result.json");
    let (measured, lines) = measure(&path, 0, |record| {
        if record.runs.len() == 2 {
            fs::remove_dir_all(&inner).unwrap();
        } else if record.runs.len() == 4 {
            fs::create_dir(&inner).unwrap();
        }
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(measured.saved.is_ok());
    assert_eq!(file::read(&path).unwrap().runs.len(), 7);
}

#[test]
fn a_device_gets_one_document() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    let (measured, _) = measure(&pipe, 0, |_| {});
    assert!(measured.saved.is_ok());
    let text = reader.join().unwrap();
    assert_eq!(text.matches("\"status\"").count(), 1);
}
