//! The scheduler: who runs next, and how one fiber hands over to another.
//!
//! The loop has no fiber of its own. Whoever stops running picks its successor from the ready queue;
//! when that is empty it reads the clock and the inbox, and blocks the thread on the inbox until the
//! next deadline. A *turn* is one pass over the fibers that were ready when it began, so timers and
//! other threads are heard even when fibers yield without end.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::FiberId;
use super::clock::LoopClock;
use super::handle::{Fiber, FiberState, Phase};
use super::inbox::{Inbox, Waker};
use super::registry::Registry;
use super::runtime::{RuntimeOptions, panic_message};
use super::strand::{Job, Strand, stack_position};
use super::switch::SwitchHook;
use super::timers::Timers;

/// Ids up to 100 are reserved, as in Tarantool.
const MAIN_ID: FiberId = 101;

/// Turns that cancelled fibers get to end.
const END_ROUNDS: usize = 32;

/// Strands kept parked for fibers to come; those beyond give their stacks back.
const IDLE_STRANDS_LIMIT: usize = 1024;

/// Why a suspended fiber runs again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Wake {
    /// Another fiber or thread woke it, or it yielded and its turn came.
    Woken,
    /// The timeout passed.
    TimedOut,
    /// The fiber is cancelled, whatever else happened.
    Cancelled,
}

/// Why a fiber could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// [`RuntimeOptions::max_fibers`] are alive.
    #[error("{0} fibers are alive and that is the limit: let some end, or raise max_fibers")]
    TooManyFibers(usize),
    /// The operating system refused memory for a stack.
    #[error(
        "no memory for a fiber stack of {stack_size_bytes} bytes with {alive} fibers alive: \
         let some end, use smaller stacks, or raise the limit of address space (ulimit -v) or of \
         mappings (vm.max_map_count)"
    )]
    NoStack {
        /// Size of the stack asked for.
        stack_size_bytes: usize,
        /// Fibers alive at that moment.
        alive: usize,
    },
}

/// What the fibers besides the running one have to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upcoming {
    /// One is ready.
    Now,
    /// None is ready; the first sleep or timeout ends then.
    At(Instant),
    /// None is ready or waits for time: only another thread can wake one.
    Nothing,
}

/// Everything the fibers of one runtime share.
pub(super) struct Core {
    pub(super) clock: LoopClock,
    pub(super) fibers: RefCell<Registry>,
    pub(super) running: RefCell<Rc<FiberState>>,
    pub(super) ready: RefCell<VecDeque<Rc<FiberState>>>,
    /// Fibers of the present turn that have still to run.
    turn_left: Cell<usize>,
    /// Whether the running fiber has queued itself: `may` will queue its strand when it stops.
    pub(super) leaving: Cell<bool>,
    /// Fibers that were queued behind the leaving one, for `may` to queue after it.
    pub(super) late: RefCell<Vec<Rc<FiberState>>>,
    pub(super) has_late: Cell<bool>,
    pub(super) timers: RefCell<Timers>,
    inbox: Inbox,
    idle_strands: RefCell<Vec<Rc<Strand>>>,
    strands_made: Cell<usize>,
    pub(super) hooks: RefCell<Vec<Rc<dyn SwitchHook>>>,
    next_id: Cell<FiberId>,
    alive: Cell<usize>,
    pub(super) switches: Cell<u64>,
    stack_size_words: usize,
    main_stack_size_bytes: usize,
    max_fibers: usize,
}

impl Core {
    /// The core of a new runtime. The caller becomes its main fiber.
    pub(super) fn new(options: &RuntimeOptions) -> Rc<Self> {
        let main = FiberState::new(MAIN_ID, "main".into(), Phase::Running, Strand::of_caller());
        main.stack_base.set(stack_position());
        let mut fibers = Registry::default();
        fibers.add(Rc::clone(&main));
        Rc::new(Self {
            clock: LoopClock::new(options.clock),
            fibers: RefCell::new(fibers),
            running: RefCell::new(main),
            ready: RefCell::default(),
            turn_left: Cell::new(0),
            leaving: Cell::new(false),
            late: RefCell::default(),
            has_late: Cell::new(false),
            timers: RefCell::default(),
            inbox: Inbox::new(),
            idle_strands: RefCell::default(),
            strands_made: Cell::new(0),
            hooks: RefCell::default(),
            next_id: Cell::new(MAIN_ID + 1),
            alive: Cell::new(1),
            switches: Cell::new(0),
            stack_size_words: options.stack_size_words(),
            main_stack_size_bytes: options.main_stack_size_bytes,
            max_fibers: options.max_fibers,
        })
    }

