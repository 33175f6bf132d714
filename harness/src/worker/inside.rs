//! The worker's end: one request, carried out in this process, then the answer on standard output.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use lycosa_lua::worker::{self, Phase, Sample, WallCurve, WallOptions, WallStep, WorkerError};
use serde::Serialize;

use super::Request;
use super::answer::{self, Answer};
use crate::environment::scheduling::{self, Cores};
use crate::environment::{self, Context};

/// How long transactions may go on after the wish to stop; a workload may hold one for ever.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// Exit code of a worker that was stopped before it did anything, or could not be.
const STOPPED: i32 = 130;

/// Carries out one request, a [`Request`] as JSON, and answers under `nonce`.
///
/// Fails only where no answer can be given; a workload's failure is an answer.
pub(crate) fn run(nonce: &str, request: &str) -> anyhow::Result<()> {
    let request: Request =
        serde_json::from_str(request).context("this is no request to a worker")?;
    end_with_parent().context("cannot watch the parent process")?;
    // Ctrl-C goes to this process too. What it means here, the parent says.
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::default())
        .context("cannot catch SIGINT")?;
    match request {
        Request::Run { options, cores } => {
            let place = move || scheduling::apply(cores);
            let marker = nonce.to_owned();
            let listen = move |sample: &Sample| tell(&marker, sample);
            answer(nonce, worker::run(&options, place, listen))
        }
        Request::Describe(source) => answer(nonce, worker::describe(&source)),
        Request::Wall { options, done } => wall(nonce, &options, &done),
    }
}

/// Answers with the curve as it grows: the process may be ended by its limit at any time.
fn wall(nonce: &str, options: &WallOptions, done: &[WallStep]) -> anyhow::Result<()> {
    let context = environment::context(&environment::facts());
    let (told_nonce, told_context) = (nonce.to_owned(), context.clone());
    let told = move |curve: &WallCurve| {
        // A reader that is gone ends this process by itself.
        let _ = write(&told_nonce, told_context.clone(), Ok(curve));
    };
    let place = || scheduling::apply(Cores::default());
    write(nonce, context, worker::wall(options, done, place, told))
}

fn answer<T: Serialize>(nonce: &str, outcome: Result<T, WorkerError>) -> anyhow::Result<()> {
    write(nonce, environment::context(&environment::facts()), outcome)
}

fn write<T: Serialize>(
    nonce: &str,
    context: Context,
    outcome: Result<T, WorkerError>,
) -> anyhow::Result<()> {
    let answer = Answer { context, outcome };
    let line = answer::encode(nonce, &answer).context("the result is no JSON")?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Tells of an interval while the run goes on. It is in the answer too, so that a line that cannot
/// be written is no loss.
fn tell(nonce: &str, sample: &Sample) {
    if let Ok(line) = answer::encode_sample(nonce, sample) {
        let mut stdout = io::stdout().lock();
        let _ = stdout
            .write_all(line.as_bytes())
            .and_then(|()| stdout.flush());
    }
}

/// Ends this process when its parent is gone, whatever the parent died of.
///
/// The parent holds the other end of the pipe that is standard input here; it closes when the
/// parent dies. One thread blocks in a read and costs the measurement nothing; a byte that it reads
/// is the parent's wish that no more transactions begin. The workload gets
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
                    Ok(1..) => stop(),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // SAFETY: _exit runs no handlers and unwinds nothing, which matters because
                    // the transaction thread is still running.
                    Ok(0) | Err(_) => unsafe { libc::_exit(1) },
                }
            }
        })?;
    Ok(())
}

/// Sees that the transactions end soon, so that what they did is verified; ends the process where
/// there is nothing to verify, or no end.
fn stop() {
    worker::stop();
    let deadline = Instant::now() + STOP_GRACE;
    loop {
        match worker::phase() {
            Phase::Verification => return,
            Phase::Transactions if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            // SAFETY: as above.
            Phase::Preparation | Phase::Transactions => unsafe { libc::_exit(STOPPED) },
        }
    }
}
