//! Size classes: every 8 bytes up to 512, then eight to a doubling up to [`MAX_CLASS_BYTES`].
//!
//! The steps of the upper classes are multiples of 64, so a size that is a multiple of 64 always gets a
//! class whose size is one, and with it items aligned to 64. An item of an upper class wastes less than
//! a ninth of its class.

const STEP_BYTES: usize = 8;
const LINEAR_MAX_BYTES: usize = 512;
const LINEAR_COUNT: usize = LINEAR_MAX_BYTES / STEP_BYTES;
const CLASSES_PER_DOUBLING: usize = 8;
const DOUBLINGS: usize = 3;

/// The largest size that slabs serve, in bytes.
pub(super) const MAX_CLASS_BYTES: usize = LINEAR_MAX_BYTES << DOUBLINGS;

/// How many size classes there are.
pub(super) const CLASS_COUNT: usize = LINEAR_COUNT + DOUBLINGS * CLASSES_PER_DOUBLING;

/// The class that serves `size` bytes, at most [`MAX_CLASS_BYTES`].
#[inline]
pub(super) fn class_of(size: usize) -> usize {
    if size <= LINEAR_MAX_BYTES {
        return size.saturating_sub(1) / STEP_BYTES;
    }
    // With last = size - 1, the leading bit tells the doubling and the three bits below it the step.
    let last = size - 1;
    let doubling = last.ilog2() - LINEAR_MAX_BYTES.ilog2();
    let shift = last.ilog2() - CLASSES_PER_DOUBLING.ilog2();
    let step = (last >> shift) - CLASSES_PER_DOUBLING;
    LINEAR_COUNT + doubling as usize * CLASSES_PER_DOUBLING + step
}

/// The size of the items of a class, in bytes.
pub(super) fn class_bytes(class: usize) -> usize {
    if class < LINEAR_COUNT {
        return (class + 1) * STEP_BYTES;
    }
    let doubling = (class - LINEAR_COUNT) / CLASSES_PER_DOUBLING;
    let step = (class - LINEAR_COUNT) % CLASSES_PER_DOUBLING;
    let base = LINEAR_MAX_BYTES << doubling;
    base + (step + 1) * (base / CLASSES_PER_DOUBLING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_gets_the_smallest_class_that_holds_it() {
        for size in 1..=MAX_CLASS_BYTES {
            let class = class_of(size);
            assert!(
                class_bytes(class) >= size,
                "class {class} is too small for {size}"
            );
            assert!(
                class == 0 || class_bytes(class - 1) < size,
                "{size} fits below {class}"
            );
        }
        assert_eq!(class_of(0), 0);
        assert_eq!(class_of(MAX_CLASS_BYTES), CLASS_COUNT - 1);
    }

    #[test]
    fn no_class_above_the_smallest_wastes_more_than_an_eighth() {
        for size in 64..=MAX_CLASS_BYTES {
            let waste = class_bytes(class_of(size)) - size;
            assert!(waste * 8 <= size, "{size} wastes {waste}");
        }
    }

    #[test]
    fn multiples_of_64_get_a_class_that_is_one() {
        for size in (64..=MAX_CLASS_BYTES).step_by(64) {
            assert_eq!(class_bytes(class_of(size)) % 64, 0);
        }
    }
}
