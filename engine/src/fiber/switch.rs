//! The switch: how the running fiber stops and the next one goes on.
//!
//! A fiber that stops goes back to the loop of `may`'s worker, which runs the strand that has been in its
//! queue longest. That queue is kept in step with the ready queue, so that this is the strand of the
//! successor, and a switch takes no atomic operation.

use std::rc::Rc;
use std::time::Instant;

use crate::prefetch;

use super::FiberId;
use super::handle::{FiberState, Phase};
use super::scheduler::{Core, Wake};
use super::strand::Strand;

/// How far ahead the memory of fibers that will run is fetched: two switches take about as long as a
/// read from memory.
const PREFETCH_AHEAD: usize = 2;

/// Ready fibers from which on it pays to fetch: the memory of fewer stays in the caches.
const PREFETCH_FROM: usize = 500;

/// Told about switches, on the fiber that leaves or enters. A hook must not yield, nor add or
/// remove hooks. Fibers that it wakes are queued as usual.
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

impl Core {
    /// Queues a fiber whose strand is stopped, or the running one, which then stops. `may`'s queue gets
    /// the strands in the same order: that is all that decides which runs next.
    pub(super) fn enqueue(&self, fiber: Rc<FiberState>) {
        fiber.phase.set(Phase::Ready);
        if self.leaving.get() {
            self.late.borrow_mut().push(Rc::clone(&fiber));
            self.has_late.set(true);
        } else if self.is_running(&fiber) {
            self.leaving.set(true);
        } else {
            fiber.strand.make_ready();
        }
        self.ready.borrow_mut().push_back(fiber);
    }

    #[inline]
    fn is_running(&self, fiber: &FiberState) -> bool {
        std::ptr::eq(&raw const **self.running.borrow(), fiber)
    }

    pub(super) fn yield_now(&self) -> Wake {
        let me = self.running();
        if std::thread::panicking() {
            return Wake::Cancelled;
        }
        self.tell_hooks(|hook| hook.before_switch(me.id));
        me.timed_out.set(false);
        me.phase.set(Phase::Ready);
        self.leaving.set(true);
        self.ready.borrow_mut().push_back(Rc::clone(&me));
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
        self.tell_hooks(|hook| hook.before_switch(me.id));
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
    #[inline]
    fn hand_over(&self, me: &FiberState) {
        let here = 0_u8;
        me.stopped_at.set((&raw const here).addr());
        me.switches.set(me.switches.get() + 1);
        let next = self.successor_of(me);
        self.running.replace(next);
        self.prefetch();
        self.pause(me);
        self.entered(me);
    }

    /// The fiber that created `me` and waits for its first yield, else the next ready one.
    #[inline]
    pub(super) fn successor_of(&self, me: &FiberState) -> Rc<FiberState> {
        (me.caller.take())
            .filter(|caller| caller.phase.get() == Phase::Calling)
            .unwrap_or_else(|| self.next_ready())
    }

    /// Fetches what the fibers after the next one touch first. Among thousands of fibers nearly all of
    /// it is in memory only, and to wait for it would take most of a switch.
    #[inline]
    fn prefetch(&self) {
        let ready = self.ready.borrow();
        if ready.len() < PREFETCH_FROM {
            return;
        }
        if let Some(later) = ready.get(2 * PREFETCH_AHEAD) {
            prefetch::lines(Rc::as_ptr(later).addr(), 2);
        }
        if let Some(soon) = ready.get(PREFETCH_AHEAD) {
            soon.prefetch();
        }
    }

    /// Stops the strand of `me` until `me` is the running fiber. An abandoned fiber that still was in
    /// `may`'s queue stops for good; anyone else who came out of turn would go behind.
    #[inline]
    pub(super) fn pause(&self, me: &FiberState) {
        while !self.is_running(me) {
            match me.phase.get() {
                Phase::Ready => Strand::stop_ready(),
                _ => Strand::stop(),
            }
            debug_assert!(
                self.is_running(me) || me.phase.get() == Phase::Abandoned,
                "the queues are out of step"
            );
            self.queue_late();
        }
        self.queue_late();
    }

    /// Lets `may` queue those whom the fiber before could not queue behind itself.
    #[inline]
    fn queue_late(&self) {
        self.leaving.set(false);
        if self.has_late.get() {
            self.queue_all_late();
        }
    }

    #[cold]
    fn queue_all_late(&self) {
        self.has_late.set(false);
        for fiber in self.late.borrow_mut().drain(..) {
            fiber.strand.make_ready();
        }
    }

    /// What a fiber does first whenever it starts to run.
    #[inline]
    pub(super) fn entered(&self, me: &FiberState) {
        me.phase.set(Phase::Running);
        self.switches.set(self.switches.get() + 1);
        self.tell_hooks(|hook| hook.after_switch(me.id));
    }

    #[inline]
    pub(super) fn tell_hooks(&self, tell: impl Fn(&dyn SwitchHook)) {
        for hook in &*self.hooks.borrow() {
            tell(&**hook);
        }
    }

    pub(super) fn add_hook(&self, hook: Rc<dyn SwitchHook>) {
        self.hooks.borrow_mut().push(hook);
    }

    pub(super) fn remove_hook(&self, hook: &Rc<dyn SwitchHook>) {
        let mut hooks = self.hooks.borrow_mut();
        hooks.retain(|known| !Rc::ptr_eq(known, hook));
    }
}
