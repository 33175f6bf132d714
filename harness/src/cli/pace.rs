//! `--duration`, `--warmup` and `--rate`: runs by the clock.

use clap::Args;
use lycosa_lua::worker::{Driver, WorkerOptions};

use super::Failure;
use crate::pace::{Rate, Time, parse_duration};

/// When transactions begin and when the last one has.
#[derive(Debug, Clone, Args)]
pub(crate) struct PaceArguments {
    /// Ends each repetition after this time, not after --records: 300s, 5m
    #[arg(
        long,
        value_name = "TIME",
        value_parser = parse_duration,
        conflicts_with = "records",
        allow_hyphen_values = true
    )]
    pub(crate) duration: Option<Time>,

    /// Time before --duration that is not counted: 30s
    #[arg(
        long,
        value_name = "TIME",
        requires = "duration",
        allow_hyphen_values = true
    )]
    pub(crate) warmup: Option<Time>,

    /// Operations that become due in a second, done or not: 20000/s
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub(crate) rate: Option<Rate>,
}

/// Refuses what the driver in Rust cannot do, and a warm-up before nothing.
pub(super) fn check_pace(options: &WorkerOptions) -> Result<(), Failure> {
    if options.warmup_s > 0.0 && !options.is_by_time() {
        return Err(Failure::usage(
            "--warmup is the time before --duration; give that too, or leave it out",
        ));
    }
    if options.is_by_clock() && options.driver == Driver::Rust {
        return Err(Failure::usage(
            "--driver rust runs over a number of records only; leave --duration and --rate out, or \
             use --driver lua",
        ));
    }
    Ok(())
}

impl PaceArguments {
    /// Puts them into a worker's options.
    pub(super) fn apply(&self, options: &mut WorkerOptions) {
        options.duration_s = self.duration.map(|time| time.0);
        options.warmup_s = self.warmup.map_or(0.0, |time| time.0);
        options.rate_per_s = self.rate.map(|rate| rate.0);
        if options.is_by_time() {
            options.records = 0;
        }
    }

    /// Whether any of them was given.
    pub(super) fn is_given(&self) -> bool {
        self.duration.is_some() || self.rate.is_some()
    }

    /// Sizes to measure: those that were named, or one that is none, as the time is what ends it.
    pub(super) fn sizes(&self, named: Option<Vec<u64>>) -> Option<Vec<u64>> {
        match self.duration {
            Some(_) => Some(vec![0]),
            None => named,
        }
    }
}