    pub(super) fn running(&self) -> Rc<FiberState> {
        Rc::clone(&self.running.borrow())
    }

    pub(super) fn forget(&self, id: FiberId) {
        self.fibers.borrow_mut().forget(id);
    }

    /// Moves a suspended fiber to the end of the ready queue; leaves any other alone.
    pub(super) fn make_ready(&self, fiber: &Rc<FiberState>) {
        if fiber.phase.get() != Phase::Suspended {
            return;
        }
        if let Some(timer) = fiber.timer.take() {
            self.timers.borrow_mut().remove(timer);
        }
        self.enqueue(Rc::clone(fiber));
    }

    /// The next fiber to run; blocks the thread while there is none.
    #[inline]
    pub(super) fn next_ready(&self) -> Rc<FiberState> {
        loop {
            if self.turn_left.get() == 0 {
                self.begin_turn();
            }
            if let Some(next) = self.ready.borrow_mut().pop_front() {
                self.turn_left.set(self.turn_left.get().saturating_sub(1));
                return next;
            }
            self.turn_left.set(0);
            self.wait();
        }
    }

    #[inline(never)]
    fn begin_turn(&self) {
        let now = self.clock.refresh();
        while let Some(id) = self.inbox.try_take() {
            self.deliver(id);
        }
        if !self.timers.borrow().is_empty() {
            self.expire_timers(now);
        }
        self.turn_left.set(self.ready.borrow().len());
    }

    fn expire_timers(&self, now: Instant) {
        while let Some(fiber) = self.timers.borrow_mut().pop_expired(now) {
            fiber.timer.set(None);
            fiber.timed_out.set(true);
            self.enqueue(fiber);
        }
    }

    /// Waits for another thread or for the next deadline.
    #[cold]
    fn wait(&self) {
        let deadline = self.timers.borrow().earliest();
        match deadline {
            Some(deadline) if self.clock.is_virtual() => self.clock.advance_to(deadline),
            _ => {
                if let Some(id) = self.inbox.wait(deadline) {
                    self.deliver(id);
                }
            }
        }
    }

    fn deliver(&self, id: FiberId) {
        let fiber = self.fibers.borrow().find(id).cloned();
        if let Some(fiber) = fiber {
            self.make_ready(&fiber);
        }
    }

    fn new_fiber(
        self: &Rc<Self>,
        name: Cow<'static, str>,
        phase: Phase,
        body: impl FnOnce() + 'static,
    ) -> Result<(Rc<FiberState>, Job), CreateError> {
        let alive = self.alive.get();
        if alive >= self.max_fibers {
            return Err(CreateError::TooManyFibers(self.max_fibers));
        }
        let idle = self.idle_strands.borrow_mut().pop();
        let strand = idle
            .or_else(|| self.new_strand())
            .ok_or(CreateError::NoStack {
                stack_size_bytes: self.stack_size_words * size_of::<usize>(),
                alive,
            })?;
        let id = self.next_id.get();
        self.next_id.set(id + 1);
        self.alive.set(alive + 1);
        let fiber = FiberState::new(id, name, phase, Rc::clone(&strand));
        self.fibers.borrow_mut().add(Rc::clone(&fiber));
        let (core, state) = (Rc::clone(self), Rc::clone(&fiber));
        let job: Job = Box::new(move || core.run_fiber(&state, body));
        Ok((fiber, job))
    }

    fn new_strand(&self) -> Option<Rc<Strand>> {
        let number = self.strands_made.get();
        self.strands_made.set(number + 1);
        Strand::new(self.stack_size_words, number)
    }

