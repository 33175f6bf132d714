//! The one runtime of a process: its start, its main fiber, its end.
//!
//! `may`'s worker thread and settings are process-wide, so runtimes take turns on a lock.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use may::coroutine::{self, Builder};
use parking_lot::Mutex;

use super::clock::Clock;
use super::scheduler::{Core, Scheduler};

/// Smallest stack on which a fiber can run at all.
const MIN_STACK_SIZE_BYTES: usize = 16 << 10;

/// Largest stack: beyond it a mistaken unit is more likely than a need.
const MAX_STACK_SIZE_BYTES: usize = 1 << 30;

/// Settings of a runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuntimeOptions {
    /// Stack of each fiber but the main one, 16 KiB to 1 GiB. Memory is touched lazily. The first
    /// runtime of a process decides which size is recycled between runtimes.
    pub stack_size_bytes: usize,
    /// Stack of the main fiber, in the same range.
    pub main_stack_size_bytes: usize,
    /// Fibers alive at once, the main one included. Each takes two memory mappings, of which Linux
    /// grants a process 65,530 by default.
    pub max_fibers: usize,
    /// What sleeps and timeouts follow.
    pub clock: Clock,
}

impl Default for RuntimeOptions {
    fn default() -> Self {
        Self {
            stack_size_bytes: 1 << 20,
            main_stack_size_bytes: 1 << 20,
            max_fibers: 30_000,
            clock: Clock::Monotonic,
        }
    }
}

impl RuntimeOptions {
    fn validate(&self) -> Result<(), RuntimeError> {
        for size_bytes in [self.stack_size_bytes, self.main_stack_size_bytes] {
            if !(MIN_STACK_SIZE_BYTES..=MAX_STACK_SIZE_BYTES).contains(&size_bytes) {
                return Err(RuntimeError::StackSize { size_bytes });
            }
            let limit_bytes = system_stack_limit_bytes();
            if size_bytes as u64 + STACK_MARGIN_BYTES > limit_bytes {
                return Err(RuntimeError::StackLimit {
                    size_bytes,
                    limit_bytes,
                });
            }
        }
        Ok(())
    }

    pub(super) fn stack_size_words(&self) -> usize {
        words(self.stack_size_bytes)
    }
}

/// `may` counts words, and takes an odd count as a wish to touch and measure the whole stack.
fn words(size_bytes: usize) -> usize {
    (size_bytes / size_of::<usize>()).next_multiple_of(2)
}

/// Why no runtime was started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// A stack size is out of range.
    #[error(
        "a fiber stack of {size_bytes} bytes is out of range: choose between \
         {MIN_STACK_SIZE_BYTES} and {MAX_STACK_SIZE_BYTES}"
    )]
    StackSize {
        /// The size asked for.
        size_bytes: usize,
    },
    /// The system grants no stacks of that size.
    #[error(
        "a fiber stack of {size_bytes} bytes is more than the system's limit of {limit_bytes} bytes \
         allows: raise it (ulimit -s)"
    )]
    StackLimit {
        /// The size asked for.
        size_bytes: usize,
        /// The hard limit of the process.
        limit_bytes: u64,
    },
    /// [`run`] was called by a fiber.
    #[error(
        "a fiber cannot start a runtime: one runs at a time, and this one would wait for itself"
    )]
    Nested,
    /// The main fiber could not be started.
    #[error("cannot start the main fiber: {0}")]
    Start(#[from] std::io::Error),
    /// The main fiber vanished without a result.
    #[error("the main fiber ended without a result; its stack may have overflowed")]
    Lost,
}

/// What `may` puts around a stack counts against the limit: guard pages of 4 to 16 KiB.
const STACK_MARGIN_BYTES: u64 = 64 << 10;

/// The hard limit on stacks of this process, which `may` takes as the limit on its own.
fn system_stack_limit_bytes() -> u64 {
    // SAFETY: the struct is plain numbers, and the call only fills it.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        match libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) {
            0 => limit.rlim_max,
            _ => u64::MAX,
        }
    }
}

static RUNTIME: Mutex<()> = Mutex::new(());

/// Runs `main` as the main fiber of a new runtime, on the runtime's own thread, and returns its
/// value. A runtime that another thread has started is waited for. A panic in `main` goes on in the
/// caller. The process must not have used `may` itself before: its number of workers is set here.
///
/// When `main` ends, the other fibers are cancelled and get 32 turns to end. Those that do not stay
/// parked for the rest of the process, their memory with them: to drop them would unwind them by
/// force.
pub fn run<T, F>(options: RuntimeOptions, main: F) -> Result<T, RuntimeError>
where
    F: FnOnce(&Scheduler) -> T + Send + 'static,
    T: Send + 'static,
{
    options.validate()?;
    if coroutine::is_coroutine() {
        return Err(RuntimeError::Nested);
    }
    let _turn = RUNTIME.lock();
    configure(&options);
    let (sender, receiver) = crossbeam::channel::bounded(1);
    let builder = Builder::new().stack_size(words(options.main_stack_size_bytes));
    let body = move || {
        let result = run_main(&options, main);
        // The caller waits for exactly this value, so the channel has room and a reader.
        let _ = sender.send(result);
    };
    // SAFETY: the body keeps no thread-local borrow across a pause, and its stack has a guard page.
    let _detached = unsafe { builder.spawn(body) }?;
    match receiver.recv() {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(payload)) => resume_unwind(payload),
        Err(_) => Err(RuntimeError::Lost),
    }
}

fn run_main<T>(
    options: &RuntimeOptions,
    main: impl FnOnce(&Scheduler) -> T,
) -> Result<T, Box<dyn Any + Send>> {
    let scheduler = Scheduler {
        core: Core::new(options),
    };
    let result = catch_unwind(AssertUnwindSafe(|| main(&scheduler)));
    scheduler.core.shut_down();
    result
}

/// Settings of `may` that must be made before its worker starts.
fn configure(options: &RuntimeOptions) {
    static CONFIGURED: Once = Once::new();
    CONFIGURED.call_once(|| {
        let config = may::config();
        config
            .set_workers(1)
            .set_stack_size(options.stack_size_words());
        // The worker's core is the operating system's choice: other work shares the machine.
        config.set_worker_pin(false);
        // The capacity at the worker's start is allocated at once, that afterwards is only a limit.
        config.set_pool_capacity(1);
        drop(coroutine_pool_started());
        config.set_pool_capacity(4096);
    });
}

/// Starts `may`'s worker, and with it its pool, by running an empty coroutine.
fn coroutine_pool_started() -> Result<(), Box<dyn Any + Send>> {
    // SAFETY: an empty body touches nothing.
    unsafe { coroutine::spawn(|| {}) }.join()
}

/// The text of a panic, as the standard hook prints it.
pub(super) fn panic_message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a text".to_owned()
    }
}
