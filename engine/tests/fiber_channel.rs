//! Channels between fibers, in virtual time.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use lycosa_engine::fiber::{Channel, Clock, GetError, RuntimeOptions, Scheduler, run};

const SECOND: Duration = Duration::from_secs(1);

fn in_runtime<T: Send + 'static>(main: impl FnOnce(&Scheduler) -> T + Send + 'static) -> T {
    let mut options = RuntimeOptions::default();
    options.clock = Clock::Virtual;
    run(options, main).expect("the runtime starts")
}

#[test]
fn values_come_out_in_the_order_they_went_in_whatever_the_capacity() {
    for capacity in [0, 1, 3, 100] {
        let received = in_runtime(move |scheduler| {
            let channel = Rc::new(Channel::new(scheduler, capacity));
            for writer in 0..3 {
                let channel = Rc::clone(&channel);
                let body = move || {
                    for value in 0..4 {
                        channel
                            .put(writer * 10 + value, None)
                            .expect("the channel is open");
                    }
                };
                scheduler.spawn("writer", body).expect("a fiber");
            }
            (0..12)
                .filter_map(|_| channel.get(Some(SECOND)).ok())
                .collect::<Vec<_>>()
        });
        for writer in 0..3 {
            let own: Vec<_> = received
                .iter()
                .filter(|value| **value / 10 == writer)
                .collect();
            let expected: Vec<_> = (0..4).map(|value| writer * 10 + value).collect();
            assert_eq!(
                own,
                expected.iter().collect::<Vec<_>>(),
                "capacity {capacity}"
            );
        }
    }
}

#[test]
fn a_put_into_a_full_channel_fails_after_its_timeout_and_gives_the_value_back() {
    in_runtime(|scheduler| {
        let channel = Channel::new(scheduler, 1);
        assert_eq!(channel.put('a', None), Ok(()));
        assert!(channel.is_full());
        let before = scheduler.now();
        let refused = channel
            .put('b', Some(SECOND))
            .expect_err("the channel is full");
        assert_eq!((refused.value, refused.reason), ('b', GetError::TimedOut));
        assert_eq!(scheduler.now() - before, SECOND);
        assert_eq!(
            channel
                .put('c', Some(Duration::ZERO))
                .map_err(|error| error.value),
            Err('c')
        );
        assert!(!channel.has_writers());
    });
}

#[test]
fn a_value_put_for_a_reader_that_is_cancelled_in_the_same_turn_is_not_lost() {
    let seen = in_runtime(|scheduler| {
        let channel = Rc::new(Channel::new(scheduler, 0));
        let seen = Rc::new(RefCell::new(Vec::new()));
        let (theirs, results) = (Rc::clone(&channel), Rc::clone(&seen));
        let body = move || {
            let result = theirs.get(None);
            results.borrow_mut().push(result);
        };
        let reader = scheduler.create("reader", body).expect("a fiber");
        assert_eq!(channel.put(1, None), Ok(()));
        reader.cancel();
        let _ = scheduler.yield_now();
        seen.take()
    });
    assert_eq!(seen, [Ok(1)]);
}

#[test]
fn a_closed_channel_gives_what_it_holds_and_fails_waiters_and_puts() {
    in_runtime(|scheduler| {
        let channel = Rc::new(Channel::new(scheduler, 1));
        assert_eq!(channel.put(1, None), Ok(()));
        let seen = Rc::new(RefCell::new(Vec::new()));
        let (theirs, results) = (Rc::clone(&channel), Rc::clone(&seen));
        let body = move || {
            let result = theirs.put(2, None).map_err(|error| error.reason);
            results.borrow_mut().push(result);
        };
        scheduler.create("writer", body).expect("a fiber");
        assert!(channel.has_writers());
        channel.close();
        assert!(channel.is_closed());
        let _ = scheduler.yield_now();
        assert_eq!(seen.take(), [Err(GetError::Closed)]);
        assert_eq!(
            channel.put(3, None).map_err(|error| error.reason),
            Err(GetError::Closed)
        );
        assert_eq!(channel.get(None), Ok(1));
        assert_eq!(channel.get(None), Err(GetError::Closed));
    });
}

#[test]
fn a_cancelled_fiber_does_not_wait_in_a_channel() {
    in_runtime(|scheduler| {
        let channel = Channel::<u8>::new(scheduler, 0);
        scheduler.current().cancel();
        assert_eq!(channel.get(None), Err(GetError::Cancelled));
        let refused = channel.put(1, None).map_err(|error| error.reason);
        assert_eq!(refused, Err(GetError::Cancelled));
    });
}
