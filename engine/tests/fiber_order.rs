//! The order of switches of a program that a seed draws: the same in every run.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use lycosa_engine::fiber::{self, Clock, RuntimeOptions, Scheduler};

const FIBERS: u64 = 20;
const STEPS: u64 = 50;

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn work(scheduler: &Scheduler, number: u64, seed: u64, trace: &RefCell<Vec<u64>>) {
    let mut random = Random(seed + number);
    for _ in 0..STEPS {
        trace.borrow_mut().push(number);
        match random.below(4) {
            0 => {
                let _ = scheduler.sleep(Duration::from_millis(random.below(5)));
            }
            1 => {
                let fibers = scheduler.fibers();
                fibers[random.below(fibers.len() as u64) as usize].wakeup();
            }
            _ => {
                let _ = scheduler.yield_now();
            }
        }
    }
}

/// Which fiber took each step.
fn order(seed: u64) -> Vec<u64> {
    let mut options = RuntimeOptions::default();
    options.clock = Clock::Virtual;
    fiber::run(options, move |scheduler| {
        let trace = Rc::new(RefCell::new(Vec::new()));
        let fibers: Vec<_> = (1..=FIBERS)
            .map(|number| {
                let (own, trace) = (scheduler.clone(), Rc::clone(&trace));
                let body = move || work(&own, number, seed, &trace);
                let fiber = scheduler.spawn("worker", body).expect("a fiber");
                fiber.set_joinable(true);
                fiber
            })
            .collect();
        for fiber in fibers {
            fiber.join(None).expect("a fiber that ends");
        }
        trace.take()
    })
    .expect("the runtime starts")
}

#[test]
fn a_seed_gives_the_same_order_every_time_and_another_seed_another() {
    let first = order(42);
    assert_eq!(first.len() as u64, FIBERS * STEPS);
    assert_eq!(first, order(42));
    assert_ne!(first, order(43));
}

#[test]
fn fibers_begin_as_they_were_spawned_and_the_order_of_seed_42_is_known() {
    let order = order(42);
    let mut begun = Vec::new();
    for number in &order {
        if !begun.contains(number) {
            begun.push(*number);
        }
    }
    assert_eq!(begun, (1..=FIBERS).collect::<Vec<u64>>());
    let digest = order.iter().fold(0_u64, |digest, number| {
        digest.wrapping_mul(31).wrapping_add(*number)
    });
    assert_eq!(digest, 6_754_925_673_938_541_106);
}
