//! A fiber as others see it: state, name, wake-up, cancel, join, locals.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use super::FiberId;
use super::scheduler::{Core, Wake};
use super::strand::Strand;
use super::timers::TimerKey;
use crate::prefetch;

/// Longest name of a fiber; what is beyond is cut off, at a character's border.
pub const NAME_LIMIT_BYTES: usize = 255;

/// Lines of the frames that a fiber returns through, and how far below [`FiberState::stopped_at`] they begin.
const FRAME_LINES: usize = 10;
const FRAMES_BELOW_BYTES: usize = 256;

/// Lines of what `may` keeps at the top of a stack.
const TOP_LINES: usize = 7;

/// What a fiber is doing, in Tarantool's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The fiber that asks.
    Running,
    /// Ready, waiting, not yet started, or ended but joinable and not yet joined.
    Suspended,
    /// Ended.
    Dead,
}

/// Why a join gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// `set_joinable(true)` was not called before, or the fiber has been joined already.
    #[error("the fiber {0} is not joinable: call set_joinable(true) first, and join once")]
    NotJoinable(FiberId),
    /// A fiber would wait for its own end.
    #[error("the fiber {0} cannot join itself")]
    Itself(FiberId),
    /// The fiber lived longer than the timeout. It is still joinable.
    #[error("the fiber {0} has not ended within the timeout")]
    TimedOut(FiberId),
    /// The fiber was parked for good before its end.
    #[error("the fiber {0} was abandoned before its end")]
    Abandoned(FiberId),
    /// The fiber's body panicked; the text is the panic's message.
    #[error("the fiber panicked: {0}")]
    Panicked(String),
}

/// Where a fiber stands in the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// In the ready queue.
    Ready,
    Running,
    /// Inside `create`, until the created fiber yields for the first time.
    Calling,
    Suspended,
    Ended,
    /// Parked for good: see [`Scheduler::abandon_other_fibers`](super::Scheduler::abandon_other_fibers).
    Abandoned,
}

/// What every switch touches comes first, and stays together.
#[repr(C)]
pub(super) struct FiberState {
    pub(super) id: FiberId,
    pub(super) phase: Cell<Phase>,
    pub(super) timed_out: Cell<bool>,
    pub(super) cancelled: Cell<bool>,
    pub(super) joinable: Cell<bool>,
    pub(super) switches: Cell<u64>,
    /// The fiber inside `create` that continues at this one's first yield.
    pub(super) caller: Cell<Option<Rc<FiberState>>>,
    /// Where on its stack the fiber stopped last.
    pub(super) stopped_at: Cell<usize>,
    /// What the fiber runs on; after its end another fiber's.
    pub(super) strand: Rc<Strand>,
    /// Where the strand began, below what `may` keeps at the top of the stack.
    pub(super) stack_top: Cell<usize>,
    /// Where on its stack the fiber began.
    pub(super) stack_base: Cell<usize>,
    /// Memory that the fiber touches as soon as it runs.
    pub(super) touched_first: Cell<usize>,
    /// A number that its maker keeps with the fiber.
    pub(super) tag: Cell<usize>,
    pub(super) timer: Cell<Option<TimerKey>>,
    pub(super) name: RefCell<Cow<'static, str>>,
    pub(super) joiners: RefCell<Vec<Rc<FiberState>>>,
    pub(super) panic_message: RefCell<Option<String>>,
    pub(super) locals: RefCell<Vec<(TypeId, Rc<dyn Any>)>>,
}

impl FiberState {
    pub(super) fn new(
        id: FiberId,
        name: Cow<'static, str>,
        phase: Phase,
        strand: Rc<Strand>,
    ) -> Rc<Self> {
        Rc::new(Self {
            id,
            name: RefCell::new(clipped(name)),
            phase: Cell::new(phase),
            timed_out: Cell::new(false),
            cancelled: Cell::new(false),
            joinable: Cell::new(false),
            switches: Cell::new(0),
            tag: Cell::new(0),
            stack_top: Cell::new(0),
            stopped_at: Cell::new(0),
            touched_first: Cell::new(0),
            stack_base: Cell::new(0),
            timer: Cell::new(None),
            strand,
            caller: Cell::new(None),
            joiners: RefCell::new(Vec::new()),
            panic_message: RefCell::new(None),
            locals: RefCell::new(Vec::new()),
        })
    }

    /// Fetches the frames that the fiber returns through when it goes on, what `may` keeps at the other
    /// end of the stack, and `touched_first`.
    #[inline]
    pub(super) fn prefetch(&self) {
        prefetch::lines(
            self.stopped_at.get().wrapping_sub(FRAMES_BELOW_BYTES),
            FRAME_LINES,
        );
        prefetch::lines(self.stack_top.get(), TOP_LINES);
        prefetch::lines(self.touched_first.get(), 2);
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.phase.get(), Phase::Ended | Phase::Abandoned)
    }
}

