//! Memory of an inner node: a 16-byte header, separators as an array of hints and one of values, and
//! the children. Separator `i` stands between child `i` and child `i + 1`.
//!
//! ```text
//! 0       16                          16 + 8 (n-1)                  16 + 16 (n-1)
//! | count | hint 0 ... hint n-2       | value 0 ... value n-2       | child 0 ... child n-1 |
//! ```
//!
//! The same rules make handles sound as for leaves.

use std::marker::PhantomData;
use std::ptr;

use super::leaf::HEADER_BYTES;
use super::{NodePointer, Probe, search};

/// The entry that stands between two children: the first of the right one.
#[derive(Clone, Copy)]
pub(super) struct Separator<V> {
    pub(super) hint: u64,
    pub(super) value: V,
}

/// A live inner node.
pub(super) struct Inner<V, const BYTES: usize> {
    node: NodePointer,
    values: PhantomData<*mut V>,
}

impl<V, const BYTES: usize> Clone for Inner<V, BYTES> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V, const BYTES: usize> Copy for Inner<V, BYTES> {}

/// Opens a gap of `width` items at `index` in an array that holds `count`.
///
/// # Safety
///
/// The array has room for `count + width` items, and `index <= count`.
unsafe fn open_gap<T>(array: *mut T, count: usize, index: usize, width: usize) {
    // SAFETY: the caller's promise keeps both ranges inside the array.
    unsafe { ptr::copy(array.add(index), array.add(index + width), count - index) };
}

/// Closes a gap of `width` items at `index` in an array that holds `count`.
///
/// # Safety
///
/// The array holds `count` items, and `index + width <= count`.
unsafe fn close_gap<T>(array: *mut T, count: usize, index: usize, width: usize) {
    // SAFETY: the caller's promise keeps both ranges inside the array.
    unsafe {
        ptr::copy(
            array.add(index + width),
            array.add(index),
            count - index - width,
        );
    };
}

impl<V: Copy, const BYTES: usize> Inner<V, BYTES> {
    /// How many children fit.
    pub(super) const CAPACITY: usize = {
        let capacity = (BYTES - HEADER_BYTES + 16) / 24;
        assert!(
            capacity >= 4,
            "an inner node splits into two that have two children each"
        );
        capacity
    };

    /// Below this many children a removal merges the node or refills it from its neighbour.
    pub(super) const MINIMUM: usize = if Self::CAPACITY / 3 < 2 {
        2
    } else {
        Self::CAPACITY / 3
    };

    /// The inner node at a node that is known to be one.
    pub(super) fn new(node: NodePointer) -> Self {
        Self {
            node,
            values: PhantomData,
        }
    }

    /// Makes an inner node with one child of fresh memory. The caller adds or moves in more.
    pub(super) fn initialize(node: NodePointer, child: NodePointer) -> Self {
        let inner = Self::new(node);
        // SAFETY: the tree allocated BYTES bytes, aligned to 64, for this node.
        unsafe {
            node.cast::<usize>().write(1);
            inner.child_pointer().write(child);
        }
        inner
    }

    pub(super) fn node(self) -> NodePointer {
        self.node
    }

    #[inline]
    pub(super) fn child_count(self) -> usize {
        // SAFETY: the node is live, its header initialized.
        unsafe { self.node.cast::<usize>().read() }
    }

    pub(super) fn is_full(self) -> bool {
        self.child_count() == Self::CAPACITY
    }

    #[inline]
    pub(super) fn child(self, slot: usize) -> NodePointer {
        assert!(slot < self.child_count());
        // SAFETY: the slot is that of an initialized child.
        unsafe { self.child_pointer().add(slot).read() }
    }

    /// The child in which the sought entry belongs.
    #[inline]
    pub(super) fn slot_for(self, hint: u64, probe: &impl Probe<V>) -> usize {
        match search::position(self.hints(), self.values(), hint, probe) {
            Ok(index) => index + 1,
            Err(index) => index,
        }
    }

    /// The hints of the separators.
    #[inline]
    pub(super) fn hints<'a>(self) -> &'a [u64] {
        // SAFETY: one hint less than children is initialized. Callers hold the slice only while they
        // do not change the node.
        unsafe { std::slice::from_raw_parts(self.hint_pointer(), self.child_count() - 1) }
    }

    #[inline]
    fn values<'a>(self) -> &'a [V] {
        // SAFETY: as for the hints.
        unsafe { std::slice::from_raw_parts(self.value_pointer(), self.child_count() - 1) }
    }

    pub(super) fn separator(self, index: usize) -> Separator<V> {
        Separator {
            hint: self.hints()[index],
            value: self.values()[index],
        }
    }

    pub(super) fn set_separator(self, index: usize, separator: Separator<V>) {
        assert!(index + 1 < self.child_count());
        // SAFETY: the index is that of an initialized separator.
        unsafe {
            self.hint_pointer().add(index).write(separator.hint);
            self.value_pointer().add(index).write(separator.value);
        }
    }

