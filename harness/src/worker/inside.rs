//! The worker's end: one repetition in this process, then the answer on standard output.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};

use anyhow::Context;
use lycosa_lua::worker::{self, WorkerOptions};

use super::answer::{self, Answer};
use crate::environment;

/// Runs one repetition and answers under `nonce`. `options` is a [`WorkerOptions`] as JSON.
///
/// Fails only where no answer can be given; a workload's failure is an answer.
pub(crate) fn run(nonce: &str, options: &str) -> anyhow::Result<()> {
    let options: WorkerOptions =
        serde_json::from_str(options).context("the options are not those of a worker")?;
    end_with_parent().context("cannot watch the parent process")?;
    let answer = Answer {
        translator: environment::translator(),
        outcome: worker::run(&options),
    };
    let line = answer::encode(nonce, &answer).context("the result is no JSON")?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Ends this process when its parent is gone, whatever the parent died of.
///
/// The parent holds the other end of the pipe that is standard input here; it closes when the
/// parent dies. One thread blocks in a read and costs the measurement nothing. The workload gets
/// an empty standard input instead, so that it cannot wait for what never comes.
fn end_with_parent() -> io::Result<()> {
    let mut lifeline = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let empty = File::open("/dev/null")?;
    // SAFETY: dup2 takes two open descriptors and touches no memory; nothing in this process has
    // read from standard input yet, so no buffered bytes are lost.
    if unsafe { libc::dup2(empty.as_raw_fd(), libc::STDIN_FILENO) } < 0 {
        return Err(io::Error::last_os_error());
    }
    std::thread::Builder::new()
        .name(String::from("lifeline"))
        .spawn(move || {
            let mut byte = [0];
            loop {
                match lifeline.read(&mut byte) {
                    Ok(1..) => {}
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // SAFETY: _exit runs no handlers and unwinds nothing, which matters because
                    // the transaction thread is still running.
                    Ok(0) | Err(_) => unsafe { libc::_exit(1) },
                }
            }
        })?;
    Ok(())
}
