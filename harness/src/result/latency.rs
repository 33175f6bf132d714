//! Transaction latency over several repetitions: their histograms, merged.
//!
//! Percentiles of repetitions cannot be averaged; histograms can be added. A histogram takes some
//! tens of kilobytes and is decoded only when it is needed.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2Serializer};
use lycosa_lua::worker::LatencyNs;

use super::Run;

/// Significant decimal digits of the merged histogram.
const SIGNIFICANT_DIGITS: u8 = 3;

/// A histogram that is none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LatencyError {
    #[error("the latency histogram is no base64 ({0})")]
    Base64(#[from] base64::DecodeError),
    #[error("the latency histogram is no HdrHistogram in V2 form ({0:?})")]
    Histogram(hdrhistogram::serialization::DeserializeError),
    #[error("the latency histograms cannot be merged ({0})")]
    Merge(String),
    #[error("the latencies cannot be put into a histogram ({0})")]
    Counts(String),
}

/// Decodes the histogram of one repetition, in nanoseconds.
pub(crate) fn decode(text: &str) -> Result<Histogram<u64>, LatencyError> {
    let bytes = STANDARD.decode(text)?;
    Deserializer::new()
        .deserialize(&mut Cursor::new(bytes))
        .map_err(LatencyError::Histogram)
}

/// Percentiles and histogram of latencies that come as values and how often each was seen; `max` is
/// the largest, exact, or 0 if that is not known.
pub(crate) fn of_counts(
    counts: impl Iterator<Item = (u64, u64)>,
    max: u64,
) -> Result<(LatencyNs, String), LatencyError> {
    let failed = |error: &dyn std::fmt::Display| LatencyError::Counts(error.to_string());
    let mut histogram =
        Histogram::<u64>::new(SIGNIFICANT_DIGITS).map_err(|error| failed(&error))?;
    for (value, count) in counts {
        histogram
            .record_n(value, count)
            .map_err(|error| failed(&error))?;
    }
    let mut bytes = Vec::new();
    V2Serializer::new()
        .serialize(&histogram, &mut bytes)
        .map_err(|error| LatencyError::Counts(format!("{error:?}")))?;
    let max = if max == 0 { histogram.max() } else { max };
    let at = |quantile| histogram.value_at_quantile(quantile).min(max);
    let percentiles = LatencyNs {
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        p999: at(0.999),
        max,
        count: histogram.len(),
    };
    Ok((percentiles, STANDARD.encode(bytes)))
}

/// Percentiles over every transaction of every repetition. Repetitions without a histogram (of
/// programs that give none, and in files of 0.1.0) leave only the median of their percentiles.
pub(crate) fn merge<'a>(
    runs: impl IntoIterator<Item = &'a Run, IntoIter: Clone>,
) -> Result<LatencyNs, LatencyError> {
    let runs = runs.into_iter();
    merge_pairs(runs.map(|run| (run.txn_latency_ns, run.txn_latency_histogram.as_str())))
}

/// The same from the times at which transactions were due; `None` without a rate.
pub(crate) fn merge_corrected<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
) -> Result<Option<LatencyNs>, LatencyError> {
    let pair = |run: &'a Run| {
        let latency = run.txn_latency_corrected_ns?;
        Some((latency, run.txn_latency_corrected_histogram.as_str()))
    };
    let pairs: Option<Vec<_>> = runs.into_iter().map(pair).collect();
    match pairs {
        Some(pairs) if !pairs.is_empty() => merge_pairs(pairs.into_iter()).map(Some),
        _ => Ok(None),
    }
}

fn merge_pairs<'a>(
    pairs: impl Iterator<Item = (LatencyNs, &'a str)> + Clone,
) -> Result<LatencyNs, LatencyError> {
    let mut merged = Histogram::<u64>::new(SIGNIFICANT_DIGITS)
        .map_err(|error| LatencyError::Merge(error.to_string()))?;
    // The workers know the largest value exactly, the histogram to three digits.
    let mut max = 0;
    for (latency, histogram) in pairs.clone() {
        if histogram.is_empty() {
            return Ok(median_percentiles(pairs.map(|(latency, _)| latency)));
        }
        merged
            .add(decode(histogram)?)
            .map_err(|error| LatencyError::Merge(error.to_string()))?;
        max = max.max(latency.max);
    }
    let at = |quantile| merged.value_at_quantile(quantile).min(max);
    Ok(LatencyNs {
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        p999: at(0.999),
        max,
        count: merged.len(),
    })
}

fn median_percentiles(latencies: impl Iterator<Item = LatencyNs>) -> LatencyNs {
    let all: Vec<LatencyNs> = latencies.collect();
    let median = |percentile: fn(&LatencyNs) -> u64| {
        let mut values: Vec<u64> = all.iter().map(percentile).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied().unwrap_or(0)
    };
    LatencyNs {
        p50: median(|latency| latency.p50),
        p95: median(|latency| latency.p95),
        p99: median(|latency| latency.p99),
        p999: median(|latency| latency.p999),
        max: all.iter().map(|latency| latency.max).max().unwrap_or(0),
        count: all.iter().map(|latency| latency.count).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::run;
    use super::*;
    use crate::worker::testing::histogram;

    #[test]
    fn every_transaction_of_every_repetition_counts_once() {
        let with = |values: &[u64]| {
            let mut run = run("native", false, 1, 1.0);
            run.txn_latency_histogram = histogram(values);
            run.txn_latency_ns.max = *values.iter().max().unwrap();
            run
        };
        let fast: Vec<u64> = vec![1_000; 990];
        let latency = merge(&[with(&fast), with(&[50_001; 10])]).unwrap();
        assert_eq!(latency.count, 1_000);
        assert_eq!((latency.p50, latency.p99), (1_000, 1_000));
        assert_eq!((latency.p999, latency.max), (50_001, 50_001));
    }

    #[test]
    fn without_a_histogram_the_middle_repetition_speaks() {
        let with = |p50| {
            let mut run = run("tarantool", false, 1, 1.0);
            run.txn_latency_histogram = String::new();
            run.txn_latency_ns.p50 = p50;
            run
        };
        let latency = merge(&[with(7), with(1), with(3)]).unwrap();
        assert_eq!((latency.p50, latency.max, latency.count), (3, 1_930_000, 6));
    }

    #[test]
    fn counts_make_the_histogram_that_the_values_would() {
        let counts = [(1_000, 990), (50_000, 10), (0, 0)];
        let (latency, text) = of_counts(counts.into_iter(), 50_001).unwrap();
        assert_eq!((latency.count, latency.p50), (1_000, 1_000));
        assert_eq!((latency.p999, latency.max), (50_001, 50_001));
        assert_eq!(decode(&text).unwrap().len(), 1_000);
        assert!(of_counts([(u64::MAX, 9)].into_iter(), 0).is_ok());
        let too_many = of_counts([(7, u64::MAX)].into_iter(), 0);
        assert!(matches!(too_many, Err(LatencyError::Counts(_))));
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        assert!(matches!(decode("%"), Err(LatencyError::Base64(_))));
        assert!(matches!(decode("AAAA"), Err(LatencyError::Histogram(_))));
    }
}
