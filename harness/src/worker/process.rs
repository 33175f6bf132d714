//! The parent's end of a worker process: start it, show what it prints, read its answer, end it.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use lycosa_lua::worker::{Measurement, WorkerOptions, WorkloadInfo, WorkloadSource};
use serde::de::DeserializeOwned;

use super::Request;
use super::answer::{self, Answer, AnswerScanner};
use crate::environment::{self, Conditions};
use crate::interrupt::Interrupt;
use crate::result::latency;
use crate::schedule::{Executor, Observer, Repetition, RepetitionError};

/// How often the parent looks at the interrupt flag and redraws; the worker's own end wakes it
/// at once. Ten wake-ups a second, on another core, do not show in the figures.
const TICK: Duration = Duration::from_millis(100);

/// How long output may still come after the worker has ended, from a process that it started and
/// left behind.
const OUTPUT_GRACE: Duration = Duration::from_millis(500);

/// How long a signal that went to the whole process group may take to be noticed here, after the
/// worker has died of it.
const SIGNAL_GRACE: Duration = Duration::from_millis(250);

/// Pieces of output that wait to be shown; a worker that prints faster than that waits in turn,
/// rather than filling this process's memory.
const CHUNKS_MAX: usize = 16;

/// How a lycosa is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launcher {
    /// What the system starts: the binary, or an emulator or another program in front of it.
    pub(crate) program: PathBuf,
    /// What stands before the worker's own arguments.
    pub(crate) arguments: Vec<OsString>,
}

impl Launcher {
    /// Starts `binary`, under `emulator` if it must be named.
    pub(crate) fn new(emulator: Option<PathBuf>, binary: PathBuf) -> Self {
        match emulator {
            Some(emulator) => Self {
                program: emulator,
                arguments: vec![binary.into_os_string()],
            },
            None => Self {
                program: binary,
                arguments: Vec::new(),
            },
        }
    }

    /// Program and arguments, as text to be shown.
    pub(crate) fn words(&self) -> Vec<String> {
        std::iter::once(self.program.display().to_string())
            .chain(
                self.arguments
                    .iter()
                    .map(|word| word.to_string_lossy().into_owned()),
            )
            .collect()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

/// Starts workers, one for each request.
#[derive(Debug)]
pub(crate) struct Workers {
    launcher: Launcher,
    interrupt: Interrupt,
}

impl Workers {
    /// Workers that end when `interrupt` is raised.
    pub(crate) fn new(launcher: Launcher, interrupt: Interrupt) -> Self {
        Self {
            launcher,
            interrupt,
        }
    }

    /// Asks for the help and the options of a workload.
    pub(crate) fn describe(
        &self,
        source: &WorkloadSource,
        observer: &mut dyn Observer,
    ) -> Result<WorkloadInfo, RepetitionError> {
        let answer = self.ask(&Request::Describe(source.clone()), observer)?;
        Ok(answer.outcome?)
    }

    fn ask<T: DeserializeOwned>(
        &self,
        request: &Request,
        observer: &mut dyn Observer,
    ) -> Result<Answer<T>, RepetitionError> {
        let spawn_error = |source| RepetitionError::Spawn {
            program: self.launcher.program.display().to_string(),
            source,
        };
        let request = serde_json::to_string(request).map_err(|error| spawn_error(error.into()))?;
        let nonce = answer::nonce();
        let mut command = self.launcher.command();
        command
            .args([super::SUBCOMMAND, &nonce, &request])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().map_err(spawn_error)?;
        let end = Conversation::new(child, &nonce)
            .and_then(|conversation| conversation.hold(&self.interrupt, observer))
            .map_err(|source| RepetitionError::Died {
                how: format!("it cannot be read or waited for ({source})"),
            })?
            .ok_or(RepetitionError::Interrupted)?;
        if end.json.is_none() && was_interrupted(end.status, &self.interrupt) {
            return Err(RepetitionError::Interrupted);
        }
        conclude(&end)
    }
}

/// Runs each repetition in a fresh worker of its arm.
#[derive(Debug)]
pub(crate) struct ProcessExecutor {
    arms: Vec<Workers>,
}

impl ProcessExecutor {
    /// An executor for these arms, in the plan's order.
    pub(crate) fn new(arms: Vec<Workers>) -> Self {
        Self { arms }
    }
}

impl Executor for ProcessExecutor {
    fn repetition(
        &mut self,
        arm: usize,
        options: &WorkerOptions,
        observer: &mut dyn Observer,
    ) -> Result<Repetition, RepetitionError> {
        let workers = &self.arms[arm];
        let started = Instant::now();
        let answer: Answer<Measurement> = workers.ask(&Request::Run(options.clone()), observer)?;
        let process_s = started.elapsed().as_secs_f64();
        let measurement = answer.outcome?;
        latency::decode(&measurement.txn_latency_histogram).map_err(|error| {
            RepetitionError::NoResult {
                reason: error.to_string(),
            }
        })?;
        let mut context = answer.context;
        context.jit = Some(measurement.jit);
        Ok(Repetition {
            context: Some(context),
            program: None,
            command: workers.launcher.words(),
            process_s,
            measurement,
        })
    }

    fn conditions(&mut self) -> Conditions {
        environment::conditions()
    }
}

/// What a worker left behind.
#[derive(Debug)]
struct End {
    json: Option<Vec<u8>>,
    status: ExitStatus,
}

/// Judges what a worker left behind. What it answered as an error counts, however it ended then.
fn conclude<T: DeserializeOwned>(end: &End) -> Result<Answer<T>, RepetitionError> {
    let End { json, status } = end;
    let Some(json) = json else {
        return Err(RepetitionError::Died {
            how: describe_end(*status),
        });
    };
    let answer: Answer<T> =
        serde_json::from_slice(json).map_err(|error| RepetitionError::NoResult {
            reason: error.to_string(),
        })?;
    if answer.outcome.is_ok() && !status.success() {
        return Err(RepetitionError::DiedAfterAnswer {
            how: describe_end(*status),
        });
    }
    Ok(answer)
}

/// Whether the worker died of the signal with which the user stops the whole group. The worker
/// may be gone before this process has handled its own copy of it.
fn was_interrupted(status: ExitStatus, interrupt: &Interrupt) -> bool {
    let asked_to_end = matches!(
        status.signal(),
        Some(libc::SIGINT | libc::SIGTERM | libc::SIGHUP)
    );
    let deadline = Instant::now() + SIGNAL_GRACE;
    while asked_to_end && !interrupt.is_raised() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
    interrupt.is_raised()
}

/// How a process ended, in words.
fn describe_end(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(0), _) => String::from("it left with exit code 0; does the workload call os.exit?"),
        // What a panic of Rust ends with; its message has been shown with the other output.
        (Some(101), _) => String::from("it panicked, which is a defect of lycosa"),
        (Some(code), _) => format!("it left with exit code {code}"),
        (None, Some(libc::SIGKILL)) => String::from(
            "killed by SIGKILL, as the system does when memory runs out; try a smaller --memory",
        ),
        (None, Some(signal)) => match signal_name(signal) {
            Some(name) => format!("killed by {name}"),
            None => format!("killed by signal {signal}"),
        },
        (None, None) => status.to_string(),
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGHUP => "SIGHUP",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGXCPU => "SIGXCPU",
        _ => return None,
    })
}

