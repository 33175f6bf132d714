//! Resources and samples as programs tell them. Counts may come as floating-point numbers, which is
//! all that Lua has; what is negative or no number tells nothing.

use std::collections::BTreeMap;

use lycosa_lua::worker::{LatencyNs, Resources, Sample, WorkerError};
use serde::Deserialize;
use serde_json::Value;

/// Resources by name; null is what the program does not know.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct ToldResources(BTreeMap<String, Option<f64>>);

impl ToldResources {
    /// What was told, under its names.
    pub(super) fn figures(&self) -> impl Iterator<Item = (&str, f64)> {
        let figures = self.0.iter();
        figures.filter_map(|(name, found)| Some((name.as_str(), (*found)?)))
    }
}

/// Names that are not known here are passed over.
impl From<&ToldResources> for Resources {
    fn from(told: &ToldResources) -> Self {
        let is_real = |name: &str| name.ends_with("_s") || name.ends_with("_j");
        let fields = told.figures().filter(|(_, found)| *found >= 0.0);
        let fields = fields.map(|(name, found)| {
            let value = if is_real(name) {
                Value::from(found)
            } else {
                Value::from(found as u64)
            };
            (name.to_owned(), value)
        });
        // Each field is of the kind that its name tells.
        serde_json::from_value(Value::Object(fields.collect())).unwrap_or_default()
    }
}

/// Percentiles of latencies, in nanoseconds.
#[derive(Debug, Default, Clone, Copy, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Percentiles {
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
    pub(super) p999: f64,
    pub(super) max: f64,
    pub(super) count: f64,
}

impl From<Percentiles> for LatencyNs {
    fn from(percentiles: Percentiles) -> Self {
        Self {
            p50: percentiles.p50 as u64,
            p95: percentiles.p95 as u64,
            p99: percentiles.p99 as u64,
            p999: percentiles.p999 as u64,
            max: percentiles.max as u64,
            count: percentiles.count as u64,
        }
    }
}

/// One interval of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ToldSample {
    t_s: f64,
    interval_s: f64,
    ops: f64,
    #[serde(default)]
    txn_latency_ns: Percentiles,
    #[serde(default)]
    resources: Option<ToldResources>,
}

impl ToldSample {
    /// Reads the line of one; `None` for what is none.
    pub(super) fn read(json: &[u8]) -> Option<Sample> {
        serde_json::from_slice::<Self>(json).ok()?.sample()
    }

    /// `None` where a time or a count is none.
    pub(super) fn sample(&self) -> Option<Sample> {
        let figures = [self.t_s, self.interval_s, self.ops];
        let is_sound = figures.iter().all(|x| x.is_finite() && *x >= 0.0);
        is_sound.then(|| Sample {
            t_s: self.t_s,
            interval_s: self.interval_s,
            ops: self.ops as u64,
            txn_latency_ns: self.txn_latency_ns.into(),
            resources: self.resources.as_ref().map(Resources::from),
        })
    }
}

/// What a program says that was asked to stop, in place of figures.
#[derive(Debug, Deserialize)]
pub(super) struct ToldStopped {
    done_ops: f64,
    is_verified: bool,
}

impl From<ToldStopped> for WorkerError {
    fn from(told: ToldStopped) -> Self {
        Self::Stopped {
            done_ops: told.done_ops as u64,
            is_verified: told.is_verified,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_lua_s_numbers_is_read() {
        let json = br#"{"t_s":1.5,"interval_s":0.5,"ops":1e5,"other":[1],
            "txn_latency_ns":{"p50":9.8e3,"max":2e15},
            "resources":{"lua_heap_bytes":1.5e6,"energy_j":null,"swap_bytes":-1,"x":2}}"#;
        let sample = ToldSample::read(json).unwrap();
        assert_eq!(sample.ops, 100_000);
        let latency = sample.txn_latency_ns;
        assert_eq!((latency.p50, latency.max), (9_800, 2_000_000_000_000_000));
        let expected = Resources {
            lua_heap_bytes: Some(1_500_000),
            ..Resources::default()
        };
        assert_eq!(sample.resources, Some(expected));
    }

    #[test]
    fn what_is_no_sample_is_none() {
        for json in [
            "",
            "[]",
            "{\"t_s\":1}",
            r#"{"t_s":-1,"interval_s":1,"ops":1}"#,
            r#"{"t_s":1,"interval_s":1,"ops":-5}"#,
            r#"{"t_s":1e999,"interval_s":1,"ops":1}"#,
            r#"{"t_s":"1","interval_s":1,"ops":1}"#,
        ] {
            assert_eq!(ToldSample::read(json.as_bytes()), None, "{json}");
        }
    }
}
