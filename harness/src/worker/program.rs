//! Other programs as workers: they run the same workload and print their figures as one line of JSON.
//!
//! The line is shaped as a run in a result file. `wall_s` must be there, all else may be missing;
//! what it says of its workload must be what was asked for.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use lycosa_lua::worker::{
    self, Driver, IndexKind, LatencyNs, Measurement, WorkerError, WorkerOptions, WorkloadSource,
};
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use super::answer::{self, AnswerScanner};
use super::conversation::{Conversation, End, Party, describe_end, was_interrupted};
use super::process::Launcher;
use super::template::{Placeholder, Template};
use crate::interrupt::Interrupt;
use crate::result::latency;
use crate::schedule::{Observer, Repetition, RepetitionError};

/// Starts a program, once for each repetition.
#[derive(Debug)]
pub(crate) struct Programs {
    arm: String,
    template: Template,
    lycosa: Launcher,
    interrupt: Interrupt,
    /// Holds the bundled Lua files once they are needed.
    files: Option<TempDir>,
}

impl Programs {
    /// Programs of an arm; `lycosa` is how this one is started.
    pub(crate) fn new(
        arm: &str,
        template: Template,
        lycosa: Launcher,
        interrupt: Interrupt,
    ) -> Self {
        Self {
            arm: arm.to_owned(),
            template,
            lycosa,
            interrupt,
            files: None,
        }
    }

    /// Why the program cannot measure this, if it cannot.
    pub(crate) fn refusal(&self, options: &WorkerOptions) -> Option<String> {
        let arm = &self.arm;
        if options.driver == Driver::Rust {
            return Some(format!(
                "arm `{arm}` is another program, which lycosa's Rust driver cannot drive; \
                 leave --driver rust out, or the arm"
            ));
        }
        let has_settings = !options.settings.is_empty();
        (has_settings && !self.template.mentions(Placeholder::Settings)).then(|| {
            format!("arm `{arm}` does not pass --set on; put {{settings}} into its command")
        })
    }

    /// Runs one repetition.
    pub(super) fn repetition(
        &mut self,
        options: &WorkerOptions,
        observer: &mut dyn Observer,
    ) -> Result<Repetition, RepetitionError> {
        if let Some(message) = self.refusal(options) {
            return Err(RepetitionError::Worker(WorkerError::Usage {
                message,
                suggestion: None,
            }));
        }
        let name = self.template.words().swap_remove(0);
        let spawn_error = |source| RepetitionError::Spawn {
            program: name.clone(),
            source,
        };
        let nonce = answer::nonce();
        // What it leaves behind in temporary folders goes with this one, however it ends.
        let scratch = folder().map_err(spawn_error)?;
        let words = self.words(options, &nonce).map_err(spawn_error)?;
        let started = Instant::now();
        let child = command(&words, scratch.path())
            .spawn()
            .map_err(spawn_error)?;
        let scanner = if self.template.mentions(Placeholder::Prefix) {
            AnswerScanner::new(&nonce)
        } else {
            AnswerScanner::of_json()
        };
        let failed = |how: String, errors: Vec<String>| RepetitionError::Program {
            program: name.clone(),
            how,
            errors,
        };
        let end = Conversation::new(child, Party::Program, scanner)
            .and_then(|conversation| conversation.hold(&self.interrupt, observer))
            .map_err(|error| {
                let how = format!("it cannot be read or waited for ({error})");
                failed(how, Vec::new())
            })?
            .ok_or(RepetitionError::Interrupted)?;
        let process_s = started.elapsed().as_secs_f64();
        if was_interrupted(end.status, &self.interrupt) {
            return Err(RepetitionError::Interrupted);
        }
        let answer = conclude(&end)
            .and_then(|answer| answer.checked(options))
            .map_err(|how| failed(how, end.errors))?;
        Ok(Repetition {
            context: None,
            program: Some(answer.program.clone().unwrap_or_else(|| name.clone())),
            command: self.template.words(),
            process_s,
            measurement: answer
                .measurement(options)
                .map_err(|how| failed(how, Vec::new()))?,
        })
    }

    /// The command of one repetition.
    fn words(&mut self, options: &WorkerOptions, nonce: &str) -> io::Result<Vec<OsString>> {
        let workload = match &options.workload {
            WorkloadSource::File(path) => path.clone(),
            WorkloadSource::Bundled(name) => {
                let text = worker::bundled_source(name).ok_or(io::ErrorKind::NotFound)?;
                self.file(&format!("{name}.lua"), text)?
            }
        };
        let driver = if self.template.mentions(Placeholder::Driver) {
            self.file("run.lua", worker::TARANTOOL_DRIVER)?
        } else {
            PathBuf::new()
        };
        let one = |text: String| vec![OsString::from(text)];
        Ok(self.template.fill(|placeholder| match placeholder {
            Placeholder::Lycosa => self.lycosa.os_words(),
            Placeholder::Workload => vec![workload.clone().into_os_string()],
            Placeholder::Driver => vec![driver.clone().into_os_string()],
            Placeholder::Records => one(options.records.to_string()),
            Placeholder::Fibers => one(options.fibers.to_string()),
            Placeholder::OpsPerTxn => one(options.ops_per_txn.to_string()),
            Placeholder::Index => one(index_name(options.index).to_uppercase()),
            Placeholder::Seed => one(options.seed.to_string()),
            Placeholder::Memory => one(options.memory_bytes.to_string()),
            Placeholder::Jit => one(String::from(if options.jit { "on" } else { "off" })),
            Placeholder::Prefix => one(format!("{nonce} ")),
            Placeholder::Settings => options
                .settings
                .iter()
                .flat_map(|(key, value)| [OsString::from("--set"), format!("{key}={value}").into()])
                .collect(),
        }))
    }

