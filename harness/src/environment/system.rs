//! What an operating system can be asked, behind one trait.
//!
//! All parsing and all judgement stand above [`System`] and know no platform, so that they are
//! compiled and tested everywhere, from recorded answers. [`Host`] asks the machine itself; it is
//! the only code here that differs between systems.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::translator;

/// Enough for every header that tells an architecture.
pub(crate) const HEAD_BYTES_MAX: u64 = 4_096;

/// Ways to ask. Whatever a system has no answer to is `None` or empty.
pub(crate) trait System {
    /// Trimmed text of a small file; `None` if there is none, or nothing in it.
    fn read(&self, path: &str) -> Option<String>;
    /// Names in a folder, in no order.
    fn names(&self, folder: &str) -> Vec<String>;
    /// Where a symbolic link leads.
    fn link(&self, path: &str) -> Option<PathBuf>;
    /// First bytes of an executable file, at most [`HEAD_BYTES_MAX`].
    fn head(&self, path: &Path) -> Vec<u8>;
    /// A kernel variable of macOS that is a text.
    fn sysctl_text(&self, name: &str) -> Option<String>;
    /// A kernel variable of macOS that is an integer, of either width.
    fn sysctl_number(&self, name: &str) -> Option<u64>;
    /// State that a Darwin notification carries.
    fn notify_state(&self, name: &str) -> Option<u64>;
    /// Standard output of a program that succeeded. Costs the start of a process.
    fn command(&self, program: &str, arguments: &[&str]) -> Option<String>;
    /// Runnable processes, averaged over 1, 5 and 15 minutes.
    fn load_average(&self) -> Vec<f64>;
    /// Size of a page of this process's memory, in bytes.
    fn page_size_bytes(&self) -> Option<u64>;
    /// Whether this process's image lies elsewhere than it was linked for, where that tells
    /// whether addresses are drawn at random.
    fn image_is_moved(&self) -> Option<bool>;
    /// Brand string and hypervisor vendor, as the CPUID instruction gives them.
    fn cpuid_texts(&self) -> (Option<String>, Option<String>);

    /// Number in a small file, in decimal.
    fn read_number(&self, path: &str) -> Option<u64> {
        self.read(path)?.parse().ok()
    }
}

/// The machine that this process runs on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Host;

impl System for Host {
    fn read(&self, path: &str) -> Option<String> {
        trimmed(&fs::read(path).ok()?)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect()
    }

    fn link(&self, path: &str) -> Option<PathBuf> {
        fs::read_link(path).ok()
    }

    fn head(&self, path: &Path) -> Vec<u8> {
        let mut bytes = Vec::new();
        // What is read before an error counts.
        let _ =
            fs::File::open(path).and_then(|file| file.take(HEAD_BYTES_MAX).read_to_end(&mut bytes));
        bytes
    }

    fn sysctl_text(&self, name: &str) -> Option<String> {
        trimmed(&darwin::sysctl(name)?)
    }

    fn sysctl_number(&self, name: &str) -> Option<u64> {
        let bytes = darwin::sysctl(name)?;
        if let Ok(bytes) = bytes.as_slice().try_into() {
            return u64::try_from(i32::from_ne_bytes(bytes)).ok();
        }
        Some(u64::from_ne_bytes(bytes.as_slice().try_into().ok()?))
    }

    fn notify_state(&self, name: &str) -> Option<u64> {
        darwin::notify_state(name)
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        if !output.status.success() {
            return None;
        }
        trimmed(&output.stdout)
    }

    fn load_average(&self) -> Vec<f64> {
        let mut averages = [0.0; 3];
        // SAFETY: the buffer holds the three values that are asked for.
        let count = unsafe { libc::getloadavg(averages.as_mut_ptr(), 3) };
        averages[..usize::try_from(count).unwrap_or(0).min(3)].to_vec()
    }

    fn page_size_bytes(&self) -> Option<u64> {
        // SAFETY: the call reads no memory of ours.
        u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()
    }

    fn image_is_moved(&self) -> Option<bool> {
        darwin::image_is_moved()
    }

    fn cpuid_texts(&self) -> (Option<String>, Option<String>) {
        translator::cpuid_texts()
    }
}

