//! What fibers take: measured while somebody asks for it.

use std::time::{Duration, Instant};

use lycosa_engine::fiber::{self, FiberUsage, RuntimeOptions, Usage};

fn work(duration: Duration) {
    let started = Instant::now();
    while started.elapsed() < duration {
        std::hint::spin_loop();
    }
}

#[test]
fn each_fiber_is_charged_for_its_own_time_and_nobody_for_waiting() {
    fiber::run(RuntimeOptions::default(), |scheduler| {
        let usage = Usage::start(scheduler);
        let fibers = [4, 1].map(|milliseconds| {
            let own = scheduler.clone();
            let body = move || {
                for _ in 0..10 {
                    work(Duration::from_millis(milliseconds));
                    let _ = own.sleep(Duration::from_millis(1));
                }
                let _ = own.sleep(Duration::from_secs(60));
            };
            scheduler.spawn("worker", body).unwrap().id()
        });
        let _ = scheduler.sleep(Duration::from_millis(200));
        let [hard, easy] = fibers.map(|id| usage.of_fiber(id));
        assert!(hard.total >= Duration::from_millis(40), "{hard:?}");
        assert!(easy.total >= Duration::from_millis(10), "{easy:?}");
        assert!(hard.average_percent > easy.average_percent);
        let main = usage.of_fiber(scheduler.current().id());
        assert!(main.total < Duration::from_millis(100), "{main:?}");
        assert!(usage.of_scheduler().total < Duration::from_millis(100));

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
                work(Duration::from_millis(20));
                let _ = own.sleep(Duration::from_secs(60));
            })
            .unwrap();
        let _ = scheduler.sleep(Duration::from_millis(1));
        let main = usage.of_fiber(scheduler.current().id());
        assert!(main.total < Duration::from_millis(20), "{main:?}");
        assert!(usage.of_fiber(made.id()).total >= Duration::from_millis(20));
    })
    .unwrap();
}
