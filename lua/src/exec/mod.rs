//! Runs a Lua script as Tarantool runs one.

mod process;
mod signals;
mod terminal;

use std::ffi::c_int;
use std::io::Read;

use mlua::{Lua, Table};

pub(crate) use process::{TARANTOOL_VERSION, install};

use crate::runtime;

/// Quota until `box.cfg` sets one, which can only grow it.
const INITIAL_MEMORY_BYTES: usize = 1 << 20;

/// What comes before the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Runs a chunk of Lua.
    Code(String),
    /// Requires a module into a global of its name.
    Module(String),
}

/// What to run.
#[derive(Debug, Clone, Default)]
pub struct ExecOptions {
    /// What comes before the script, in this order.
    pub steps: Vec<Step>,
    /// A path, or `-` for the standard input.
    pub script: Option<String>,
    /// `arg[1..]`, and the arguments of the script's chunk.
    pub arguments: Vec<String>,
    /// Whether the console takes over afterwards.
    pub is_interactive: bool,
}

/// Runs it all with `box` in the main fiber, and answers with the exit code of the process: 0 when
/// nothing is left to run, 1 when something could not be read or threw; the error is then on standard
/// error. `os.exit`, SIGINT and SIGTERM end the process themselves.
pub fn exec(options: ExecOptions) -> i32 {
    let source = match options.script.as_deref().map(read).transpose() {
        Ok(source) => source,
        Err(error) => {
            let script = options.script.unwrap_or_default();
            eprintln!("error: cannot read script `{script}`: {error}");
            return 1;
        }
    };
    let outcome = runtime::run(true, INITIAL_MEMORY_BYTES, move |lua, _engine| {
        run(lua, &options, source.as_deref()).map_err(|error| error.to_string())
    });
    match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(message)) => {
            eprintln!("error: {message}");
            1
        }
        Err(error) => {
            eprintln!("error: {error}");
            1
        }
    }
}

/// The script's text, with a first line `#!...` blanked so that line numbers stay.
fn read(script: &str) -> std::io::Result<Vec<u8>> {
    let mut source = Vec::new();
    if script == "-" {
        std::io::stdin().lock().read_to_end(&mut source)?;
    } else {
        source = std::fs::read(script)?;
    }
    if source.starts_with(b"#!") {
        let end = source.iter().position(|&byte| byte == b'\n');
        source.drain(..end.unwrap_or(source.len()));
    }
    Ok(source)
}

fn run(lua: &Lua, options: &ExecOptions, source: Option<&[u8]>) -> mlua::Result<c_int> {
    let package: Table = lua.globals().get("package")?;
    let loaded: Table = package.get("loaded")?;
    if let Some(script) = options.script.as_deref().filter(|script| *script != "-") {
        let search: Table = loaded.get("lycosa.search")?;
        search
            .get::<mlua::Function>("set_script")?
            .call::<()>(script)?;
    }
    let given = lua.create_table()?;
    let binary = std::env::current_exe().unwrap_or_default();
    given.set("binary", binary.display().to_string())?;
    given.set("script", options.script.as_deref())?;
    if let Some(source) = source {
        given.set("source", lua.create_string(source)?)?;
    }
    given.set("arguments", options.arguments.as_slice())?;
    given.set("interactive", options.is_interactive)?;
    let steps = lua.create_table()?;
    for step in &options.steps {
        let (kind, text) = match step {
            Step::Code(text) => ("code", text),
            Step::Module(text) => ("module", text),
        };
        steps.push([kind, text.as_str()])?;
    }
    given.set("steps", steps)?;
    let process: Table = loaded.get("lycosa.process")?;
    process.get::<mlua::Function>("main")?.call(given)
}
