//! What a process takes of the machine, seen from this one: for programs that do not say it
//! themselves, and beside what workers say. Covers the whole life of the process.
//!
//! A look costs two small files, on the core of this process; looks are a tick apart at least.

use std::time::{Duration, Instant};

use lycosa_lua::worker::Resources;
use lycosa_lua::worker::resources::{children, of_process};

/// One process from outside.
#[derive(Debug)]
pub(super) struct Outside {
    process: u32,
    every: Duration,
    looked: Option<Instant>,
    seen: Resources,
}

impl Outside {
    /// Looks at a process by its number, at most once `every` so often.
    pub(super) fn new(process: u32, every: Duration) -> Self {
        Self {
            process,
            every,
            looked: None,
            seen: Resources::default(),
        }
    }

    /// Looks, if it is time.
    pub(super) fn tick(&mut self) {
        if self
            .looked
            .is_none_or(|looked| looked.elapsed() >= self.every)
        {
            self.looked = Some(Instant::now());
            self.look();
        }
    }

    fn look(&mut self) {
        self.seen = later(&self.seen, of_process(self.process));
    }

    /// The last look, at a process that has ended and is not yet waited for; then `wait` waits for
    /// it, and for no other.
    pub(super) fn end<T>(&mut self, wait: impl FnOnce() -> T) -> (T, Resources) {
        self.look();
        let before = children();
        let ended = wait();
        let counters = children().since(&before);
        let resources = Resources {
            resident_bytes: self.seen.resident_bytes,
            resident_peak_bytes: self.seen.resident_peak_bytes,
            swap_bytes: self.seen.swap_bytes,
            read_bytes: self.seen.read_bytes,
            written_bytes: self.seen.written_bytes,
            energy_j: self.seen.energy_j,
            ..counters
        };
        (ended, resources)
    }
}

/// The newer of two looks; what an ending process no longer tells is kept.
fn later(earlier: &Resources, mut new: Resources) -> Resources {
    let peak = [
        earlier.resident_peak_bytes,
        new.resident_peak_bytes,
        new.resident_bytes,
    ];
    new.resident_bytes = new.resident_bytes.or(earlier.resident_bytes);
    new.resident_peak_bytes = peak.into_iter().flatten().max();
    new.swap_bytes = new.swap_bytes.or(earlier.swap_bytes);
    new.read_bytes = new.read_bytes.or(earlier.read_bytes);
    new.written_bytes = new.written_bytes.or(earlier.written_bytes);
    new.energy_j = new.energy_j.or(earlier.energy_j);
    new
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_is_seen_from_its_start_to_its_end() {
        let mut child = Command::new("/bin/sh")
            .args([
                "-c",
                "read line; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done",
            ])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut outside = Outside::new(child.id(), Duration::ZERO);
        outside.tick();
        drop(child.stdin.take());
        let (status, seen) = outside.end(|| child.wait());
        assert!(status.unwrap().success());
        assert!(seen.cpu_s() > Some(0.0), "{seen:?}");
        assert!(seen.resident_peak_bytes > Some(1 << 12), "{seen:?}");
        assert!(seen.minor_faults > Some(0), "{seen:?}");
        assert_eq!(seen.lua_heap_bytes, None);
    }

    #[test]
    fn what_an_ending_process_no_longer_tells_is_kept_and_peaks_stay() {
        let first = Resources {
            resident_bytes: Some(900),
            read_bytes: Some(5),
            ..Resources::default()
        };
        let seen = later(&Resources::default(), first);
        let second = Resources {
            resident_bytes: Some(300),
            read_bytes: Some(8),
            ..Resources::default()
        };
        let seen = later(&seen, second);
        let seen = later(&seen, Resources::default());
        assert_eq!(seen.resident_bytes, Some(300));
        assert_eq!(seen.resident_peak_bytes, Some(900));
        assert_eq!(seen.read_bytes, Some(8));
    }
}
