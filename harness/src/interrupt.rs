//! Ctrl-C and SIGTERM: a flag that the run looks at between and during repetitions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// Whether the user asked to stop. Clones share one flag.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that SIGINT, SIGTERM and SIGHUP raise from now on. Call it once a process.
    pub(crate) fn on_signals() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let raised = interrupt.clone();
        ctrlc::set_handler(move || raised.raise()).context("cannot catch Ctrl-C")?;
        Ok(interrupt)
    }

    /// Asks to stop.
    pub(crate) fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    pub(crate) fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
