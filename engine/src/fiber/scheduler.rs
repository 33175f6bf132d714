//! The scheduler: who runs next, and how one fiber hands over to another.
//!
//! The loop has no fiber of its own. Whoever stops running picks its successor from the ready queue;
//! when that is empty it reads the clock and the inbox, and blocks the thread on the inbox until the
//! next deadline. A *turn* is one pass over the fibers that were ready when it began, so timers and
//! other threads are heard even when fibers yield without end.
//!
//! A fiber that stops goes back to the loop of `may`'s worker, which runs the strand that has been in its
//! queue longest. That queue is kept in step with the ready queue, so that this is the strand of the
//! successor: `may` then switches without an atomic operation.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::FiberId;
use super::clock::LoopClock;
use super::handle::{Fiber, FiberState, Phase};
use super::inbox::{Inbox, Waker};
use super::runtime::{RuntimeOptions, panic_message};
use super::strand::{Job, Strand};
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

/// Told about switches, on the fiber that leaves or enters. A hook must not yield. Fibers that it
/// wakes are queued as usual.
pub trait SwitchHook {
    /// `leaving` is about to yield. Not called for a fiber that creates another one: that is no
    /// yield, and the creator continues at the new fiber's first yield.
    fn before_switch(&self, leaving: FiberId) {
        let _ = leaving;
    }

    /// `entering` runs from now on: it starts, returns from a yield, or from creating a fiber.
    fn after_switch(&self, entering: FiberId) {
        let _ = entering;
    }

    /// The body of fiber `id` has ended; it is still the running fiber, and its locals live.
    fn fiber_ended(&self, id: FiberId) {
        let _ = id;
    }
}

/// An address in the caller's frame.
#[inline(never)]
fn stack_position() -> usize {
    let here = 0_u8;
    std::hint::black_box(&raw const here).addr()
}

/// Everything the fibers of one runtime share.
pub(super) struct Core {
    pub(super) clock: LoopClock,
    pub(super) fibers: RefCell<BTreeMap<FiberId, Rc<FiberState>>>,
    running: RefCell<Rc<FiberState>>,
    ready: RefCell<VecDeque<Rc<FiberState>>>,
    /// Fibers of the present turn that have still to run.
    turn_left: Cell<usize>,
    /// Whether the running fiber has queued itself: `may` will queue its strand when it stops.
    leaving: Cell<bool>,
    /// Fibers that were queued behind the leaving one, for `may` to queue after it.
    late: RefCell<Vec<Rc<FiberState>>>,
    timers: RefCell<Timers>,
    inbox: Inbox,
    idle_strands: RefCell<Vec<Rc<Strand>>>,
    hooks: RefCell<Rc<Vec<Rc<dyn SwitchHook>>>>,
    has_hooks: Cell<bool>,
    next_id: Cell<FiberId>,
    alive: Cell<usize>,
    switches: Cell<u64>,
    stack_size_words: usize,
    main_stack_size_bytes: usize,
    max_fibers: usize,
}

