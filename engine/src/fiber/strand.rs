//! Strands: stacks that run one fiber after another. The only place that knows `may`.
//!
//! A strand is a `may` coroutine that outlives the fibers it carries: making a coroutine costs some
//! microseconds and two memory mappings, handing a new job to an idle one costs a switch.
//!
//! There are three ways to stop, by what comes next. A strand whose fiber is ready *yields*: it goes to
//! the end of the queue of `may`'s worker, which takes no atomic operation. One whose fiber waits
//! *parks*, which takes about a dozen of them, 50 ns. One without a fiber is *idle*, and is called by
//! whoever has a job for it, as a function is called.

use std::cell::{Cell, OnceCell};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use may::coroutine::{self, Builder, Coroutine};
use may::sync::FastBlocker;

/// What a strand runs next: one whole fiber, its bookkeeping included. It must not unwind.
pub(super) type Job = Box<dyn FnOnce()>;

pub(super) struct Strand {
    coroutine: OnceCell<Coroutine>,
    /// Where the strand waits for a job. Whoever ends that wait runs the strand at once, on top of
    /// itself, until the strand stops.
    idle: FastBlocker,
    job: Cell<Option<Job>>,
    /// Where on its stack the strand began.
    top: Cell<usize>,
    quits: Cell<bool>,
}

/// An address in the caller's frame.
#[inline(never)]
pub(super) fn stack_position() -> usize {
    let here = 0_u8;
    std::hint::black_box(&raw const here).addr()
}

/// How many places there are for the frames of a strand to begin at, and about how far they lie apart. All
/// of them are on the first page of the stack, with room for the frames of a fiber that yields.
const SHIFT_COUNT: usize = 16;
const SHIFT_BYTES: usize = 80;

/// Carries a value into `may`'s `spawn`, which asks for `Send`.
struct StaysOnThread<T>(T);

// SAFETY: `may` runs with one worker, and a strand is only ever made by that worker (`Strand::new`
// is called by a running fiber) and resumed by it, so the value never changes threads.
unsafe impl<T> Send for StaysOnThread<T> {}

impl<T> StaysOnThread<T> {
    /// A method, so that closures capture the whole wrapper and not its field.
    fn into_inner(self) -> T {
        self.0
    }
}

/// Whether a stack can be mapped: tried in the way of `may`'s stacks, because those panic, and print it,
/// when they cannot.
fn can_map_stack(size_words: usize) -> bool {
    // SAFETY: `sysconf` only asks.
    let page_bytes = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let size_bytes = size_words * size_of::<usize>() + page_bytes;
    // SAFETY: a new mapping of our own, which nobody else uses and which is given back at once.
    unsafe {
        let mapped = libc::mmap(
            std::ptr::null_mut(),
            size_bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANON,
            -1,
            0,
        );
        if mapped == libc::MAP_FAILED {
            return false;
        }
        // The page that guards the stack is a mapping more.
        let is_guarded = libc::mprotect(mapped, page_bytes, libc::PROT_NONE) == 0;
        libc::munmap(mapped, size_bytes);
        is_guarded
    }
}

impl Strand {
    /// To be called on a strand, as `may` makes the means to wait for coroutines only.
    fn unattached() -> Rc<Self> {
        Rc::new(Self {
            coroutine: OnceCell::new(),
            idle: FastBlocker::new(),
            job: Cell::new(None),
            top: Cell::new(0),
            quits: Cell::new(false),
        })
    }

    /// The strand of the coroutine that calls: that of the main fiber.
    pub(super) fn of_caller() -> Rc<Self> {
        let strand = Self::unattached();
        strand.coroutine.get_or_init(coroutine::current);
        strand
    }

    /// A new strand, idle, the `number`th. `None` when no stack could be mapped. The caller must run on a strand itself.
    pub(super) fn new(stack_size_words: usize, number: usize) -> Option<Rc<Self>> {
        if !can_map_stack(stack_size_words) {
            return None;
        }
        let strand = Self::unattached();
        let carried = StaysOnThread(Rc::clone(&strand));
        let body = move || carried.into_inner().begin(number % SHIFT_COUNT);
        // A failed mapping panics inside `may` before anything was made, so it is safe to go on.
        let spawned = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the body touches no thread-local state across a pause that another coroutine
            // could see half-changed, and its stack has a guard page.
            unsafe {
                Builder::new()
                    .stack_size(stack_size_words)
                    .spawn_local(body)
            }
        }));
        let handle = spawned.ok()?.ok()?;
        strand.coroutine.get_or_init(|| handle.coroutine().clone());
        Some(strand)
    }

    /// Runs `job` on an idle strand and returns when that yields, parks or is idle again.
    pub(super) fn call(&self, job: Job) {
        self.job.set(Some(job));
        self.idle.unpark();
    }

    /// Stops the strand, which must be the caller's own, and puts it at the end of `may`'s queue.
    pub(super) fn stop_ready() {
        coroutine::yield_now();
    }

    /// Stops the strand, which must be the caller's own, until `make_ready`.
    pub(super) fn stop() {
        coroutine::park();
    }

    /// Puts a strand that `stop` has stopped at the end of `may`'s queue.
    pub(super) fn make_ready(&self) {
        if let Some(coroutine) = self.coroutine.get() {
            coroutine.unpark();
        }
    }

    /// Makes the strand end, and its stack go back to `may`, after its present job.
    pub(super) fn quit_after_job(&self) {
        self.quits.set(true);
    }

    /// Makes an idle strand end.
    pub(super) fn quit(&self) {
        self.quits.set(true);
        self.idle.unpark();
    }

    /// Where on its stack the strand began.
    pub(super) fn top(&self) -> usize {
        self.top.get()
    }

    fn begin(&self, shift: usize) {
        self.top.set(stack_position());
        self.work_below(shift);
    }

    /// Begins to work `shift` frames further down. Stacks begin at the same offset of a page, so without
    /// this the frames of all fibers would compete for the same few sets of the first cache.
    #[inline(never)]
    fn work_below(&self, shift: usize) {
        if shift == 0 {
            return self.work();
        }
        let space = [MaybeUninit::<u8>::uninit(); SHIFT_BYTES];
        std::hint::black_box(&space);
        self.work_below(shift - 1);
        std::hint::black_box(&space);
    }

    /// The life of a strand.
    fn work(&self) {
        while !self.quits.get() {
            // A wait without a limit ends by `unpark` only; without a job it begins again.
            let _ = self.idle.park(None);
            if let Some(job) = self.job.take() {
                job();
            }
        }
    }
}
