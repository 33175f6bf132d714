//! How much time each fiber takes, measured while somebody wants to know: two readings of the monotonic
//! clock a switch, and nothing while nobody does.
//!
//! A *turn* of the scheduler is what Tarantool calls an iteration of its event loop. Shares are of the
//! time that was spent within turns; the wait between two of them is no one's.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::time::{Duration, Instant};

use super::FiberId;
use super::scheduler::{Core, Scheduler};
use super::switch::SwitchHook;

/// What a fiber takes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FiberUsage {
    /// Percentage of the last whole turn.
    pub last_turn_percent: f64,
    /// Moving average over turns of the same, each new one with a weight of 1/16.
    pub average_percent: f64,
    /// All of its time in the turns that are over, since measuring began.
    pub total: Duration,
}

/// Nanoseconds of one fiber, of the scheduler, or of all.
#[derive(Debug, Clone, Copy, Default)]
struct Account {
    this_turn: u64,
    last_turn: u64,
    average: u64,
    total: u64,
}

impl Account {
    fn end_turn(&mut self) {
        self.average = self.this_turn / 16 + 15 * self.average / 16;
        self.last_turn = self.this_turn;
        self.total += self.this_turn;
        self.this_turn = 0;
    }

    fn share_of(self, all: Self) -> FiberUsage {
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        FiberUsage {
            last_turn_percent: percent(self.last_turn, all.last_turn),
            average_percent: percent(self.average, all.average),
            total: Duration::from_nanos(self.total),
        }
    }
}

/// Accounts, and whose time is running.
#[derive(Debug)]
struct Accounts {
    /// Nobody between two fibers.
    running: Option<FiberId>,
    since: Instant,
    turn: Instant,
    fibers: HashMap<FiberId, Account>,
    scheduler: Account,
    all: Account,
}

impl Accounts {
    /// Books the time since the last call to a fiber, or to the scheduler.
    fn book(&mut self, fiber: Option<FiberId>) {
        let now = Instant::now();
        let passed = now.duration_since(self.since).as_nanos() as u64;
        self.since = now;
        let account = match fiber {
            Some(id) => self.fibers.entry(id).or_default(),
            None => &mut self.scheduler,
        };
        account.this_turn += passed;
        self.all.this_turn += passed;
    }

    fn end_turn(&mut self) {
        let fibers = self.fibers.values_mut();
        fibers.for_each(Account::end_turn);
        self.scheduler.end_turn();
        self.all.end_turn();
    }
}

/// A measurement that goes on until it is stopped.
#[derive(Debug)]
pub struct Usage {
    core: Weak<Core>,
    accounts: RefCell<Accounts>,
}

impl Usage {
    /// Begins to measure the fibers of the scheduler.
    pub fn start(scheduler: &Scheduler) -> Rc<Self> {
        let now = Instant::now();
        let usage = Rc::new(Self {
            core: Rc::downgrade(&scheduler.core),
            accounts: RefCell::new(Accounts {
                running: Some(scheduler.current().id()),
                since: now,
                turn: scheduler.now(),
                fibers: HashMap::new(),
                scheduler: Account::default(),
                all: Account::default(),
            }),
        });
        scheduler
            .core
            .add_hook(Rc::clone(&usage) as Rc<dyn SwitchHook>);
        usage
    }

    /// Ends the measurement.
    pub fn stop(self: Rc<Self>) {
        if let Some(core) = self.core.upgrade() {
            core.remove_hook(&(Rc::clone(&self) as Rc<dyn SwitchHook>));
        }
    }

    /// What a fiber takes; nothing of one that has not run since, or has ended.
    pub fn of_fiber(&self, id: FiberId) -> FiberUsage {
        let accounts = self.accounts.borrow();
        let account = accounts.fibers.get(&id).copied().unwrap_or_default();
        account.share_of(accounts.all)
    }

    /// What switching takes.
    pub fn of_scheduler(&self) -> FiberUsage {
        let accounts = self.accounts.borrow();
        accounts.scheduler.share_of(accounts.all)
    }
}

impl SwitchHook for Usage {
    fn before_switch(&self, leaving: FiberId) {
        let mut accounts = self.accounts.borrow_mut();
        accounts.book(Some(leaving));
        accounts.running = None;
    }

    fn after_switch(&self, entering: FiberId) {
        let Some(core) = self.core.upgrade() else {
            return;
        };
        let mut accounts = self.accounts.borrow_mut();
        // A fiber that has created another one has not left.
        let before = accounts.running.replace(entering);
        let turn = core.clock.loop_time();
        if turn == accounts.turn {
            accounts.book(before);
        } else {
            // Fibers may have waited between the turns.
            accounts.since = Instant::now();
            accounts.turn = turn;
            accounts.end_turn();
        }
    }

    fn fiber_ended(&self, id: FiberId) {
        let mut accounts = self.accounts.borrow_mut();
        accounts.book(Some(id));
        accounts.running = None;
        accounts.fibers.remove(&id);
    }
}
