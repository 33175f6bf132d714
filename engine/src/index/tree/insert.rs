//! Insertion, the finger, and splits.

use std::cmp::Ordering;

use super::inner::{Inner, Separator};
use super::leaf::Leaf;
use super::path::{LEVELS_MAX, Path};
use super::{NodePointer, Probe, Tree, search};
use crate::memory::OutOfMemory;

/// The leaf of the last insert, the path to it, and the range of hints that surely belongs there.
pub(super) struct Finger<V, const BYTES: usize> {
    leaf: Option<Leaf<V, BYTES>>,
    path: Path,
    /// Hint of the separator on the leaf's right; `None` at the right edge of the tree.
    fence: Option<u64>,
}

impl<V: Copy, const BYTES: usize> Finger<V, BYTES> {
    pub(super) const fn new() -> Self {
        Self {
            leaf: None,
            path: Path::new(),
            fence: None,
        }
    }

    /// To be called whenever nodes are split, merged, refilled or freed.
    pub(super) fn forget(&mut self) {
        self.leaf = None;
    }

    /// The leaf, if the sought entry belongs into it for sure.
    #[inline]
    fn leaf_for(&self, hint: u64, probe: &impl Probe<V>) -> Option<Leaf<V, BYTES>> {
        let leaf = self.leaf?;
        let first = *leaf.hints().first()?;
        match self.fence {
            Some(fence) => (first < hint && hint < fence).then_some(leaf),
            None if first < hint => Some(leaf),
            // Keys that share the hint append as well, at the price of one comparison.
            None => {
                let (last_hint, last) = (*leaf.hints().last()?, *leaf.values().last()?);
                let appends = last_hint == hint && probe.compare(last) == Ordering::Less;
                appends.then_some(leaf)
            }
        }
    }
}

/// Nodes taken from the arena before the tree is changed, so that the change cannot fail.
struct Reserve {
    nodes: [Option<NodePointer>; LEVELS_MAX + 2],
    count: usize,
}

impl Reserve {
    /// The next node. The reserve was sized for the split that asks.
    fn take(&mut self) -> NodePointer {
        self.count -= 1;
        self.nodes[self.count]
            .take()
            .expect("a split uses as many nodes as it has reserved")
    }
}

impl<V: Copy, const BYTES: usize> Tree<V, BYTES> {
    /// Inserts an entry, unless one compares equal: that one's value is the answer then, and nothing
    /// was changed. `hint` is the one of the probe, which seeks the new entry's key.
    ///
    /// Fails, with nothing changed, when there is no memory for a node.
    #[inline]
    pub fn insert(
        &mut self,
        hint: u64,
        value: V,
        probe: &impl Probe<V>,
    ) -> Result<Option<V>, OutOfMemory> {
        self.place(hint, value, probe, false)
    }

    /// Inserts an entry, or overwrites the value of the one that compares equal, which is the answer
    /// then. Fails as [`Tree::insert`] does.
    #[inline]
    pub fn put(
        &mut self,
        hint: u64,
        value: V,
        probe: &impl Probe<V>,
    ) -> Result<Option<V>, OutOfMemory> {
        self.place(hint, value, probe, true)
    }

    #[inline]
    fn place(
        &mut self,
        hint: u64,
        value: V,
        probe: &impl Probe<V>,
        overwrites: bool,
    ) -> Result<Option<V>, OutOfMemory> {
        debug_assert_eq!(hint, probe.hint());
        let leaf = match self.finger.leaf_for(hint, probe) {
            Some(leaf) => leaf,
            None => match self.move_finger(hint, probe) {
                Some(leaf) => leaf,
                None => self.plant_root()?,
            },
        };
        let hints = leaf.hints();
        let index = if hints.last().is_none_or(|last| *last < hint) {
            hints.len()
        } else {
            match search::position(hints, leaf.values(), hint, probe) {
                Ok(index) if overwrites => {
                    let old = leaf.set_value(index, value);
                    if index == 0 {
                        self.finger.path.update_separator(leaf);
                    }
                    self.version += 1;
                    return Ok(Some(old));
                }
                Ok(index) => return Ok(Some(leaf.values()[index])),
                Err(index) => index,
            }
        };
        if leaf.is_full() {
            self.insert_with_split(leaf, index, Separator { hint, value })?;
        } else {
            leaf.insert(index, hint, value);
        }
        self.len += 1;
        self.version += 1;
        Ok(None)
    }

