//! Memory of a leaf: a 16-byte header, an array of hints, an array of values.
//!
//! ```text
//! 0        2             16                     16 + 8 n               16 + 16 n
//! | count  | last insert | hint 0 ... hint n-1  | value 0 ... value n-1 |
//! ```
//!
//! A handle is a plain pointer. The tree holds each node exactly once and drops its handles when it
//! frees the node; that, and the bounds asserted here, is what makes the accesses sound.

use std::marker::PhantomData;
use std::ptr;

use super::NodePointer;
use super::inner::Separator;

pub(super) const HEADER_BYTES: usize = 16;

#[repr(C)]
struct Header {
    count: u16,
    /// Index of the entry inserted last, or [`NO_INSERT`]: by it a split recognizes an ascending run.
    last_insert: u16,
}

const NO_INSERT: u16 = u16::MAX;

/// A live leaf.
pub(super) struct Leaf<V, const BYTES: usize> {
    node: NodePointer,
    values: PhantomData<*mut V>,
}

impl<V, const BYTES: usize> Clone for Leaf<V, BYTES> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V, const BYTES: usize> Copy for Leaf<V, BYTES> {}

impl<V: Copy, const BYTES: usize> Leaf<V, BYTES> {
    /// How many entries fit.
    pub(super) const CAPACITY: usize = {
        assert!(
            size_of::<V>() == 8 && align_of::<V>() <= 8,
            "values are 8 bytes"
        );
        assert!(
            BYTES >= 64 && BYTES.is_multiple_of(64),
            "nodes are whole cache lines"
        );
        (BYTES - HEADER_BYTES) / 16
    };

    /// Below this many entries a removal merges the leaf or refills it from its neighbour.
    pub(super) const MINIMUM: usize = Self::CAPACITY / 3;

    /// The leaf at a node that is known to be one.
    pub(super) fn new(node: NodePointer) -> Self {
        Self {
            node,
            values: PhantomData,
        }
    }

    /// Makes a leaf without entries of fresh memory.
    pub(super) fn initialize(node: NodePointer) -> Self {
        // SAFETY: the tree allocated BYTES bytes, aligned to 64, for this node.
        unsafe {
            node.cast::<Header>().write(Header {
                count: 0,
                last_insert: NO_INSERT,
            });
        };
        Self::new(node)
    }

    pub(super) fn node(self) -> NodePointer {
        self.node
    }

    #[inline]
    pub(super) fn count(self) -> usize {
        // SAFETY: the leaf is live, its header initialized.
        unsafe { usize::from((*self.node.cast::<Header>().as_ptr()).count) }
    }

    pub(super) fn is_full(self) -> bool {
        self.count() == Self::CAPACITY
    }

    /// Whether an insert at `index` continues an ascending run.
    pub(super) fn continues_run(self, index: usize) -> bool {
        // SAFETY: the leaf is live, its header initialized.
        let last_insert = unsafe { (*self.node.cast::<Header>().as_ptr()).last_insert };
        last_insert != NO_INSERT && usize::from(last_insert) + 1 == index
    }

    /// Forgets where the last insert was: the run goes on in another leaf.
    pub(super) fn end_run(self) {
        self.set_last_insert(NO_INSERT);
    }

    #[inline]
    pub(super) fn hints<'a>(self) -> &'a [u64] {
        // SAFETY: the first `count` hints are initialized. Callers hold the slice only while they do
        // not change the leaf, since every user of this module works on one tree behind one borrow.
        unsafe { std::slice::from_raw_parts(self.hint_pointer(), self.count()) }
    }

    #[inline]
    pub(super) fn values<'a>(self) -> &'a [V] {
        // SAFETY: as for the hints.
        unsafe { std::slice::from_raw_parts(self.value_pointer(), self.count()) }
    }

    /// The first entry, as the separator on the leaf's left. The leaf is not empty.
    pub(super) fn first_as_separator(self) -> Separator<V> {
        Separator {
            hint: self.hints()[0],
            value: self.values()[0],
        }
    }

    /// Overwrites a value and answers the old one.
    pub(super) fn set_value(self, index: usize, value: V) -> V {
        assert!(index < self.count());
        // SAFETY: the index is that of an initialized value.
        unsafe { self.value_pointer().add(index).replace(value) }
    }

