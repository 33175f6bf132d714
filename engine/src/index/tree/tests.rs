use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::memory::OutOfMemory;

/// Small nodes make deep trees of few entries.
const SMALL_NODE_BYTES: usize = 128;
const MIB: usize = 1024 * 1024;

type SmallTree = Tree<u64, SMALL_NODE_BYTES>;

/// How a test digests keys: the fewer bits remain, the more keys share a hint.
#[derive(Debug, Clone, Copy)]
enum Digest {
    Exact,
    Coarse,
    Zero,
}

impl Digest {
    fn hint(self, key: u64) -> u64 {
        match self {
            Self::Exact => key,
            Self::Coarse => key / 16,
            Self::Zero => 0,
        }
    }
}

/// Values stand for tuples: a value is live from its insert to its removal, and belongs to a key.
#[derive(Default)]
struct Tuples {
    keys: RefCell<Vec<u64>>,
    live: RefCell<HashSet<u64>>,
}

impl Tuples {
    fn make(&self, key: u64) -> u64 {
        let value = self.keys.borrow().len() as u64;
        self.keys.borrow_mut().push(key);
        self.live.borrow_mut().insert(value);
        value
    }

    fn free(&self, value: u64) {
        assert!(
            self.live.borrow_mut().remove(&value),
            "value {value} freed twice"
        );
    }

    fn key(&self, value: u64) -> u64 {
        assert!(
            self.live.borrow().contains(&value),
            "value {value} is used after its removal"
        );
        self.keys.borrow()[value as usize]
    }
}

/// Seeks a key, or (as a bound of a partial key would) the gap before or after it.
struct KeyProbe<'a> {
    tuples: &'a Tuples,
    digest: Digest,
    key: u64,
    on_equal: Ordering,
}

impl Probe<u64> for KeyProbe<'_> {
    fn hint(&self) -> u64 {
        self.digest.hint(self.key)
    }

    fn compare(&self, stored: u64) -> Ordering {
        let stored = self.tuples.key(stored);
        assert_eq!(
            self.digest.hint(stored),
            self.hint(),
            "asked about a different hint"
        );
        stored.cmp(&self.key).then(self.on_equal)
    }
}

/// A tree beside the map that it must equal.
struct Pair {
    tree: SmallTree,
    model: BTreeMap<u64, u64>,
    tuples: Tuples,
    digest: Digest,
}

impl Pair {
    fn new(arena: &Rc<Arena>, digest: Digest) -> Self {
        let tree = Tree::new(Rc::clone(arena));
        Self {
            tree,
            model: BTreeMap::new(),
            tuples: Tuples::default(),
            digest,
        }
    }

