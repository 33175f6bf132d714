//! A limit on the memory of a whole worker process, `--limit-memory`: what holds it, and whether it
//! was what ended the worker.
//!
//! A control group of its own is the best holder: it counts the memory that is really used, and says
//! so when it ends the process. Where none may be made, Linux limits what the process may write to
//! (`RLIMIT_DATA`): memory that is only reserved counts as well, stacks of fibers above all. macOS
//! enforces no such limit for a process.

mod group;

use std::process::{Command, ExitStatus};
use std::sync::OnceLock;

use lycosa_lua::worker::WorkerError;
use serde::{Deserialize, Serialize};

use crate::quantity::{Size, grouped};
use crate::schedule::RepetitionError;
use group::Group;

/// What holds a process to its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LimitedBy {
    /// A control group of Linux, version 2.
    Cgroup,
    /// A limit of the process's writable memory.
    Rlimit,
    /// Nothing: this system holds no process to a limit.
    None,
}

impl LimitedBy {
    /// What this process may use on this system. A process is started to find out, once.
    pub(crate) fn here() -> Self {
        static FOUND: OnceLock<LimitedBy> = OnceLock::new();
        *FOUND.get_or_init(|| {
            if !cfg!(target_os = "linux") {
                Self::None
            } else if group::is_permitted() {
                Self::Cgroup
            } else {
                Self::Rlimit
            }
        })
    }

    /// The smallest limit with which a worker starts.
    fn least_bytes(self, fibers: u32) -> u64 {
        match self {
            Self::Cgroup => GROUP_START_BYTES + u64::from(fibers) * GROUP_FIBER_BYTES,
            Self::Rlimit => RLIMIT_START_BYTES + u64::from(fibers) * RLIMIT_FIBER_BYTES,
            Self::None => 0,
        }
    }

    /// Why a limit is too small for a worker with so many fibers, if it is.
    pub(crate) fn refusal(self, limit: Size, fibers: u32) -> Option<String> {
        let least = self.least_bytes(fibers).next_multiple_of(1 << 20);
        let counted = match self {
            Self::Rlimit => ", whose stacks count in full,",
            Self::Cgroup | Self::None => "",
        };
        let noun = if fibers == 1 { "fiber" } else { "fibers" };
        (limit.0 < least).then(|| {
            format!(
                "--limit-memory {limit} is less than a worker with {fibers} {noun}{counted} needs to \
                 start; give it at least {}{}",
                Size(least).as_option(),
                if fibers > 1 { ", or use fewer --fibers" } else { "" }
            )
        })
    }

    /// In words, behind `held by`.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Cgroup => "a control group",
            Self::Rlimit => "a resource limit on writable memory",
            Self::None => "nothing: this system holds no process to it",
        }
    }
}

/// Resident memory of a worker that has started, and of each fiber's stack, with room to spare.
const GROUP_START_BYTES: u64 = 32 << 20;
const GROUP_FIBER_BYTES: u64 = 24 << 10;

/// Writable memory of the same: measured 78 MiB with one fiber, and 1.04 MiB for each more.
const RLIMIT_START_BYTES: u64 = 96 << 20;
const RLIMIT_FIBER_BYTES: u64 = (1 << 20) + (64 << 10);

/// How Lua, and what makes fibers and buffers, says that there is no memory. Without any, Lua fails
/// while it handles that.
const REFUSALS: [&str; 3] = [
    "not enough memory",
    "no memory for",
    "error in error handling",
];

/// One process's limit. Dropping it removes what was made for it; drop the process before.
#[derive(Debug)]
pub(super) struct Limit {
    bytes: u64,
    holder: Holder,
}

#[derive(Debug)]
enum Holder {
    Group(Group),
    Rlimit,
    Nothing,
}

impl Limit {
    /// The limit of the next worker, with so many fibers, if it is to have one.
    pub(super) fn of(bytes: Option<u64>, fibers: u32) -> Result<Option<Self>, RepetitionError> {
        let Some(bytes) = bytes else {
            return Ok(None);
        };
        let limit = Self::new(bytes, LimitedBy::here());
        match limit.held_by().refusal(Size(bytes), fibers) {
            None => Ok(Some(limit)),
            Some(message) => Err(RepetitionError::Worker(WorkerError::Usage {
                message,
                suggestion: None,
            })),
        }
    }

    /// A limit held by this; a group that cannot be made any more is replaced by a resource limit.
    fn new(bytes: u64, by: LimitedBy) -> Self {
        let holder = match by {
            LimitedBy::None => Holder::Nothing,
            LimitedBy::Rlimit => Holder::Rlimit,
            LimitedBy::Cgroup => Group::new(bytes).map_or(Holder::Rlimit, Holder::Group),
        };
        Self { bytes, holder }
    }

    /// What holds it.
    pub(super) fn held_by(&self) -> LimitedBy {
        match self.holder {
            Holder::Group(_) => LimitedBy::Cgroup,
            Holder::Rlimit => LimitedBy::Rlimit,
            Holder::Nothing => LimitedBy::None,
        }
    }

    /// Holds the process that the command will start, and all that it starts.
    pub(super) fn hold(&self, command: &mut Command) {
        match &self.holder {
            Holder::Group(group) => group.take_in(command),
            Holder::Rlimit => limit_writable_memory(command, self.bytes),
            Holder::Nothing => {}
        }
    }

    /// Whether the limit was what ended the process. Memory that is refused to Rust's own collections
    /// ends it with SIGABRT.
    pub(super) fn has_ended(&self, status: ExitStatus) -> bool {
        use std::os::unix::process::ExitStatusExt;
        match &self.holder {
            Holder::Group(group) => group.has_killed(),
            Holder::Rlimit => status.signal() == Some(libc::SIGABRT),
            Holder::Nothing => false,
        }
    }

