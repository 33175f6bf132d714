//! Removal and rebalancing. Neither needs memory.

use super::inner::Inner;
use super::leaf::Leaf;
use super::path::Path;
use super::{Probe, Tree, search};

impl<V: Copy, const BYTES: usize> Tree<V, BYTES> {
    /// Removes the entry that compares equal, and answers its value; `None` when there is none.
    ///
    /// From the moment it returns, no search passes the value to a probe.
    pub fn remove(&mut self, probe: &impl Probe<V>) -> Option<V> {
        let (path, leaf) = self.descend(probe)?;
        let index = search::position(leaf.hints(), leaf.values(), probe.hint(), probe).ok()?;
        let value = leaf.remove(index);
        self.len -= 1;
        self.version += 1;
        if self.len == 0 {
            self.finger.forget();
            self.root = None;
            self.free_node(leaf.node());
            return Some(value);
        }
        if index == 0 && leaf.count() > 0 {
            path.update_separator(leaf);
        }
        if leaf.count() < Leaf::<V, BYTES>::MINIMUM && path.len() > 0 {
            self.finger.forget();
            self.rebalance_leaf(&path, leaf);
            self.rebalance_inner(&path);
        }
        Some(value)
    }

    /// Merges a leaf with a neighbour under the same parent, or takes entries from it.
    fn rebalance_leaf(&mut self, path: &Path, leaf: Leaf<V, BYTES>) {
        let Some((parent, slot)) = path.level(path.len() - 1) else {
            return;
        };
        let parent = Inner::<V, BYTES>::new(parent);
        // The pair of neighbours: the leaf is the right one, unless it has nothing on its left.
        let right_slot = slot.max(1);
        let left = Leaf::<V, BYTES>::new(parent.child(right_slot - 1));
        let right = Leaf::<V, BYTES>::new(parent.child(right_slot));
        let (left_count, right_count) = (left.count(), right.count());
        if left_count + right_count <= Leaf::<V, BYTES>::CAPACITY {
            left.move_from_right(right, right_count);
            parent.remove(right_slot);
            self.free_node(right.node());
        } else {
            if left_count < right_count {
                left.move_from_right(right, (right_count - left_count) / 2);
            } else {
                left.move_to_right(right, (left_count - right_count) / 2);
            }
            parent.set_separator(right_slot - 1, right.first_as_separator());
        }
        if slot == 0 {
            // The leaf may have been empty; then what is first in it came from the right.
            path.update_separator(leaf);
        }
    }

    /// Follows a merge upwards: each inner node that has become too small is merged or refilled too.
    fn rebalance_inner(&mut self, path: &Path) {
        for level in (1..path.len()).rev() {
            let (Some((node, _)), Some((parent, slot))) =
                (path.level(level), path.level(level - 1))
            else {
                return;
            };
            if Inner::<V, BYTES>::new(node).child_count() >= Inner::<V, BYTES>::MINIMUM {
                return;
            }
            self.rebalance_children(Inner::new(parent), slot.max(1));
        }
        let Some((root, _)) = path.level(0) else {
            return;
        };
        let root = Inner::<V, BYTES>::new(root);
        if root.child_count() == 1 {
            self.root = Some(root.child(0));
            self.inner_levels -= 1;
            self.free_node(root.node());
        }
    }

    /// Merges or evens out the inner nodes at `right_slot` and on its left.
    fn rebalance_children(&mut self, parent: Inner<V, BYTES>, right_slot: usize) {
        let left = Inner::<V, BYTES>::new(parent.child(right_slot - 1));
        let right = Inner::<V, BYTES>::new(parent.child(right_slot));
        let between = parent.separator(right_slot - 1);
        let (left_count, right_count) = (left.child_count(), right.child_count());
        if left_count + right_count <= Inner::<V, BYTES>::CAPACITY {
            left.move_from_right(between, right, right_count);
            parent.remove(right_slot);
            self.free_node(right.node());
        } else if left_count < right_count {
            let moved = (right_count - left_count) / 2;
            if let Some(between) = left.move_from_right(between, right, moved) {
                parent.set_separator(right_slot - 1, between);
            }
        } else {
            let moved = (left_count - right_count) / 2;
            let between = left.move_to_right(between, right, moved);
            parent.set_separator(right_slot - 1, between);
        }
    }
}
