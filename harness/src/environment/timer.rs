//! How fine the clock is that times a run, measured on it.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// Reads of the clock in one go: a few dozen steps of the coarsest clock in use, 41.7 ns on Apple
/// silicon.
const READS: u32 = 512;

/// How often that is done; the fastest time counts, since a thread may be interrupted.
const ROUNDS: u32 = 16;

/// The monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timer {
    /// Smallest difference between two reads that is none of 0.
    pub(crate) step_ns: u64,
    /// One read.
    pub(crate) read_ns: f64,
}

/// Measures the clock of this process. Costs less than a millisecond.
pub(crate) fn measure() -> Option<Timer> {
    let started = Instant::now();
    timer(|| started.elapsed().as_nanos() as u64)
}

/// Measures a clock that tells nanoseconds; `None` if it stands still.
fn timer(mut now_ns: impl FnMut() -> u64) -> Option<Timer> {
    let (mut step_ns, mut round_ns) = (u64::MAX, u64::MAX);
    for _ in 0..ROUNDS {
        let first_ns = now_ns();
        let mut last_ns = first_ns;
        for _ in 0..READS {
            let read_ns = now_ns();
            if read_ns > last_ns {
                step_ns = step_ns.min(read_ns - last_ns);
                last_ns = read_ns;
            }
        }
        round_ns = round_ns.min(last_ns - first_ns);
    }
    (step_ns < u64::MAX).then_some(Timer {
        step_ns,
        read_ns: round_ns as f64 / f64::from(READS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarse_clock_shows_its_step_and_the_cost_of_a_read() {
        let mut reads = 0;
        let timer = timer(|| {
            reads += 1;
            // 10 ns a read, in ticks of 125/3 ns.
            reads * 10 * 3 / 125 * 125 / 3
        })
        .unwrap();
        assert_eq!(timer.step_ns, 41);
        assert!((timer.read_ns - 10.0).abs() < 0.1, "{timer:?}");
    }

    #[test]
    fn a_clock_that_stands_still_has_no_step() {
        assert_eq!(timer(|| 1), None);
    }

    #[test]
    fn the_clock_of_this_machine_is_finer_than_a_transaction() {
        let timer = measure().unwrap();
        assert!((1..100_000).contains(&timer.step_ns), "{timer:?}");
    }
}
