//! Which program an arm ran: a digest of its executables, since a path and a revision stay the same
//! when a program is built anew. Reads them once for each arm: some milliseconds for ten megabytes.

use std::fs::{self, File};
use std::hash::Hasher;
use std::io::{self, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh64::Xxh64;

/// xxHash over the executable files that a command names, 16 hexadecimal digits: the program, and
/// what an emulator or a wrapper starts. `None` if there are none.
pub(crate) fn digest(command: &[String]) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    let arguments = arguments.iter().map(PathBuf::from);
    let mut hash = Xxh64::new(0);
    let mut found = false;
    for path in which(program).into_iter().chain(arguments) {
        if is_executable(&path) {
            let mut file = BufReader::new(File::open(&path).ok()?);
            io::copy(&mut file, &mut Sponge(&mut hash)).ok()?;
            found = true;
        }
    }
    found.then(|| format!("{:016x}", hash.finish()))
}

/// Where the system finds a program.
fn which(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Takes in what is written to it.
struct Sponge<'a>(&'a mut Xxh64);

impl io::Write for Sponge<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_changes_with_any_executable_of_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lycosa");
        let write = |text: &str| {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        write("one");
        let plain = [path.display().to_string()];
        let wrapped = [String::from("env"), path.display().to_string()];
        let before = [digest(&plain).unwrap(), digest(&wrapped).unwrap()];
        assert_ne!(before[0], before[1]);
        assert_eq!(digest(&plain).unwrap(), before[0]);
        write("two");
        assert_ne!(digest(&plain).unwrap(), before[0]);
        assert_ne!(digest(&wrapped).unwrap(), before[1]);
        // What is no executable may be a log that grows.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(digest(&plain), None);
        assert_eq!(digest(&[]), None);
    }
}
