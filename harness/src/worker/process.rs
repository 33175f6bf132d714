//! The parent's end of worker processes: how each arm's are started, and what they answer.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use lycosa_lua::worker::{Measurement, Resources, WorkerOptions, WorkloadInfo, WorkloadSource};
use serde::de::DeserializeOwned;

use super::Request;
use super::answer::{self, Answer, AnswerScanner};
use super::conversation::{Conversation, End, Party, describe_end, lead_group, was_interrupted};
use super::limit::Limit;
use super::program::Programs;
use crate::environment::scheduling::{self, Cores};
use crate::environment::{self, Conditions};
use crate::interrupt::Interrupt;
use crate::result::latency;
use crate::schedule::{Executor, Observer, Repetition, RepetitionError};

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

    /// Program and arguments, to be put into a command.
    pub(crate) fn os_words(&self) -> Vec<OsString> {
        let mut words = vec![self.program.clone().into_os_string()];
        words.extend(self.arguments.iter().cloned());
        words
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
    party: Party,
    cores: Cores,
    interrupt: Interrupt,
}

impl Workers {
    /// Workers that end when `interrupt` is raised.
    pub(crate) fn new(launcher: Launcher, interrupt: Interrupt) -> Self {
        Self {
            launcher,
            party: Party::Worker,
            cores: Cores::default(),
            interrupt,
        }
    }

    /// The same on cores of one kind.
    pub(crate) fn on(self, cores: Cores) -> Self {
        Self { cores, ..self }
    }

    /// The same started by a command of the user, who alone knows what it starts.
    pub(crate) fn by_command(self) -> Self {
        Self {
            party: Party::Command,
            ..self
        }
    }

    /// Why they cannot run on this machine, if they cannot.
    pub(crate) fn refusal(&self) -> Option<String> {
        scheduling::check(self.cores).err()
    }

    /// How they are started.
    pub(crate) fn launcher(&self) -> &Launcher {
        &self.launcher
    }

    /// Asks for the help and the options of a workload.
    pub(crate) fn describe(
        &self,
        source: &WorkloadSource,
        observer: &mut dyn Observer,
    ) -> Result<WorkloadInfo, RepetitionError> {
        let (answer, _) = self.ask(&Request::Describe(source.clone()), None, observer)?;
        Ok(answer.outcome?)
    }

    fn repetition(
        &self,
        options: &WorkerOptions,
        observer: &mut dyn Observer,
    ) -> Result<Repetition, RepetitionError> {
        let limit = Limit::of(options.limit_memory_bytes, options.fibers)?;
        let started = Instant::now();
        let request = Request::Run {
            options: options.clone(),
            cores: self.cores,
        };
        let (answer, process_resources): (Answer<Measurement>, _) =
            self.ask(&request, limit.as_ref(), observer)?;
        let process_s = started.elapsed().as_secs_f64();
        let measurement = match (answer.outcome, &limit) {
            (Err(error), Some(limit)) => return Err(limit.explained(error)),
            (outcome, _) => outcome?,
        };
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
            command: self.launcher.words(),
            process_s,
            limited_by: limit.as_ref().map(Limit::held_by),
            process_resources: Some(process_resources),
            measurement,
        })
    }

    /// The answer to a request, and what the process took that gave it.
    fn ask<T: DeserializeOwned>(
        &self,
        request: &Request,
        limit: Option<&Limit>,
        observer: &mut dyn Observer,
    ) -> Result<(Answer<T>, Resources), RepetitionError> {
        let end = self.converse(request, limit, observer)?;
        let is_over = |limit: &&Limit| end.json.is_none() && limit.has_ended_silent(end.status);
        if let Some(limit) = limit.filter(is_over) {
            return Err(limit.reached(String::new()));
        }
        let answer = self.conclude(&end)?;
        Ok((answer, end.resources))
    }

    /// Starts a worker and follows it to its end.
    pub(super) fn converse(
        &self,
        request: &Request,
        limit: Option<&Limit>,
        observer: &mut dyn Observer,
    ) -> Result<End, RepetitionError> {
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
        if self.party == Party::Command {
            lead_group(&mut command);
        }
        if let Some(limit) = limit {
            limit.hold(&mut command);
        }
        let child = command.spawn().map_err(spawn_error)?;
        let end = Conversation::new(child, self.party, AnswerScanner::new(&nonce))
            .and_then(|mut conversation| {
                conversation.limit(limit.is_some());
                conversation.hold(&self.interrupt, observer)
            })
            .map_err(|source| RepetitionError::Died {
                how: format!("it cannot be read or waited for ({source})"),
            })?
            .ok_or(RepetitionError::Interrupted)?;
        // A search for the wall answers on its way, and is ended all the same.
        let has_ended_well = end.json.is_some() && end.status.success();
        if !has_ended_well && was_interrupted(end.status, &self.interrupt) {
            return Err(RepetitionError::Interrupted);
        }
        Ok(end)
    }

    /// What a worker has answered.
    pub(super) fn conclude<T: DeserializeOwned>(
        &self,
        end: &End,
    ) -> Result<Answer<T>, RepetitionError> {
        conclude(end, &self.launcher, self.party)
    }
}

