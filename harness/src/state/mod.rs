//! What is kept on this machine from one command to the next: self-tests and baselines, small JSON
//! files in the user's own folder.

pub(crate) mod baselines;
pub(crate) mod selftest;

use std::io;
use std::path::PathBuf;

use etcetera::base_strategy::{Apple, BaseStrategy, Xdg};

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
