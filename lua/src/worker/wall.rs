//! The memory wall: one process that fills a space step by step and measures at each size, until the
//! throughput has halved or the quota ends it. What is measured is told as it comes, since the process
//! may be killed by its limit.

use std::cell::RefCell;
use std::rc::Rc;

use mlua::{Lua, Table, Value};
use serde::{Deserialize, Serialize};

use super::contract::{IndexKind, LatencyNs, WorkerError};
use super::measure::{Latencies, peak_rss_bytes};
use super::scripted::{broken, plain, text_of};
use crate::runtime;

const DRIVER: &str = include_str!("../../workloads/wall.lua");

/// What one search for the wall shall do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WallOptions {
    /// Quota for tuples and indexes.
    pub memory_bytes: u64,
    /// Limit on the memory of the whole process; whoever starts the process holds it to that.
    pub limit_memory_bytes: Option<u64>,
    /// Sizes that are measured on the way to the quota, or to the limit if that is smaller.
    pub step_count: u32,
    /// Reads and updates at each size.
    pub operations: u64,
    /// Length of the third field of every record, in bytes.
    pub payload_bytes: u64,
    /// Concurrent fibers.
    pub fibers: u32,
    /// Operations in one transaction.
    pub ops_per_txn: u32,
    /// Kind of the primary index.
    pub index: IndexKind,
    /// Whether `LuaJIT` may compile.
    pub jit: bool,
    /// Seed of the draws.
    pub seed: u64,
}

/// What was measured at one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WallStep {
    /// Records in the space.
    pub records: u64,
    /// Tuples and index entries, in bytes.
    pub data_bytes: u64,
    /// What of the quota is taken, in bytes.
    pub quota_used_bytes: u64,
    /// Largest resident memory of the process so far, in bytes.
    pub peak_rss_bytes: u64,
    /// Wall-clock time of the reads and updates, in seconds.
    pub wall_s: f64,
    /// CPU time of the same.
    pub cpu_s: f64,
    /// Reads and updates.
    pub ops: u64,
    /// Latency of whole transactions.
    pub txn_latency_ns: LatencyNs,
}

/// Why no larger size was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WallEnding {
    /// The throughput was half of the best before, or less.
    Halved,
    /// The quota had no room left.
    Quota,
    /// The quota had room, and the system refused memory, as it does at a limit.
    System,
}

/// What the quota refused at the end, and what it still allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtQuota {
    /// Records that were committed before.
    pub records: u64,
    /// Code of the error, Tarantool's 2.
    pub code: u32,
    /// Its text.
    pub message: String,
    /// Records after the failed transaction was rolled back.
    pub records_kept: u64,
    /// Records that were deleted then.
    pub deleted: u64,
    /// Records that were inserted into the room.
    pub inserted_again: u64,
    /// Records in the end.
    pub records_at_end: u64,
}

/// The curve as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WallCurve {
    /// Every size that was measured.
    pub steps: Vec<WallStep>,
    /// How it ended; none while it goes on.
    pub ending: Option<WallEnding>,
    /// What there was at the quota, if that ended it.
    pub at_quota: Option<AtQuota>,
}

/// Looks for the wall in this process, which takes no other work, behind the sizes that an earlier one
/// has `done`. `told` hears of the curve after each size. `place` is as for [`run`](super::run).
pub fn wall<P, T>(
    options: &WallOptions,
    done: &[WallStep],
    place: P,
    mut told: T,
) -> Result<WallCurve, WorkerError>
where
    P: FnOnce() -> Result<(), String> + Send + 'static,
    T: FnMut(&WallCurve) + Send + 'static,
{
    let owned = options.clone();
    let done = done.to_vec();
    let quota_bytes = options.memory_bytes as usize;
    let outcome = runtime::run(options.jit, quota_bytes, move |lua, _engine| {
        place().map_err(|message| WorkerError::Usage {
            message,
            suggestion: None,
        })?;
        search(lua, &owned, done, move |curve| told(curve)).map_err(|error| plain(text_of(&error)))
    });
    outcome.unwrap_or_else(|error| Err(broken(&error)))
}

fn search(
    lua: &Lua,
    options: &WallOptions,
    done: Vec<WallStep>,
    mut told: impl FnMut(&WallCurve) + 'static,
) -> mlua::Result<WallCurve> {
    let arguments = arguments(lua, options, &done)?;
    let curve = Rc::new(RefCell::new(WallCurve {
        steps: done,
        ..WallCurve::default()
    }));
    let growing = Rc::clone(&curve);
    let step = lua.create_function_mut(move |_, measured: Table| {
        let step = collect(&measured)?;
        let mut curve = growing.borrow_mut();
        curve.steps.push(step);
        told(&curve);
        Ok(())
    })?;
    super::scripted::configure(lua, options.memory_bytes)?;
    let driver = lua.load(DRIVER).set_name("@lycosa/wall.lua");
    let (ending, report): (String, Value) = driver.call((arguments, step))?;
    let mut curve = curve.borrow().clone();
    curve.ending = Some(match ending.as_str() {
        "halved" => WallEnding::Halved,
        "system" => WallEnding::System,
        _ => WallEnding::Quota,
    });
    if let Value::Table(report) = report {
        curve.at_quota = Some(at_quota(&report)?);
    }
    Ok(curve)
}

