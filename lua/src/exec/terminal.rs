//! The console's lines: a thread of its own reads them, so that fibers run while nobody types.
//!
//! `open(fiber_id, history)` starts the thread, `ask(prompt)` wants a line, `take()` answers with what
//! has happened, `reply(candidates)` answers a question for completions, `restore()` gives the
//! terminal its settings back. Whatever happens wakes the fiber. Input that is no terminal is read line
//! by line, without prompts.

use std::cell::RefCell;
use std::io::{BufRead, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use lycosa_engine::fiber::{FiberId, Scheduler, Waker};
use mlua::{BString, Lua, Table};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};

/// How long the editor waits for completions: the fibers may be busy.
const COMPLETION_LIMIT: Duration = Duration::from_millis(500);

/// What the reading thread has to say.
enum Report {
    Line(Vec<u8>),
    Interrupted,
    End,
    Complete(String),
}

impl Report {
    fn into_pair(self) -> (&'static str, Option<BString>) {
        match self {
            Self::Line(line) => ("line", Some(line.into())),
            Self::Interrupted => ("interrupted", None),
            Self::End => ("end", None),
            Self::Complete(line) => ("complete", Some(line.into())),
        }
    }
}

/// The console's end of the channels.
struct Lines {
    prompts: Sender<String>,
    reports: Receiver<Report>,
    candidates: Sender<Vec<String>>,
}

/// The functions for `console.lua`.
pub(super) fn native(lua: &Lua, scheduler: &Scheduler) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    let lines: Rc<RefCell<Option<Lines>>> = Rc::default();
    let settings = saved_settings();
    native.set(
        "restore",
        lua.create_function(move |_, ()| {
            restore(settings.as_ref());
            Ok(())
        })?,
    )?;
    let (scheduler, opened) = (scheduler.clone(), Rc::clone(&lines));
    native.set(
        "open",
        lua.create_function(move |_, id: FiberId| {
            if let Some(fiber) = scheduler.find(id) {
                *opened.borrow_mut() = Some(open(scheduler.waker(&fiber))?);
            }
            Ok(std::io::stdin().is_terminal())
        })?,
    )?;
    let asking = Rc::clone(&lines);
    native.set(
        "ask",
        lua.create_function(move |_, prompt: String| {
            let lines = asking.borrow();
            let sent = lines.as_ref().map(|lines| lines.prompts.send(prompt));
            Ok(matches!(sent, Some(Ok(()))))
        })?,
    )?;
    let replying = Rc::clone(&lines);
    native.set(
        "reply",
        lua.create_function(move |_, candidates: Vec<String>| {
            if let Some(lines) = replying.borrow().as_ref() {
                // The editor may have stopped waiting.
                let _ = lines.candidates.send(candidates);
            }
            Ok(())
        })?,
    )?;
    native.set(
        "take",
        lua.create_function(move |_, ()| {
            let lines = lines.borrow();
            let report = lines
                .as_ref()
                .and_then(|lines| lines.reports.try_recv().ok());
            Ok(report.map(Report::into_pair).unzip())
        })?,
    )?;
    Ok(native)
}

/// Starts the reading thread.
fn open(waker: Waker) -> std::io::Result<Lines> {
    let (prompts, wanted) = channel();
    let (sender, reports) = channel();
    let (candidates, answers) = channel();
    let reporter = Reporter { sender, waker };
    thread::Builder::new()
        .name(String::from("console"))
        .spawn(move || {
            if std::io::stdin().is_terminal() {
                edit_lines(&wanted, &reporter, answers);
            } else {
                read_lines(&wanted, &reporter);
            }
        })?;
    Ok(Lines {
        prompts,
        reports,
        candidates,
    })
}

#[derive(Clone)]
struct Reporter {
    sender: Sender<Report>,
    waker: Waker,
}

impl Reporter {
    fn report(&self, report: Report) {
        // Without a receiver the process is at its end.
        let _ = self.sender.send(report);
        self.waker.wake();
    }
}