/// Which pipe bytes came from; no bytes are its end.
enum Chunk {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
}

/// One worker from its start to its end. Dropping it kills the worker.
struct Conversation {
    child: Child,
    chunks: Receiver<Chunk>,
    stdout: AnswerScanner,
    stderr: AnswerScanner,
    open_pipes: u32,
    // Held open as long as the worker shall live; `Child::wait` would close it.
    _lifeline: Option<std::process::ChildStdin>,
}

impl Conversation {
    fn new(mut child: Child, nonce: &str) -> io::Result<Self> {
        let (sender, chunks) = mpsc::sync_channel(CHUNKS_MAX);
        let pipes = (child.stdout.take(), child.stderr.take());
        let mut conversation = Self {
            _lifeline: child.stdin.take(),
            child,
            chunks,
            stdout: AnswerScanner::new(nonce),
            stderr: AnswerScanner::new(nonce),
            open_pipes: 0,
        };
        if let Some(pipe) = pipes.0 {
            forward(pipe, sender.clone(), Chunk::Stdout)?;
            conversation.open_pipes += 1;
        }
        if let Some(pipe) = pipes.1 {
            forward(pipe, sender, Chunk::Stderr)?;
            conversation.open_pipes += 1;
        }
        Ok(conversation)
    }

    /// Shows the worker's output until it ends; `None` if the user ended it.
    fn hold(
        mut self,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> io::Result<Option<End>> {
        let mut deadline: Option<Instant> = None;
        while self.open_pipes > 0 && deadline.is_none_or(|deadline| Instant::now() < deadline) {
            match self.chunks.recv_timeout(TICK) {
                Ok(chunk) => self.take(&chunk, observer),
                Err(RecvTimeoutError::Timeout) => {
                    if deadline.is_none() && self.child.try_wait()?.is_some() {
                        deadline = Some(Instant::now() + OUTPUT_GRACE);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if interrupt.is_raised() {
                return Ok(None);
            }
            observer.tick();
        }
        // A worker that closed its pipes and lives on can still be interrupted.
        let status = loop {
            match self.child.try_wait()? {
                Some(status) => break status,
                None if interrupt.is_raised() => return Ok(None),
                None => thread::sleep(Duration::from_millis(1)),
            }
        };
        let show = &mut |line: &str| observer.output(line);
        let Self { stdout, stderr, .. } = &mut self;
        stderr.finish(show);
        Ok(Some(End {
            json: stdout.finish(show),
            status,
        }))
    }

    fn take(&mut self, chunk: &Chunk, observer: &mut dyn Observer) {
        let (scanner, bytes) = match chunk {
            Chunk::Stdout(bytes) => (&mut self.stdout, bytes),
            Chunk::Stderr(bytes) => (&mut self.stderr, bytes),
        };
        if bytes.is_empty() {
            self.open_pipes -= 1;
        } else {
            scanner.push(bytes, &mut |line| observer.output(line));
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // Both fail only when the worker is already gone, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a pipe to its end on a thread of its own, since a worker blocks when either is full.
fn forward(
    mut pipe: impl Read + Send + 'static,
    sender: SyncSender<Chunk>,
    chunk: fn(Vec<u8>) -> Chunk,
) -> io::Result<()> {
    thread::Builder::new().spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let length = match pipe.read(&mut buffer) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => 0,
            };
            if sender.send(chunk(buffer[..length].to_vec())).is_err() || length == 0 {
                return;
            }
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Record;
    use crate::schedule::Slot;
    use crate::worker::testing::{context, measurement};

    #[derive(Default)]
    struct Lines(Vec<String>);

    impl Observer for Lines {
        fn started(&mut self, _: Slot) {}
        fn output(&mut self, line: &str) {
            self.0.push(line.to_owned());
        }
        fn tick(&mut self) {}
        fn finished(&mut self, _: Slot, _: &Record) {}
    }

    /// Runs a shell script in the worker's place, with the nonce `n0`.
    fn converse(script: &str, interrupt: &Interrupt) -> (Option<End>, Vec<String>) {
        let child = Command::new("/bin/sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = Lines::default();
        let end = Conversation::new(child, "n0")
            .unwrap()
            .hold(interrupt, &mut lines)
            .unwrap();
        (end, lines.0)
    }

    fn failure(script: &str) -> String {
        let (end, _) = converse(script, &Interrupt::default());
        conclude::<Measurement>(&end.unwrap())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn an_answer_among_other_output_is_read_and_the_rest_is_shown() {
        let answer = Answer {
            context: context(),
            outcome: Ok(measurement(0.1)),
        };
        let line = answer::encode("n0", &answer).unwrap();
        let script =
            format!("echo before; echo problem >&2; printf unfinished; printf '%s' '{line}'");
        let (end, mut lines) = converse(&script, &Interrupt::default());
        let found: Answer<Measurement> = conclude(&end.unwrap()).unwrap();
        assert_eq!(found, answer);
        lines.sort();
        assert_eq!(lines, ["before", "problem", "unfinished"]);
    }

    #[test]
    fn a_death_without_an_answer_says_how() {
        assert!(failure("kill -SEGV $$").ends_with("without an answer: killed by SIGSEGV"));
        assert!(failure("kill -KILL $$").contains("SIGKILL"));
        assert!(failure("exit 3").ends_with("it left with exit code 3"));
        assert!(failure("exit 0").contains("exit code 0; does the workload call os.exit?"));
    }

    #[test]
    fn an_answer_that_is_no_result_fails() {
        assert!(failure("echo 'n0 {\"context\":{}}'").contains("what is no result"));
    }

    #[test]
    fn a_worker_that_fails_behind_its_answer_is_not_believed() {
        let answer = Answer {
            context: context(),
            outcome: Ok(measurement(0.1)),
        };
        let line = answer::encode("n0", &answer).unwrap();
        let message = failure(&format!("printf '%s' '{line}'; kill -ABRT $$"));
        assert!(
            message.ends_with("answered and then failed: killed by SIGABRT"),
            "{message}"
        );
    }

    #[test]
    fn an_interruption_ends_a_worker_that_would_go_on() {
        let interrupt = Interrupt::default();
        interrupt.raise();
        let (end, _) = converse("exec sleep 600", &interrupt);
        assert!(end.is_none());
    }

    #[test]
    fn a_process_left_behind_with_the_pipe_open_holds_nothing_up() {
        let (end, lines) = converse("sleep 600 & echo $!", &Interrupt::default());
        assert_eq!(end.unwrap().status.code(), Some(0));
        let left_behind = lines[0].as_str();
        assert!(
            Command::new("kill")
                .arg(left_behind)
                .status()
                .unwrap()
                .success()
        );
    }
}