    fn probe(&self, key: u64) -> KeyProbe<'_> {
        let (tuples, digest) = (&self.tuples, self.digest);
        KeyProbe {
            tuples,
            digest,
            key,
            on_equal: Ordering::Equal,
        }
    }

    fn insert(&mut self, key: u64) -> Result<(), OutOfMemory> {
        let hint = self.digest.hint(key);
        let value = self.tuples.make(key);
        let probe = KeyProbe {
            tuples: &self.tuples,
            digest: self.digest,
            key,
            on_equal: Ordering::Equal,
        };
        let version = self.tree.version();
        let result = self.tree.insert(hint, value, &probe);
        match result {
            Ok(None) => {
                assert_ne!(self.tree.version(), version);
                assert_eq!(self.model.insert(key, value), None);
            }
            Ok(Some(existing)) => {
                assert_eq!(self.model.get(&key), Some(&existing));
                self.tuples.free(value);
            }
            Err(_) => self.tuples.free(value),
        }
        if result != Ok(None) {
            assert_eq!(self.tree.version(), version);
        }
        result.map(|_| ())
    }

    fn replace(&mut self, key: u64) {
        let value = self.tuples.make(key);
        let probe = KeyProbe {
            tuples: &self.tuples,
            digest: self.digest,
            key,
            on_equal: Ordering::Equal,
        };
        let old = self.tree.replace(value, &probe);
        assert_eq!(old, self.model.get(&key).copied());
        match old {
            Some(old) => {
                self.model.insert(key, value);
                self.tuples.free(old);
            }
            None => self.tuples.free(value),
        }
    }

    fn put(&mut self, key: u64) -> Result<(), OutOfMemory> {
        let value = self.tuples.make(key);
        let probe = KeyProbe {
            tuples: &self.tuples,
            digest: self.digest,
            key,
            on_equal: Ordering::Equal,
        };
        match self.tree.put(probe.hint(), value, &probe) {
            Ok(old) => {
                assert_eq!(old, self.model.insert(key, value));
                if let Some(old) = old {
                    self.tuples.free(old);
                }
                Ok(())
            }
            Err(error) => {
                self.tuples.free(value);
                Err(error)
            }
        }
    }

    fn remove(&mut self, key: u64) {
        let probe = KeyProbe {
            tuples: &self.tuples,
            digest: self.digest,
            key,
            on_equal: Ordering::Equal,
        };
        let removed = self.tree.remove(&probe);
        assert_eq!(removed, self.model.remove(&key));
        if let Some(removed) = removed {
            self.tuples.free(removed);
        }
    }

    fn check_seek(&self, key: u64) {
        let at_or_after = self.model.range(key..).next().map(|(_, value)| *value);
        let after = self.model.range(key + 1..).next().map(|(_, value)| *value);
        let at_or_before = self
            .model
            .range(..=key)
            .next_back()
            .map(|(_, value)| *value);
        let before = self.model.range(..key).next_back().map(|(_, value)| *value);
        let seek = |on_equal, bound| {
            let probe = KeyProbe {
                on_equal,
                ..self.probe(key)
            };
            self.tree.seek(&probe, bound).value(&self.tree)
        };
        let equal = Ordering::Equal;
        assert_eq!(seek(equal, Bound::AtOrAfter), at_or_after);
        assert_eq!(seek(equal, Bound::After), after);
        assert_eq!(seek(equal, Bound::AtOrBefore), at_or_before);
        assert_eq!(seek(equal, Bound::Before), before);
        // A probe that never answers Equal falls beside the entries of its key.
        for bound in [Bound::AtOrAfter, Bound::After] {
            assert_eq!(seek(Ordering::Greater, bound), at_or_after);
            assert_eq!(seek(Ordering::Less, bound), after);
        }
        for bound in [Bound::AtOrBefore, Bound::Before] {
            assert_eq!(seek(Ordering::Greater, bound), before);
            assert_eq!(seek(Ordering::Less, bound), at_or_before);
        }
        assert_eq!(
            self.tree.get(&self.probe(key)),
            self.model.get(&key).copied()
        );
    }

    fn check_scans(&self) {
        assert_eq!(self.tree.len(), self.model.len());
        assert_eq!(self.tree.first(), self.model.values().next().copied());
        assert_eq!(self.tree.last(), self.model.values().next_back().copied());
        let mut cursor = self.tree.seek_first();
        for value in self.model.values() {
            assert_eq!(cursor.value(&self.tree), Some(*value));
            cursor.move_next(&self.tree);
        }
        assert_eq!(cursor.value(&self.tree), None);
        let mut cursor = self.tree.seek_last();
        for value in self.model.values().rev() {
            assert_eq!(cursor.value(&self.tree), Some(*value));
            cursor.move_previous(&self.tree);
        }
        assert_eq!(cursor.value(&self.tree), None);
        assert!(cursor.is_current(&self.tree));
        self.check_structure();
    }

    /// Separators are the first entries on their right, and inner nodes have two children or more.
    fn check_structure(&self) {
        if let Some(root) = self.tree.root {
            let nodes = self.check_node(root, self.tree.inner_levels).1;
            assert_eq!(self.tree.node_bytes(), nodes * SMALL_NODE_BYTES);
        } else {
            assert_eq!(self.tree.node_bytes(), 0);
        }
    }

    fn check_node(&self, node: NodePointer, inner_levels: usize) -> (u64, usize) {
        if inner_levels == 0 {
            let leaf = Leaf::<u64, SMALL_NODE_BYTES>::new(node);
            assert!(leaf.count() > 0);
            return (leaf.values()[0], 1);
        }
        let inner = Inner::<u64, SMALL_NODE_BYTES>::new(node);
        assert!(inner.child_count() >= 2);
        let (first, mut nodes) = self.check_node(inner.child(0), inner_levels - 1);
        for slot in 1..inner.child_count() {
            let (value, below) = self.check_node(inner.child(slot), inner_levels - 1);
            let separator = inner.separator(slot - 1);
            assert_eq!(separator.value, value);
            assert_eq!(separator.hint, self.digest.hint(self.tuples.key(value)));
            nodes += below;
        }
        (first, nodes + 1)
    }
}

#[derive(Debug, Clone)]
enum Operation {
    Insert(u64),
    Put(u64),
    /// Ascending keys from a start.
    InsertRun(u64, u8),
    Replace(u64),
    Remove(u64),
    /// Removes this many entries upwards from a key.
    RemoveRun(u64, u8),
    Seek(u64),
    Clear,
}

