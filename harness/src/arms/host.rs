//! What finding arms asks of the machine, so that a made-up one can answer in its place.

use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::environment::{self, Facts};
use crate::worker::process::Launcher;

/// The machine, and this process on it.
#[derive(Debug)]
pub(crate) struct Host {
    /// Whether the operating system is macOS.
    pub(crate) is_macos: bool,
    /// Architecture of the chip.
    pub(crate) arch: String,
    /// This binary.
    pub(crate) binary: PathBuf,
    /// The architecture as which it runs.
    pub(crate) binary_arch: String,
    /// Emulator that must be named to start it again.
    pub(crate) emulator: Option<PathBuf>,
    /// Folder that Cargo builds its profile into: `release` or `debug`.
    pub(crate) profile: &'static str,
    /// Working directory.
    pub(crate) folder: PathBuf,
    /// Answers questions about files.
    pub(crate) probe: Box<dyn Probe>,
}

/// Questions that only the file system answers, and commands that change it.
pub(crate) trait Probe: std::fmt::Debug {
    /// Where a shell would find a program.
    fn which(&self, program: &str) -> Option<PathBuf>;
    /// Architectures that an executable file holds; none for what is no executable.
    fn architectures(&self, path: &Path) -> Vec<&'static str>;
    /// Whether there is such a file or folder.
    fn exists(&self, path: &Path) -> bool;
    /// Runs a command in a folder, in the user's sight, with compiler flags of the environment
    /// taken out; whether it succeeded.
    fn run(&self, command: &[String], folder: &Path) -> io::Result<bool>;
}

impl Host {
    /// This machine.
    pub(crate) fn this(facts: &Facts) -> io::Result<Self> {
        let context = environment::context(facts);
        Ok(Self {
            is_macos: cfg!(target_os = "macos"),
            arch: context.host_arch,
            binary: std::env::current_exe()?,
            binary_arch: context.binary_arch,
            emulator: facts.emulator.clone(),
            profile: if context.profile == "debug" {
                "debug"
            } else {
                "release"
            },
            folder: std::env::current_dir()?,
            probe: Box::new(System),
        })
    }

    /// How this program was started.
    pub(crate) fn lycosa(&self) -> Launcher {
        Launcher::new(self.emulator.clone(), self.binary.clone())
    }

    /// Whether the machine is a Mac that can translate.
    pub(crate) fn is_apple_silicon(&self) -> bool {
        self.is_macos && self.arch == "aarch64"
    }
}

/// The system that this process runs on.
#[derive(Debug)]
struct System;

impl Probe for System {
    fn which(&self, program: &str) -> Option<PathBuf> {
        if program.contains('/') {
            return is_program(Path::new(program)).then(|| PathBuf::from(program));
        }
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders)
            .map(|folder| folder.join(program))
            .find(|path| is_program(path))
    }

    fn architectures(&self, path: &Path) -> Vec<&'static str> {
        environment::executable_architectures(path)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn run(&self, command: &[String], folder: &Path) -> io::Result<bool> {
        let mut words = command.iter().map(OsStr::new);
        let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
        let status = Command::new(program)
            .args(words)
            .current_dir(folder)
            // Flags such as `target-cpu=native` are the other architecture's, or none of Rosetta's.
            // Set and empty, the variable outweighs configuration files, too.
            .env("RUSTFLAGS", "")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .stdin(Stdio::null())
            .status()?;
        Ok(status.success())
    }
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// A made-up machine.
#[cfg(test)]
pub(crate) mod testing {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    use super::*;

    /// Its files, and the commands that were run on it.
    #[derive(Debug, Clone, Default)]
    pub(crate) struct Files {
        /// Executables with their architectures; other things with none.
        pub(crate) entries: Rc<RefCell<BTreeMap<PathBuf, Vec<&'static str>>>>,
        /// Commands, each as one line.
        pub(crate) commands: Rc<RefCell<Vec<String>>>,
        /// A file that a build leaves behind; without one, it fails.
        pub(crate) built: Option<(PathBuf, &'static str)>,
    }

    impl Probe for Files {
        fn which(&self, program: &str) -> Option<PathBuf> {
            let path = Path::new("/usr/bin").join(program);
            self.exists(&path).then_some(path)
        }

        fn architectures(&self, path: &Path) -> Vec<&'static str> {
            self.entries.borrow().get(path).cloned().unwrap_or_default()
        }

        fn exists(&self, path: &Path) -> bool {
            self.entries.borrow().contains_key(path)
        }

        fn run(&self, command: &[String], folder: &Path) -> io::Result<bool> {
            let line = format!("{}$ {}", folder.display(), command.join(" "));
            self.commands.borrow_mut().push(line);
            if command[0] == "cargo"
                && let Some((path, arch)) = &self.built
            {
                self.entries.borrow_mut().insert(path.clone(), vec![arch]);
            }
            Ok(self.built.is_some())
        }
    }

    impl Files {
        /// With these files.
        pub(crate) fn of(files: &[(&str, &[&'static str])]) -> Self {
            let all = Self::default();
            for (path, architectures) in files {
                let entry = (PathBuf::from(path), architectures.to_vec());
                all.entries.borrow_mut().extend([entry]);
            }
            all
        }

        /// A Mac with Apple silicon, on which `binary` runs natively.
        pub(crate) fn mac(&self, binary: &str) -> Host {
            Host {
                is_macos: true,
                arch: String::from("aarch64"),
                binary: PathBuf::from(binary),
                binary_arch: String::from("aarch64"),
                emulator: None,
                profile: "release",
                folder: PathBuf::from("/Users/user"),
                probe: Box::new(self.clone()),
            }
        }

        /// A Linux machine with an x86-64 chip, on which `binary` runs natively.
        pub(crate) fn linux(&self, binary: &str) -> Host {
            Host {
                is_macos: false,
                arch: String::from("x86_64"),
                binary_arch: String::from("x86_64"),
                folder: PathBuf::from("/home/user"),
                ..self.mac(binary)
            }
        }
    }
}
