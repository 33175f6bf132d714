//! Other programs as workers: they run the same workload and print their figures as one line of JSON.
//!
//! The line is shaped as a run in a result file. `wall_s` must be there, all else may be missing;
//! what it says of its workload must be what was asked for.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use lycosa_lua::worker::{
    self, Driver, IndexKind, LatencyNs, Measurement, Resources, WorkerError, WorkerOptions,
    WorkloadSource,
};
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use super::answer::{self, AnswerScanner};
use super::conversation::{Conversation, End, Party, describe_end, lead_group, was_interrupted};
use super::limit::Limit;
use super::process::Launcher;
use super::template::{Placeholder, Template};
use super::told::{Percentiles, ToldResources, ToldSample, ToldStopped};
use crate::interrupt::Interrupt;
use crate::quantity::Size;
use crate::result::latency;
use crate::schedule::{Observer, Repetition, RepetitionError};

/// How far a program's clock may run ahead of this one's while it lives.
const CLOCKS_S: f64 = 0.001;

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

    /// The command as the user wrote it, its placeholders unfilled.
    pub(crate) fn words(&self) -> Vec<String> {
        self.template.words()
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
        if options.is_by_clock() && !self.template.mentions(Placeholder::Pace) {
            return Some(format!(
                "arm `{arm}` does not pass --duration and --rate on; put {{pace}} into its command"
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
        let name = self.words().swap_remove(0);
        let spawn_error = |source| RepetitionError::Spawn {
            program: name.clone(),
            source,
        };
        let nonce = answer::nonce();
        // What it leaves behind in temporary folders goes with this one, however it ends.
        let scratch = folder().map_err(spawn_error)?;
        let words = self.filled_words(options, &nonce).map_err(spawn_error)?;
        let limit = Limit::of(options.limit_memory_bytes, options.fibers)?;
        let mut command = command(&words, scratch.path());
        if self.knows_to_stop() {
            command.stdin(Stdio::piped());
        }
        if let Some(limit) = &limit {
            limit.hold(&mut command);
        }
        let started = Instant::now();
        let child = command.spawn().map_err(spawn_error)?;
        let scanner = if self.template.mentions(Placeholder::Prefix) {
            AnswerScanner::new(&nonce)
        } else {
            AnswerScanner::of_json()
        };
        // A program may take all of its quota at once.
        let narrow = options
            .limit_memory_bytes
            .filter(|limit| options.memory_bytes > *limit)
            .map_or_else(String::new, |limit| {
                format!(
                    "; --limit-memory gives it {}, and --memory asks it to take up to {}",
                    Size(limit),
                    Size(options.memory_bytes)
                )
            });
        let failed = |how: String, errors: Vec<String>| RepetitionError::Program {
            program: name.clone(),
            how: how + &narrow,
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
        let has_answered = end.json.is_some() && end.status.success();
        if !has_answered && !end.is_verifying && was_interrupted(end.status, &self.interrupt) {
            return Err(RepetitionError::Interrupted);
        }
        if let Some(limit) = limit.as_ref().filter(|limit| limit.has_ended(end.status)) {
            return Err(limit.reached(end.errors.last().cloned().unwrap_or_default()));
        }
        let process_resources = Some(end.resources.clone());
        let answer = match conclude(&end) {
            Ok(Answer {
                stopped: Some(stopped),
                ..
            }) if self.interrupt.is_raised() => {
                return Err(RepetitionError::Worker(stopped.into()));
            }
            answer => answer
                .and_then(|answer| answer.checked(options, process_s))
                .map_err(|how| failed(how, end.errors))?,
        };
        Ok(Repetition {
            context: None,
            program: Some(answer.program.clone().unwrap_or_else(|| name.clone())),
            command: self.words(),
            process_s,
            limited_by: limit.as_ref().map(Limit::held_by),
            process_resources,
            measurement: answer
                .measurement(options)
                .map_err(|how| failed(how, Vec::new()))?,
        })
    }

    /// Whether it is driven by a `run.lua` that listens on its standard input.
    fn knows_to_stop(&self) -> bool {
        let takes = |placeholder| self.template.mentions(placeholder);
        takes(Placeholder::Driver) && takes(Placeholder::Prefix)
    }

    /// The command of one repetition.
    fn filled_words(&mut self, options: &WorkerOptions, nonce: &str) -> io::Result<Vec<OsString>> {
        let workload = match &options.workload {
            WorkloadSource::File(path) => path.clone(),
            WorkloadSource::Bundled(name) => {
                let text = worker::bundled_source(name).ok_or(io::ErrorKind::NotFound)?;
                self.file(&format!("{name}.lua"), text)?
            }
        };
        let driver = if self.template.mentions(Placeholder::Driver) {
            for (name, text) in worker::TARANTOOL_MODULES {
                self.file(name, text)?;
            }
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
            Placeholder::Pace => pace_words(options),
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
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(&path, text)?;
        }
        Ok(path)
    }
}

/// When transactions begin and end and in which intervals they are told, as `run.lua` takes it:
/// plain numbers of seconds and operations.
fn pace_words(options: &WorkerOptions) -> Vec<OsString> {
    let warmup_s = Some(options.warmup_s).filter(|warmup_s| *warmup_s > 0.0);
    [
        ("--duration", options.duration_s),
        ("--warmup", warmup_s),
        ("--rate", options.rate_per_s),
        ("--report-interval", options.report_interval_s),
    ]
    .into_iter()
    .filter_map(|(option, number)| Some([OsString::from(option), number?.to_string().into()]))
    .flatten()
    .collect()
}

/// A folder that goes with the value.
fn folder() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("lycosa-").tempdir()
}

/// The process to start.
fn command(words: &[OsString], scratch: &Path) -> Command {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env("TMPDIR", scratch)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    lead_group(&mut command);
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
    wall_s: Option<f64>,
    cpu_s: f64,
    ops: Option<f64>,
    peak_rss_bytes: f64,
    bytes_per_record: f64,
    checksum: Value,
    txn_latency_ns: Percentiles,
    txn_latency_counts: Vec<(f64, f64)>,
    txn_latency_corrected_ns: Option<Percentiles>,
    txn_latency_corrected_counts: Vec<(f64, f64)>,
    backlog_ops: Option<f64>,
    jit: Option<bool>,
    jit_traces: f64,
    jit_aborts: f64,
    binary_arch: String,
    program: Option<String>,
    records: Option<f64>,
    fibers: Option<f64>,
    ops_per_txn: Option<f64>,
    seed: Option<f64>,
    duration_s: Option<f64>,
    warmup_s: Option<f64>,
    rate_per_s: Option<f64>,
    index: Option<String>,
    resources: Option<ToldResources>,
    series: Vec<ToldSample>,
    stopped: Option<ToldStopped>,
}

impl Answer {
    /// The answer, if it is one to the question.
    fn checked(self, options: &WorkerOptions, process_s: f64) -> Result<Self, String> {
        self.check_figures(process_s)?;
        let by_time = options.is_by_time();
        if by_time && self.ops.is_none_or(|ops| ops < 1.0) {
            return Err(String::from(
                "its result has no `ops`, which a run by time must tell",
            ));
        }
        let of_records = |number: Option<f64>| number.filter(|_| !by_time);
        let numbers = [
            ("ops", of_records(self.ops), options.records as f64),
            ("records", of_records(self.records), options.records as f64),
            (
                "duration_s",
                self.duration_s,
                options.duration_s.unwrap_or(0.0),
            ),
            ("warmup_s", self.warmup_s, options.warmup_s),
            (
                "rate_per_s",
                self.rate_per_s,
                options.rate_per_s.unwrap_or(0.0),
            ),
            ("fibers", self.fibers, f64::from(options.fibers)),
            (
                "ops_per_txn",
                self.ops_per_txn,
                f64::from(options.ops_per_txn),
            ),
            ("seed", self.seed, options.seed as f64),
        ];
        for (name, found, expected) in numbers {
            let agrees = |found: f64| (found - expected).abs() <= expected.abs() * 1e-9;
            // What is no number agrees with nothing.
            let differs = |found: &f64| !agrees(*found);
            if let Some(found) = found.filter(differs) {
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

    /// Refuses what no process can have measured in `process_s`.
    fn check_figures(&self, process_s: f64) -> Result<(), String> {
        let Some(wall_s) = self.wall_s else {
            return Err(String::from("its result has no `wall_s`"));
        };
        if !wall_s.is_finite() || wall_s <= 0.0 {
            return Err(format!("its `wall_s` is {wall_s}"));
        }
        if wall_s > process_s + CLOCKS_S {
            return Err(format!(
                "its `wall_s` is {wall_s}, but it lived for {process_s:.3} s only; `wall_s` is in \
                 seconds"
            ));
        }
        let latency = &self.txn_latency_ns;
        let corrected = self.txn_latency_corrected_ns.unwrap_or_default();
        let percentiles = [
            ("backlog_ops", self.backlog_ops.unwrap_or(0.0)),
            ("txn_latency_corrected_ns.p50", corrected.p50),
            ("txn_latency_corrected_ns.p95", corrected.p95),
            ("txn_latency_corrected_ns.p99", corrected.p99),
            ("txn_latency_corrected_ns.p999", corrected.p999),
            ("txn_latency_corrected_ns.max", corrected.max),
            ("txn_latency_corrected_ns.count", corrected.count),
            ("cpu_s", self.cpu_s),
            ("peak_rss_bytes", self.peak_rss_bytes),
            ("bytes_per_record", self.bytes_per_record),
            ("jit_traces", self.jit_traces),
            ("jit_aborts", self.jit_aborts),
            ("txn_latency_ns.p50", latency.p50),
            ("txn_latency_ns.p95", latency.p95),
            ("txn_latency_ns.p99", latency.p99),
            ("txn_latency_ns.p999", latency.p999),
            ("txn_latency_ns.max", latency.max),
            ("txn_latency_ns.count", latency.count),
        ];
        let counts = self.txn_latency_counts.iter();
        let counts = counts.chain(&self.txn_latency_corrected_counts);
        let counts =
            counts.flat_map(|(value, count)| [*value, *count].map(|x| ("txn_latency_counts", x)));
        let resources = self.resources.iter().flat_map(ToldResources::figures);
        for (name, found) in percentiles.into_iter().chain(counts).chain(resources) {
            if !found.is_finite() || found < 0.0 {
                return Err(format!("its `{name}` is {found}"));
            }
        }
        if !self.binary_arch.is_empty() && architecture(&self.binary_arch).is_none() {
            let arch = &self.binary_arch;
            return Err(format!(
                "its `binary_arch` is `{arch}`, which is no architecture known here"
            ));
        }
        Ok(())
    }

    fn measurement(self, options: &WorkerOptions) -> Result<Measurement, String> {
        let (txn_latency_ns, txn_latency_histogram) =
            latencies(self.txn_latency_ns, &self.txn_latency_counts)?;
        let corrected = self
            .txn_latency_corrected_ns
            .map(|percentiles| latencies(percentiles, &self.txn_latency_corrected_counts))
            .transpose()?;
        let (txn_latency_corrected_ns, txn_latency_corrected_histogram) = corrected.unzip();
        let series: Option<Vec<_>> = self.series.iter().map(ToldSample::sample).collect();
        let series = series.ok_or("its `series` has a number below 0, or none")?;
        Ok(Measurement {
            wall_s: self.wall_s.unwrap_or_default(),
            cpu_s: self.cpu_s,
            ops: match self.ops {
                Some(ops) if options.is_by_time() => ops as u64,
                _ => options.records,
            },
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
            binary_arch: architecture(&self.binary_arch)
                .unwrap_or_default()
                .to_owned(),
            // One that has no such compiler says nothing, and nothing is to be warned of.
            jit: self.jit.unwrap_or(options.jit),
            txn_latency_corrected_ns,
            txn_latency_corrected_histogram: txn_latency_corrected_histogram.unwrap_or_default(),
            backlog_ops: self.backlog_ops.map(|ops| ops as u64),
            resources: self.resources.as_ref().map(Resources::from),
            series,
        })
    }
}

/// Percentiles and histogram of latencies, which may have come as percentiles alone.
fn latencies(
    percentiles: Percentiles,
    counts: &[(f64, f64)],
) -> Result<(LatencyNs, String), String> {
    if counts.is_empty() {
        return Ok((percentiles.into(), String::new()));
    }
    let counts = counts.iter();
    let counts = counts.map(|(value, count)| (*value as u64, *count as u64));
    latency::of_counts(counts, percentiles.max as u64).map_err(|error| error.to_string())
}

/// An architecture by the name that lycosa has for it.
fn architecture(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "x86_64" | "x86-64" | "x64" | "amd64" => "x86_64",
        "aarch64" | "arm64" => "aarch64",
        "riscv64" => "riscv64",
        "x86" => "x86",
        "arm" => "arm",
        "ppc64" | "powerpc64" => "powerpc64",
        "s390x" => "s390x",
        "loongarch64" => "loongarch64",
        _ => return None,
    })
}

fn index_name(index: IndexKind) -> &'static str {
    match index {
        IndexKind::Tree => "tree",
        IndexKind::Hash => "hash",
    }
}

#[cfg(test)]
mod tests;