    /// Inserts a child at `slot`, not the first, with the separator on its left. The node is not full.
    pub(super) fn insert(self, slot: usize, separator: Separator<V>, child: NodePointer) {
        let count = self.child_count();
        assert!(slot >= 1 && slot <= count && count < Self::CAPACITY);
        // SAFETY: the assertion keeps the gaps and the new items inside the arrays.
        unsafe {
            open_gap(self.hint_pointer(), count - 1, slot - 1, 1);
            open_gap(self.value_pointer(), count - 1, slot - 1, 1);
            open_gap(self.child_pointer(), count, slot, 1);
            self.child_pointer().add(slot).write(child);
        }
        self.set_child_count(count + 1);
        self.set_separator(slot - 1, separator);
    }

    /// Removes the child at `slot`, not the first, with the separator on its left.
    pub(super) fn remove(self, slot: usize) {
        let count = self.child_count();
        assert!(slot >= 1 && slot < count);
        // SAFETY: the assertion keeps the gaps inside the arrays.
        unsafe {
            close_gap(self.hint_pointer(), count - 1, slot - 1, 1);
            close_gap(self.value_pointer(), count - 1, slot - 1, 1);
            close_gap(self.child_pointer(), count, slot, 1);
        }
        self.set_child_count(count - 1);
    }

    /// Splits off the children from `slot` on into fresh memory. Answers the new node and what now
    /// separates the two.
    pub(super) fn split_off(self, slot: usize, node: NodePointer) -> (Self, Separator<V>) {
        let moved = self.child_count() - slot;
        assert!(slot >= 1 && moved >= 1);
        let separator = self.separator(slot - 1);
        let right = Self::initialize(node, self.child(slot));
        // SAFETY: the nodes are different; `moved` children and one separator less lie in both.
        unsafe {
            let (hints, values) = (self.hint_pointer(), self.value_pointer());
            ptr::copy_nonoverlapping(hints.add(slot), right.hint_pointer(), moved - 1);
            ptr::copy_nonoverlapping(values.add(slot), right.value_pointer(), moved - 1);
            let children = self.child_pointer();
            ptr::copy_nonoverlapping(children.add(slot), right.child_pointer(), moved);
        }
        right.set_child_count(moved);
        self.set_child_count(slot);
        (right, separator)
    }

    /// Moves the last `moved` children to the front of the right neighbour, past the separator between
    /// the two. Answers the separator that takes its place. At least one child stays.
    pub(super) fn move_to_right(
        self,
        between: Separator<V>,
        right: Self,
        moved: usize,
    ) -> Separator<V> {
        let (count, right_count) = (self.child_count(), right.child_count());
        assert!(moved >= 1 && moved < count && right_count + moved <= Self::CAPACITY);
        let from = count - moved;
        let new_between = self.separator(from - 1);
        // SAFETY: the nodes are different; the assertion keeps all items inside the arrays.
        unsafe {
            let (hints, values) = (right.hint_pointer(), right.value_pointer());
            open_gap(hints, right_count - 1, 0, moved);
            open_gap(values, right_count - 1, 0, moved);
            open_gap(right.child_pointer(), right_count, 0, moved);
            ptr::copy_nonoverlapping(self.hint_pointer().add(from), hints, moved - 1);
            ptr::copy_nonoverlapping(self.value_pointer().add(from), values, moved - 1);
            let children = self.child_pointer();
            ptr::copy_nonoverlapping(children.add(from), right.child_pointer(), moved);
        }
        self.set_child_count(from);
        right.set_child_count(right_count + moved);
        right.set_separator(moved - 1, between);
        new_between
    }

    /// Moves the first `moved` children of the right neighbour to the end of this node, past the
    /// separator between the two. Answers the separator that takes its place, unless no child stays.
    pub(super) fn move_from_right(
        self,
        between: Separator<V>,
        right: Self,
        moved: usize,
    ) -> Option<Separator<V>> {
        let (count, right_count) = (self.child_count(), right.child_count());
        assert!(moved >= 1 && moved <= right_count && count + moved <= Self::CAPACITY);
        let new_between = (moved < right_count).then(|| right.separator(moved - 1));
        // SAFETY: the nodes are different; the assertion keeps all items inside the arrays.
        unsafe {
            let (hints, values) = (right.hint_pointer(), right.value_pointer());
            ptr::copy_nonoverlapping(hints, self.hint_pointer().add(count), moved - 1);
            ptr::copy_nonoverlapping(values, self.value_pointer().add(count), moved - 1);
            let children = right.child_pointer();
            ptr::copy_nonoverlapping(children, self.child_pointer().add(count), moved);
            if moved < right_count {
                close_gap(hints, right_count - 1, 0, moved);
                close_gap(values, right_count - 1, 0, moved);
                close_gap(children, right_count, 0, moved);
            }
        }
        self.set_child_count(count + moved);
        right.set_child_count(right_count - moved);
        self.set_separator(count - 1, between);
        new_between
    }

    #[inline]
    fn set_child_count(self, count: usize) {
        // SAFETY: the node is live.
        unsafe { self.node.cast::<usize>().write(count) };
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
                .add(HEADER_BYTES + 8 * (Self::CAPACITY - 1))
                .cast()
        }
    }

    #[inline]
    fn child_pointer(self) -> *mut NodePointer {
        // SAFETY: the offset lies inside the node.
        unsafe {
            self.node
                .as_ptr()
                .add(HEADER_BYTES + 16 * (Self::CAPACITY - 1))
                .cast()
        }
    }
}
