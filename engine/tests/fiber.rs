//! Fibers seen from the outside. Time is virtual unless a test says otherwise.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use lycosa_engine::fiber::{
    Clock, Condition, CreateError, Fiber, FiberId, JoinError, RuntimeError, RuntimeOptions,
    Scheduler, Status, SwitchHook, WaitError, Wake, run,
};

const SECOND: Duration = Duration::from_secs(1);

fn virtual_time() -> RuntimeOptions {
    let mut options = RuntimeOptions::default();
    options.clock = Clock::Virtual;
    options
}

fn in_runtime<T: Send + 'static>(main: impl FnOnce(&Scheduler) -> T + Send + 'static) -> T {
    run(virtual_time(), main).expect("the runtime starts")
}

/// A trace that fibers append to.
#[derive(Clone, Default)]
struct Trace(Rc<RefCell<Vec<String>>>);

impl Trace {
    fn add(&self, event: impl Into<String>) {
        self.0.borrow_mut().push(event.into());
    }

    fn text(&self) -> String {
        self.0.borrow().join(" ")
    }
}

#[test]
fn the_main_fiber_is_101_and_its_value_is_returned() {
    let (id, name, status) = in_runtime(|scheduler| {
        let main = scheduler.current();
        (main.id(), main.name(), main.status())
    });
    assert_eq!((id, name.as_str(), status), (101, "main", Status::Running));
}

#[test]
fn create_runs_the_fiber_at_once_until_its_first_yield() {
    let text = in_runtime(|scheduler| {
        let trace = Trace::default();
        let (inner, events) = (scheduler.clone(), trace.clone());
        let fiber = scheduler.create("child", move || {
            events.add("child-starts");
            let _ = inner.yield_now();
            events.add("child-ends");
        });
        trace.add("main-continues");
        assert_eq!(fiber.as_ref().map(Fiber::status), Ok(Status::Suspended));
        let _ = scheduler.yield_now();
        trace.add("main-again");
        assert_eq!(fiber.map(|fiber| fiber.status()), Ok(Status::Dead));
        trace.text()
    });
    assert_eq!(text, "child-starts main-continues child-ends main-again");
}

#[test]
fn spawned_fibers_run_in_the_order_they_were_spawned_and_yields_rotate() {
    let text = in_runtime(|scheduler| {
        let trace = Trace::default();
        for name in ["a", "b", "c"] {
            let (inner, events) = (scheduler.clone(), trace.clone());
            let body = move || {
                for round in 1..=3 {
                    events.add(format!("{name}{round}"));
                    let _ = inner.yield_now();
                }
            };
            scheduler.spawn(name, body).expect("a fiber");
        }
        let _ = scheduler.sleep(SECOND);
        trace.text()
    });
    assert_eq!(text, "a1 b1 c1 a2 b2 c2 a3 b3 c3");
}

#[test]
fn equal_sleeps_end_in_the_order_they_began_and_unequal_ones_by_deadline() {
    let text = in_runtime(|scheduler| {
        let trace = Trace::default();
        for (name, seconds) in [("a", 5), ("b", 3), ("c", 3), ("d", 1), ("e", 5)] {
            let (inner, events) = (scheduler.clone(), trace.clone());
            let body = move || {
                assert_eq!(inner.sleep(SECOND * seconds), Wake::TimedOut);
                events.add(name);
            };
            scheduler.spawn(name, body).expect("a fiber");
        }
        let _ = scheduler.sleep(SECOND * 9);
        trace.text()
    });
    assert_eq!(text, "d b c a e");
}

#[test]
fn a_wakeup_ends_a_sleep_early_and_a_second_one_does_nothing() {
    let (wakes, slept) = in_runtime(|scheduler| {
        let wakes = Rc::new(RefCell::new(Vec::new()));
        let (inner, seen) = (scheduler.clone(), Rc::clone(&wakes));
        let fiber = scheduler
            .create("sleeper", move || {
                seen.borrow_mut().push(inner.sleep(SECOND * 100));
                seen.borrow_mut().push(inner.sleep(SECOND));
            })
            .expect("a fiber");
        let start = scheduler.now();
        fiber.wakeup();
        fiber.wakeup();
        let _ = scheduler.sleep(SECOND * 2);
        (wakes.take(), scheduler.now() - start)
    });
    assert_eq!(wakes, [Wake::Woken, Wake::TimedOut]);
    assert_eq!(slept, SECOND * 2);
}

#[test]
fn a_fiber_that_wakes_itself_still_sleeps() {
    let wake = in_runtime(|scheduler| {
        scheduler.current().wakeup();
        scheduler.sleep(SECOND)
    });
    assert_eq!(wake, Wake::TimedOut);
}

