//! The two programs, and what they print for a script.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::script::SHOW;

/// A command that takes a script as its last argument.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    command: PathBuf,
    arguments: Vec<OsString>,
}

/// How a script ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) lines: Vec<String>,
    /// Nothing after a clean end, else what to tell.
    pub(crate) failure: Option<String>,
}

impl Program {
    pub(crate) fn new<A: Into<OsString>>(
        command: PathBuf,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { command, arguments }
    }

    /// Runs a script in an empty directory of its own.
    pub(crate) fn run(&self, script: &str, limit: Duration) -> Result<Output> {
        let scratch = tempfile::tempdir().context("cannot make a scratch directory")?;
        let place = scratch.path();
        std::fs::write(place.join("show.lua"), SHOW)?;
        std::fs::write(place.join("script.lua"), script)?;
        let printed = place.join("printed");
        let complaints = place.join("complaints");
        let mut child = Command::new(&self.command)
            .args(&self.arguments)
            .arg("script.lua")
            .current_dir(place)
            .env("LUA_PATH", "?.lua;;")
            .stdin(Stdio::null())
            .stdout(File::create(&printed)?)
            .stderr(File::create(&complaints)?)
            .spawn()
            .with_context(|| format!("cannot start {}", self.command.display()))?;
        let status = wait(&mut child, limit)?;
        let lines = read(&printed)?.lines().map(str::to_owned).collect();
        let failure = match status {
            Some(status) if status.success() => None,
            Some(status) => Some(format!("{status}: {}", last_line(&complaints)?)),
            None => Some(format!("no end within {} s", limit.as_secs())),
        };
        Ok(Output { lines, failure })
    }
}

/// Waits for the end; after the limit ends the process and answers with nothing.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn read(path: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

fn last_line(path: &Path) -> Result<String> {
    Ok(read(path)?
        .lines()
        .next_back()
        .unwrap_or_default()
        .to_owned())
}
