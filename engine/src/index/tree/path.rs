//! The inner nodes from the root to a leaf, with the slot taken at each.

use super::inner::Inner;
use super::leaf::Leaf;
use super::{NodePointer, Probe, Tree};

/// The most levels of inner nodes that a tree grows to. With real node sizes and the minimum fill of
/// inner nodes, memory ends long before.
pub(super) const LEVELS_MAX: usize = 16;

/// Stays valid until a node is split, merged or refilled.
#[derive(Clone, Copy)]
pub(super) struct Path {
    nodes: [Option<NodePointer>; LEVELS_MAX],
    slots: [u16; LEVELS_MAX],
    len: usize,
}

impl Path {
    pub(super) const fn new() -> Self {
        Self {
            nodes: [None; LEVELS_MAX],
            slots: [0; LEVELS_MAX],
            len: 0,
        }
    }

    /// Levels on the path: the tree's inner levels.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    pub(super) fn push(&mut self, node: NodePointer, slot: usize) {
        self.nodes[self.len] = Some(node);
        self.slots[self.len] = slot as u16;
        self.len += 1;
    }

    /// Removes the lowest level and answers it.
    pub(super) fn pop(&mut self) -> Option<(NodePointer, usize)> {
        self.len = self.len.checked_sub(1)?;
        self.level(self.len)
    }

    /// The inner node at a level, counted from the root, and the slot taken there.
    pub(super) fn level(&self, level: usize) -> Option<(NodePointer, usize)> {
        let node = (*self.nodes.get(level)?)?;
        Some((node, usize::from(self.slots[level])))
    }

    /// Copies the first entry of a leaf into the separator on the leaf's left: the one in the lowest
    /// node on the path that was not left by its first child. The leftmost leaf has none.
    pub(super) fn update_separator<V: Copy, const BYTES: usize>(&self, leaf: Leaf<V, BYTES>) {
        for level in (0..self.len()).rev() {
            if let Some((node, slot)) = self.level(level)
                && slot > 0
            {
                Inner::<V, BYTES>::new(node).set_separator(slot - 1, leaf.first_as_separator());
                return;
            }
        }
    }
}

impl<V: Copy, const BYTES: usize> Tree<V, BYTES> {
    /// The leaf in which the sought entry belongs, with the path to it; `None` in an empty tree.
    pub(super) fn descend(&self, probe: &impl Probe<V>) -> Option<(Path, Leaf<V, BYTES>)> {
        let hint = probe.hint();
        let mut node = self.root?;
        let mut path = Path::new();
        for _ in 0..self.inner_levels {
            let inner = Inner::<V, BYTES>::new(node);
            let slot = inner.slot_for(hint, probe);
            path.push(node, slot);
            node = inner.child(slot);
        }
        Some((path, Leaf::new(node)))
    }
}
