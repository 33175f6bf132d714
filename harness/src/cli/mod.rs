//! The command line: what there is, and which exit code each ending has.

mod arguments;
mod baseline;
mod command_line;
mod compare;
mod exec;
mod information;
mod measuring;
mod pace;
mod report;
mod run;
mod selftest;
mod settings;
mod sweep;
mod wall;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use crate::arms::ArmError;
use crate::report::page::RED;
use crate::worker;
use arguments::{Arguments, Command};

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All was done.
    Done = 0,
    /// Something failed while it was done.
    Failed = 1,
    /// What was asked for cannot be done.
    Usage = 2,
    /// It is slower than what it is compared with.
    Regression = 3,
    /// It is too noisy to tell.
    Inconclusive = 4,
    /// The user stopped it.
    Interrupted = 130,
}

/// An error that is shown in one piece and ends the process.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    /// Something that cannot be done as it was asked for.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    /// The same, with what it is about in front.
    pub(crate) fn within(self, about: &str) -> Self {
        Self {
            message: format!("{about}: {}", self.message),
            ..self
        }
    }

    /// Something that went wrong on the way.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            message: message.into(),
        }
    }

    /// The user stopped it before it began.
    pub(crate) fn interrupted() -> Self {
        Self {
            exit: Exit::Interrupted,
            message: String::from("interrupted before anything was measured"),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::failed(format!("{error:#}"))
    }
}

impl From<ArmError> for Failure {
    fn from(error: ArmError) -> Self {
        match error {
            ArmError::Usage(message) => Self::usage(message),
            ArmError::Failed(message) => Self::failed(message),
            ArmError::Interrupted => Self::interrupted(),
        }
    }
}

/// A reader that has seen enough, as in `lycosa workloads | head -1`, is no failure of ours.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self {
                exit: Exit::Done,
                message: String::new(),
            };
        }
        Self::failed(format!("cannot write the output: {error}"))
    }
}

/// Parses the arguments, does what they ask, and shows what went wrong.
pub(crate) fn main() -> ExitCode {
    let ended = match worker_request() {
        Some([nonce, request]) => work(&nonce, &request),
        None => match parse() {
            Ok((arguments, matches)) => dispatch(arguments.command, &matches),
            Err(error) => refuse(&error),
        },
    };
    match ended {
        Ok(code) => code,
        Err(failure) => {
            show_failure(&failure.message);
            exit_code(failure.exit)
        }
    }
}

/// The arguments, and what they were made from: it knows their order.
fn parse() -> Result<(Arguments, ArgMatches), clap::Error> {
    let given = exec::with_implied_command(std::env::args_os().collect());
    let matches = Arguments::command().try_get_matches_from(given)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    Ok((arguments, matches))
}

fn dispatch(command: Command, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(arguments) => run::run(&arguments).map(exit_code),
        Command::Compare(arguments) => compare::compare(&arguments).map(exit_code),
        Command::Selftest(arguments) => selftest::selftest(&arguments).map(exit_code),
        Command::Sweep(arguments) => sweep::sweep(&arguments).map(exit_code),
        Command::Wall(arguments) => wall::wall(&arguments).map(exit_code),
        Command::Report(arguments) => report::report(&arguments).map(exit_code),
        Command::Workloads => information::workloads().map(exit_code),
        Command::Exec(arguments) => Ok(exec::exec(arguments, matches)),
        Command::Console => Ok(exec::console()),
        Command::Env(arguments) => information::env(arguments.json).map(exit_code),
        Command::Completions { shell } => information::completions(shell).map(exit_code),
    }
}

/// What a worker process was started with: the mark of its answer, and the request. It is no command
/// of users, so that no help, suggestion or completion names it.
fn worker_request() -> Option<[String; 2]> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next()?;
    if command != worker::SUBCOMMAND {
        return None;
    }
    let rest: Option<Vec<String>> = arguments
        .map(|argument| argument.into_string().ok())
        .collect();
    rest?.try_into().ok()
}

fn work(nonce: &str, request: &str) -> Result<ExitCode, Failure> {
    worker::inside::run(nonce, request)?;
    Ok(exit_code(Exit::Done))
}

/// Help and version are output; everything else is one line, with what clap suggests in it.
fn refuse(error: &clap::Error) -> Result<ExitCode, Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let mut out = anstream::stdout();
            write!(out, "{}", error.render().ansi())?;
            out.flush()?;
            Ok(exit_code(Exit::Done))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = write!(anstream::stderr(), "{}", error.render().ansi());
            Ok(exit_code(Exit::Usage))
        }
        _ => Err(Failure::usage(one_line(&error.render().to_string()))),
    }
}

/// clap's message without its heading, the usage and the pointer to the help.
fn one_line(rendered: &str) -> String {
    let parts: Vec<&str> = rendered
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .collect();
    let text = parts.join(" ").replace(" tip: ", "; ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

fn show_failure(message: &str) {
    if !message.is_empty() {
        // Nothing can be done about a standard error that cannot be written.
        let _ = writeln!(anstream::stderr(), "{RED}error:{RED:#} {message}");
    }
}

fn exit_code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_one_line_with_the_suggestion() {
        let error = Arguments::command()
            .try_get_matches_from(["lycosa", "run", "--fibres", "3"])
            .unwrap_err();
        let line = one_line(&error.render().to_string());
        assert!(!line.contains('\n'));
        assert!(
            line.starts_with("unexpected argument '--fibres' found; "),
            "{line}"
        );
        assert!(line.contains("'--fibers'"), "{line}");
    }
}
