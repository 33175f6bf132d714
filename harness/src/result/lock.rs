//! One writer a result: a file beside it that is locked while there is something to be saved. The
//! system unlocks it however its process ends; the next one takes over the file of a killed one.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// A file that is locked until this is dropped, and removed then.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Locks `path`, or fails with `ResourceBusy` if another process has.
    pub(crate) fn take(path: PathBuf) -> io::Result<Self> {
        loop {
            let mut options = OpenOptions::new();
            let file = options
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::ResourceBusy.into()),
                // Some file systems of networks have no locks: one must be able to save there.
                Err(TryLockError::Error(_)) => return Ok(Self { path, _file: file }),
                Ok(()) => {}
            }
            // One that its owner removed meanwhile keeps nobody out.
            let locked = file.metadata()?;
            let is_there = fs::metadata(&path)
                .is_ok_and(|found| (found.dev(), found.ino()) == (locked.dev(), locked.ino()));
            if is_there {
                return Ok(Self { path, _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked, so that nobody else's is removed. One that stays does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_at_a_time_and_no_file_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        // As a killed process leaves it.
        fs::write(&path, "").unwrap();
        let lock = Lock::take(path.clone()).unwrap();
        let error = Lock::take(path.clone()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        drop(lock);
        assert!(!path.exists());
        drop(Lock::take(path).unwrap());
    }
}
