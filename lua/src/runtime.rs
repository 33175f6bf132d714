//! The whole of it: an engine, its main fiber, and a Lua state with every module on it.

use lycosa_engine::fiber::RuntimeOptions;
use lycosa_engine::{DatabaseOptions, Engine, EngineOptions};
use mlua::Lua;

use crate::{database, exec, fiber, state};

/// Whether tuples and indexes ask the system for huge pages: the environment variable `LYCOSA_HUGE_PAGES` is `1`.
pub fn wants_huge_pages() -> bool {
    std::env::var_os("LYCOSA_HUGE_PAGES").is_some_and(|value| value == "1")
}

/// Why no Lua program could run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// The fibers did not start.
    #[error(transparent)]
    Fibers(#[from] lycosa_engine::fiber::RuntimeError),
    /// The Lua state could not be made.
    #[error("cannot start Lua: {0}")]
    Lua(String),
}

/// Runs `body` in the main fiber, with a Lua state that has `box`, `fiber` and the other modules.
pub fn run<T, F>(jit: bool, memory_limit_bytes: usize, body: F) -> Result<T, RuntimeError>
where
    F: FnOnce(&Lua, &Engine) -> T + Send + 'static,
    T: Send + 'static,
{
    let options = EngineOptions {
        database: DatabaseOptions {
            memory_limit_bytes,
            huge_pages: wants_huge_pages(),
            ..DatabaseOptions::default()
        },
        runtime: RuntimeOptions::default(),
    };
    Engine::run(options, move |engine| {
        let lua = state::new_state(jit).and_then(|lua| {
            state::build(&lua, || {
                let waits = fiber::install(&lua, engine.scheduler())?;
                database::install(&lua, engine)?;
                exec::install(&lua, engine.scheduler(), &waits)
            })?;
            Ok(lua)
        });
        match lua {
            Ok(lua) => {
                let value = body(&lua, engine);
                // The fibers' stacks hold Lua frames: they end before the state closes.
                engine.scheduler().end_other_fibers();
                Ok(value)
            }
            Err(error) => Err(RuntimeError::Lua(error.to_string())),
        }
    })?
}
