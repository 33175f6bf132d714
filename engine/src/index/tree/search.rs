//! Search inside a node.

use std::cmp::Ordering;

use super::Probe;

/// Where the sought entry is (`Ok`), or the index of the first greater one (`Err`).
///
/// Reads hints; compares values only within the run of equal hints, by binary search.
#[inline]
pub(super) fn position<V: Copy>(
    hints: &[u64],
    values: &[V],
    hint: u64,
    probe: &impl Probe<V>,
) -> Result<usize, usize> {
    let start = count_less(hints, hint);
    if hints.get(start).is_none_or(|stored| *stored != hint) {
        return Err(start);
    }
    position_among_equal_hints(hints, values, start, probe)
}

/// How many of the ascending hints are less.
///
/// Two counts, of every eighth hint and then within one stretch of eight: all their loads are known at
/// once, so that the cache misses of a cold node overlap, where a binary search takes one after another.
#[inline]
fn count_less(hints: &[u64], hint: u64) -> usize {
    const STRETCH: usize = 8;
    let (stretches, _) = hints.as_chunks::<STRETCH>();
    let passed = stretches
        .iter()
        .map(|stretch| usize::from(stretch[STRETCH - 1] < hint))
        .sum::<usize>();
    let start = passed * STRETCH;
    let stretch = &hints[start..hints.len().min(start + STRETCH)];
    start
        + stretch
            .iter()
            .map(|stored| usize::from(*stored < hint))
            .sum::<usize>()
}

fn position_among_equal_hints<V: Copy>(
    hints: &[u64],
    values: &[V],
    start: usize,
    probe: &impl Probe<V>,
) -> Result<usize, usize> {
    let hint = hints[start];
    let run = hints[start + 1..].partition_point(|stored| *stored == hint) + 1;
    let (mut low, mut high) = (start, start + run);
    while low < high {
        let middle = low + (high - low) / 2;
        match probe.compare(values[middle]) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}