    /// Inserts an entry. The leaf is not full.
    #[inline]
    pub(super) fn insert(self, index: usize, hint: u64, value: V) {
        let count = self.count();
        assert!(index <= count && count < Self::CAPACITY);
        let moved = count - index;
        // SAFETY: both arrays hold CAPACITY items, and count + 1 of them are in use afterwards.
        unsafe {
            let hint_slot = self.hint_pointer().add(index);
            let value_slot = self.value_pointer().add(index);
            if moved > 0 {
                ptr::copy(hint_slot, hint_slot.add(1), moved);
                ptr::copy(value_slot, value_slot.add(1), moved);
            }
            hint_slot.write(hint);
            value_slot.write(value);
        }
        self.set_count(count + 1);
        self.set_last_insert(index as u16);
    }

    /// Removes an entry and answers its value.
    pub(super) fn remove(self, index: usize) -> V {
        let count = self.count();
        assert!(index < count);
        let moved = count - index - 1;
        // SAFETY: the index and those after it are initialized items of both arrays.
        let value = unsafe {
            let hint_slot = self.hint_pointer().add(index);
            let value_slot = self.value_pointer().add(index);
            let value = value_slot.read();
            ptr::copy(hint_slot.add(1), hint_slot, moved);
            ptr::copy(value_slot.add(1), value_slot, moved);
            value
        };
        self.set_count(count - 1);
        self.end_run();
        value
    }

    /// Moves the last `moved` entries to the front of the right neighbour.
    pub(super) fn move_to_right(self, right: Self, moved: usize) {
        let (count, right_count) = (self.count(), right.count());
        assert!(moved <= count && right_count + moved <= Self::CAPACITY);
        // SAFETY: both leaves are live and different; the assertion keeps all items inside the arrays.
        unsafe {
            let (hints, values) = (right.hint_pointer(), right.value_pointer());
            ptr::copy(hints, hints.add(moved), right_count);
            ptr::copy(values, values.add(moved), right_count);
            let from = count - moved;
            ptr::copy_nonoverlapping(self.hint_pointer().add(from), hints, moved);
            ptr::copy_nonoverlapping(self.value_pointer().add(from), values, moved);
        }
        self.set_count(count - moved);
        right.set_count(right_count + moved);
        self.end_run();
        right.end_run();
    }

    /// Moves the first `moved` entries of the right neighbour to the end of this leaf.
    pub(super) fn move_from_right(self, right: Self, moved: usize) {
        let (count, right_count) = (self.count(), right.count());
        assert!(moved <= right_count && count + moved <= Self::CAPACITY);
        // SAFETY: both leaves are live and different; the assertion keeps all items inside the arrays.
        unsafe {
            let (hints, values) = (right.hint_pointer(), right.value_pointer());
            ptr::copy_nonoverlapping(hints, self.hint_pointer().add(count), moved);
            ptr::copy_nonoverlapping(values, self.value_pointer().add(count), moved);
            ptr::copy(hints.add(moved), hints, right_count - moved);
            ptr::copy(values.add(moved), values, right_count - moved);
        }
        self.set_count(count + moved);
        right.set_count(right_count - moved);
        self.end_run();
        right.end_run();
    }

    #[inline]
    fn set_count(self, count: usize) {
        // SAFETY: the leaf is live, its header initialized.
        unsafe { (*self.node.cast::<Header>().as_ptr()).count = count as u16 };
    }

    #[inline]
    fn set_last_insert(self, last_insert: u16) {
        // SAFETY: the leaf is live, its header initialized.
        unsafe { (*self.node.cast::<Header>().as_ptr()).last_insert = last_insert };
    }

    #[inline]
    fn hint_pointer(self) -> *mut u64 {
        // SAFETY: the offset lies inside the node.
        unsafe { self.node.as_ptr().add(HEADER_BYTES).cast() }
    }

    #[inline]
    fn value_pointer(self) -> *mut V {
        // SAFETY: the offset lies inside the node.
        unsafe {
            self.node
                .as_ptr()
                .add(HEADER_BYTES + 8 * Self::CAPACITY)
                .cast()
        }
    }
}