    /// The same of a worker of lycosa that gave no answer: where memory is refused to it outside of any
    /// call, `LuaJIT` leaves with the code of a failure.
    pub(super) fn has_ended_silent(&self, status: ExitStatus) -> bool {
        let is_refusal = matches!(self.holder, Holder::Rlimit) && status.code() == Some(1);
        is_refusal || self.has_ended(status)
    }

    /// The failure of a process that it ended, which said `detail` last.
    pub(super) fn reached(&self, detail: String) -> RepetitionError {
        RepetitionError::LimitReached {
            limit: Size(self.bytes),
            detail,
        }
    }

    /// A worker's error, which may be that this limit refused memory to Lua, to a fiber's stack, or to
    /// a quota that is larger than the limit.
    pub(super) fn explained(&self, error: WorkerError) -> RepetitionError {
        let is_refusal = match &error {
            WorkerError::Workload { message, .. } => {
                REFUSALS.iter().any(|sign| message.contains(sign))
            }
            WorkerError::Memory { quota_bytes, .. } | WorkerError::MemoryOf { quota_bytes, .. } => {
                *quota_bytes >= self.bytes
            }
            _ => false,
        };
        if !is_refusal || !matches!(self.holder, Holder::Rlimit) {
            return error.into();
        }
        self.reached(match error {
            WorkerError::Workload { message, .. } => first_line(&message),
            WorkerError::Memory {
                records_done,
                records,
                ..
            } => format!(
                "after {} of {} records",
                grouped(records_done),
                grouped(records)
            ),
            other => other.to_string(),
        })
    }
}

/// The first line that says something; what stands below it is where in this program.
fn first_line(message: &str) -> String {
    let line = message.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or_default().trim().to_owned()
}

/// How much address space the allocator may reserve at once, so that what it does not use leaves room
/// for stacks: a 64th of the limit, within what it takes.
#[cfg(target_os = "linux")]
fn reserved_at_once_bytes(limit_bytes: u64) -> u64 {
    (limit_bytes / 64).clamp(32 << 20, 1 << 30)
}

#[cfg(target_os = "linux")]
fn limit_writable_memory(command: &mut Command, limit_bytes: u64) {
    use std::os::unix::process::CommandExt;
    let reserve_kib = reserved_at_once_bytes(limit_bytes) >> 10;
    command
        .env("MIMALLOC_ARENA_RESERVE", format!("{reserve_kib}KiB"))
        // Where there is no memory there is none for a backtrace.
        .env("RUST_BACKTRACE", "0");
    // SAFETY: between fork and exec the closure makes two system calls and takes no lock.
    unsafe {
        command.pre_exec(move || {
            let mut limit: libc::rlimit = std::mem::zeroed();
            if libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            // A lower one that this process was given holds already.
            limit.rlim_max = limit.rlim_max.min(limit_bytes);
            limit.rlim_cur = limit.rlim_cur.min(limit_bytes);
            if libc::setrlimit(libc::RLIMIT_DATA, &raw const limit) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
}

/// Not reached: elsewhere nothing holds a process.
#[cfg(not(target_os = "linux"))]
fn limit_writable_memory(_: &mut Command, _: u64) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_below_what_the_start_needs_is_refused_in_one_line() {
        let refusal = LimitedBy::Rlimit.refusal(Size(100 << 20), 50).unwrap();
        assert_eq!(
            refusal,
            "--limit-memory 100 MiB is less than a worker with 50 fibers, whose stacks count in \
             full, needs to start; give it at least 150MiB, or use fewer --fibers"
        );
        assert_eq!(LimitedBy::Rlimit.refusal(Size(150 << 20), 50), None);
        assert_eq!(LimitedBy::Cgroup.refusal(Size(100 << 20), 50), None);
        assert!(LimitedBy::Cgroup.refusal(Size(1 << 20), 1).is_some());
        assert_eq!(LimitedBy::None.refusal(Size(1 << 20), 50), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_resource_limit_reaches_the_process_and_what_it_starts() {
        let limit = Limit::new(300 << 20, LimitedBy::Rlimit);
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "sh -c 'ulimit -d'"]);
        limit.hold(&mut command);
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "307200");
    }

    #[test]
    fn only_a_refusal_of_memory_is_put_down_to_the_limit() {
        use std::os::unix::process::ExitStatusExt;
        let limit = Limit::new(300 << 20, LimitedBy::Rlimit);
        assert!(limit.has_ended(ExitStatus::from_raw(libc::SIGABRT)));
        assert!(!limit.has_ended(ExitStatus::from_raw(libc::SIGSEGV)));
        let explained = |message: &str| {
            let error = WorkerError::Workload {
                message: message.to_owned(),
                hook: None,
                fiber: None,
                traceback: Vec::new(),
            };
            limit.explained(error).to_string()
        };
        assert_eq!(
            explained("bank.lua:3: not enough memory\nstack traceback:\n"),
            "the limit of 300 MiB ended the worker (bank.lua:3: not enough memory); raise \
             --limit-memory, or measure less"
        );
        assert!(explained("bank.lua:3: attempt to index nil").starts_with("workload bank"));
        let quota = |quota_bytes| WorkerError::Memory {
            quota_bytes,
            records_done: 12_000,
            records: 1_000_000,
        };
        let text = limit.explained(quota(1 << 30)).to_string();
        assert!(
            text.contains("(after 12,000 of 1,000,000 records)"),
            "{text}"
        );
        assert!(
            limit
                .explained(quota(1 << 20))
                .to_string()
                .starts_with("memory quota")
        );
        let none = Limit::new(1, LimitedBy::None);
        assert!(!none.has_ended(ExitStatus::from_raw(libc::SIGABRT)));
    }
}
