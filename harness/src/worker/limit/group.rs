//! A control group (version 2) for one process. It is made below the group of this process, or
//! beside it, wherever that is delegated, and removed when the process is gone.
//!
//! A group that holds processes gives no memory controller to groups below it, other than the
//! system's root, so that the place beside it is the usual one (`systemd-run --user --scope` gives
//! one). It is not taken where the own group has a lower limit: the process would escape that.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Where the groups of version 2 stand; elsewhere the memory controller is version 1's.
const ROOT: &str = "/sys/fs/cgroup";

/// Which groups there are, and which one this process is in.
const OWN: &str = "/proc/self/cgroup";

/// How groups are called, before the number of the process that made them.
const PREFIX: &str = "lycosa-";

/// How long a killed process may take to leave its group.
const LEAVING: Duration = Duration::from_millis(500);

/// How much memory the process that tries a group out is given.
const TRIAL_BYTES: u64 = 64 << 20;

/// A group with a limit. It goes with the value.
#[derive(Debug)]
pub(super) struct Group {
    path: PathBuf,
    processes: File,
}

/// Whether this process may put another one into a group with a limit: it is tried.
pub(super) fn is_permitted() -> bool {
    let Ok(group) = Group::new(TRIAL_BYTES) else {
        return false;
    };
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", ":"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    group.take_in(&mut command);
    command.status().is_ok_and(|status| status.success())
}

impl Group {
    /// A group of this machine that holds its processes to `limit_bytes`.
    pub(super) fn new(limit_bytes: u64) -> io::Result<Self> {
        let own = own_group(&fs::read_to_string(OWN)?).ok_or(io::ErrorKind::Unsupported)?;
        Self::below(Path::new(ROOT), &own, limit_bytes)
    }