fn operation() -> impl Strategy<Value = Operation> {
    let key = 0u64..2_000;
    prop_oneof![
        20 => key.clone().prop_map(Operation::Insert),
        10 => key.clone().prop_map(Operation::Put),
        6 => (key.clone(), 1u8..40).prop_map(|(key, count)| Operation::InsertRun(key, count)),
        8 => key.clone().prop_map(Operation::Replace),
        14 => key.clone().prop_map(Operation::Remove),
        5 => (key.clone(), 1u8..60).prop_map(|(key, count)| Operation::RemoveRun(key, count)),
        10 => key.prop_map(Operation::Seek),
        1 => Just(Operation::Clear),
    ]
}

fn digest() -> impl Strategy<Value = Digest> {
    prop_oneof![
        Just(Digest::Exact),
        Just(Digest::Coarse),
        Just(Digest::Zero)
    ]
}

fn cases(cases: u32) -> ProptestConfig {
    let cases = if cfg!(miri) { 3 } else { cases };
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn apply(pair: &mut Pair, operation: &Operation) -> Result<(), OutOfMemory> {
    match *operation {
        Operation::Insert(key) => pair.insert(key)?,
        Operation::Put(key) => pair.put(key)?,
        Operation::InsertRun(key, count) => {
            for key in key..key + u64::from(count) {
                pair.insert(key)?;
            }
        }
        Operation::Replace(key) => pair.replace(key),
        Operation::Remove(key) => pair.remove(key),
        Operation::RemoveRun(key, count) => {
            let keys: Vec<u64> = pair
                .model
                .range(key..)
                .take(usize::from(count))
                .map(|(key, _)| *key)
                .collect();
            for key in keys {
                pair.remove(key);
            }
        }
        Operation::Seek(key) => pair.check_seek(key),
        Operation::Clear => {
            pair.tree.clear();
            for value in std::mem::take(&mut pair.model).into_values() {
                pair.tuples.free(value);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_tree_equals_a_map_whatever_is_done_to_it(
        digest in digest(),
        operations in prop::collection::vec(operation(), 1..400),
    ) {
        let arena = Rc::new(Arena::new(64 * MIB));
        let mut pair = Pair::new(&arena, digest);
        for (number, operation) in operations.iter().enumerate() {
            apply(&mut pair, operation).expect("the quota is large");
            if number.is_multiple_of(8) {
                pair.check_scans();
            }
        }
        pair.check_scans();
        drop(pair);
        prop_assert_eq!(arena.used_bytes(), 0);
    }

    #[test]
    fn an_insert_that_finds_no_memory_changes_nothing(
        digest in digest(),
        free_nodes in 0usize..40,
        operations in prop::collection::vec(operation(), 1..200),
    ) {
        // One slab, of which other items leave so many nodes.
        let arena = Rc::new(Arena::new(crate::memory::SLAB_BYTES));
        let mut others = Vec::new();
        while let Ok(other) = arena.allocate(SMALL_NODE_BYTES) {
            others.push(other);
        }
        for other in others.drain(..free_nodes) {
            // SAFETY: the item is not used any more.
            unsafe { arena.free(other, SMALL_NODE_BYTES) };
        }
        let mut pair = Pair::new(&arena, digest);
        for operation in &operations {
            let failed = apply(&mut pair, operation).is_err();
            prop_assert!(pair.tree.node_bytes() <= free_nodes * SMALL_NODE_BYTES);
            if failed {
                pair.check_scans();
            }
        }
        pair.check_scans();
    }
}

/// A key that is its own hint.
struct Exact(u64);

impl Probe<u64> for Exact {
    fn hint(&self) -> u64 {
        self.0
    }

    fn compare(&self, _stored: u64) -> Ordering {
        Ordering::Equal
    }
}

fn filled<const BYTES: usize>(keys: impl IntoIterator<Item = u64>) -> Tree<u64, BYTES> {
    let mut tree = Tree::new(Rc::new(Arena::new(256 * MIB)));
    for key in keys {
        assert_eq!(tree.insert(key, key, &Exact(key)), Ok(None));
    }
    tree
}

fn scan<const BYTES: usize>(tree: &Tree<u64, BYTES>) -> Vec<u64> {
    let mut cursor = tree.seek_first();
    let mut values = Vec::new();
    while let Some(value) = cursor.value(tree) {
        values.push(value);
        cursor.move_next(tree);
    }
    values
}

fn many() -> u64 {
    if cfg!(miri) { 3_000 } else { 200_000 }
}

#[test]
fn ascending_keys_leave_full_leaves_behind() {
    let count = many();
    let tree = filled::<NODE_BYTES>(0..count);
    let bytes_an_entry = tree.node_bytes() as f64 / count as f64;
    assert!(bytes_an_entry <= 17.5, "{bytes_an_entry} bytes an entry");
    assert_eq!(scan(&tree), (0..count).collect::<Vec<_>>());
}

#[test]
fn interleaved_ascending_streams_leave_full_leaves_behind() {
    let streams = 50;
    let rounds = many() / streams;
    let keys = (0..rounds).flat_map(|round| (0..streams).map(move |stream| (stream << 40) + round));
    let tree = filled::<NODE_BYTES>(keys);
    let bytes_an_entry = tree.node_bytes() as f64 / tree.len() as f64;
    assert!(
        cfg!(miri) || bytes_an_entry <= 18.5,
        "{bytes_an_entry} bytes an entry"
    );
}

#[test]
fn descending_keys_fill_at_least_half_of_each_leaf() {
    let tree = filled::<NODE_BYTES>((0..many()).rev());
    let bytes_an_entry = tree.node_bytes() as f64 / tree.len() as f64;
    assert!(bytes_an_entry <= 36.0, "{bytes_an_entry} bytes an entry");
    assert_eq!(tree.first(), Some(0));
}

#[test]
fn keys_that_descend_below_a_full_leaf_do_not_get_a_leaf_each() {
    let leaf = Leaf::<u64, NODE_BYTES>::CAPACITY as u64;
    let mut tree = filled::<NODE_BYTES>(0..leaf);
    for key in (1_000_000..1_000_000 + many()).rev() {
        tree.insert(key, key, &Exact(key))
            .expect("the quota is large");
    }
    assert!(tree.node_bytes() / tree.len() <= 36);
}

#[test]
fn a_cursor_of_a_changed_tree_has_no_value_and_does_not_move() {
    let mut tree = filled::<SMALL_NODE_BYTES>(0..500);
    let mut cursor = tree.seek(&Exact(250), Bound::AtOrAfter);
    assert_eq!(cursor.value(&tree), Some(250));
    for key in 100..400 {
        tree.remove(&Exact(key));
    }
    cursor.move_next(&tree);
    cursor.move_previous(&tree);
    assert!(!cursor.is_current(&tree));
    assert_eq!(cursor.value(&tree), None);
}

#[test]
fn a_cursor_of_a_dropped_tree_has_no_value_in_another_tree() {
    let tree = filled::<SMALL_NODE_BYTES>(0..500);
    let cursor = tree.seek_first();
    drop(tree);
    let other = filled::<SMALL_NODE_BYTES>(1_000..1_500);
    assert_eq!(other.version(), 500);
    assert!(!cursor.is_current(&other));
    assert_eq!(cursor.value(&other), None);
}

#[test]
fn a_cursor_that_ran_off_an_end_stays_there() {
    let tree = filled::<SMALL_NODE_BYTES>(0..100);
    let mut cursor = tree.seek_last();
    cursor.move_next(&tree);
    cursor.move_previous(&tree);
    assert_eq!(cursor.value(&tree), None);
    let mut cursor = tree.seek_first();
    cursor.move_previous(&tree);
    cursor.move_next(&tree);
    assert_eq!(cursor.value(&tree), None);
}

#[test]
fn random_chooses_every_entry_sooner_or_later_and_the_same_one_for_a_seed() {
    let tree = filled::<SMALL_NODE_BYTES>(0..40);
    let chosen: HashSet<u64> = (0..2_000).filter_map(|seed| tree.random(seed)).collect();
    assert_eq!(chosen.len(), 40);
    assert_eq!(tree.random(17), tree.random(17));
}

#[test]
fn an_empty_tree_answers_none() {
    let mut tree = SmallTree::new(Rc::new(Arena::new(0)));
    assert_eq!(
        (tree.first(), tree.last(), tree.random(3)),
        (None, None, None)
    );
    assert_eq!(tree.get(&Exact(1)), None);
    assert_eq!(tree.remove(&Exact(1)), None);
    assert_eq!(tree.replace(1, &Exact(1)), None);
    assert_eq!(tree.seek(&Exact(1), Bound::AtOrBefore).value(&tree), None);
    assert!(tree.insert(1, 1, &Exact(1)).is_err());
    assert!(tree.is_empty());
}

#[test]
fn the_greatest_and_smallest_hints_are_ordinary_keys() {
    let keys = [u64::MAX, 0, u64::MAX - 1, 1];
    let tree = filled::<SMALL_NODE_BYTES>(keys);
    assert_eq!(scan(&tree), [0, 1, u64::MAX - 1, u64::MAX]);
    assert_eq!(tree.get(&Exact(u64::MAX)), Some(u64::MAX));
}
