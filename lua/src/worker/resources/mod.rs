//! What a process takes of its machine: CPU time, memory, page faults, switches, I/O, energy.
//!
//! All judgement stands above [`Source`] and knows no platform, so that it is compiled and tested
//! everywhere from recorded answers; [`Host`] asks the machine itself. A reading costs some
//! microseconds for each file of `/proc`, so that none is taken while a transaction runs.

mod host;
mod linux;
mod macos;

use serde::{Deserialize, Serialize};

pub(super) use host::Host;

/// Counters over some time, and levels at its end. What a system does not tell is `None`, never 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Resources {
    /// CPU time of all threads outside the kernel, in seconds.
    pub cpu_user_s: Option<f64>,
    /// CPU time of all threads in the kernel, in seconds.
    pub cpu_system_s: Option<f64>,
    /// CPU time of the thread that runs all transactions, in seconds.
    pub transaction_thread_cpu_s: Option<f64>,
    /// CPU time of all other threads, in seconds.
    pub other_threads_cpu_s: Option<f64>,
    /// Page faults that took no I/O.
    pub minor_faults: Option<u64>,
    /// Page faults that waited for I/O.
    pub major_faults: Option<u64>,
    /// Switches of threads that had to wait.
    pub voluntary_switches: Option<u64>,
    /// Switches that the system forced on threads.
    pub involuntary_switches: Option<u64>,
    /// Bytes read from storage.
    pub read_bytes: Option<u64>,
    /// Bytes written towards storage.
    pub written_bytes: Option<u64>,
    /// Energy that macOS puts down to this process, in joules.
    pub energy_j: Option<f64>,
    /// Energy of the machine's processor packages, with all else that ran on them, in joules.
    pub package_energy_j: Option<f64>,
    /// Resident memory.
    pub resident_bytes: Option<u64>,
    /// Largest resident memory since the process started.
    pub resident_peak_bytes: Option<u64>,
    /// Memory that is not resident: swapped out, on macOS compressed as well.
    pub swap_bytes: Option<u64>,
    /// Heap of Lua.
    pub lua_heap_bytes: Option<u64>,
    /// What is taken of the quota: slabs in use, wholly or in part.
    pub quota_used_bytes: Option<u64>,
    /// Memory of all indexes.
    pub index_bytes: Option<u64>,
    /// Memory of all tuples.
    pub tuple_bytes: Option<u64>,
}

impl Resources {
    /// Counters from `before` until this reading, and this one's levels.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let cpu_s = elapsed(self.cpu_s(), before.cpu_s());
        let thread_cpu_s = elapsed(
            self.transaction_thread_cpu_s,
            before.transaction_thread_cpu_s,
        );
        Self {
            cpu_user_s: elapsed(self.cpu_user_s, before.cpu_user_s),
            cpu_system_s: elapsed(self.cpu_system_s, before.cpu_system_s),
            transaction_thread_cpu_s: thread_cpu_s,
            other_threads_cpu_s: others(cpu_s, thread_cpu_s),
            minor_faults: counted(self.minor_faults, before.minor_faults),
            major_faults: counted(self.major_faults, before.major_faults),
            voluntary_switches: counted(self.voluntary_switches, before.voluntary_switches),
            involuntary_switches: counted(self.involuntary_switches, before.involuntary_switches),
            read_bytes: counted(self.read_bytes, before.read_bytes),
            written_bytes: counted(self.written_bytes, before.written_bytes),
            energy_j: elapsed(self.energy_j, before.energy_j),
            // The counter of a package begins again at 0 now and then: then nothing is known.
            package_energy_j: elapsed(self.package_energy_j, before.package_energy_j),
            ..self.clone()
        }
    }

    /// CPU time of all threads, in seconds.
    pub fn cpu_s(&self) -> Option<f64> {
        Some(self.cpu_user_s? + self.cpu_system_s?)
    }
}

fn elapsed(after: Option<f64>, before: Option<f64>) -> Option<f64> {
    let difference = after? - before?;
    (difference >= 0.0).then_some(difference)
}

/// What is left to the other threads. The clock of a thread is finer than that of the process.
fn others(all_s: Option<f64>, thread_s: Option<f64>) -> Option<f64> {
    Some((all_s? - thread_s?).max(0.0))
}

fn counted(after: Option<u64>, before: Option<u64>) -> Option<u64> {
    after?.checked_sub(before?)
}

/// What the system counts of processes that POSIX has a call for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Usage {
    user_s: f64,
    system_s: f64,
    minor_faults: u64,
    major_faults: u64,
    voluntary_switches: u64,
    involuntary_switches: u64,
}

/// Whose usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// This process.
    Own,
    /// All that this process has started and waited for, and what those waited for.
    Children,
}

/// A process that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// This one.
    Own,
    /// Another one, by its number.
    Process(u32),
}

/// Ways to ask. What a system has no answer to is `None` or empty.
trait Source {
    /// Text of a small file.
    fn file(&self, path: &str) -> Option<String>;
    /// Names in a folder, in no order.
    fn names(&self, folder: &str) -> Vec<String>;
    /// `getrusage`.
    fn usage(&self, whose: Whose) -> Option<Usage>;
    /// CPU time of the calling thread, in seconds.
    fn thread_cpu_s(&self) -> Option<f64>;
    /// `proc_pid_rusage` of macOS in its sixth or fourth form, as words.
    fn process_words(&self, subject: Subject) -> Vec<u64>;
    /// `task_info(TASK_VM_INFO)` of macOS for this process, as words.
    fn memory_words(&self) -> Vec<u64>;
}

/// A reading of this process from its start, by the thread that runs the transactions.
pub(super) fn own(host: Host) -> Resources {
    reading(&host)
}