    /// A fiber's whole life, on its strand.
    fn run_fiber(&self, me: &Rc<FiberState>, body: impl FnOnce()) {
        let guarded = |part: &mut dyn FnMut()| {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(part)) {
                me.panic_message
                    .borrow_mut()
                    .get_or_insert_with(|| panic_message(&*payload));
            }
        };
        me.stack_base.set(stack_position());
        me.stack_top.set(me.strand.top());
        if me.phase.get() == Phase::Ready {
            self.pause(me);
        }
        let mut body = Some(body);
        guarded(&mut || self.entered(me));
        guarded(&mut || body.take().into_iter().for_each(|body| body()));
        guarded(&mut || self.tell_hooks(|hook| hook.fiber_ended(me.id)));
        guarded(&mut || drop(me.locals.take()));
        self.end(me);
    }

    /// Takes an ended fiber out and hands over for the last time.
    fn end(&self, me: &Rc<FiberState>) {
        me.phase.set(Phase::Ended);
        self.alive.set(self.alive.get() - 1);
        if !me.joinable.get() {
            self.forget(me.id);
        }
        for joiner in me.joiners.take() {
            self.make_ready(&joiner);
        }
        let idle_count = self.idle_strands.borrow().len();
        if idle_count < IDLE_STRANDS_LIMIT {
            self.idle_strands.borrow_mut().push(Rc::clone(&me.strand));
        } else {
            me.strand.quit_after_job();
        }
        self.running.replace(self.successor_of(me));
    }

    /// Living fibers but the running and the main one.
    fn others(&self) -> Vec<Rc<FiberState>> {
        let running = self.running();
        let fibers = self.fibers.borrow();
        (fibers.after(0))
            .filter(|fiber| !fiber.has_ended() && fiber.id != MAIN_ID && fiber.id != running.id)
            .cloned()
            .collect()
    }

    fn end_others(&self) -> usize {
        for _ in 0..END_ROUNDS {
            let others = self.others();
            if others.is_empty() {
                break;
            }
            for fiber in others {
                fiber.cancelled.set(true);
                self.make_ready(&fiber);
            }
            let _ = self.yield_now();
        }
        self.abandon_others()
    }

    fn abandon_others(&self) -> usize {
        let others = self.others();
        for fiber in &others {
            fiber.phase.set(Phase::Abandoned);
            if let Some(timer) = fiber.timer.take() {
                self.timers.borrow_mut().remove(timer);
            }
            self.forget(fiber.id);
            for joiner in fiber.joiners.take() {
                self.make_ready(&joiner);
            }
        }
        self.ready
            .borrow_mut()
            .retain(|fiber| fiber.phase.get() == Phase::Ready);
        self.turn_left.set(0);
        others.len()
    }

    /// The end of the runtime: ends or abandons all fibers and gives parked strands' stacks back.
    pub(super) fn shut_down(&self) {
        self.end_others();
        for strand in self.idle_strands.take() {
            strand.quit();
        }
    }
}

/// A cheap handle to the scheduler. It belongs to the runtime's thread.
#[derive(Clone)]
pub struct Scheduler {
    pub(super) core: Rc<Core>,
}

impl Scheduler {
    /// Makes a fiber and runs it at once; returns at its first yield or its end. This is no yield of
    /// the caller.
    pub fn create(
        &self,
        name: impl Into<Cow<'static, str>>,
        body: impl FnOnce() + 'static,
    ) -> Result<Fiber, CreateError> {
        let (fiber, job) = self.core.new_fiber(name.into(), Phase::Calling, body)?;
        let me = self.core.running();
        me.phase.set(Phase::Calling);
        fiber.caller.set(Some(Rc::clone(&me)));
        self.core.running.replace(Rc::clone(&fiber));
        fiber.strand.call(job);
        self.core.pause(&me);
        self.core.entered(&me);
        Ok(self.handle(fiber))
    }

    /// Makes a fiber and queues it behind those that are ready.
    pub fn spawn(
        &self,
        name: impl Into<Cow<'static, str>>,
        body: impl FnOnce() + 'static,
    ) -> Result<Fiber, CreateError> {
        let (fiber, job) = self.core.new_fiber(name.into(), Phase::Ready, body)?;
        // It queues its strand itself, and stops.
        fiber.strand.call(job);
        self.core.ready.borrow_mut().push_back(Rc::clone(&fiber));
        Ok(self.handle(fiber))
    }

    /// The running fiber.
    pub fn current(&self) -> Fiber {
        self.handle(self.core.running())
    }

