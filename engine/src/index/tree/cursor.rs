//! Cursors: a position in the tree, kept as the path from the root.

use std::rc::Rc;

use super::inner::Inner;
use super::leaf::Leaf;
use super::path::Path;
use super::{NodePointer, Probe, Tree, search};

/// Which entry a seek stops at, relative to the sought key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The first entry that is not less.
    AtOrAfter,
    /// The first entry that is greater.
    After,
    /// The last entry that is not greater.
    AtOrBefore,
    /// The last entry that is less.
    Before,
}

/// A position at an entry, or at none: an empty range, or past either end, where it stays.
///
/// A cursor is good until the tree changes. After that, or with another tree, it has no value and does
/// not move: ask [`Cursor::is_current`], and seek again.
#[derive(Clone)]
pub struct Cursor<V: Copy, const BYTES: usize = { super::NODE_BYTES }> {
    identity: Rc<()>,
    version: u64,
    path: Path,
    /// Levels of inner nodes above every leaf.
    inner_levels: usize,
    leaf: Option<Leaf<V, BYTES>>,
    index: usize,
}

impl<V: Copy, const BYTES: usize> Cursor<V, BYTES> {
    /// Whether the tree is the one that made the cursor and has not changed since.
    #[inline]
    pub fn is_current(&self, tree: &Tree<V, BYTES>) -> bool {
        self.version == tree.version && Rc::ptr_eq(&self.identity, &tree.identity)
    }

    /// The value of the entry that the cursor is at.
    #[inline]
    pub fn value(&self, tree: &Tree<V, BYTES>) -> Option<V> {
        self.live_leaf(tree)?.values().get(self.index).copied()
    }

    /// Moves to the next greater entry, or off the end.
    #[inline]
    pub fn move_next(&mut self, tree: &Tree<V, BYTES>) {
        if let Some(leaf) = self.live_leaf(tree) {
            self.index += 1;
            if self.index == leaf.count() {
                self.enter_next_leaf();
            }
        }
    }

    /// Moves to the next smaller entry, or off the beginning.
    #[inline]
    pub fn move_previous(&mut self, tree: &Tree<V, BYTES>) {
        if self.live_leaf(tree).is_some() {
            match self.index.checked_sub(1) {
                Some(index) => self.index = index,
                None => self.enter_previous_leaf(),
            }
        }
    }

    /// The leaf, if the cursor is at an entry and the tree still has it.
    #[inline]
    fn live_leaf(&self, tree: &Tree<V, BYTES>) -> Option<Leaf<V, BYTES>> {
        if self.is_current(tree) {
            self.leaf
        } else {
            None
        }
    }

    fn enter_next_leaf(&mut self) {
        self.leaf = None;
        while let Some((node, slot)) = self.path.pop() {
            if slot + 1 < Inner::<V, BYTES>::new(node).child_count() {
                self.index = 0;
                self.descend_edge(node, slot + 1, |_| 0);
                return;
            }
        }
    }

    fn enter_previous_leaf(&mut self) {
        self.leaf = None;
        while let Some((node, slot)) = self.path.pop() {
            if slot > 0 {
                let leaf = self.descend_edge(node, slot - 1, |count| count - 1);
                self.index = leaf.count() - 1;
                return;
            }
        }
    }

    /// Takes the child at `slot`, and from there on the slot that `edge` picks, down to a leaf.
    fn descend_edge(
        &mut self,
        mut node: NodePointer,
        mut slot: usize,
        edge: fn(usize) -> usize,
    ) -> Leaf<V, BYTES> {
        self.path.push(node, slot);
        node = Inner::<V, BYTES>::new(node).child(slot);
        while self.path.len() < self.inner_levels {
            slot = edge(Inner::<V, BYTES>::new(node).child_count());
            self.path.push(node, slot);
            node = Inner::<V, BYTES>::new(node).child(slot);
        }
        let leaf = Leaf::new(node);
        self.leaf = Some(leaf);
        leaf
    }
}

impl<V: Copy, const BYTES: usize> Tree<V, BYTES> {
    /// A cursor at the entry that the bound asks for.
    pub fn seek(&self, probe: &impl Probe<V>, bound: Bound) -> Cursor<V, BYTES> {
        let Some((path, leaf)) = self.descend(probe) else {
            return self.cursor_at(Path::new(), None, 0);
        };
        let position = search::position(leaf.hints(), leaf.values(), probe.hint(), probe);
        let (Ok(index) | Err(index)) = position;
        match bound {
            Bound::AtOrAfter | Bound::After => {
                let skips = bound == Bound::After && position.is_ok();
                let mut cursor = self.cursor_at(path, Some(leaf), index + usize::from(skips));
                if cursor.index == leaf.count() {
                    cursor.enter_next_leaf();
                }
                cursor
            }
            Bound::AtOrBefore if position.is_ok() => self.cursor_at(path, Some(leaf), index),
            Bound::AtOrBefore | Bound::Before => {
                let mut cursor = self.cursor_at(path, Some(leaf), index);
                cursor.move_previous(self);
                cursor
            }
        }
    }

    /// A cursor at the smallest entry.
    pub fn seek_first(&self) -> Cursor<V, BYTES> {
        self.seek_edge(|_| 0)
    }

    /// A cursor at the greatest entry.
    pub fn seek_last(&self) -> Cursor<V, BYTES> {
        self.seek_edge(|count| count - 1)
    }

    fn seek_edge(&self, edge: fn(usize) -> usize) -> Cursor<V, BYTES> {
        let mut path = Path::new();
        let Some(mut node) = self.root else {
            return self.cursor_at(path, None, 0);
        };
        for _ in 0..self.inner_levels {
            let inner = Inner::<V, BYTES>::new(node);
            let slot = edge(inner.child_count());
            path.push(node, slot);
            node = inner.child(slot);
        }
        let leaf = Leaf::<V, BYTES>::new(node);
        self.cursor_at(path, Some(leaf), edge(leaf.count()))
    }

    fn cursor_at(
        &self,
        path: Path,
        leaf: Option<Leaf<V, BYTES>>,
        index: usize,
    ) -> Cursor<V, BYTES> {
        Cursor {
            identity: Rc::clone(&self.identity),
            version: self.version,
            path,
            inner_levels: self.inner_levels,
            leaf,
            index,
        }
    }
}