    /// The same among the groups at `root`, for a process in the group `own`.
    fn below(root: &Path, own: &Path, limit_bytes: u64) -> io::Result<Self> {
        if !root.join("cgroup.controllers").exists() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let own = root.join(own);
        if !gives_memory(&own) {
            // Fails where the group holds processes, or is not delegated.
            let _ = fs::write(own.join("cgroup.subtree_control"), "+memory");
        }
        if gives_memory(&own) {
            return Self::within(&own, limit_bytes);
        }
        let outer_bytes = fs::read_to_string(own.join("memory.max")).ok();
        let outer_bytes: Option<u64> = outer_bytes.and_then(|text| text.trim().parse().ok());
        let parent = own.parent().filter(|parent| parent.starts_with(root));
        match parent {
            Some(parent)
                if gives_memory(parent) && outer_bytes.is_none_or(|outer| outer >= limit_bytes) =>
            {
                Self::within(parent, limit_bytes)
            }
            _ => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    fn within(parent: &Path, limit_bytes: u64) -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        remove_left_behind(parent);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&path)?;
        let prepare = || {
            fs::write(path.join("memory.max"), limit_bytes.to_string())?;
            // Memory that is swapped out would not count. Without swap there is no such file.
            let _ = fs::write(path.join("memory.swap.max"), "0");
            // One that has lost a part of itself must not go on.
            let _ = fs::write(path.join("memory.oom.group"), "1");
            OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(path.join("cgroup.procs"))
        };
        match prepare() {
            Ok(processes) => Ok(Self { path, processes }),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }

    /// Puts the process that the command will start into the group, before it becomes the program.
    pub(super) fn take_in(&self, command: &mut Command) {
        let processes = self.processes.as_raw_fd();
        // SAFETY: between fork and exec the closure makes one system call and takes no lock; the file
        // is open until the group is dropped, which is after the start.
        unsafe {
            command.pre_exec(move || {
                // Zero stands for the process that writes.
                if libc::write(processes, c"0".as_ptr().cast(), 1) == 1 {
                    return Ok(());
                }
                Err(io::Error::last_os_error())
            });
        }
    }

    /// Whether the kernel has killed a process in it for want of memory.
    pub(super) fn has_killed(&self) -> bool {
        let events = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        events.lines().any(|line| {
            line.strip_prefix("oom_kill ")
                .is_some_and(|count| count.trim() != "0")
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What the process has left running ends with its group; old kernels have no such file.
        if let Ok(mut kill) = OpenOptions::new()
            .write(true)
            .open(self.path.join("cgroup.kill"))
        {
            let _ = kill.write_all(b"1");
        }
        let started = std::time::Instant::now();
        while let Err(error) = fs::remove_dir(&self.path) {
            let is_busy = error.raw_os_error() == Some(libc::EBUSY);
            if !is_busy || started.elapsed() > LEAVING {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The group of version 2 that `/proc/self/cgroup` names, relative to the root; none where the
/// process is outside of what it may see.
fn own_group(text: &str) -> Option<PathBuf> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let path = PathBuf::from(path);
    let is_seen = !path.components().any(|part| part.as_os_str() == "..");
    is_seen.then_some(path)
}

/// Whether groups below this one can have limits of memory.
fn gives_memory(group: &Path) -> bool {
    let given = fs::read_to_string(group.join("cgroup.subtree_control")).unwrap_or_default();
    given.split_whitespace().any(|name| name == "memory")
}

/// Removes the groups of processes that were killed before they could. One that holds a process
/// cannot be removed.
fn remove_left_behind(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let maker = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse().ok());
        let Some(maker) = maker.filter(|maker| *maker > 0) else {
            continue;
        };
        // SAFETY: kill takes two numbers and touches no memory; signal 0 only asks.
        let is_gone = unsafe { libc::kill(maker, 0) } < 0
            && io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH);
        if is_gone {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// With folders in the place of the kernel's: a file system of groups with a memory controller is not
/// everywhere where tests run.
#[cfg(test)]
mod tests {
    use super::*;

    /// A root with the group `user/shell`, which gives memory below `user` alone.
    fn groups() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let shell = root.path().join("user/shell");
        fs::create_dir_all(&shell).unwrap();
        fs::write(root.path().join("cgroup.controllers"), "cpu memory").unwrap();
        fs::write(
            root.path().join("user/cgroup.subtree_control"),
            "cpu memory\n",
        )
        .unwrap();
        fs::write(shell.join("memory.max"), "max\n").unwrap();
        // Writing to a folder fails, as writing to a group with processes in it does.
        fs::create_dir(shell.join("cgroup.subtree_control")).unwrap();
        root
    }

    fn made_in(parent: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(parent).unwrap().flatten();
        let paths = entries.map(|entry| entry.path());
        paths
            .filter(|path| {
                path.file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .starts_with(PREFIX)
            })
            .collect()
    }

    fn empty(group: &Path) {
        for entry in fs::read_dir(group).unwrap().flatten() {
            fs::remove_file(entry.path()).unwrap();
        }
    }

    #[test]
    fn a_process_is_limited_beside_the_own_group_and_the_group_goes_afterwards() {
        let root = groups();
        let group = Group::below(root.path(), Path::new("user/shell"), 2 << 30).unwrap();
        let made = made_in(&root.path().join("user"));
        assert_eq!(made.as_slice(), std::slice::from_ref(&group.path));
        let text = |name: &str| fs::read_to_string(group.path.join(name)).unwrap();
        assert_eq!(text("memory.max"), "2147483648");
        assert_eq!(text("memory.swap.max"), "0");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", ":"]);
        group.take_in(&mut command);
        assert!(command.status().unwrap().success());
        assert_eq!(text("cgroup.procs"), "0");
        assert!(!group.has_killed());
        fs::write(group.path.join("memory.events"), "oom 1\noom_kill 1\n").unwrap();
        assert!(group.has_killed());
        empty(&group.path);
        drop(group);
        assert!(made_in(&root.path().join("user")).is_empty());
    }

    #[test]
    fn a_lower_limit_of_the_own_group_is_not_escaped() {
        let root = groups();
        let own = Path::new("user/shell");
        fs::write(root.path().join(own).join("memory.max"), "1048576\n").unwrap();
        assert!(Group::below(root.path(), own, 2 << 30).is_err());
        assert!(made_in(&root.path().join("user")).is_empty());
    }

    #[test]
    fn a_delegated_group_is_used_itself() {
        let root = groups();
        let control = root.path().join("user/shell/cgroup.subtree_control");
        fs::remove_dir(&control).unwrap();
        fs::write(&control, "memory").unwrap();
        let group = Group::below(root.path(), Path::new("user/shell"), 1 << 30).unwrap();
        assert!(group.path.starts_with(root.path().join("user/shell")));
        empty(&group.path);
    }

    #[test]
    fn the_group_of_a_killed_process_is_removed_and_that_of_a_living_one_is_not() {
        let root = groups();
        let user = root.path().join("user");
        let gone = user.join(format!("{PREFIX}{}-0", i32::MAX));
        let alive = user.join(format!("{PREFIX}{}-7777", std::process::id()));
        let other = user.join(format!("{PREFIX}other"));
        for path in [&gone, &alive, &other] {
            fs::create_dir(path).unwrap();
        }
        remove_left_behind(&user);
        assert!(!gone.exists() && alive.exists() && other.exists());
    }

    #[test]
    fn only_a_visible_group_of_version_2_counts() {
        assert_eq!(own_group("0::/user/shell\n"), Some("user/shell".into()));
        assert_eq!(own_group("4:memory:/a\n0::/\n"), Some("".into()));
        assert_eq!(own_group("4:memory:/a\n"), None);
        assert_eq!(own_group("0::/../outside\n"), None);
        let nothing = tempfile::tempdir().unwrap();
        assert!(Group::below(nothing.path(), Path::new(""), 1 << 30).is_err());
    }
}
