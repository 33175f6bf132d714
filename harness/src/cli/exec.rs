//! `lycosa exec` and `lycosa console`, and when `exec` may be left out.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory};
use lycosa_lua::exec::{ExecOptions, Step};

use super::arguments::{Arguments, ExecArguments};

/// The command line with `exec` put in where it begins as Tarantool's does: with an option of `exec`,
/// or with what can only be a script. A mistyped command stays one, so that it is answered with the
/// right one. `-v` is Tarantool's for the version.
pub(super) fn with_implied_command(mut given: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = given.get(1) else {
        return given;
    };
    let asks_for_version = |argument: Option<&OsString>| argument.is_some_and(|it| it == "-v");
    if asks_for_version(Some(first)) || first == "exec" && asks_for_version(given.get(2)) {
        given.truncate(1);
        given.push(OsString::from("--version"));
    } else if is_option_of_exec(first) || is_script(first) {
        given.insert(1, OsString::from("exec"));
    }
    given
}

fn is_option_of_exec(argument: &OsStr) -> bool {
    let bytes = argument.as_encoded_bytes();
    argument == "--"
        || [b"-e", b"-l", b"-i"]
            .iter()
            .any(|option| bytes.starts_with(*option))
}

fn is_script(argument: &OsStr) -> bool {
    let path = Path::new(argument);
    let is_command = Arguments::command()
        .get_subcommands()
        .any(|command| argument == command.get_name());
    let looks_like_a_path = argument.as_encoded_bytes().contains(&b'/')
        || path.extension() == Some(OsStr::new("lua"))
        || argument == "-";
    !is_command && (looks_like_a_path || path.is_file())
}

/// A script's exit code is the process's: its low eight bits, as the system keeps of any.
pub(super) fn exec(arguments: ExecArguments, matches: &ArgMatches) -> ExitCode {
    let steps = steps_in_order(&arguments, matches);
    let mut rest = arguments.script_and_arguments.into_iter();
    let script = rest.next();
    let code = lycosa_lua::exec::exec(ExecOptions {
        steps,
        script,
        arguments: rest.collect(),
        is_interactive: arguments.interactive,
    });
    ExitCode::from(code as u8)
}

/// What is run before the script, in the order of the command line.
fn steps_in_order(arguments: &ExecArguments, matches: &ArgMatches) -> Vec<Step> {
    let places = |name: &str| {
        let matches = matches.subcommand_matches("exec");
        let places = matches.and_then(|matches| matches.indices_of(name));
        places.into_iter().flatten().collect::<Vec<_>>()
    };
    let code = arguments.code.iter().cloned().map(Step::Code);
    let modules = arguments.modules.iter().cloned().map(Step::Module);
    let mut steps: Vec<(usize, Step)> = places("code").into_iter().zip(code).collect();
    steps.extend(places("modules").into_iter().zip(modules));
    steps.sort_by_key(|(place, _)| *place);
    steps.into_iter().map(|(_, step)| step).collect()
}

/// The console alone.
pub(super) fn console() -> ExitCode {
    let code = lycosa_lua::exec::exec(ExecOptions {
        is_interactive: true,
        ..ExecOptions::default()
    });
    ExitCode::from(code as u8)
}
