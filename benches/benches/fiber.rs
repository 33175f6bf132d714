//! Fibers beside the crates that switch stacks: `may`, which the engine's fibers stand on, with
//! its own scheduler on one thread; and `corosensei`, a bare coroutine without any scheduler.
//!
//! A *switch* goes to another stack: a round trip between two is two of them. A *creation* is a
//! stack from the recycled ones, an empty body run to its end, and the stack given back.

use std::hint::black_box;
use std::time::{Duration, Instant};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lycosa_engine::fiber::{self, RuntimeOptions, Scheduler};

const STACK_SIZE_BYTES: usize = 1 << 20;

/// Times `body` in the main fiber of a runtime.
fn in_runtime(body: impl FnOnce(&Scheduler) -> Duration + Send + 'static) -> Duration {
    fiber::run(RuntimeOptions::default(), body).expect("the runtime starts")
}

/// Times `body` in a coroutine of `may`, as the runtime has set it up: one worker thread.
fn in_may(body: impl FnOnce() -> Duration + Send + 'static) -> Duration {
    in_runtime(|_| Duration::ZERO);
    // SAFETY: neither body holds a reference to a thread-local value, and both stacks have room.
    unsafe { may::coroutine::spawn(body) }
        .join()
        .expect("the body does not panic")
}

/// A coroutine that suspends whenever it is resumed, until it is resumed with `false`.
fn suspending() -> Coroutine<bool, (), ()> {
    Coroutine::new(|yielder, goes_on| {
        let mut goes_on = goes_on;
        while goes_on {
            goes_on = yielder.suspend(());
        }
    })
}

fn engine_round_trips(scheduler: &Scheduler, count: u64) -> Duration {
    let other = scheduler.clone();
    let partner = scheduler
        .spawn("partner", move || {
            for _ in 0..=count {
                let _ = other.yield_now();
            }
        })
        .expect("there is memory for a stack");
    partner.set_joinable(true);
    let _ = scheduler.yield_now();
    let start = Instant::now();
    for _ in 0..count {
        let _ = scheduler.yield_now();
    }
    let elapsed = start.elapsed();
    partner.join(None).expect("the partner ends by itself");
    elapsed
}

fn may_round_trips(count: u64) -> Duration {
    // SAFETY: the body touches nothing, and its stack has room.
    let partner = unsafe {
        may::coroutine::spawn(move || {
            for _ in 0..=count {
                may::coroutine::yield_now();
            }
        })
    };
    may::coroutine::yield_now();
    let start = Instant::now();
    for _ in 0..count {
        may::coroutine::yield_now();
    }
    let elapsed = start.elapsed();
    partner.join().expect("the partner does not panic");
    elapsed
}

fn switch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fiber round trip");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .throughput(Throughput::Elements(2));
    group.bench_function("engine", |bencher| {
        bencher
            .iter_custom(|count| in_runtime(move |scheduler| engine_round_trips(scheduler, count)));
    });
    group.bench_function("may", |bencher| {
        bencher.iter_custom(|count| in_may(move || may_round_trips(count)));
    });
    group.bench_function("corosensei", |bencher| {
        let mut coroutine = suspending();
        bencher.iter(|| black_box(coroutine.resume(true)));
        // It must end by itself: dropped as it is, it would have to be unwound.
        coroutine.resume(false);
    });
    group.finish();
}

fn create(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fiber creation");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .throughput(Throughput::Elements(1));
    group.bench_function("engine", |bencher| {
        bencher.iter_custom(|count| {
            in_runtime(move |scheduler| {
                let start = Instant::now();
                for _ in 0..count {
                    let made = scheduler.create("short", || {});
                    black_box(made.expect("there is memory for a stack"));
                }
                start.elapsed()
            })
        });
    });
    group.bench_function("may", |bencher| {
        bencher.iter_custom(|count| {
            in_may(move || {
                let start = Instant::now();
                for _ in 0..count {
                    // SAFETY: an empty body touches nothing.
                    let made = unsafe { may::coroutine::spawn(|| {}) };
                    made.join().expect("the body does not panic");
                }
                start.elapsed()
            })
        });
    });
    group.bench_function("corosensei", |bencher| {
        let mut recycled = Some(DefaultStack::new(STACK_SIZE_BYTES).expect("memory for a stack"));
        bencher.iter(|| {
            let stack = recycled.take().expect("the last iteration gave it back");
            let mut coroutine =
                Coroutine::<(), (), (), _>::with_stack(stack, |_, ()| black_box(()));
            assert!(matches!(coroutine.resume(()), CoroutineResult::Return(())));
            recycled = Some(coroutine.into_stack());
        });
    });
    group.finish();
}

criterion_group!(benches, switch, create);
criterion_main!(benches);