#[test]
fn cancel_wakes_a_suspended_fiber_which_finds_out_from_its_wait() {
    let (wake, alive) = in_runtime(|scheduler| {
        let wake = Rc::new(Cell::new(None));
        let (inner, seen) = (scheduler.clone(), Rc::clone(&wake));
        let fiber = scheduler.create("waits", move || seen.set(Some(inner.suspend(None))));
        let fiber = fiber.expect("a fiber");
        fiber.cancel();
        assert!(fiber.is_cancelled() && fiber.is_alive());
        let _ = scheduler.yield_now();
        (wake.get(), fiber.is_alive())
    });
    assert_eq!((wake, alive), (Some(Wake::Cancelled), false));
}

#[test]
fn join_waits_for_the_end_and_works_once() {
    in_runtime(|scheduler| {
        let inner = scheduler.clone();
        let fiber = scheduler
            .spawn(
                "worker",
                move || while inner.sleep(SECOND) == Wake::Woken {},
            )
            .expect("a fiber");
        assert_eq!(fiber.join(None), Err(JoinError::NotJoinable(fiber.id())));
        fiber.set_joinable(true);
        assert_eq!(
            fiber.join(Some(SECOND / 2)),
            Err(JoinError::TimedOut(fiber.id()))
        );
        assert_eq!(fiber.join(None), Ok(()));
        assert_eq!(fiber.status(), Status::Dead);
        assert_eq!(fiber.join(None), Err(JoinError::NotJoinable(fiber.id())));
        let main = scheduler.current();
        main.set_joinable(true);
        assert_eq!(main.join(None), Err(JoinError::Itself(main.id())));
    });
}

#[test]
fn an_ended_joinable_fiber_stays_findable_and_suspended_until_joined() {
    in_runtime(|scheduler| {
        let fiber = scheduler.spawn("brief", || ()).expect("a fiber");
        fiber.set_joinable(true);
        let _ = scheduler.yield_now();
        assert!(!fiber.is_alive());
        assert_eq!(fiber.status(), Status::Suspended);
        assert_eq!(scheduler.find(fiber.id()).as_ref(), Some(&fiber));
        fiber.set_joinable(false);
        assert_eq!(fiber.status(), Status::Dead);
        assert_eq!(scheduler.find(fiber.id()), None);
    });
}

#[test]
fn a_panic_ends_its_fiber_only_and_join_tells_the_message() {
    let result = in_runtime(|scheduler| {
        let fiber = scheduler.create("panics", || std::panic::panic_any("no way out"));
        let fiber = fiber.expect("a fiber");
        assert!(!fiber.is_alive());
        let again = scheduler.spawn("panics", || std::panic::panic_any("still none"));
        let again = again.expect("a fiber");
        again.set_joinable(true);
        again.join(None)
    });
    assert_eq!(result, Err(JoinError::Panicked("still none".to_owned())));
}

#[test]
fn a_destructor_that_yields_during_a_panic_does_not_switch() {
    struct Yields(Scheduler, Trace);
    impl Drop for Yields {
        fn drop(&mut self) {
            assert_eq!(self.0.yield_now(), Wake::Cancelled);
            let channel = lycosa_engine::fiber::Channel::<u8>::new(&self.0, 0);
            assert!(channel.get(None).is_err());
            self.1.add("dropped");
        }
    }
    let text = in_runtime(|scheduler| {
        let trace = Trace::default();
        let guard = Yields(scheduler.clone(), trace.clone());
        let body = move || {
            let _guard = guard;
            std::panic::panic_any("unwinds");
        };
        scheduler.create("panics", body).expect("a fiber");
        trace.add(format!("main-unwinds:{}", std::thread::panicking()));
        trace.text()
    });
    assert_eq!(text, "dropped main-unwinds:false");
}

#[test]
fn a_panic_in_the_main_fiber_goes_on_in_the_caller_and_leaves_the_runtime_usable() {
    let caught = std::panic::catch_unwind(|| {
        in_runtime(|_| std::panic::panic_any("main fell"));
    });
    let payload = caught.expect_err("the panic arrives");
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"main fell"));
    assert_eq!(in_runtime(|_| 7), 7);
}

#[test]
fn a_runtime_inside_a_fiber_is_refused() {
    let nested = in_runtime(|_| run(RuntimeOptions::default(), |_| ()));
    assert!(matches!(nested, Err(RuntimeError::Nested)));
}

#[test]
fn a_stack_out_of_range_is_refused() {
    let mut options = RuntimeOptions::default();
    options.stack_size_bytes = 32;
    let refused = run(options, |_| ());
    assert!(matches!(
        refused,
        Err(RuntimeError::StackSize { size_bytes: 32 })
    ));
}