fn clipped(name: Cow<'static, str>) -> Cow<'static, str> {
    match name.len() {
        ..=NAME_LIMIT_BYTES => name,
        _ => name[..name.floor_char_boundary(NAME_LIMIT_BYTES)]
            .to_owned()
            .into(),
    }
}

/// A handle to a fiber. Clones are cheap and name the same fiber; dropping them all does not end it.
#[derive(Clone)]
pub struct Fiber {
    pub(super) core: Rc<Core>,
    pub(super) state: Rc<FiberState>,
}

impl Fiber {
    /// The fiber's id.
    pub fn id(&self) -> FiberId {
        self.state.id
    }

    /// The fiber's name, at most [`NAME_LIMIT_BYTES`] long.
    pub fn name(&self) -> String {
        self.state.name.borrow().clone().into_owned()
    }

    /// Renames the fiber, cutting the name off at [`NAME_LIMIT_BYTES`].
    pub fn set_name(&self, name: &str) {
        *self.state.name.borrow_mut() = clipped(name.to_owned().into());
    }

    /// What the fiber is doing. As in Tarantool, a joinable fiber that has ended counts as suspended
    /// until it is joined; [`is_alive`](Self::is_alive) tells the difference.
    pub fn status(&self) -> Status {
        match self.state.phase.get() {
            Phase::Running => Status::Running,
            Phase::Abandoned => Status::Dead,
            Phase::Ended if !self.state.joinable.get() => Status::Dead,
            _ => Status::Suspended,
        }
    }

    /// Whether the fiber's body has still to end.
    pub fn is_alive(&self) -> bool {
        !self.state.has_ended()
    }

    /// Makes a suspended or sleeping fiber ready; on any other fiber it does nothing.
    pub fn wakeup(&self) {
        self.core.make_ready(&self.state);
    }

    /// Asks the fiber to end: sets its flag and wakes it. The fiber finds out from the result of its
    /// wait or from [`is_cancelled`](Self::is_cancelled), and may carry on regardless.
    pub fn cancel(&self) {
        if !self.state.has_ended() {
            self.state.cancelled.set(true);
            self.core.make_ready(&self.state);
        }
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.get()
    }

    /// Whether the fiber waits to be joined when it ends.
    pub fn is_joinable(&self) -> bool {
        self.state.joinable.get()
    }

    /// A joinable fiber is kept after its end until [`join`](Self::join).
    pub fn set_joinable(&self, joinable: bool) {
        let became_garbage = !joinable && self.state.joinable.get() && self.state.has_ended();
        self.state.joinable.set(joinable && self.is_known());
        if became_garbage {
            self.core.forget(self.state.id);
        }
    }

    /// Waits until the fiber has ended, then lets it go. `timeout` of `None` waits without limit.
    /// A cancel of the waiting fiber does not end the wait, as in Tarantool; a fiber that unwinds from
    /// a panic does not wait.
    pub fn join(&self, timeout: Option<Duration>) -> Result<(), JoinError> {
        let id = self.state.id;
        if !self.state.joinable.get() {
            return Err(JoinError::NotJoinable(id));
        }
        let waiting = self.core.running();
        if Rc::ptr_eq(&waiting, &self.state) {
            return Err(JoinError::Itself(id));
        }
        let deadline = timeout.and_then(|timeout| self.core.clock.deadline_after(timeout));
        while self.is_alive() {
            self.state.joiners.borrow_mut().push(Rc::clone(&waiting));
            let _ = self.core.suspend_until(deadline);
            self.state
                .joiners
                .borrow_mut()
                .retain(|joiner| !Rc::ptr_eq(joiner, &waiting));
            let gives_up = waiting.timed_out.get() || std::thread::panicking();
            if gives_up && self.is_alive() {
                return Err(JoinError::TimedOut(id));
            }
        }
        // Of several that wait for one fiber, the first to run takes the result.
        if !self.state.joinable.replace(false) {
            return Err(JoinError::NotJoinable(id));
        }
        self.core.forget(id);
        if self.state.phase.get() == Phase::Abandoned {
            return Err(JoinError::Abandoned(id));
        }
        let panic_message = self.state.panic_message.borrow_mut().take();
        panic_message.map_or(Ok(()), |message| Err(JoinError::Panicked(message)))
    }

    /// How often the fiber was switched away from.
    pub fn context_switches(&self) -> u64 {
        self.state.switches.get()
    }

    /// Calls `access` with this fiber's own value of type `T`, made by `T::default` at first use and
    /// dropped, in the fiber, when it ends. `access` may yield and may nest.
    pub fn with_local<T: Default + 'static, R>(&self, access: impl FnOnce(&T) -> R) -> R {
        let wanted = TypeId::of::<T>();
        let found = (self.state.locals.borrow().iter())
            .find(|(key, _)| *key == wanted)
            .map(|(_, value)| Rc::clone(value));
        if let Some(value) = found.and_then(|value| value.downcast::<T>().ok()) {
            return access(&value);
        }
        let value = Rc::new(T::default());
        self.state
            .locals
            .borrow_mut()
            .push((wanted, Rc::clone(&value) as Rc<dyn Any>));
        access(&value)
    }

    /// The number that [`set_tag`](Self::set_tag) keeps with the fiber, 0 at first.
    pub fn tag(&self) -> usize {
        self.state.tag.get()
    }

    /// Keeps a number with the fiber, for whoever made it to find its own part of it.
    pub fn set_tag(&self, tag: usize) {
        self.state.tag.set(tag);
    }

    /// Names memory that the fiber touches as soon as it runs, to be fetched when that is near.
    pub fn set_touched_first(&self, address: usize) {
        self.state.touched_first.set(address);
    }

    /// Whether the registry still has the fiber.
    fn is_known(&self) -> bool {
        self.core.fibers.borrow().find(self.state.id).is_some()
    }
}

impl PartialEq for Fiber {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.state, &other.state)
    }
}

impl Eq for Fiber {}

impl fmt::Debug for Fiber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fiber")
            .field("id", &self.id())
            .field("name", &self.state.name.borrow())
            .field("phase", &self.state.phase.get())
            .finish_non_exhaustive()
    }
}

impl Wake {
    pub(super) fn of(state: &FiberState) -> Self {
        if state.cancelled.get() {
            Self::Cancelled
        } else if state.timed_out.get() {
            Self::TimedOut
        } else {
            Self::Woken
        }
    }
}