fn reading(source: &dyn Source) -> Resources {
    let thread_cpu_s = source.thread_cpu_s();
    let counters = source.usage(Whose::Own).map(counters).unwrap_or_default();
    Resources {
        transaction_thread_cpu_s: thread_cpu_s,
        other_threads_cpu_s: others(counters.cpu_s(), thread_cpu_s),
        package_energy_j: linux::package_energy_j(source),
        ..with_levels(&counters, source, Subject::Own)
    }
}

/// Memory, I/O and energy of another process; its CPU time, faults and switches are known when it
/// has ended and was waited for ([`children`]). All `None` for one that is not there or not ours.
pub fn of_process(process: u32) -> Resources {
    with_levels(&Resources::default(), &Host, Subject::Process(process))
}

/// CPU time, faults and switches of all processes that this one has started and waited for, and of
/// those that they have waited for.
pub fn children() -> Resources {
    let usage = Host.usage(Whose::Children);
    usage.map(counters).unwrap_or_default()
}

fn counters(usage: Usage) -> Resources {
    Resources {
        cpu_user_s: Some(usage.user_s),
        cpu_system_s: Some(usage.system_s),
        minor_faults: Some(usage.minor_faults),
        major_faults: Some(usage.major_faults),
        voluntary_switches: Some(usage.voluntary_switches),
        involuntary_switches: Some(usage.involuntary_switches),
        ..Resources::default()
    }
}

fn with_levels(counters: &Resources, source: &dyn Source, subject: Subject) -> Resources {
    if cfg!(target_os = "macos") {
        macos::add(counters, source, subject)
    } else {
        linux::add(counters, source, subject)
    }
}

#[cfg(test)]
mod testing {
    use std::collections::BTreeMap;

    use super::{Source, Subject, Usage, Whose};

    /// A system that answers from what was written down.
    #[derive(Debug, Default)]
    pub(super) struct Recorded {
        pub(super) files: BTreeMap<String, String>,
        pub(super) usage: Option<Usage>,
        pub(super) thread_cpu_s: Option<f64>,
        pub(super) process_words: Vec<u64>,
        pub(super) memory_words: Vec<u64>,
    }

    impl Recorded {
        /// The same with a file.
        pub(super) fn file(mut self, path: &str, text: &str) -> Self {
            self.files.insert(path.to_owned(), text.to_owned());
            self
        }
    }

    impl Source for Recorded {
        fn file(&self, path: &str) -> Option<String> {
            self.files.get(path).cloned()
        }

        fn names(&self, folder: &str) -> Vec<String> {
            let inside = self
                .files
                .keys()
                .filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'));
            let mut names: Vec<String> = inside
                .filter_map(|rest| Some(rest.split('/').next()?.to_owned()))
                .collect();
            names.dedup();
            names
        }

        fn usage(&self, _: Whose) -> Option<Usage> {
            self.usage
        }

        fn thread_cpu_s(&self) -> Option<f64> {
            self.thread_cpu_s
        }

        fn process_words(&self, _: Subject) -> Vec<u64> {
            self.process_words.clone()
        }

        fn memory_words(&self) -> Vec<u64> {
            self.memory_words.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::Recorded;
    use super::*;

    #[test]
    fn a_system_that_tells_nothing_leaves_everything_open() {
        assert_eq!(reading(&Recorded::default()), Resources::default());
    }

    #[test]
    fn threads_share_the_cpu_time_of_the_process() {
        let usage = Usage {
            user_s: 2.0,
            system_s: 0.5,
            ..Usage::default()
        };
        let recorded = |thread_cpu_s| Recorded {
            usage: Some(usage),
            thread_cpu_s: Some(thread_cpu_s),
            ..Recorded::default()
        };
        let found = reading(&recorded(2.0));
        assert_eq!(found.cpu_s(), Some(2.5));
        assert_eq!(found.other_threads_cpu_s, Some(0.5));
        assert_eq!(reading(&recorded(2.6)).other_threads_cpu_s, Some(0.0));
        let none_since = reading(&recorded(2.5)).since(&found);
        assert_eq!(none_since.other_threads_cpu_s, Some(0.0));
    }

    #[test]
    fn counters_are_differences_and_levels_are_those_of_the_end() {
        let before = Resources {
            minor_faults: Some(7),
            package_energy_j: Some(9.0),
            resident_bytes: Some(100),
            written_bytes: Some(5),
            ..Resources::default()
        };
        let after = Resources {
            minor_faults: Some(10),
            major_faults: Some(1),
            package_energy_j: Some(1.0),
            resident_bytes: Some(90),
            written_bytes: Some(4),
            ..Resources::default()
        };
        let found = after.since(&before);
        assert_eq!(found.minor_faults, Some(3));
        assert_eq!(found.resident_bytes, Some(90));
        // Not known before, begun again since, less than before.
        assert_eq!(found.major_faults, None);
        assert_eq!(found.package_energy_j, None);
        assert_eq!(found.written_bytes, None);
    }

    #[test]
    fn this_process_is_known_to_itself_and_a_missing_one_is_not() {
        let before = own(Host);
        let mut sum = 0_u64;
        while own(Host).since(&before).transaction_thread_cpu_s < Some(0.005) {
            sum = (0..10_000).fold(sum, u64::wrapping_add);
        }
        let spent = own(Host).since(&before);
        assert!(spent.cpu_s() >= Some(0.004), "{spent:?} {sum}");
        assert!(spent.resident_bytes > Some(1 << 16), "{spent:?}");
        let outside = of_process(std::process::id());
        assert!(outside.resident_bytes > Some(1 << 16), "{outside:?}");
        assert_eq!(of_process(u32::MAX >> 1), Resources::default());
    }
}