    /// Path of a bundled text, which lives as long as this value.
    fn file(&mut self, name: &str, text: &str) -> io::Result<PathBuf> {
        let folder = match self.files.take() {
            Some(folder) => folder,
            None => folder()?,
        };
        let path = self.files.insert(folder).path().join(name);
        if !path.exists() {
            std::fs::write(&path, text)?;
        }
        Ok(path)
    }
}

/// A folder that goes with the value.
fn folder() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("lycosa-").tempdir()
}

/// The process to start: the first of a group of its own, so that all it starts ends with it, and
/// on Linux one that does not outlive this one. Elsewhere a program outlives a killed lycosa; its
/// figures go nowhere then.
fn command(words: &[OsString], scratch: &Path) -> Command {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env("TMPDIR", scratch)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
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
    command
}

/// The answer of a program that ended as it should.
fn conclude(end: &End) -> Result<Answer, String> {
    let how = describe_end(end.status);
    match (&end.json, end.answers) {
        (None, _) if !end.status.success() => Err(how),
        (None, _) => Err(format!(
            "{how} and printed no result; a result is a line of JSON with `wall_s` in it"
        )),
        (Some(_), 2..) => Err(format!("it printed {} results", end.answers)),
        (Some(_), _) if !end.status.success() => {
            Err(format!("it printed a result and then failed: {how}"))
        }
        (Some(json), _) => serde_json::from_slice(json)
            .map_err(|error| format!("what it printed is no result: {error}")),
    }
}

/// What a program prints. Counts may come as floating-point numbers: that is all that Lua has.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    wall_s: f64,
    cpu_s: f64,
    ops: Option<f64>,
    peak_rss_bytes: f64,
    bytes_per_record: f64,
    checksum: Value,
    txn_latency_ns: Percentiles,
    txn_latency_counts: Vec<(f64, f64)>,
    jit: Option<bool>,
    jit_traces: f64,
    jit_aborts: f64,
    binary_arch: String,
    program: Option<String>,
    records: Option<f64>,
    fibers: Option<f64>,
    ops_per_txn: Option<f64>,
    seed: Option<f64>,
    index: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Percentiles {
    p50: f64,
    p95: f64,
    p99: f64,
    p999: f64,
    max: f64,
    count: f64,
}

impl Answer {
    /// The answer, if it is one to the question.
    fn checked(self, options: &WorkerOptions) -> Result<Self, String> {
        if self.wall_s <= 0.0 {
            return Err(format!("its `wall_s` is {}", self.wall_s));
        }
        let numbers = [
            ("ops", self.ops, options.records as f64),
            ("records", self.records, options.records as f64),
            ("fibers", self.fibers, f64::from(options.fibers)),
            (
                "ops_per_txn",
                self.ops_per_txn,
                f64::from(options.ops_per_txn),
            ),
            ("seed", self.seed, options.seed as f64),
        ];
        for (name, found, expected) in numbers {
            if let Some(found) = found.filter(|found| (found - expected).abs() > 0.5) {
                return Err(format!("its result is of {name} {found}, not {expected}"));
            }
        }
        let expected = index_name(options.index);
        match &self.index {
            Some(index) if !index.eq_ignore_ascii_case(expected) => {
                Err(format!("its result is of index {index}, not {expected}"))
            }
            _ => Ok(self),
        }
    }

    fn measurement(self, options: &WorkerOptions) -> Result<Measurement, String> {
        let counts = self.txn_latency_counts.iter();
        let counts = counts.map(|(value, count)| (*value as u64, *count as u64));
        let (txn_latency_ns, txn_latency_histogram) = if self.txn_latency_counts.is_empty() {
            (self.txn_latency_ns.into(), String::new())
        } else {
            latency::of_counts(counts, self.txn_latency_ns.max as u64)
                .map_err(|error| error.to_string())?
        };
        Ok(Measurement {
            wall_s: self.wall_s,
            cpu_s: self.cpu_s,
            ops: options.records,
            peak_rss_bytes: self.peak_rss_bytes as u64,
            bytes_per_record: self.bytes_per_record,
            checksum: match self.checksum {
                Value::Null => String::new(),
                Value::String(text) => text,
                other => other.to_string(),
            },
            txn_latency_ns,
            txn_latency_histogram,
            jit_traces: self.jit_traces as u64,
            jit_aborts: self.jit_aborts as u64,
            binary_arch: self.binary_arch,
            // One that has no such compiler says nothing, and nothing is to be warned of.
            jit: self.jit.unwrap_or(options.jit),
        })
    }
}

impl From<Percentiles> for LatencyNs {
    fn from(percentiles: Percentiles) -> Self {
        Self {
            p50: percentiles.p50 as u64,
            p95: percentiles.p95 as u64,
            p99: percentiles.p99 as u64,
            p999: percentiles.p999 as u64,
            max: percentiles.max as u64,
            count: percentiles.count as u64,
        }
    }
}

fn index_name(index: IndexKind) -> &'static str {
    match index {
        IndexKind::Tree => "tree",
        IndexKind::Hash => "hash",
    }
}

#[cfg(test)]
mod tests;