#[test]
fn more_fibers_than_the_limit_are_refused_and_room_comes_back() {
    let mut options = virtual_time();
    options.max_fibers = 3;
    let outcome = run(options, |scheduler| {
        let sleeper = || {
            let inner = scheduler.clone();
            scheduler.create(
                "sleeper",
                move || while inner.sleep(SECOND) == Wake::Woken {},
            )
        };
        let made = [sleeper().is_ok(), sleeper().is_ok()];
        let refused = sleeper().err();
        let _ = scheduler.sleep(SECOND * 2);
        (made, refused, sleeper().is_ok())
    });
    let expected = ([true, true], Some(CreateError::TooManyFibers(3)), true);
    assert_eq!(outcome.expect("the runtime starts"), expected);
}

#[test]
fn ten_thousand_fibers_live_at_once_and_their_stacks_serve_again() {
    let count = in_runtime(|scheduler| {
        let ended = Rc::new(Cell::new(0));
        for _round in 0..2 {
            for _ in 0..10_000 {
                let (inner, ended) = (scheduler.clone(), Rc::clone(&ended));
                let body = move || {
                    let _ = inner.sleep(SECOND);
                    ended.set(ended.get() + 1);
                };
                scheduler.create("one of many", body).expect("a fiber");
            }
            assert_eq!(scheduler.fibers().len(), 10_001);
            let _ = scheduler.sleep(SECOND * 2);
        }
        ended.get()
    });
    assert_eq!(count, 20_000);
}

#[test]
fn fibers_left_at_the_end_are_cancelled_and_stubborn_ones_do_not_hold_the_runtime() {
    static ENDED_IN_TIME: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    in_runtime(|scheduler| {
        let inner = scheduler.clone();
        let polite = move || {
            while inner.suspend(None) != Wake::Cancelled {}
            ENDED_IN_TIME.store(true, std::sync::atomic::Ordering::Relaxed);
        };
        scheduler.create("polite", polite).expect("a fiber");
        let inner = scheduler.clone();
        let stubborn = move || loop {
            let _ = inner.suspend(None);
        };
        scheduler.create("stubborn", stubborn).expect("a fiber");
    });
    assert!(ENDED_IN_TIME.load(std::sync::atomic::Ordering::Relaxed));
    assert_eq!(in_runtime(|scheduler| scheduler.fibers().len()), 1);
}

#[test]
fn abandoned_fibers_never_run_again_and_their_joiners_are_told() {
    let (outcome, ran) = in_runtime(|scheduler| {
        let ran = Rc::new(Cell::new(false));
        let (inner, flag) = (scheduler.clone(), Rc::clone(&ran));
        let body = move || {
            let _ = inner.sleep(SECOND);
            flag.set(true);
        };
        let fiber = scheduler.create("abandoned", body).expect("a fiber");
        fiber.set_joinable(true);
        assert_eq!(scheduler.abandon_other_fibers(), 1);
        fiber.wakeup();
        let _ = scheduler.sleep(SECOND * 2);
        assert_eq!(fiber.status(), Status::Dead);
        (fiber.join(None).map_err(|_| "abandoned"), ran.get())
    });
    assert_eq!((outcome, ran), (Err("abandoned"), false));
}

#[test]
fn names_are_cut_at_255_bytes_on_a_character_border() {
    let name = in_runtime(|scheduler| {
        let fiber = scheduler.current();
        fiber.set_name(&"ü".repeat(200));
        fiber.name()
    });
    assert_eq!(name, "ü".repeat(127));
}

#[test]
fn locals_belong_to_their_fiber_and_are_dropped_in_it() {
    struct DropsIn(Option<Rc<Cell<FiberId>>>, Option<Scheduler>);
    impl Drop for DropsIn {
        fn drop(&mut self) {
            if let (Some(seen), Some(scheduler)) = (&self.0, &self.1) {
                seen.set(scheduler.current().id());
            }
        }
    }
    #[derive(Default)]
    struct Counter(Cell<u32>, RefCell<Option<DropsIn>>);

    in_runtime(|scheduler| {
        let seen = Rc::new(Cell::new(0));
        let (inner, witness) = (scheduler.clone(), Rc::clone(&seen));
        let body = move || {
            let me = inner.current();
            me.with_local(|counter: &Counter| counter.0.set(counter.0.get() + 1));
            let _ = inner.yield_now();
            let drops_in = DropsIn(Some(witness), Some(inner.clone()));
            me.with_local(|counter: &Counter| {
                assert_eq!(counter.0.get(), 1);
                *counter.1.borrow_mut() = Some(drops_in);
            });
        };
        let fiber = scheduler.create("has locals", body).expect("a fiber");
        let main = scheduler.current();
        assert_eq!(main.with_local(|counter: &Counter| counter.0.get()), 0);
        let _ = scheduler.yield_now();
        assert_eq!(seen.get(), fiber.id());
    });
}