/// What starts the repetitions of an arm.
#[derive(Debug)]
pub(crate) enum Starter {
    /// Workers of lycosa.
    Lycosa(Workers),
    /// Another program.
    Program(Programs),
}

impl Starter {
    /// The command as results record it, without what is one repetition's own.
    pub(crate) fn words(&self) -> Vec<String> {
        match self {
            Self::Lycosa(workers) => workers.launcher().words(),
            Self::Program(programs) => programs.words(),
        }
    }
}

impl From<Workers> for Starter {
    fn from(workers: Workers) -> Self {
        Self::Lycosa(workers)
    }
}

/// Runs each repetition in a fresh process of its arm.
#[derive(Debug)]
pub(crate) struct ProcessExecutor {
    arms: Vec<Starter>,
}

impl ProcessExecutor {
    /// An executor for these arms, in the plan's order.
    pub(crate) fn new(arms: Vec<impl Into<Starter>>) -> Self {
        Self {
            arms: arms.into_iter().map(Into::into).collect(),
        }
    }
}

impl Executor for ProcessExecutor {
    fn repetition(
        &mut self,
        arm: usize,
        options: &WorkerOptions,
        observer: &mut dyn Observer,
    ) -> Result<Repetition, RepetitionError> {
        match &mut self.arms[arm] {
            Starter::Lycosa(workers) => workers.repetition(options, observer),
            Starter::Program(programs) => programs.repetition(options, observer),
        }
    }

    fn conditions(&mut self) -> Conditions {
        environment::conditions()
    }
}

/// Exit code that a panic of Rust ends with.
const PANIC: i32 = 101;

/// Judges what a worker left behind. What it answered as an error counts, however it ended then.
fn conclude<T: DeserializeOwned>(
    end: &End,
    launcher: &Launcher,
    party: Party,
) -> Result<Answer<T>, RepetitionError> {
    let End { json, status, .. } = end;
    let no_worker = |how: String| RepetitionError::NoWorker {
        command: launcher.words().join(" "),
        how,
    };
    let Some(json) = json else {
        if party == Party::Command && matches!(status.code(), Some(code) if code != PANIC) {
            let how = format!("{} and gave no answer", describe_end(*status));
            return Err(no_worker(how));
        }
        return Err(RepetitionError::Died {
            how: format!("{}{}", silence(*status), started_as(launcher)),
        });
    };
    let answer: Answer<T> = serde_json::from_slice(json).map_err(|error| match party {
        Party::Command => no_worker(format!(
            "it printed what is no answer of one ({error}); is it a lycosa of another version?"
        )),
        _ => RepetitionError::NoResult {
            reason: error.to_string(),
        },
    })?;
    if answer.outcome.is_ok() && !status.success() {
        return Err(RepetitionError::DiedAfterAnswer {
            how: format!("{}{}", describe_end(*status), started_as(launcher)),
        });
    }
    Ok(answer)
}

/// The command that started a worker, where it is not this binary alone: it may be what failed.
fn started_as(launcher: &Launcher) -> String {
    let is_this = std::env::current_exe().is_ok_and(|path| path == launcher.program);
    if is_this && launcher.arguments.is_empty() {
        return String::new();
    }
    format!("; it was started as `{}`", launcher.words().join(" "))
}

/// Why a worker gave no answer.
fn silence(status: ExitStatus) -> String {
    match status.code() {
        Some(0) => String::from("it left with exit code 0; does the workload call os.exit?"),
        // Its message has been shown with the other output.
        Some(PANIC) => String::from("it panicked, which is a defect of lycosa"),
        _ => describe_end(status),
    }
}

#[cfg(test)]
mod tests {
    use super::super::conversation::testing::converse;
    use super::*;
    use crate::worker::testing::{context, measurement};

    fn failure(script: &str) -> String {
        let (end, _) = converse(script, &Interrupt::default());
        let launcher = Launcher::new(None, std::env::current_exe().unwrap());
        conclude::<Measurement>(&end.unwrap(), &launcher, Party::Worker)
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
        let found: Answer<Measurement> = {
            let launcher = Launcher::new(None, std::env::current_exe().unwrap());
            conclude(&end.unwrap(), &launcher, Party::Worker).unwrap()
        };
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
    fn a_command_that_starts_no_worker_is_shown() {
        for (script, expected) in [
            ("exit 0", "it left with exit code 0 and gave no answer"),
            ("exit 3", "it left with exit code 3 and gave no answer"),
            ("echo 'n0 {}'", "it printed what is no answer of one"),
        ] {
            let (end, _) = converse(script, &Interrupt::default());
            let launcher = Launcher::new(Some(PathBuf::from("nice")), PathBuf::from("true"));
            let error = conclude::<Measurement>(&end.unwrap(), &launcher, Party::Command);
            let message = error.unwrap_err().to_string();
            let start = format!("`nice true` does not start a lycosa worker: {expected}");
            assert!(message.starts_with(&start), "{message}");
        }
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
}
