//! What is measured around the transactions: latency, resident memory.

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer as _, V2Serializer};

use super::contract::LatencyNs;

/// Significant decimal digits that the histogram keeps.
const SIGNIFICANT_DIGITS: u8 = 3;

/// Latencies of all transactions, in nanoseconds.
pub(super) struct Latencies {
    histogram: Histogram<u64>,
    max: u64,
}

impl Latencies {
    pub(super) fn of(latencies_ns: impl Iterator<Item = u64>) -> Self {
        let mut histogram = match Histogram::new(SIGNIFICANT_DIGITS) {
            Ok(histogram) => histogram,
            Err(error) => unreachable!("three significant digits are in range: {error}"),
        };
        let mut max = 0;
        for latency_ns in latencies_ns {
            // The histogram grows as needed, so that every value has its place.
            let _ = histogram.record(latency_ns);
            max = max.max(latency_ns);
        }
        Self { histogram, max }
    }

    /// The same of the 8 bytes of each, in this machine's order.
    pub(super) fn of_native_words(bytes: &[u8]) -> Self {
        let words = bytes.as_chunks::<8>().0;
        Self::of(words.iter().map(|word| u64::from_ne_bytes(*word)))
    }

    /// The percentiles; the largest value is exact.
    pub(super) fn percentiles(&self) -> LatencyNs {
        let at = |quantile| self.histogram.value_at_quantile(quantile).min(self.max);
        LatencyNs {
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            p999: at(0.999),
            max: self.max,
            count: self.histogram.len(),
        }
    }

    /// The histogram in V2 form, as base64.
    pub(super) fn encoded(&self) -> String {
        use base64::Engine as _;
        let mut bytes = Vec::new();
        match V2Serializer::new().serialize(&self.histogram, &mut bytes) {
            Ok(_) => base64::engine::general_purpose::STANDARD.encode(&bytes),
            Err(error) => unreachable!("a vector takes every write: {error:?}"),
        }
    }
}

/// Largest resident memory of this process so far, in bytes.
pub(crate) fn peak_rss_bytes() -> u64 {
    // SAFETY: the struct is plain numbers, and the call only fills it.
    let peak = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage.ru_maxrss as u64
    };
    // Linux counts kilobytes, macOS bytes.
    if cfg!(target_os = "macos") {
        peak
    } else {
        peak * 1024
    }
}

/// CPU time of this process so far, user and system, in seconds.
pub(super) fn cpu_s() -> f64 {
    // SAFETY: as above.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