#[test]
fn hooks_see_leaving_entering_and_ending_but_no_leaving_for_create() {
    struct Recorder(Trace);
    impl SwitchHook for Recorder {
        fn before_switch(&self, leaving: FiberId) {
            self.0.add(format!("-{leaving}"));
        }
        fn after_switch(&self, entering: FiberId) {
            self.0.add(format!("+{entering}"));
        }
        fn fiber_ended(&self, id: FiberId) {
            self.0.add(format!("x{id}"));
        }
    }
    let text = in_runtime(|scheduler| {
        let trace = Trace::default();
        scheduler.add_switch_hook(Box::new(Recorder(trace.clone())));
        let inner = scheduler.clone();
        scheduler
            .create("child", move || assert_eq!(inner.yield_now(), Wake::Woken))
            .expect("a fiber");
        trace.add("created");
        let _ = scheduler.yield_now();
        trace.text()
    });
    assert_eq!(text, "+102 -102 +101 created -101 +102 x102 +101");
}

#[test]
fn a_waker_wakes_from_another_thread_in_real_time() {
    let outcome = run(RuntimeOptions::default(), |scheduler| {
        let waker = scheduler.waker(&scheduler.current());
        let arrived = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let flag = std::sync::Arc::clone(&arrived);
        let thread = std::thread::spawn(move || {
            flag.store(true, std::sync::atomic::Ordering::Release);
            waker.wake();
            waker
        });
        while !arrived.load(std::sync::atomic::Ordering::Acquire) {
            let _ = scheduler.suspend(Some(Duration::from_mins(1)));
        }
        thread.join().map_err(|_| "the waking thread panicked")
    });
    let waker = outcome
        .expect("the runtime starts")
        .expect("the thread ends");
    // The runtime is over: nothing to wake, and no harm.
    waker.wake();
}

#[test]
fn real_sleeps_last_at_least_as_long_as_asked() {
    let outcome = run(RuntimeOptions::default(), |scheduler| {
        let start = Instant::now();
        let wake = scheduler.sleep(Duration::from_millis(5));
        (wake, start.elapsed() >= Duration::from_millis(5))
    });
    assert_eq!(outcome.expect("the runtime starts"), (Wake::TimedOut, true));
}

#[test]
fn fibers_that_yield_without_end_do_not_starve_timers() {
    let outcome = run(RuntimeOptions::default(), |scheduler| {
        for _ in 0..2 {
            let inner = scheduler.clone();
            let body = move || while inner.yield_now() != Wake::Cancelled {};
            scheduler.spawn("spins", body).expect("a fiber");
        }
        scheduler.sleep(Duration::from_millis(1))
    });
    assert_eq!(outcome.expect("the runtime starts"), Wake::TimedOut);
}

#[test]
fn a_signal_is_not_lost_on_a_waiter_that_timed_out_in_the_same_turn() {
    let results = in_runtime(|scheduler| {
        let condition = Rc::new(Condition::new(scheduler));
        let results = Rc::new(RefCell::new(Vec::new()));
        let inner = scheduler.clone();
        let signals = Rc::clone(&condition);
        // Its deadline comes first, so it runs while the waiter is ready but has not run.
        let signaller = move || {
            let _ = inner.sleep(SECOND);
            signals.signal();
        };
        scheduler.create("signals", signaller).expect("a fiber");
        for timeout in [Some(SECOND), None] {
            let (condition, results) = (Rc::clone(&condition), Rc::clone(&results));
            let body = move || {
                let result = condition.wait(timeout);
                results.borrow_mut().push(result);
            };
            scheduler.create("waits", body).expect("a fiber");
        }
        let _ = scheduler.sleep(SECOND * 2);
        results.take()
    });
    assert_eq!(results, [Err(WaitError::TimedOut), Ok(())]);
}

#[test]
fn broadcast_wakes_all_waiters_in_order_and_cancel_tells_so() {
    let text = in_runtime(|scheduler| {
        let condition = Rc::new(Condition::new(scheduler));
        let trace = Trace::default();
        let mut fibers = Vec::new();
        for name in ["a", "b", "c"] {
            let (condition, trace) = (Rc::clone(&condition), trace.clone());
            let body = move || {
                let result = condition.wait(None);
                trace.add(format!("{name}:{result:?}"));
            };
            fibers.push(scheduler.create(name, body).expect("a fiber"));
        }
        fibers[1].cancel();
        condition.broadcast();
        let _ = scheduler.yield_now();
        trace.text()
    });
    assert_eq!(text, "b:Err(Cancelled) a:Ok(()) c:Ok(())");
}
