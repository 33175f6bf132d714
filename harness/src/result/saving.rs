//! A file that is written all or not at all, as often as there is something new, and found
//! unwritable before the run rather than after.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use tempfile::NamedTempFile;

use super::lock::Lock;

/// A file to be saved. Until it is, nothing is changed.
#[derive(Debug)]
pub(crate) struct Saving {
    shown: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// A file: each time, one is written beside it and renamed onto it, by this process alone.
    File { target: PathBuf, _lock: Lock },
    /// A device or a pipe, which must not be replaced by a file.
    Direct(File),
}

impl Saving {
    /// Opens everything that saving to `path` needs.
    pub(crate) fn prepare(path: &Path) -> io::Result<Self> {
        let sink = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(is_folder()),
            Ok(metadata) if metadata.is_file() => {
                // A file that may not be written may not be replaced either.
                OpenOptions::new().append(true).open(path)?;
                // The target of a symbolic link is replaced, not the link.
                file(path.canonicalize()?)?
            }
            Ok(metadata) if metadata.file_type().is_fifo() => Sink::Direct(pipe(path)?),
            Ok(_) => Sink::Direct(OpenOptions::new().write(true).open(path)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
                {
                    return Err(is_folder());
                }
                file(path.to_owned())?
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            shown: path.to_owned(),
            sink,
        })
    }

    /// Where it is saved, as the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.shown
    }

    /// Whether a save takes the place of the one before it; devices and pipes take what is written
    /// once and for all.
    pub(crate) fn is_replaced(&self) -> bool {
        matches!(self.sink, Sink::File { .. })
    }

    /// Writes `document` as indented JSON and puts it in its place.
    pub(crate) fn save(&mut self, document: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(document)?;
        text.push(b'\n');
        self.write(&text)
    }

    /// Writes `text` and puts it in its place.
    pub(crate) fn write(&mut self, text: &[u8]) -> io::Result<()> {
        match &mut self.sink {
            Sink::File { target, .. } => {
                let mut file = temporary(target)?;
                file.write_all(text)?;
                file.as_file().sync_all()?;
                file.persist(target).map_err(|error| error.error)?;
                Ok(())
            }
            Sink::Direct(file) => file.write_all(text),
        }
    }
}

fn is_folder() -> io::Error {
    io::Error::new(
        io::ErrorKind::IsADirectory,
        "it is a folder; name a file in it",
    )
}

/// A file whose folder has been found to take a temporary one beside it.
fn file(target: PathBuf) -> io::Result<Sink> {
    temporary(&target)?;
    let mut name = OsString::from(".lycosa-");
    name.push(target.file_name().unwrap_or_default());
    name.push(".lock");
    let lock = Lock::take(folder(&target).join(name))?;
    remove_left_behind(&target);
    Ok(Sink::File {
        target,
        _lock: lock,
    })
}

/// How long a named pipe is given to be opened by its reader.
const READER_PATIENCE: Duration = Duration::from_secs(3);

/// Opens a named pipe that somebody reads; without one, opening would never end.
fn pipe(path: &Path) -> io::Result<File> {
    let deadline = Instant::now() + READER_PATIENCE;
    let mut options = OpenOptions::new();
    options.write(true);
    loop {
        let opened = options.clone().custom_flags(libc::O_NONBLOCK).open(path);
        match opened {
            // The one that is kept waits while the pipe is full; it opens at once, with a reader there.
            Ok(held) => {
                let file = options.open(path);
                drop(held);
                return file;
            }
            Err(error) if error.raw_os_error() != Some(libc::ENXIO) => return Err(error),
            Err(_) if Instant::now() >= deadline => {
                return Err(io::Error::other("it is a pipe that nobody reads"));
            }
            Err(_) => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Ending of temporary files.
const TEMPORARY_SUFFIX: &str = ".tmp";

/// Beginning of the temporary files of a target.
fn temporary_prefix(target: &Path) -> OsString {
    let mut prefix = OsString::from(".lycosa-");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push("-");
    prefix
}

fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Removes what a process left of this target that was killed while it was saving. What cannot be
/// removed does no harm.
fn remove_left_behind(target: &Path) {
    let prefix = temporary_prefix(target);
    let (prefix, suffix) = (prefix.as_encoded_bytes(), TEMPORARY_SUFFIX.as_bytes());
    for entry in fs::read_dir(folder(target)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let unique = name
            .as_encoded_bytes()
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_suffix(suffix));
        // Longer ones may be of another target, whose name begins like this one's.
        if unique.is_some_and(|unique| unique.len() == UNIQUE_LENGTH) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Characters that make the name of a temporary file its own.
const UNIQUE_LENGTH: usize = 6;

fn temporary(target: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(&temporary_prefix(target))
        .rand_bytes(UNIQUE_LENGTH)
        .suffix(TEMPORARY_SUFFIX)
        // As for any new file; the process's mask takes its part away.
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(folder(target))
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                io::Error::new(error.kind(), "its folder does not exist; create it first")
            }
            // The message of the original names the temporary file.
            kind => kind.into(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_touched_until_it_is_saved_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        fs::write(&path, "old").unwrap();
        drop(Saving::prepare(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        let mut saving = Saving::prepare(&path).unwrap();
        saving.save(&[1]).unwrap();
        saving.save(&[1, 2]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[\n  1,\n  2\n]\n");
        drop(saving);
        assert_eq!(entries(folder.path()), ["result.json"]);
    }

    #[test]
    fn what_a_killed_process_left_of_the_same_file_is_removed_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            ".lycosa-a.json-123456.tmp",
            ".lycosa-a.json-b-123456.tmp",
            ".lycosa-b.json-123456.tmp",
            "a.json",
        ];
        for name in names {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        Saving::prepare(&folder.path().join("a.json")).unwrap();
        assert_eq!(entries(folder.path()), names[1..]);
    }

    #[test]
    fn two_do_not_save_to_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let saving = Saving::prepare(&path).unwrap();
        let error = Saving::prepare(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        Saving::prepare(&folder.path().join("other.json")).unwrap();
        drop(saving);
        Saving::prepare(&path).unwrap();
    }

    #[test]
    fn a_pipe_that_nobody_reads_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = Saving::prepare(&path).unwrap_err().to_string();
        assert_eq!(error, "it is a pipe that nobody reads");
    }

    #[test]
    fn a_folder_or_a_missing_folder_is_found_before_the_run() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Saving::prepare(folder.path()).is_err());
        assert!(Saving::prepare(&folder.path().join("none/result.json")).is_err());
        assert!(Saving::prepare(&folder.path().join("result/")).is_err());
        assert!(Saving::prepare(Path::new("")).is_err());
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        Saving::prepare(Path::new("/dev/null"))
            .unwrap()
            .save(&1)
            .unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_symbolic_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        Saving::prepare(&link).unwrap().save(&7).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "7\n");
    }
}