    /// Descends to the leaf in which the sought entry belongs, and leaves the finger there.
    fn move_finger(&mut self, hint: u64, probe: &impl Probe<V>) -> Option<Leaf<V, BYTES>> {
        let mut node = self.root?;
        let finger = &mut self.finger;
        finger.leaf = None;
        finger.fence = None;
        finger.path.clear();
        for _ in 0..self.inner_levels {
            let inner = Inner::<V, BYTES>::new(node);
            let slot = inner.slot_for(hint, probe);
            finger.path.push(node, slot);
            if let Some(fence) = inner.hints().get(slot) {
                finger.fence = Some(*fence);
            }
            node = inner.child(slot);
        }
        finger.leaf = Some(Leaf::new(node));
        finger.leaf
    }

    /// Gives an empty tree its first leaf.
    fn plant_root(&mut self) -> Result<Leaf<V, BYTES>, OutOfMemory> {
        let leaf = Leaf::initialize(self.allocate_node()?);
        self.root = Some(leaf.node());
        self.finger = Finger {
            leaf: Some(leaf),
            path: Path::new(),
            fence: None,
        };
        Ok(leaf)
    }

    /// Inserts into a full leaf, on which the finger is.
    #[inline(never)]
    fn insert_with_split(
        &mut self,
        leaf: Leaf<V, BYTES>,
        index: usize,
        entry: Separator<V>,
    ) -> Result<(), OutOfMemory> {
        let mut reserve = self.reserve_for_split()?;
        let path = self.finger.path;
        let at_right_edge = self.finger.fence.is_none();
        self.finger.forget();

        let count = leaf.count();
        let continues_run = leaf.continues_run(index);
        let right = Leaf::initialize(reserve.take());
        if index == count && (at_right_edge || continues_run) {
            // The run goes on in the new leaf; the full one is left behind.
            leaf.end_run();
            right.insert(0, entry.hint, entry.value);
        } else if continues_run {
            // What follows the run moves away, so that the run can fill its leaf.
            leaf.move_to_right(right, count - index);
            leaf.insert(index, entry.hint, entry.value);
        } else {
            let half = count / 2;
            leaf.move_to_right(right, count - half);
            if index <= half {
                leaf.insert(index, entry.hint, entry.value);
            } else {
                right.insert(index - half, entry.hint, entry.value);
            }
        }
        self.link(
            &path,
            right.first_as_separator(),
            right.node(),
            at_right_edge,
            &mut reserve,
        );
        Ok(())
    }

    /// Links a new node to the right of the one that the path leads to, splitting full parents.
    fn link(
        &mut self,
        path: &Path,
        mut separator: Separator<V>,
        mut node: NodePointer,
        at_right_edge: bool,
        reserve: &mut Reserve,
    ) {
        let capacity = Inner::<V, BYTES>::CAPACITY;
        for level in (0..path.len()).rev() {
            let Some((parent, slot)) = path.level(level) else {
                continue;
            };
            let (parent, slot) = (Inner::<V, BYTES>::new(parent), slot + 1);
            if !parent.is_full() {
                parent.insert(slot, separator, node);
                return;
            }
            // At the right edge the full parent is left behind, but for one child, so that the new
            // node has two.
            let kept = if at_right_edge {
                capacity - 1
            } else {
                capacity / 2
            };
            let (right, between) = parent.split_off(kept, reserve.take());
            if slot <= kept {
                parent.insert(slot, separator, node);
            } else {
                right.insert(slot - kept, separator, node);
            }
            (separator, node) = (between, right.node());
        }
        let old_root = self.root.expect("a tree that splits a node has a root");
        let root = Inner::<V, BYTES>::initialize(reserve.take(), old_root);
        root.insert(1, separator, node);
        self.root = Some(root.node());
        self.inner_levels += 1;
    }

    /// Takes the nodes that a split of the finger's leaf needs: one for each full node on the path, up
    /// to the first that has room, and one for a new root when none has.
    fn reserve_for_split(&mut self) -> Result<Reserve, OutOfMemory> {
        let path = &self.finger.path;
        let full_parents = (0..path.len())
            .rev()
            .map_while(|level| path.level(level))
            .take_while(|(node, _)| Inner::<V, BYTES>::new(*node).is_full())
            .count();
        let grows = full_parents == path.len();
        if grows && self.inner_levels == LEVELS_MAX {
            return Err(OutOfMemory { bytes: BYTES });
        }
        let needed = 1 + full_parents + usize::from(grows);
        let mut reserve = Reserve {
            nodes: [None; LEVELS_MAX + 2],
            count: 0,
        };
        for _ in 0..needed {
            match self.allocate_node() {
                Ok(node) => {
                    reserve.nodes[reserve.count] = Some(node);
                    reserve.count += 1;
                }
                Err(error) => {
                    for node in reserve.nodes.into_iter().flatten() {
                        self.free_node(node);
                    }
                    return Err(error);
                }
            }
        }
        Ok(reserve)
    }

    fn allocate_node(&mut self) -> Result<NodePointer, OutOfMemory> {
        let node = self.arena.allocate(BYTES)?;
        self.node_count += 1;
        Ok(node)
    }
}
