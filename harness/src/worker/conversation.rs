//! A process that is to give figures, from its start to its end: what it prints is shown, its answer
//! kept, its end judged. Workers of lycosa and other programs alike.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use lycosa_lua::worker::Resources;

use super::answer::{self, AnswerScanner};
use super::outside::Outside;
use super::told::ToldSample;
use crate::interrupt::Interrupt;
use crate::schedule::Observer;

/// How often the parent looks at the interrupt flag and redraws; the worker's own end wakes it
/// at once. Ten wake-ups a second, on another core, do not show in the figures.
const TICK: Duration = Duration::from_millis(100);

/// How long output may still come after the worker has ended, from a process that it started and
/// left behind.
const OUTPUT_GRACE: Duration = Duration::from_millis(500);

/// How long a signal that went to the whole process group may take to be noticed here, after the
/// worker has died of it.
const SIGNAL_GRACE: Duration = Duration::from_millis(250);

/// How long a command of the user's, which may have started no worker at all, has to end after it
/// was asked to, and a program to say that it verifies what it did. A worker sees to that itself.
const STOP_GRACE: Duration = Duration::from_secs(3);

/// How long nothing is said of a worker that was asked to stop.
const STOP_SILENCE: Duration = Duration::from_secs(1);

/// Pieces of output that wait to be shown; a worker that prints faster than that waits in turn,
/// rather than filling this process's memory.
const CHUNKS_MAX: usize = 16;

/// Last lines that are kept of a program's standard error; a Lua traceback fits.
const ERROR_LINES_MAX: usize = 12;

/// What a process left behind.
#[derive(Debug)]
pub(super) struct End {
    /// Its last answer.
    pub(super) json: Option<Vec<u8>>,
    /// How many answers there were.
    pub(super) answers: u32,
    /// How it ended.
    pub(super) status: ExitStatus,
    /// Whether it has said that it verifies what it did until it was asked to stop.
    pub(super) is_verifying: bool,
    /// The last lines of a program's standard error; those of a worker have been shown.
    pub(super) errors: Vec<String>,
    /// What it took of the machine in all its life.
    pub(super) resources: Resources,
}

/// Whether the worker died of the signal with which the user stops the whole group. The worker
/// may be gone before this process has handled its own copy of it.
pub(super) fn was_interrupted(status: ExitStatus, interrupt: &Interrupt) -> bool {
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
pub(super) fn describe_end(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
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

/// Who is at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Party {
    /// A worker of lycosa, which ends with its standard input.
    Worker,
    /// A user's command that is to start such a worker, the first of a process group of its own.
    Command,
    /// Another program, the first of a process group of its own. What it says on standard error
    /// is kept until it is known whether that is why it failed.
    Program,
}

impl Party {
    /// Whether all that it starts ends with it.
    fn leads_group(self) -> bool {
        self != Self::Worker
    }
}

/// Makes a process the first of a group of its own, so that all it starts ends with it, and on
/// Linux one that does not outlive this one. Elsewhere it outlives a killed lycosa; its figures go
/// nowhere then.
pub(super) fn lead_group(command: &mut Command) {
    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        let parent = std::process::id();
        // SAFETY: between fork and exec the closure makes two system calls and takes no lock.
        unsafe {
            command.pre_exec(move || {
                if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) < 0 {
                    return Err(io::Error::last_os_error());
                }
                // The parent may have died before the call.
                if libc::getppid() as u32 != parent {
                    libc::_exit(1);
                }
                Ok(())
            });
        }
    }
}

/// A worker that was asked to begin no more transactions.
struct Stopping {
    since: Instant,
    has_been_told: bool,
}

/// One process from its start to its end. With the end of one that leads a group all those end
/// that it has started. Dropping it ends it.
pub(super) struct Conversation {
    party: Party,
    child: Child,
    chunks: Receiver<Chunk>,
    stdout: AnswerScanner,
    stderr: AnswerScanner,
    errors: VecDeque<String>,
    open_pipes: u32,
    is_reaped: bool,
    /// Held open as long as the worker shall live; `Child::wait` would close it.
    lifeline: Option<std::process::ChildStdin>,
    stopping: Option<Stopping>,
    /// Whether a limit may refuse it memory: what it says of that last is told in other words.
    is_limited: bool,
    outside: Outside,
}