fn read_lines(wanted: &Receiver<String>, reporter: &Reporter) {
    let mut input = std::io::stdin().lock();
    while wanted.recv().is_ok() {
        let mut line = Vec::new();
        match input.read_until(b'\n', &mut line) {
            Ok(length) if length > 0 => reporter.report(Report::Line(without_line_end(line))),
            _ => return reporter.report(Report::End),
        }
    }
}

fn without_line_end(mut line: Vec<u8>) -> Vec<u8> {
    if line.pop_if(|last| *last == b'\n').is_some() {
        line.pop_if(|last| *last == b'\r');
    }
    line
}

fn edit_lines(wanted: &Receiver<String>, reporter: &Reporter, answers: Receiver<Vec<String>>) {
    let config = Config::builder().auto_add_history(true).build();
    let Ok(mut editor) = Editor::<Completions, FileHistory>::with_config(config) else {
        return reporter.report(Report::End);
    };
    editor.set_helper(Some(Completions {
        reporter: reporter.clone(),
        answers,
    }));
    let history = history_file();
    if let Some(history) = &history {
        // There is none at the first start.
        let _ = editor.load_history(history);
    }
    while let Ok(prompt) = wanted.recv() {
        match editor.readline(&prompt) {
            Ok(line) => reporter.report(Report::Line(line.into_bytes())),
            Err(ReadlineError::Interrupted) => reporter.report(Report::Interrupted),
            // Bytes that are no UTF-8: the line is lost, not the session.
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                reporter.report(Report::Interrupted);
            }
            Err(_) => {
                save_history(&mut editor, history.as_deref());
                return reporter.report(Report::End);
            }
        }
        save_history(&mut editor, history.as_deref());
    }
}

fn save_history(editor: &mut Editor<Completions, FileHistory>, file: Option<&Path>) {
    if let Some(file) = file {
        // A history that cannot be kept is no reason to stop.
        let _ = editor.append_history(file);
    }
}

/// `lycosa/console_history` in the user's data folder, which is made.
fn history_file() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let data = match std::env::var_os("XDG_DATA_HOME") {
        Some(folder) => PathBuf::from(folder),
        None if cfg!(target_os = "macos") => home?.join("Library/Application Support"),
        None => home?.join(".local/share"),
    };
    let folder = data.join("lycosa");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("console_history"))
}

/// Asks the console for what the word before the cursor may become.
struct Completions {
    reporter: Reporter,
    answers: Receiver<Vec<String>>,
}

impl Completer for Completions {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..position).unwrap_or_default();
        // What an earlier question was answered with too late.
        while self.answers.try_recv().is_ok() {}
        self.reporter.report(Report::Complete(before.to_owned()));
        let candidates = self.answers.recv_timeout(COMPLETION_LIMIT);
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:".contains(byte);
        let word = before
            .bytes()
            .rev()
            .take_while(|byte| is_part(byte))
            .count();
        Ok((position - word, candidates.unwrap_or_default()))
    }
}

impl Hinter for Completions {
    type Hint = String;
}

impl Highlighter for Completions {}

impl Validator for Completions {}

impl Helper for Completions {}

/// The terminal's settings before anybody edits on it.
fn saved_settings() -> Option<libc::termios> {
    // SAFETY: the struct is plain numbers, and the call only fills it.
    unsafe {
        let mut settings: libc::termios = std::mem::zeroed();
        (libc::tcgetattr(libc::STDIN_FILENO, &raw mut settings) == 0).then_some(settings)
    }
}

/// Undoes what an editor that was cut off has done to the terminal.
fn restore(settings: Option<&libc::termios>) {
    if let Some(settings) = settings {
        // SAFETY: reads a struct that tcgetattr filled.
        unsafe {
            libc::tcsetattr(libc::STDIN_FILENO, libc::TCSADRAIN, settings);
        }
    }
}
