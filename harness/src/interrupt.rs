//! Ctrl-C, SIGTERM and SIGHUP: flags that the run looks at between and during repetitions.
//!
//! The first Ctrl-C asks: the running repetition stops between two transactions and is verified. A
//! second one insists, as SIGTERM and SIGHUP do at once, and what runs is ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Whether the user asked to stop. Clones share their flags.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    /// A Ctrl-C that has not been looked at yet. Two that come between two looks are one: some
    /// programs send it to a process and to its group.
    asked: Arc<AtomicBool>,
    is_raised: Arc<AtomicBool>,
    insisted: Arc<AtomicBool>,
}

impl Interrupt {
    /// Flags that signals raise from now on, instead of ending the process.
    pub(crate) fn on_signals() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        for (signal, flag) in [
            (SIGINT, &interrupt.asked),
            (SIGTERM, &interrupt.insisted),
            (SIGHUP, &interrupt.insisted),
        ] {
            signal_hook::flag::register(signal, Arc::clone(flag))
                .with_context(|| format!("cannot catch signal {signal}"))?;
        }
        Ok(interrupt)
    }

    /// Asks to stop, as Ctrl-C does.
    #[cfg(test)]
    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Asks to stop at once, as SIGTERM does.
    #[cfg(test)]
    pub(crate) fn raise(&self) {
        self.insisted.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    pub(crate) fn is_raised(&self) -> bool {
        self.look();
        self.is_raised.load(Ordering::Relaxed) || self.is_insisted()
    }

    /// Whether nothing more is to be waited for.
    pub(crate) fn is_insisted(&self) -> bool {
        self.look();
        self.insisted.load(Ordering::Relaxed)
    }

    fn look(&self) {
        if self.asked.swap(false, Ordering::Relaxed) && self.is_raised.swap(true, Ordering::Relaxed)
        {
            self.insisted.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_ctrl_c_insists() {
        let interrupt = Interrupt::default();
        assert!(!interrupt.is_raised());
        interrupt.ask();
        assert!(interrupt.is_raised() && !interrupt.is_insisted());
        interrupt.ask();
        assert!(interrupt.is_raised() && interrupt.is_insisted());
    }
}
