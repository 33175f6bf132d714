//! Killing a command again and again, later and later, until it has come to its end.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Starts at most.
const STARTS_MAX: u32 = 60;

/// Starts `command` and kills it, until `is_whole`, which is asked after each start (by its number), says
/// that nothing is left to do. At least one start must have been killed before its own end.
pub(crate) fn kill_again_and_again(
    mut command: impl FnMut() -> Command,
    mut is_whole: impl FnMut(u32) -> bool,
) {
    let mut kills = 0;
    for start in 1..=STARTS_MAX {
        let mut child = command()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Any moment, later and later, so that a slow machine comes to an end as well.
        let moment = 20 * u64::from(start) + u64::from(start * 7_919 % 100);
        thread::sleep(Duration::from_millis(moment));
        kills += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        if is_whole(start) {
            break;
        }
    }
    assert!(kills > 0, "nothing was killed");
}
