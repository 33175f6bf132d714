//! Cooperative fibers on one thread, scheduled first in, first out.
//!
//! [`run`] starts the runtime and runs a closure as the *main fiber*. Every other fiber is made by
//! [`Scheduler::create`] or [`Scheduler::spawn`]. A fiber runs until it yields, sleeps, suspends or
//! ends; nothing preempts it. The order of switches depends on the program alone, never on the
//! machine, as long as no fiber waits for real time or for another thread; with [`Clock::Virtual`]
//! even sleeps are reproducible.
//!
//! `may` supplies stacks and context switches only: its timers would resume fibers on other threads, and
//! its parked coroutines cost a dozen atomic operations a switch. So the queue of its one worker is kept in
//! step with our ready queue, and holds nothing else: our scheduler decides who runs next.

mod channel;
mod clock;
mod condition;
mod handle;
mod inbox;
mod registry;
mod runtime;
mod scheduler;
mod strand;
mod switch;
mod timers;
mod usage;

pub use channel::{Channel, GetError, PutError, PutFailure};
pub use clock::Clock;
pub use condition::{Condition, WaitError};
pub use handle::{Fiber, JoinError, NAME_LIMIT_BYTES, Status};
pub use inbox::Waker;
pub use runtime::{RuntimeError, RuntimeOptions, run};
pub use scheduler::{CreateError, Scheduler, Upcoming, Wake};
pub use switch::SwitchHook;
pub use usage::{FiberUsage, Usage};

/// Identifies a fiber for the life of its runtime. Ids ascend in the order of creation and are
/// never reused; those up to 100 are reserved, as in Tarantool, so the main fiber is 101.
pub type FiberId = u64;
