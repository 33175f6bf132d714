//! The machine itself: the only code of this module that differs between systems.

use std::fs;

use super::{Source, Subject, Usage, Whose};

/// The machine that this process runs on.
#[derive(Debug, Clone, Copy)]
pub(in crate::worker) struct Host;

impl Source for Host {
    fn file(&self, path: &str) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect()
    }

    fn usage(&self, whose: Whose) -> Option<Usage> {
        let whose = match whose {
            Whose::Own => libc::RUSAGE_SELF,
            Whose::Children => libc::RUSAGE_CHILDREN,
        };
        // SAFETY: the struct is plain numbers, for which all zeros is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the call fills the struct, which outlives it.
        if unsafe { libc::getrusage(whose, &raw mut usage) } != 0 {
            return None;
        }
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        Some(Usage {
            user_s: seconds(usage.ru_utime),
            system_s: seconds(usage.ru_stime),
            minor_faults: usage.ru_minflt as u64,
            major_faults: usage.ru_majflt as u64,
            voluntary_switches: usage.ru_nvcsw as u64,
            involuntary_switches: usage.ru_nivcsw as u64,
        })
    }

    fn thread_cpu_s(&self) -> Option<f64> {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the call fills the struct, which outlives it.
        let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        (status == 0).then(|| time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
    }

    fn process_words(&self, subject: Subject) -> Vec<u64> {
        darwin::process_words(match subject {
            Subject::Own => std::process::id(),
            Subject::Process(process) => process,
        })
    }

    fn memory_words(&self) -> Vec<u64> {
        darwin::memory_words()
    }
}

/// What only macOS answers.
#[cfg(target_os = "macos")]
mod darwin {
    /// Words of `rusage_info_v4`, and of `rusage_info_v6`, which macOS 12 is the first to know.
    const FORMS: [(libc::c_int, usize); 2] = [(6, 58), (libc::RUSAGE_INFO_V4, 37)];

    /// `TASK_VM_INFO`, and the words of its first form.
    const TASK_VM_INFO: libc::c_int = 22;
    const TASK_VM_INFO_WORDS: usize = 18;

    /// Room for forms that later systems make longer.
    const WORDS_MAX: usize = 128;

    pub(super) fn process_words(process: u32) -> Vec<u64> {
        for (form, length) in FORMS {
            let mut words = vec![0_u64; WORDS_MAX];
            // SAFETY: the buffer is longer than the form that is asked for, which the call fills.
            let status = unsafe {
                libc::proc_pid_rusage(process as libc::c_int, form, words.as_mut_ptr().cast())
            };
            if status == 0 {
                words.truncate(length);
                return words;
            }
        }
        Vec::new()
    }

    #[expect(
        deprecated,
        reason = "one function is no reason for a crate of its own"
    )]
    pub(super) fn memory_words() -> Vec<u64> {
        let mut words = vec![0_u64; WORDS_MAX];
        // Counted in words of 32 bits.
        let mut count = 2 * WORDS_MAX as libc::mach_msg_type_number_t;
        // SAFETY: the buffer holds as many words as are told; the task is this process itself.
        let status = unsafe {
            libc::task_info(
                libc::mach_task_self(),
                TASK_VM_INFO as libc::task_flavor_t,
                words.as_mut_ptr().cast(),
                &raw mut count,
            )
        };
        if status != libc::KERN_SUCCESS || (count as usize) < 2 * TASK_VM_INFO_WORDS {
            return Vec::new();
        }
        words.truncate(count as usize / 2);
        words
    }
}

/// What only macOS answers.
#[cfg(not(target_os = "macos"))]
mod darwin {
    pub(super) fn process_words(_process: u32) -> Vec<u64> {
        Vec::new()
    }

    pub(super) fn memory_words() -> Vec<u64> {
        Vec::new()
    }
}
