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
        let mut latencies = Self::new();
        for latency_ns in latencies_ns {
            latencies.record(latency_ns);
        }
        latencies
    }

    /// From the driver's histogram: `counts` of values by their 11 leading bits, from 1 on.
    pub(super) fn of_buckets(counts: impl Iterator<Item = u64>, max: u64) -> Self {
        let mut latencies = Self::new();
        for (bucket, count) in (0..).zip(counts).filter(|(_, count)| *count > 0) {
            let _ = latencies.histogram.record_n(bucket_value(bucket), count);
        }
        latencies.max = max;
        latencies
    }

    pub(super) fn new() -> Self {
        let histogram = match Histogram::new(SIGNIFICANT_DIGITS) {
            Ok(histogram) => histogram,
            Err(error) => unreachable!("three significant digits are in range: {error}"),
        };
        Self { histogram, max: 0 }
    }

    pub(super) fn record(&mut self, latency_ns: u64) {
        // The histogram grows as needed, so that every value has its place.
        let _ = self.histogram.record(latency_ns);
        self.max = self.max.max(latency_ns);
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

/// Buckets of one doubling in the driver's histogram.
const DOUBLING_BUCKETS: u64 = 1 << 10;

/// Smallest value of a bucket of the driver's histogram.
fn bucket_value(bucket: u64) -> u64 {
    let (doubling, position) = (bucket / DOUBLING_BUCKETS, bucket % DOUBLING_BUCKETS);
    let leading = DOUBLING_BUCKETS + position;
    // Beyond 53 doublings there is no bucket.
    (leading << doubling.min(52)) / DOUBLING_BUCKETS
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_of_the_driver_are_told_apart_to_three_digits() {
        for (bucket, value) in [(0, 1), (1_024, 2), (2_048, 4), (2_049, 4), (10_240, 1_024)] {
            assert_eq!(bucket_value(bucket), value);
        }
        // 1,025 ns, and 5 ms with its 11 leading bits.
        assert_eq!(bucket_value(10 * 1_024 + 1), 1_025);
        assert_eq!(bucket_value(22 * 1_024 + 196), 4_997_120);
        assert_eq!(bucket_value(53 * 1_024 - 1), (1 << 53) - (1 << 42));
    }

    #[test]
    fn counts_make_percentiles() {
        let mut counts = vec![0; 53 * 1_024];
        counts[10 * 1_024] = 990;
        counts[20 * 1_024] = 10;
        let latencies = Latencies::of_buckets(counts.into_iter(), 1_048_600).percentiles();
        assert_eq!(
            (latencies.count, latencies.p50, latencies.p99),
            (1_000, 1_024, 1_024)
        );
        assert_eq!((latencies.p999, latencies.max), (1_048_600, 1_048_600));
    }
}
