//! Runs a Lua script as Tarantool runs one.

use std::path::Path;

use mlua::{Lua, MultiValue, Value};

use crate::runtime;

/// Quota until `box.cfg` sets one, which can only grow it.
const INITIAL_MEMORY_BYTES: usize = 1 << 20;

/// Runs `script` with `box` in the main fiber; `args` becomes Lua's `arg[1..]` and the chunk's
/// arguments, `arg[0]` is the script, `arg[-1]` this binary. Answers with the exit code of the
/// process: 0 at the script's end, 1 when it could not be read or threw; the error is then on
/// standard error. `os.exit` ends the process itself.
pub fn exec(script: &Path, args: &[String]) -> i32 {
    let source = match std::fs::read(script) {
        Ok(source) => source,
        Err(error) => {
            eprintln!("error: cannot read {}: {error}", script.display());
            return 1;
        }
    };
    let (script, args) = (script.display().to_string(), args.to_vec());
    let outcome = runtime::run(true, INITIAL_MEMORY_BYTES, move |lua, _engine| {
        let result = run(lua, &script, &source, &args);
        // Printed lines must come before the error, and before the process ends.
        let _ = lua.load("io.stdout:flush()").exec();
        result.map_err(|error| describe(&error))
    });
    match outcome {
        Ok(Ok(())) => 0,
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

fn run(lua: &Lua, script: &str, source: &[u8], args: &[String]) -> mlua::Result<()> {
    let arg = lua.create_table()?;
    let binary = std::env::current_exe().unwrap_or_default();
    arg.set(-1, binary.display().to_string())?;
    arg.set(0, script)?;
    for (position, value) in args.iter().enumerate() {
        arg.set(position + 1, value.as_str())?;
    }
    lua.globals().set("arg", arg)?;
    let chunk = lua
        .load(without_shebang(source))
        .set_name(format!("@{script}"))
        .set_mode(mlua::chunk::ChunkMode::Text)
        .into_function()?;
    // The script runs under a handler of Lua's own: it sees the frames of an error, and keeps
    // error objects as they are.
    let guard: mlua::Function = lua
        .load(
            "local chunk, arguments = ...
             local ok, err = xpcall(function() chunk(unpack(arguments)) end, function(err)
                 return {text = tostring(err), trace = debug.traceback('', 2)}
             end)
             if not ok then return err.text .. err.trace end",
        )
        .set_name("=lycosa/exec")
        .into_function()?;
    let arguments: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut call = MultiValue::new();
    call.push_back(Value::Function(chunk));
    call.push_back(Value::Table(lua.create_sequence_from(arguments)?));
    match guard.call::<Option<String>>(call)? {
        Some(message) => Err(mlua::Error::runtime(message)),
        None => Ok(()),
    }
}

/// The source with a first line `#!...` blanked, so that line numbers stay.
fn without_shebang(source: &[u8]) -> &[u8] {
    if source.starts_with(b"#!") {
        let end = source
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(source.len());
        &source[end..]
    } else {
        source
    }
}

fn describe(error: &mlua::Error) -> String {
    match error {
        mlua::Error::RuntimeError(message) | mlua::Error::SyntaxError { message, .. } => {
            message.clone()
        }
        other => other.to_string(),
    }
}
