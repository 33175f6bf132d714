//! Random programs of fiber operations, run by the scheduler and by a model of it.
//!
//! The model is the rules in their shortest form: a queue of ready fibers, a list of deadlines, and
//! a turn that expires deadlines before it runs those who were ready.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use lycosa_engine::fiber::{Clock, Fiber, RuntimeOptions, Wake, run};
use proptest::prelude::*;

/// One step of a fiber's program. Fibers are numbered from 0.
#[derive(Debug, Clone, Copy)]
enum Step {
    Yield,
    Sleep(u64),
    Wake(usize),
    Cancel(usize),
}

type Program = Vec<Vec<Step>>;

/// Fiber, step, and how the step's wait ended.
type Event = (usize, usize, Option<Wake>);

const FIBERS: usize = 5;

fn programs() -> impl Strategy<Value = Program> {
    let step = prop_oneof![
        Just(Step::Yield),
        (1_u64..6).prop_map(Step::Sleep),
        (0..FIBERS).prop_map(Step::Wake),
        (0..FIBERS).prop_map(Step::Cancel),
    ];
    let steps = prop::collection::vec(step, 0..8);
    prop::collection::vec(steps, FIBERS..=FIBERS)
}

/// What the scheduler does: spawns the fibers in order and sleeps until all have ended.
fn actual(program: Program) -> Vec<Event> {
    let mut options = RuntimeOptions::default();
    options.clock = Clock::Virtual;
    let outcome = run(options, move |scheduler| {
        let events = Rc::new(RefCell::new(Vec::new()));
        let fibers: Rc<RefCell<Vec<Fiber>>> = Rc::default();
        for (number, steps) in program.into_iter().enumerate() {
            let (inner, events) = (scheduler.clone(), Rc::clone(&events));
            let others = Rc::clone(&fibers);
            let body = move || {
                for (index, step) in steps.into_iter().enumerate() {
                    let other = |number: usize| others.borrow()[number].clone();
                    let wake = match step {
                        Step::Yield => Some(inner.yield_now()),
                        Step::Sleep(seconds) => Some(inner.sleep(Duration::from_secs(seconds))),
                        Step::Wake(number) => {
                            other(number).wakeup();
                            None
                        }
                        Step::Cancel(number) => {
                            other(number).cancel();
                            None
                        }
                    };
                    events.borrow_mut().push((number, index, wake));
                }
            };
            let fiber = scheduler.spawn("model", body).expect("a fiber");
            fibers.borrow_mut().push(fiber);
        }
        let _ = scheduler.sleep(Duration::from_secs(1000));
        events.take()
    });
    outcome.expect("the runtime starts")
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Ready,
    Waiting { until: u64, order: u64 },
    Ended,
}

struct Model {
    program: Program,
    next_step: [usize; FIBERS],
    place: [Place; FIBERS],
    cancelled: [bool; FIBERS],
    timed_out: [bool; FIBERS],
    ready: VecDeque<usize>,
    now: u64,
    sleeps: u64,
    events: Vec<Event>,
}

impl Model {
    fn new(program: Program) -> Self {
        Self {
            program,
            next_step: [0; FIBERS],
            place: [Place::Ready; FIBERS],
            cancelled: [false; FIBERS],
            timed_out: [false; FIBERS],
            ready: (0..FIBERS).collect(),
            now: 0,
            sleeps: 0,
            events: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<Event> {
        loop {
            self.expire();
            let turn = self.ready.len();
            for _ in 0..turn {
                if let Some(fiber) = self.ready.pop_front() {
                    self.run_fiber(fiber);
                }
            }
            if self.ready.is_empty() {
                let deadlines = self.place.iter().filter_map(|place| match place {
                    Place::Waiting { until, .. } => Some(*until),
                    _ => None,
                });
                match deadlines.min() {
                    Some(deadline) => self.now = deadline,
                    None => return self.events,
                }
            }
        }
    }

    fn expire(&mut self) {
        let mut due: Vec<_> = (0..FIBERS)
            .filter_map(|fiber| match self.place[fiber] {
                Place::Waiting { until, order } if until <= self.now => Some((until, order, fiber)),
                _ => None,
            })
            .collect();
        due.sort_unstable();
        for (_, _, fiber) in due {
            self.timed_out[fiber] = true;
            self.make_ready(fiber);
        }
    }

    fn make_ready(&mut self, fiber: usize) {
        self.place[fiber] = Place::Ready;
        self.ready.push_back(fiber);
    }

    fn wake(&mut self, fiber: usize) {
        if matches!(self.place[fiber], Place::Waiting { .. }) {
            self.make_ready(fiber);
        }
    }

    /// Runs a fiber to its next wait. `next_step` names the step that it waits in.
    fn run_fiber(&mut self, fiber: usize) {
        let waited = self.next_step[fiber] > 0;
        if waited {
            let wake = if self.cancelled[fiber] {
                Wake::Cancelled
            } else if self.timed_out[fiber] {
                Wake::TimedOut
            } else {
                Wake::Woken
            };
            self.events
                .push((fiber, self.next_step[fiber] - 1, Some(wake)));
        }
        while let Some(step) = self.program[fiber].get(self.next_step[fiber]).copied() {
            let index = self.next_step[fiber];
            self.next_step[fiber] += 1;
            self.timed_out[fiber] = false;
            match step {
                Step::Yield => return self.make_ready(fiber),
                Step::Sleep(seconds) => {
                    let (until, order) = (self.now + seconds, self.sleeps);
                    self.sleeps += 1;
                    self.place[fiber] = Place::Waiting { until, order };
                    return;
                }
                Step::Wake(other) if other != fiber => self.wake(other),
                Step::Wake(_) => {}
                Step::Cancel(other) => {
                    if self.place[other] != Place::Ended {
                        self.cancelled[other] = true;
                    }
                    if other != fiber {
                        self.wake(other);
                    }
                }
            }
            self.events.push((fiber, index, None));
        }
        self.place[fiber] = Place::Ended;
    }
}

proptest! {
    #[test]
    fn random_programs_run_in_the_order_that_the_model_says(program in programs()) {
        prop_assert_eq!(actual(program.clone()), Model::new(program).run());
    }
}