impl Conversation {
    /// Takes a child whose output is piped; `stdout` knows its answer.
    pub(super) fn new(mut child: Child, party: Party, stdout: AnswerScanner) -> io::Result<Self> {
        let (sender, chunks) = mpsc::sync_channel(CHUNKS_MAX);
        let pipes = (child.stdout.take(), child.stderr.take());
        let outside = Outside::new(child.id(), TICK);
        let mut conversation = Self {
            party,
            lifeline: child.stdin.take(),
            stopping: None,
            is_limited: false,
            child,
            chunks,
            stdout,
            // Drawn here, so that nothing is an answer on standard error.
            stderr: AnswerScanner::new(&answer::nonce()),
            errors: VecDeque::new(),
            open_pipes: 0,
            is_reaped: false,
            outside,
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

    /// Says whether a limit of memory holds the process.
    pub(super) fn limit(&mut self, is_limited: bool) {
        self.is_limited = is_limited;
    }

    /// Shows the output until the process ends; `None` if the user ended it.
    pub(super) fn hold(
        mut self,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> io::Result<Option<End>> {
        let mut deadline: Option<Instant> = None;
        while self.open_pipes > 0 && deadline.is_none_or(|deadline| Instant::now() < deadline) {
            match self.chunks.recv_timeout(TICK) {
                Ok(chunk) => self.take(&chunk, observer),
                Err(RecvTimeoutError::Timeout) => {
                    if deadline.is_none() && self.has_ended()? {
                        deadline = Some(Instant::now() + OUTPUT_GRACE);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if interrupt.is_raised() && !self.stops_by_itself(interrupt, observer) {
                return Ok(None);
            }
            self.outside.tick();
            observer.tick();
        }
        // A worker that closed its pipes and lives on can still be interrupted.
        while !self.has_ended()? {
            if interrupt.is_raised() && !self.stops_by_itself(interrupt, observer) {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.kill_group();
        let (status, resources) = self.outside.end(|| self.child.wait());
        let status = status?;
        self.is_reaped = true;
        self.end_lines(observer);
        let json = self.stdout.finish(&mut |line| observer.output(line));
        if self.party == Party::Program && status.success() {
            self.errors
                .drain(..)
                .for_each(|line| observer.output(&line));
        }
        Ok(Some(End {
            json,
            answers: self.stdout.answers(),
            is_verifying: self.stdout.is_verifying(),
            status,
            errors: std::mem::take(&mut self.errors).into(),
            resources,
        }))
    }

    /// Asks a process to stop and to verify what it has done; whether it may still do so. Programs
    /// whose standard input is not held know nothing of that.
    fn stops_by_itself(&mut self, interrupt: &Interrupt, observer: &mut dyn Observer) -> bool {
        if interrupt.is_insisted() {
            return false;
        }
        let Some(stopping) = &mut self.stopping else {
            self.stopping = Some(Stopping {
                since: Instant::now(),
                has_been_told: false,
            });
            let Some(lifeline) = &mut self.lifeline else {
                return false;
            };
            // Where nobody reads any more the process has ended.
            let _ = lifeline.write_all(super::STOP);
            return true;
        };
        let waited = stopping.since.elapsed();
        if waited >= STOP_SILENCE && !stopping.has_been_told {
            stopping.has_been_told = true;
            observer.warning(
                "transactions that have begun are waited for, and what was done is verified; \
                 Ctrl-C again ends it at once",
            );
        }
        self.party == Party::Worker || self.stdout.is_verifying() || waited < STOP_GRACE
    }

    fn take(&mut self, chunk: &Chunk, observer: &mut dyn Observer) {
        let bytes = match chunk {
            Chunk::Stdout(bytes) | Chunk::Stderr(bytes) => bytes,
        };
        if bytes.is_empty() {
            self.open_pipes -= 1;
            return;
        }
        match chunk {
            Chunk::Stdout(bytes) => {
                let answers = self.stdout.answers();
                self.stdout.push(bytes, &mut |line| observer.output(line));
                if let Some(answer) = self
                    .stdout
                    .last()
                    .filter(|_| self.stdout.answers() > answers)
                {
                    observer.answered(answer);
                }
                let samples = self.stdout.take_samples();
                let samples = samples.iter().filter_map(|json| ToldSample::read(json));
                samples.for_each(|sample| observer.sample(&sample));
            }
            Chunk::Stderr(bytes) => {
                let is_limited = self.is_limited;
                let Self { stderr, errors, .. } = self;
                match self.party {
                    Party::Worker | Party::Command => {
                        stderr.push(bytes, &mut |line| {
                            if !(is_limited && is_of_allocator(line)) {
                                observer.output(line);
                            }
                        });
                    }
                    Party::Program => stderr.push(bytes, &mut |line| keep(errors, line)),
                }
            }
        }
    }

    /// Whether the process has ended. It is not waited for: until then it owns its number, and with
    /// it the group's.
    fn has_ended(&self) -> io::Result<bool> {
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: the structure is plain numbers, and all zeros is one in which nothing has ended.
        let mut found: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the structure lives for the call, which fills it.
        match unsafe { libc::waitid(libc::P_PID, self.child.id(), &raw mut found, options) } {
            0 => Ok(found.si_signo != 0),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Ends the process and all of its group, if it leads one.
    fn kill_group(&self) {
        if self.party.leads_group() && !self.is_reaped {
            // SAFETY: kill takes two numbers and touches no memory.
            unsafe { libc::kill(-(self.child.id() as libc::pid_t), libc::SIGKILL) };
        }
    }

    /// Takes what stands behind the last newline of standard error.
    fn end_lines(&mut self, observer: &mut dyn Observer) {
        let Self { stderr, errors, .. } = self;
        match self.party {
            Party::Worker | Party::Command => stderr.finish(&mut |line| observer.output(line)),
            Party::Program => stderr.finish(&mut |line| keep(errors, line)),
        };
    }
}

/// Whether a line is what Rust says when it ends a process that was refused memory.
fn is_of_allocator(line: &str) -> bool {
    line.starts_with("memory allocation of ") && line.ends_with(" bytes failed")
        || line.starts_with("note: run with `RUST_BACKTRACE=1`")
}

/// Keeps a line among the last ones.
fn keep(lines: &mut VecDeque<String>, line: &str) {
    if lines.len() == ERROR_LINES_MAX {
        lines.pop_front();
    }
    lines.push_back(line.to_owned());
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // All of these fail only when the process is already gone, which is what is wanted.
        self.kill_group();
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
pub(super) mod testing {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::result::Record;
    use crate::schedule::Slot;

    /// Keeps the lines that were shown.
    #[derive(Default)]
    pub(crate) struct Lines(pub(crate) Vec<String>);

    impl Observer for Lines {
        fn started(&mut self, _: Slot) {}
        fn output(&mut self, line: &str) {
            self.0.push(line.to_owned());
        }
        fn sample(&mut self, _: &lycosa_lua::worker::Sample) {}
        fn warning(&mut self, _: &str) {}
        fn tick(&mut self) {}
        fn finished(&mut self, _: Slot, _: &Record) {}
    }

    /// Runs a shell script in the worker's place, with the nonce `n0`.
    pub(crate) fn converse(script: &str, interrupt: &Interrupt) -> (Option<End>, Vec<String>) {
        let child = Command::new("/bin/sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = Lines::default();
        let end = Conversation::new(child, Party::Worker, AnswerScanner::new("n0"))
            .unwrap()
            .hold(interrupt, &mut lines)
            .unwrap();
        (end, lines.0)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::testing::converse;
    use super::*;

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