fn arguments(lua: &Lua, options: &WallOptions, done: &[WallStep]) -> mlua::Result<Table> {
    let limit_bytes = options.limit_memory_bytes.unwrap_or(u64::MAX);
    let argument = lua.create_table()?;
    argument.set("target_bytes", options.memory_bytes.min(limit_bytes) as f64)?;
    argument.set("steps", options.step_count)?;
    argument.set("operations", options.operations as f64)?;
    argument.set("payload_bytes", options.payload_bytes as f64)?;
    argument.set("fibers", options.fibers)?;
    argument.set("ops_per_txn", options.ops_per_txn)?;
    argument.set("index", options.index.name())?;
    argument.set("seed", options.seed as f64)?;
    if let Some(last) = done.last() {
        let rates = done.iter().map(|step| step.ops as f64 / step.wall_s);
        argument.set("done_records", last.records as f64)?;
        argument.set("done_quota_bytes", last.quota_used_bytes as f64)?;
        argument.set("best", rates.fold(0.0, f64::max))?;
    }
    Ok(argument)
}

fn collect(measured: &Table) -> mlua::Result<WallStep> {
    let raw: mlua::LuaString = measured.get("latencies")?;
    Ok(WallStep {
        records: whole(measured, "records")?,
        data_bytes: whole(measured, "data_bytes")?,
        quota_used_bytes: whole(measured, "quota_used_bytes")?,
        peak_rss_bytes: peak_rss_bytes(),
        wall_s: measured.get("wall_s")?,
        cpu_s: measured.get("cpu_s")?,
        ops: whole(measured, "ops")?,
        txn_latency_ns: Latencies::of_native_words(&raw.as_bytes()).percentiles(),
    })
}

fn at_quota(report: &Table) -> mlua::Result<AtQuota> {
    Ok(AtQuota {
        records: whole(report, "records")?,
        code: report.get("code")?,
        message: report.get("message")?,
        records_kept: whole(report, "records_kept")?,
        deleted: whole(report, "deleted")?,
        inserted_again: whole(report, "inserted_again")?,
        records_at_end: whole(report, "records_at_end")?,
    })
}

/// A whole number that Lua holds as its only kind of number.
fn whole(table: &Table, key: &str) -> mlua::Result<u64> {
    Ok(table.get::<f64>(key)? as u64)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn options(index: IndexKind) -> WallOptions {
        WallOptions {
            memory_bytes: 8 << 20,
            limit_memory_bytes: None,
            step_count: 3,
            operations: 200,
            payload_bytes: 100,
            fibers: 4,
            ops_per_txn: 10,
            index,
            jit: true,
            seed: 1,
        }
    }

    #[test]
    fn every_size_is_told_as_it_comes_and_the_quota_ends_it_or_the_wall() {
        for index in [IndexKind::Tree, IndexKind::Hash] {
            let (sender, told) = mpsc::channel();
            let tell = move |curve: &WallCurve| sender.send(curve.steps.len()).unwrap_or(());
            let curve = wall(&options(index), &[], || Ok(()), tell).unwrap();
            let sizes: Vec<u64> = curve.steps.iter().map(|step| step.records).collect();
            assert!(!sizes.is_empty() && sizes.is_sorted(), "{sizes:?}");
            let expected: Vec<usize> = (1..=sizes.len()).collect();
            assert_eq!(told.iter().collect::<Vec<_>>(), expected);
            assert!(
                curve
                    .steps
                    .iter()
                    .all(|step| step.ops == 200 && step.txn_latency_ns.count == 20)
            );
            match (curve.ending, curve.at_quota) {
                (Some(WallEnding::Halved), None) => {}
                (Some(WallEnding::Quota), Some(end)) => {
                    assert_eq!(end.code, 2);
                    assert_eq!(end.records_kept, end.records);
                    assert!(end.deleted > 0 && end.inserted_again > 0, "{end:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn what_was_done_is_filled_again_and_not_measured_again() {
        let options = options(IndexKind::Tree);
        let whole = wall(&options, &[], || Ok(()), |_| ()).unwrap();
        let done = &whole.steps[..1];
        let gone_on = wall(&options, done, || Ok(()), |_| ()).unwrap();
        assert_eq!(gone_on.steps[0], whole.steps[0]);
        let sizes = |curve: &WallCurve| -> Vec<u64> {
            let steps = curve.steps.iter();
            steps.map(|step| step.records).collect()
        };
        // Either may have found a wall on a machine whose speed halves in between.
        let count = gone_on.steps.len().min(whole.steps.len());
        assert_eq!(sizes(&gone_on)[..count], sizes(&whole)[..count]);
        assert!(gone_on.ending.is_some() && count > 1);
    }

    #[test]
    fn a_quota_that_holds_nothing_is_an_end_too() {
        let options = WallOptions {
            memory_bytes: 1 << 20,
            payload_bytes: 900_000,
            ..options(IndexKind::Tree)
        };
        let curve = wall(&options, &[], || Ok(()), |_| ()).unwrap();
        assert_eq!(curve.ending, Some(WallEnding::Quota));
        assert_eq!(curve.at_quota.map(|end| end.records), Some(0));
    }
}
