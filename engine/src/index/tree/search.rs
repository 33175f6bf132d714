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
    let start = hints.partition_point(|stored| *stored < hint);
    if hints.get(start).is_none_or(|stored| *stored != hint) {
        return Err(start);
    }
    position_among_equal_hints(hints, values, start, probe)
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