/// Text without blanks and NULs around it; `None` when nothing is left.
fn trimmed(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// What only macOS answers.
#[cfg(target_os = "macos")]
mod darwin {
    use std::ffi::{CString, c_char, c_int};
    use std::ptr;

    /// Longest value that is asked for: names and versions.
    const VALUE_BYTES_MAX: usize = 1024;

    unsafe extern "C" {
        // Of libSystem, which every program is linked with; 0 is success.
        fn notify_register_check(name: *const c_char, token: *mut c_int) -> u32;
        fn notify_get_state(token: c_int, state: *mut u64) -> u32;
        fn notify_cancel(token: c_int) -> u32;
    }

    /// Bytes of a kernel variable; `None` if there is no such name or the value does not fit.
    pub(super) fn sysctl(name: &str) -> Option<Vec<u8>> {
        let name = CString::new(name).ok()?;
        let mut value = vec![0; VALUE_BYTES_MAX];
        let mut length = value.len();
        // SAFETY: the name ends with NUL, `value` is writable for `length` bytes, and nothing is
        // set.
        let status = unsafe {
            libc::sysctlbyname(
                name.as_ptr(),
                value.as_mut_ptr().cast(),
                &raw mut length,
                ptr::null_mut(),
                0,
            )
        };
        if status != 0 {
            return None;
        }
        value.truncate(length);
        Some(value)
    }

    pub(super) fn notify_state(name: &str) -> Option<u64> {
        let name = CString::new(name).ok()?;
        let (mut token, mut state) = (0, 0);
        // SAFETY: the name ends with NUL; token and state are written to and outlive the calls;
        // the token is used only where registering gave one, and cancelled once.
        unsafe {
            if notify_register_check(name.as_ptr(), &raw mut token) != 0 {
                return None;
            }
            let status = notify_get_state(token, &raw mut state);
            notify_cancel(token);
            (status == 0).then_some(state)
        }
    }

    #[expect(
        deprecated,
        reason = "one function is no reason for a crate of its own"
    )]
    pub(super) fn image_is_moved() -> Option<bool> {
        // SAFETY: image 0 is the program itself, which is there as long as it runs.
        Some(unsafe { libc::_dyld_get_image_vmaddr_slide(0) } != 0)
    }
}

/// What only macOS answers.
#[cfg(not(target_os = "macos"))]
mod darwin {
    pub(super) fn sysctl(_name: &str) -> Option<Vec<u8>> {
        None
    }

    pub(super) fn notify_state(_name: &str) -> Option<u64> {
        None
    }

    pub(super) fn image_is_moved() -> Option<bool> {
        None
    }
}

/// A system that answers from what was written down.
#[cfg(test)]
pub(crate) mod testing {
    use std::collections::BTreeMap;

    use super::{Path, PathBuf, System};

    /// Answers, added one by one.
    #[derive(Debug, Clone, Default)]
    pub(crate) struct Recorded {
        files: BTreeMap<String, String>,
        links: BTreeMap<String, PathBuf>,
        executables: BTreeMap<PathBuf, Vec<u8>>,
        sysctl: BTreeMap<String, String>,
        notify: BTreeMap<String, u64>,
        commands: BTreeMap<String, String>,
        loads: Vec<f64>,
        cpuid: (Option<String>, Option<String>),
        is_moved: Option<bool>,
    }

    impl Recorded {
        /// A file with this text.
        pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
            self.files.insert(path.to_owned(), text.trim().to_owned());
            self
        }

        /// A symbolic link.
        pub(crate) fn link(mut self, path: &str, target: &str) -> Self {
            self.links.insert(path.to_owned(), PathBuf::from(target));
            self
        }

        /// A file with these first bytes.
        pub(crate) fn executable(mut self, path: &str, head: &[u8]) -> Self {
            self.executables.insert(PathBuf::from(path), head.to_vec());
            self
        }

        /// Lines as `sysctl -a` prints them, `name: value`.
        pub(crate) fn sysctl(mut self, lines: &str) -> Self {
            let parsed = lines
                .lines()
                .filter_map(|line| line.trim().split_once(": "));
            self.sysctl
                .extend(parsed.map(|(name, value)| (name.to_owned(), value.to_owned())));
            self
        }

        /// The state of a notification.
        pub(crate) fn notify(mut self, name: &str, state: u64) -> Self {
            self.notify.insert(name.to_owned(), state);
            self
        }

        /// What a command line prints.
        pub(crate) fn command(mut self, line: &str, output: &str) -> Self {
            self.commands.insert(line.to_owned(), output.to_owned());
            self
        }

        /// The load averages.
        pub(crate) fn loads(mut self, loads: &[f64]) -> Self {
            self.loads = loads.to_vec();
            self
        }

        /// What CPUID tells.
        pub(crate) fn cpuid(mut self, brand: &str, hypervisor: &str) -> Self {
            let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            self.cpuid = (text(brand), text(hypervisor));
            self
        }

        /// Whether the image is moved.
        pub(crate) fn moved(mut self, is_moved: bool) -> Self {
            self.is_moved = Some(is_moved);
            self
        }
    }

    impl System for Recorded {
        fn read(&self, path: &str) -> Option<String> {
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

        fn link(&self, path: &str) -> Option<PathBuf> {
            self.links.get(path).cloned()
        }

        fn head(&self, path: &Path) -> Vec<u8> {
            self.executables.get(path).cloned().unwrap_or_default()
        }

        fn sysctl_text(&self, name: &str) -> Option<String> {
            self.sysctl.get(name).cloned()
        }

        fn sysctl_number(&self, name: &str) -> Option<u64> {
            self.sysctl.get(name)?.parse().ok()
        }

        fn notify_state(&self, name: &str) -> Option<u64> {
            self.notify.get(name).copied()
        }

        fn command(&self, program: &str, arguments: &[&str]) -> Option<String> {
            let line = format!("{program} {}", arguments.join(" "));
            self.commands.get(&line).cloned()
        }

        fn load_average(&self) -> Vec<f64> {
            self.loads.clone()
        }

        fn page_size_bytes(&self) -> Option<u64> {
            Some(4096)
        }

        fn image_is_moved(&self) -> Option<bool> {
            self.is_moved
        }

        fn cpuid_texts(&self) -> (Option<String>, Option<String>) {
            self.cpuid.clone()
        }
    }
}