    /// Goes to the end of the ready queue. While the fiber unwinds from a panic this and every other
    /// wait answer `Cancelled` at once, without a switch. Answers `Woken` or `Cancelled`.
    pub fn yield_now(&self) -> Wake {
        self.core.yield_now()
    }

    /// Suspends for `duration`, or less when the fiber is woken. A sleep of zero is a yield.
    pub fn sleep(&self, duration: Duration) -> Wake {
        if duration.is_zero() {
            return self.core.yield_now();
        }
        self.suspend(Some(duration))
    }

    /// Suspends until woken, at most for `timeout`. A wake-up tells nothing about its reason: test
    /// what you wait for and suspend again. A fiber that was cancelled before suspends all the same.
    pub fn suspend(&self, timeout: Option<Duration>) -> Wake {
        let deadline = timeout.and_then(|timeout| self.core.clock.deadline_after(timeout));
        self.core.suspend_until(deadline)
    }

    /// The fiber with this id, unless it has ended (and, if joinable, was joined).
    pub fn find(&self, id: FiberId) -> Option<Fiber> {
        let state = self.core.fibers.borrow().find(id).cloned();
        state.map(|state| self.handle(state))
    }

    /// All fibers that [`find`](Self::find) would find, by ascending id.
    pub fn fibers(&self) -> Vec<Fiber> {
        let fibers = self.core.fibers.borrow();
        fibers
            .after(0)
            .map(|state| self.handle(Rc::clone(state)))
            .collect()
    }

    /// The living fiber with the smallest id above `id`: walks the fibers without collecting them.
    pub fn next_after(&self, id: FiberId) -> Option<Fiber> {
        let fibers = self.core.fibers.borrow();
        let state = fibers.after(id).next()?;
        Some(self.handle(Rc::clone(state)))
    }

    /// Cancels every fiber but the running and the main one, gives them 32 turns to end, and abandons
    /// those that do not. Answers with how many those are.
    pub fn end_other_fibers(&self) -> usize {
        self.core.end_others()
    }

    /// Parks every fiber but the running and the main one for good, and answers with how many. They
    /// never run again, so what their stacks refer to may go; the stacks' memory is not given back,
    /// since dropping a suspended fiber would unwind it by force.
    pub fn abandon_other_fibers(&self) -> usize {
        self.core.abandon_others()
    }

    /// What the other fibers have to do: a main fiber that waits for them asks again after each wait.
    pub fn upcoming(&self) -> Upcoming {
        if !self.core.ready.borrow().is_empty() {
            return Upcoming::Now;
        }
        let earliest = self.core.timers.borrow().earliest();
        earliest.map_or(Upcoming::Nothing, Upcoming::At)
    }

    /// How often a fiber was entered since the runtime started.
    pub fn context_switches(&self) -> u64 {
        self.core.switches.get()
    }

    /// Size of the stack of every fiber but the main one.
    pub fn stack_size_bytes(&self) -> usize {
        self.core.stack_size_words * size_of::<usize>()
    }

    /// About how much of the running fiber's stack is left.
    pub fn stack_left_bytes(&self) -> usize {
        let running = self.core.running.borrow();
        let size_bytes = match running.id {
            MAIN_ID => self.core.main_stack_size_bytes,
            _ => self.stack_size_bytes(),
        };
        size_bytes.saturating_sub(running.stack_base.get().abs_diff(stack_position()))
    }

    /// Time at the start of the present turn; cheaper than reading the clock.
    pub fn now(&self) -> Instant {
        self.core.clock.loop_time()
    }

    /// Adds a hook; hooks run in the order they were added, and cannot be taken out.
    pub fn add_switch_hook(&self, hook: Box<dyn SwitchHook>) {
        self.core.add_hook(Rc::from(hook));
    }

    /// A waker of `fiber` for other threads.
    pub fn waker(&self, fiber: &Fiber) -> Waker {
        self.core.inbox.waker(fiber.id())
    }

    pub(super) fn handle(&self, state: Rc<FiberState>) -> Fiber {
        Fiber {
            core: Rc::clone(&self.core),
            state,
        }
    }
}

impl std::fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scheduler")
            .field("running", &self.core.running().id)
            .field("alive", &self.core.alive.get())
            .finish_non_exhaustive()
    }
}
