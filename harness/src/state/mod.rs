//! What is kept on this machine from one command to the next: self-tests and baselines, small JSON
//! files in the user's own folder.

pub(crate) mod baselines;
pub(crate) mod selftest;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use etcetera::base_strategy::{Apple, BaseStrategy, Xdg};

use crate::result::saving::Saving;

/// Variable that names the folder, in place of the system's usual one.
const VARIABLE: &str = "LYCOSA_STATE_DIR";

/// The folder: `$LYCOSA_STATE_DIR`, else `lycosa` in `~/Library/Application Support` on macOS and
/// in `$XDG_STATE_HOME` or `~/.local/state` elsewhere. It may not exist yet.
pub(crate) fn folder() -> io::Result<PathBuf> {
    if let Some(folder) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
        return Ok(PathBuf::from(folder));
    }
    let no_home = |error| {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no home folder to keep it in ({error}); set {VARIABLE}"),
        )
    };
    let base = if cfg!(target_os = "macos") {
        Apple::new().map_err(no_home)?.data_dir()
    } else {
        let xdg = Xdg::new().map_err(no_home)?;
        xdg.state_dir().unwrap_or_else(|| xdg.data_dir())
    };
    Ok(base.join("lycosa"))
}

/// Opens everything that saving to a file in the folder needs, and makes the folder. Errors name
/// the path, which no user has typed.
fn prepare(path: &Path) -> io::Result<Saving> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
    }
    Saving::prepare(path).map_err(|error| at(path, &error))
}

/// An error with the path that it is about.
fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_saved_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let shown = file.display().to_string();
        let error = prepare(&file.join("a.json")).unwrap_err().to_string();
        assert!(error.contains(&shown), "{error}");
        let inner = folder.path().join("main.json");
        fs::create_dir(&inner).unwrap();
        let error = prepare(&inner).unwrap_err().to_string();
        assert!(error.contains("main.json`: it is a folder"), "{error}");
    }
}