impl Core {
    /// The core of a new runtime. The caller becomes its main fiber.
    pub(super) fn new(options: &RuntimeOptions) -> Rc<Self> {
        let main = FiberState::new(MAIN_ID, "main", Phase::Running, Strand::of_caller());
        main.stack_base.set(stack_position());
        Rc::new(Self {
            clock: LoopClock::new(options.clock),
            fibers: RefCell::new(BTreeMap::from([(MAIN_ID, Rc::clone(&main))])),
            running: RefCell::new(main),
            ready: RefCell::default(),
            turn_left: Cell::new(0),
            leaving: Cell::new(false),
            late: RefCell::default(),
            timers: RefCell::default(),
            inbox: Inbox::new(),
            idle_strands: RefCell::default(),
            hooks: RefCell::default(),
            has_hooks: Cell::new(false),
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
        self.fibers.borrow_mut().remove(&id);
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

    /// Queues a fiber whose strand is stopped, or the running one, which then stops. `may`'s queue gets
    /// the strands in the same order: that is all that decides which runs next.
    fn enqueue(&self, fiber: Rc<FiberState>) {
        fiber.phase.set(Phase::Ready);
        if self.leaving.get() {
            self.late.borrow_mut().push(Rc::clone(&fiber));
        } else if self.is_running(&fiber) {
            self.leaving.set(true);
        } else {
            fiber.strand.make_ready();
        }
        self.ready.borrow_mut().push_back(fiber);
    }

    fn is_running(&self, fiber: &FiberState) -> bool {
        std::ptr::eq(&raw const **self.running.borrow(), fiber)
    }

    pub(super) fn yield_now(&self) -> Wake {
        let me = self.running();
        if std::thread::panicking() {
            return Wake::Cancelled;
        }
        self.before_switch(&me);
        me.timed_out.set(false);
        self.enqueue(Rc::clone(&me));
        self.hand_over(&me);
        Wake::of(&me)
    }

    /// Suspends the running fiber until it is woken or `deadline` passes. A fiber that unwinds does
    /// not switch: the standard library counts panics by thread, so others would seem to unwind too.
    pub(super) fn suspend_until(&self, deadline: Option<Instant>) -> Wake {
        let me = self.running();
        if std::thread::panicking() {
            return Wake::Cancelled;
        }
        self.before_switch(&me);
        me.timed_out.set(false);
        me.phase.set(Phase::Suspended);
        if let Some(deadline) = deadline {
            let key = self.timers.borrow_mut().insert(deadline, Rc::clone(&me));
            me.timer.set(Some(key));
        }
        self.hand_over(&me);
        Wake::of(&me)
    }

    /// Lets another fiber run and returns when it is `me`'s turn again.
    fn hand_over(&self, me: &Rc<FiberState>) {
        me.switches.set(me.switches.get() + 1);
        self.running.replace(self.successor_of(me));
        self.pause(me);
        self.entered(me);
    }

    /// The fiber that created `me` and waits for its first yield, else the next ready one.
    fn successor_of(&self, me: &FiberState) -> Rc<FiberState> {
        let caller = me.caller.borrow_mut().take();
        (caller.filter(|caller| caller.phase.get() == Phase::Calling))
            .unwrap_or_else(|| self.next_ready())
    }

    /// Stops the strand of `me` until `me` is the running fiber. Whoever comes out of `may`'s queue and
    /// is not, goes behind.
    fn pause(&self, me: &FiberState) {
        while !self.is_running(me) {
            match me.phase.get() {
                Phase::Ready => Strand::stop_ready(),
                _ => Strand::stop(),
            }
            self.queue_late();
        }
        self.queue_late();
    }

    /// Lets `may` queue those whom the fiber before could not queue behind itself.
    fn queue_late(&self) {
        if self.leaving.replace(false) {
            let mut late = self.late.borrow_mut();
            late.drain(..).for_each(|fiber| fiber.strand.make_ready());
        }
    }

    /// What a fiber does first whenever it starts to run.
    fn entered(&self, me: &FiberState) {
        me.phase.set(Phase::Running);
        self.switches.set(self.switches.get() + 1);
        if self.has_hooks.get() {
            self.hooks()
                .iter()
                .for_each(|hook| hook.after_switch(me.id));
        }
    }

    fn before_switch(&self, me: &FiberState) {
        if self.has_hooks.get() {
            self.hooks()
                .iter()
                .for_each(|hook| hook.before_switch(me.id));
        }
    }

    /// Lists of hooks are replaced, so that a walk over the old one goes on.
    pub(super) fn add_hook(&self, hook: Rc<dyn SwitchHook>) {
        let mut hooks = Vec::clone(&self.hooks());
        hooks.push(hook);
        self.set_hooks(hooks);
    }

    pub(super) fn remove_hook(&self, hook: &Rc<dyn SwitchHook>) {
        let mut hooks = Vec::clone(&self.hooks());
        hooks.retain(|known| !Rc::ptr_eq(known, hook));
        self.set_hooks(hooks);
    }

    fn set_hooks(&self, hooks: Vec<Rc<dyn SwitchHook>>) {
        self.has_hooks.set(!hooks.is_empty());
        self.hooks.replace(Rc::new(hooks));
    }

    fn hooks(&self) -> Rc<Vec<Rc<dyn SwitchHook>>> {
        Rc::clone(&self.hooks.borrow())
    }

    /// The next fiber to run; blocks the thread while there is none.
    fn next_ready(&self) -> Rc<FiberState> {
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
        let fiber = self.fibers.borrow().get(&id).cloned();
        if let Some(fiber) = fiber {
            self.make_ready(&fiber);
        }
    }

    fn new_fiber(
        self: &Rc<Self>,
        name: &str,
        phase: Phase,
        body: impl FnOnce() + 'static,
    ) -> Result<(Rc<FiberState>, Job), CreateError> {
        let alive = self.alive.get();
        if alive >= self.max_fibers {
            return Err(CreateError::TooManyFibers(self.max_fibers));
        }
        let idle = self.idle_strands.borrow_mut().pop();
        let strand =
            idle.or_else(|| Strand::new(self.stack_size_words))
                .ok_or(CreateError::NoStack {
                    stack_size_bytes: self.stack_size_words * size_of::<usize>(),
                    alive,
                })?;
        let id = self.next_id.get();
        self.next_id.set(id + 1);
        self.alive.set(alive + 1);
        let fiber = FiberState::new(id, name, phase, Rc::clone(&strand));
        self.fibers.borrow_mut().insert(id, Rc::clone(&fiber));
        let (core, state) = (Rc::clone(self), Rc::clone(&fiber));
        let job: Job = Box::new(move || core.run_fiber(&state, body));
        Ok((fiber, job))
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
        self.pause(me);
        let mut body = Some(body);
        guarded(&mut || self.entered(me));
        guarded(&mut || body.take().into_iter().for_each(|body| body()));
        guarded(&mut || self.hooks().iter().for_each(|hook| hook.fiber_ended(me.id)));
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
        (fibers.values())
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
    pub fn create(&self, name: &str, body: impl FnOnce() + 'static) -> Result<Fiber, CreateError> {
        let (fiber, job) = self.core.new_fiber(name, Phase::Calling, body)?;
        let me = self.core.running();
        me.phase.set(Phase::Calling);
        *fiber.caller.borrow_mut() = Some(Rc::clone(&me));
        self.core.running.replace(Rc::clone(&fiber));
        fiber.strand.call(job);
        self.core.pause(&me);
        self.core.entered(&me);
        Ok(self.handle(fiber))
    }

    /// Makes a fiber and queues it behind those that are ready.
    pub fn spawn(&self, name: &str, body: impl FnOnce() + 'static) -> Result<Fiber, CreateError> {
        let (fiber, job) = self.core.new_fiber(name, Phase::Ready, body)?;
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
        let state = self.core.fibers.borrow().get(&id).cloned();
        state.map(|state| self.handle(state))
    }

    /// All fibers that [`find`](Self::find) would find, by ascending id.
    pub fn fibers(&self) -> Vec<Fiber> {
        let fibers = self.core.fibers.borrow();
        fibers
            .values()
            .map(|state| self.handle(Rc::clone(state)))
            .collect()
    }

    /// The living fiber with the smallest id above `id`: walks the fibers without collecting them.
    pub fn next_after(&self, id: FiberId) -> Option<Fiber> {
        let fibers = self.core.fibers.borrow();
        let (_, state) = fibers.range(id + 1..).next()?;
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
