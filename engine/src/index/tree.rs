//! B+tree of `{hint, value}` entries, the ordered index.
//!
//! A *hint* is an order-preserving 8-byte digest of an entry's key: entries are ordered by hint first,
//! and only among equal hints does the tree ask the [`Probe`] to look at values. The tree knows unique
//! entries only; an index on a non-unique key probes with (key, primary key).
//!
//! Nodes are [`NODE_BYTES`] large and live in an [`Arena`]. A leaf keeps an array of hints and an array
//! of values; an inner node keeps children and, between each two, a separator. Leaves are not linked to
//! each other, so that a node can be copied before it is changed while a read view holds the old one;
//! cursors keep the path from the root instead.
//!
//! Invariants:
//! - All leaves are at the same depth. An inner node has at least two children.
//! - A separator *is* the first entry of the subtree to its right: same hint, same value. Removing or
//!   replacing that entry updates the separator. So whatever [`Probe::compare`] sees is in the tree.
//!
//! Costs: a search reads hints only, one node a level, and a value for each comparison of equal hints.
//! A *finger* remembers the leaf of the last insert and the range that it covers, so ascending runs
//! insert without a descent. A leaf that overflows at the end of an ascending run is left behind full.

mod cursor;
mod inner;
mod insert;
mod leaf;
mod path;
mod remove;
mod search;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::ptr::NonNull;
use std::rc::Rc;

pub use cursor::{Bound, Cursor};

use crate::memory::Arena;
use inner::Inner;
use insert::Finger;
use leaf::Leaf;

/// Size of a node, in bytes, unless a tree says otherwise. Against 512, random inserts and lookups are a
/// fifth faster and a full leaf's share of the inner nodes is half as large; 768 is between.
pub const NODE_BYTES: usize = 1024;

/// What a search looks for.
pub trait Probe<V: Copy> {
    /// The hint of the sought key.
    fn hint(&self) -> u64;

    /// The order of a stored value relative to the sought key: `Less` when the stored one comes first.
    ///
    /// Called only for values in the tree whose hint equals [`Probe::hint`]. A probe for the bound of a
    /// partial key may never answer `Equal`; no probe answers it for two entries of one tree.
    fn compare(&self, stored: V) -> Ordering;
}

/// Memory of one node, leaf or inner: the height at which it is met tells which.
type NodePointer = NonNull<u8>;

/// A B+tree with values of 8 bytes. See the [module](self) for the layout and its costs.
///
/// `BYTES` is the size of its nodes: a multiple of 64, from 128 on.
pub struct Tree<V: Copy, const BYTES: usize = NODE_BYTES> {
    arena: Rc<Arena>,
    root: Option<NodePointer>,
    /// Levels of inner nodes above the leaves.
    inner_levels: usize,
    len: usize,
    node_count: usize,
    version: u64,
    finger: Finger<V, BYTES>,
    /// Cursors hold it too: they are this tree's for as long as the allocation is the same.
    identity: Rc<()>,
}

impl<V: Copy, const BYTES: usize> Tree<V, BYTES> {
    /// An empty tree, which has no nodes yet.
    pub fn new(arena: Rc<Arena>) -> Self {
        Self {
            arena,
            root: None,
            inner_levels: 0,
            len: 0,
            node_count: 0,
            version: 0,
            finger: Finger::new(),
            identity: Rc::new(()),
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A number that every insert, remove, replace and clear changes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Memory of the nodes, in bytes.
    pub fn node_bytes(&self) -> usize {
        self.node_count * BYTES
    }

    /// The value of the entry that compares equal.
    pub fn get(&self, probe: &impl Probe<V>) -> Option<V> {
        let leaf = self.leaf_for(probe)?;
        let index = search::position(leaf.hints(), leaf.values(), probe.hint(), probe).ok()?;
        Some(leaf.values()[index])
    }

    /// The smallest entry's value.
    pub fn first(&self) -> Option<V> {
        self.edge_leaf(|_| 0)?.values().first().copied()
    }

    /// The greatest entry's value.
    pub fn last(&self) -> Option<V> {
        self.edge_leaf(|count| count - 1)?.values().last().copied()
    }

    /// The value of an entry that `seed` chooses. The same seed chooses the same entry of the same tree;
    /// every entry can be chosen, but not with exactly equal chances: children of a node are alike.
    pub fn random(&self, seed: u64) -> Option<V> {
        let mut state = seed;
        let mut choose = |count: usize| {
            // SplitMix64, then a multiplication that maps 64 bits onto the count.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            ((u128::from(mixed) * count as u128) >> 64) as usize
        };
        let leaf = self.edge_leaf(&mut choose)?;
        leaf.values().get(choose(leaf.values().len())).copied()
    }

    /// Overwrites the value of the entry that compares equal, and answers the old value; `None` when
    /// there is no such entry. The new value must have the same key, hence the same hint.
    pub fn replace(&mut self, value: V, probe: &impl Probe<V>) -> Option<V> {
        let (path, leaf) = self.descend(probe)?;
        let index = search::position(leaf.hints(), leaf.values(), probe.hint(), probe).ok()?;
        let old = leaf.set_value(index, value);
        if index == 0 {
            path.update_separator(leaf);
        }
        self.version += 1;
        Some(old)
    }

    /// Removes every entry.
    pub fn clear(&mut self) {
        if let Some(root) = self.root.take() {
            self.free_subtree(root, self.inner_levels);
        }
        self.finger.forget();
        self.inner_levels = 0;
        self.len = 0;
        self.version += 1;
    }

    /// The leaf in which the sought entry is, if it exists.
    fn leaf_for(&self, probe: &impl Probe<V>) -> Option<Leaf<V, BYTES>> {
        let hint = probe.hint();
        let mut node = self.root?;
        for _ in 0..self.inner_levels {
            let inner = Inner::<V, BYTES>::new(node);
            node = inner.child(inner.slot_for(hint, probe));
        }
        Some(Leaf::new(node))
    }

    /// The leaf that is reached by asking at each level which of so many children to take.
    fn edge_leaf(&self, mut choose: impl FnMut(usize) -> usize) -> Option<Leaf<V, BYTES>> {
        let mut node = self.root?;
        for _ in 0..self.inner_levels {
            let inner = Inner::<V, BYTES>::new(node);
            node = inner.child(choose(inner.child_count()));
        }
        Some(Leaf::new(node))
    }

    fn free_subtree(&mut self, node: NodePointer, inner_levels: usize) {
        if inner_levels > 0 {
            let inner = Inner::<V, BYTES>::new(node);
            for slot in 0..inner.child_count() {
                self.free_subtree(inner.child(slot), inner_levels - 1);
            }
        }
        self.free_node(node);
    }

    /// Gives a node's memory back. The caller has just dropped the last link to it.
    fn free_node(&mut self, node: NodePointer) {
        self.node_count -= 1;
        // SAFETY: nodes are allocated from this arena with this size, and each is linked exactly once,
        // from its parent or as the root; that link is gone.
        unsafe { self.arena.free(node, BYTES) };
    }
}

impl<V: Copy, const BYTES: usize> Drop for Tree<V, BYTES> {
    fn drop(&mut self) {
        self.clear();
    }
}
