//! On which kind of core the transaction thread runs.
//!
//! macOS lets nobody choose a core; it gives threads of high quality of service to performance
//! cores and those of the background to efficiency cores alone. Threads do not inherit it, so
//! [`apply`] is called on the transaction thread itself. On Linux the thread is bound to the CPUs
//! of one kind.

use serde::{Deserialize, Serialize};

use super::linux;
use super::macos;
use super::system::{Host, System};

/// Which cores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cores {
    /// All, the fast ones preferred.
    #[default]
    Any,
    /// The thrifty ones alone.
    Efficiency,
}

/// What is asked of the operating system.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Placement {
    /// Nothing.
    Unchanged,
    /// A quality of service of macOS.
    Quality(Quality),
    /// CPUs of Linux.
    Cpus(Vec<usize>),
}

/// Qualities of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quality {
    UserInteractive,
    Background,
}

/// Places the calling thread, which must be the one that does the work.
pub(crate) fn apply(cores: Cores) -> Result<(), String> {
    let placed = match placement(&Host, cfg!(target_os = "macos"), cores)? {
        Placement::Unchanged => Ok(()),
        Placement::Quality(quality) => thread::set_quality(quality),
        Placement::Cpus(cpus) => thread::bind(&cpus),
    };
    match (cores, placed) {
        // What is only preferred must not keep anything from being measured.
        (Cores::Any, _) | (_, Ok(())) => Ok(()),
        (Cores::Efficiency, Err(error)) => Err(format!(
            "cannot bind the transaction thread to efficiency cores: {error}"
        )),
    }
}

/// Whether this machine shows such cores.
pub(crate) fn check(cores: Cores) -> Result<(), String> {
    placement(&Host, cfg!(target_os = "macos"), cores).map(drop)
}

fn placement(system: &dyn System, is_macos: bool, cores: Cores) -> Result<Placement, String> {
    let placement = match (cores, is_macos) {
        (Cores::Any, true) => Some(Placement::Quality(Quality::UserInteractive)),
        (Cores::Any, false) => Some(Placement::Unchanged),
        (Cores::Efficiency, true) => {
            macos::has_efficiency_cores(system).then_some(Placement::Quality(Quality::Background))
        }
        (Cores::Efficiency, false) => {
            linux::core_kinds(system).map(|kinds| Placement::Cpus(kinds.efficiency))
        }
    };
    placement.ok_or_else(|| {
        String::from("this machine has no efficiency cores: all that it shows are of one kind")
    })
}

#[cfg(target_os = "macos")]
mod thread {
    use std::io;

    use super::Quality;

    pub(super) fn set_quality(quality: Quality) -> io::Result<()> {
        let class = match quality {
            Quality::UserInteractive => libc::qos_class_t::QOS_CLASS_USER_INTERACTIVE,
            Quality::Background => libc::qos_class_t::QOS_CLASS_BACKGROUND,
        };
        // SAFETY: the call concerns this thread alone and touches no memory of ours.
        match unsafe { libc::pthread_set_qos_class_self_np(class, 0) } {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }

    pub(super) fn bind(_cpus: &[usize]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(not(target_os = "macos"))]
mod thread {
    use std::io;

    use super::Quality;

    pub(super) fn set_quality(_quality: Quality) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn bind(cpus: &[usize]) -> io::Result<()> {
        // SAFETY: a set is plain numbers, and all zeros is the empty one.
        let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        let is_in_range = |cpu: &&usize| **cpu < libc::CPU_SETSIZE as usize;
        for cpu in cpus.iter().filter(is_in_range) {
            // SAFETY: the number is within the set.
            unsafe { libc::CPU_SET(*cpu, &mut set) };
        }
        // SAFETY: the set is of the size that is told and is only read; 0 is the calling thread.
        match unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::system::testing::Recorded;

    #[test]
    fn macos_places_by_quality_of_service() {
        let two_kinds = Recorded::default().sysctl("hw.perflevel1.physicalcpu: 4");
        assert_eq!(
            placement(&two_kinds, true, Cores::Any),
            Ok(Placement::Quality(Quality::UserInteractive))
        );
        assert_eq!(
            placement(&two_kinds, true, Cores::Efficiency),
            Ok(Placement::Quality(Quality::Background))
        );
    }

    #[test]
    fn linux_binds_to_the_cpus_of_the_thrifty_kind() {
        let hybrid = Recorded::default()
            .file("/sys/devices/system/cpu/online", "0-5")
            .file("/sys/devices/cpu_atom/cpus", "4-5");
        assert_eq!(
            placement(&hybrid, false, Cores::Efficiency),
            Ok(Placement::Cpus(vec![4, 5]))
        );
        assert_eq!(
            placement(&hybrid, false, Cores::Any),
            Ok(Placement::Unchanged)
        );
    }

    #[test]
    fn a_machine_with_one_kind_of_core_is_said_to_have_no_other() {
        for is_macos in [true, false] {
            let refused = placement(&Recorded::default(), is_macos, Cores::Efficiency);
            assert!(refused.unwrap_err().contains("no efficiency cores"));
            assert!(placement(&Recorded::default(), is_macos, Cores::Any).is_ok());
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_can_be_bound_and_not_to_nothing() {
        let ended = std::thread::spawn(|| {
            let online = linux::cpu_numbers(&Host);
            thread::bind(&online).unwrap();
            assert!(thread::bind(&[]).is_err());
            assert!(thread::bind(&[usize::MAX]).is_err());
        });
        assert!(ended.join().is_ok());
        assert_eq!(apply(Cores::Any), Ok(()));
    }
}
