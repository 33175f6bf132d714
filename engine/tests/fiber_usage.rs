//! What fibers take: measured while somebody asks for it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use lycosa_engine::fiber::{self, FiberUsage, RuntimeOptions, Usage};

fn work(duration: Duration) {
    let started = Instant::now();
    while started.elapsed() < duration {
        std::hint::spin_loop();
    }
}

#[test]
fn each_fiber_is_charged_for_its_own_time() {
    fiber::run(RuntimeOptions::default(), |scheduler| {
        let usage = Usage::start(scheduler);
        let rounds = Rc::new(Cell::new(0));
        let fibers = [8, 1].map(|milliseconds| {
            let (own, rounds) = (scheduler.clone(), Rc::clone(&rounds));
            let body = move || {
                for _ in 0..10 {
                    work(Duration::from_millis(milliseconds));
                    rounds.set(rounds.get() + 1);
                    let _ = own.sleep(Duration::from_millis(1));
                }
                let _ = own.sleep(Duration::from_mins(1));
            };
            scheduler.spawn("worker", body).unwrap().id()
        });
        while rounds.get() < 20 {
            let _ = scheduler.sleep(Duration::from_millis(1));
        }
        let _ = scheduler.yield_now();
        let [hard, easy] = fibers.map(|id| usage.of_fiber(id));
        assert!(hard.total >= Duration::from_millis(80), "{hard:?}");
        assert!(easy.total >= Duration::from_millis(10), "{easy:?}");
        assert!(hard.total > easy.total, "{hard:?} {easy:?}");
        let all = [
            hard,
            easy,
            usage.of_fiber(scheduler.current().id()),
            usage.of_scheduler(),
        ];
        let percents: f64 = all.iter().map(|one| one.last_turn_percent).sum();
        assert!((99.0..101.0).contains(&percents), "{all:?}");

        let before = usage.of_fiber(fibers[0]);
        usage.clone().stop();
        let _ = scheduler.sleep(Duration::from_millis(5));
        assert_eq!(usage.of_fiber(fibers[0]), before);
        assert_eq!(usage.of_fiber(0), FiberUsage::default());
    })
    .unwrap();
}

#[test]
fn a_fiber_that_creates_another_is_not_charged_for_it() {
    fiber::run(RuntimeOptions::default(), |scheduler| {
        let usage = Usage::start(scheduler);
        let own = scheduler.clone();
        let made = scheduler
            .create("made", move || {
                work(Duration::from_millis(200));
                let _ = own.sleep(Duration::from_mins(1));
            })
            .unwrap();
        let _ = scheduler.sleep(Duration::from_millis(1));
        let main = usage.of_fiber(scheduler.current().id());
        assert!(main.total < Duration::from_millis(200), "{main:?}");
        assert!(usage.of_fiber(made.id()).total >= Duration::from_millis(200));
    })
    .unwrap();
}
