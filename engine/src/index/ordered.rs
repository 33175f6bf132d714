//! TREE: a B+tree of tuple pointers under a key definition, and scans over it.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::memory::{Arena, OutOfMemory};
use crate::schema::KeyDefinition;
use crate::tuple::{Encoded, TuplePtr};

use super::IteratorType;
use super::tree::{Bound, Cursor, Probe, Tree};

/// Looks for the place of a tuple.
struct TupleProbe<'a> {
    definition: &'a KeyDefinition,
    tuple: &'a [u8],
    hint: u64,
}

impl Probe<TuplePtr> for TupleProbe<'_> {
    #[inline]
    fn hint(&self) -> u64 {
        self.hint
    }

    #[inline]
    fn compare(&self, stored: TuplePtr) -> Ordering {
        // SAFETY: the tree holds tuples of the space, which its primary index keeps alive.
        self.definition
            .compare_tuples(unsafe { stored.bytes() }, self.tuple)
    }
}

/// Looks for the tuples whose key begins with some parts.
struct KeyProbe<'a> {
    definition: &'a KeyDefinition,
    parts: &'a [u8],
    count: u32,
    hint: u64,
    /// Where a tuple with these parts stands. A search for the edge of several such tuples puts
    /// all of them on one side of the edge, since the tree allows one equal entry at most.
    order_of_equal: Ordering,
}

impl<'a> KeyProbe<'a> {
    /// For parts that one tuple at most has.
    fn exact(definition: &'a KeyDefinition, parts: &'a [u8], count: u32) -> Self {
        Self::new(definition, parts, count, Ordering::Equal)
    }

    fn new(
        definition: &'a KeyDefinition,
        parts: &'a [u8],
        count: u32,
        order_of_equal: Ordering,
    ) -> Self {
        Self {
            definition,
            parts,
            count,
            hint: definition.hint_of_part(parts),
            order_of_equal,
        }
    }
}

impl Probe<TuplePtr> for KeyProbe<'_> {
    #[inline]
    fn hint(&self) -> u64 {
        self.hint
    }

    #[inline]
    fn compare(&self, stored: TuplePtr) -> Ordering {
        // SAFETY: the tree holds tuples of the space, which its primary index keeps alive.
        self.definition
            .compare_with_parts(unsafe { stored.bytes() }, self.parts, self.count)
            .then(self.order_of_equal)
    }
}

/// A TREE index.
pub(crate) struct OrderedIndex {
    definition: KeyDefinition,
    tree: Tree<TuplePtr>,
}

impl OrderedIndex {
    pub(crate) fn new(definition: KeyDefinition, arena: Rc<Arena>) -> Self {
        Self {
            definition,
            tree: Tree::<TuplePtr>::new(arena),
        }
    }

    pub(crate) fn definition(&self) -> &KeyDefinition {
        &self.definition
    }

    pub(crate) fn len(&self) -> usize {
        self.tree.len()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.tree.node_bytes()
    }

    #[inline]
    fn probe(definition: &KeyDefinition, tuple: TuplePtr) -> TupleProbe<'_> {
        // SAFETY: the caller of each method below passes a live tuple.
        let tuple = unsafe { tuple.bytes() };
        TupleProbe {
            definition,
            tuple,
            hint: definition.hint_of_tuple(tuple),
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, tuple: TuplePtr) -> Result<Option<TuplePtr>, OutOfMemory> {
        let probe = Self::probe(&self.definition, tuple);
        self.tree.insert(probe.hint, tuple, &probe)
    }

    #[inline]
    pub(crate) fn put(&mut self, tuple: TuplePtr) -> Result<Option<TuplePtr>, OutOfMemory> {
        let probe = Self::probe(&self.definition, tuple);
        self.tree.put(probe.hint, tuple, &probe)
    }

    #[inline]
    pub(crate) fn replace(&mut self, tuple: TuplePtr) -> Option<TuplePtr> {
        let probe = Self::probe(&self.definition, tuple);
        self.tree.replace(tuple, &probe)
    }

    pub(crate) fn remove(&mut self, tuple: TuplePtr) {
        let probe = Self::probe(&self.definition, tuple);
        self.tree.remove(&probe);
    }

    #[inline]
    pub(crate) fn get(&self, key: Encoded<'_>) -> Option<TuplePtr> {
        let (count, parts) = key.split();
        self.tree
            .get(&KeyProbe::exact(&self.definition, parts, count))
    }

    pub(crate) fn random(&self, seed: u64) -> Option<TuplePtr> {
        self.tree.random(seed)
    }

    /// Starts a scan at the first tuple that the iterator gives for a checked key.
    pub(crate) fn scan(&self, iterator: IteratorType, key: Encoded<'_>) -> OrderedScan {
        let (count, parts) = key.split();
        if iterator.is_by_prefix() && count > 0 {
            return self.scan_by_prefix(iterator, key);
        }
        let cursor = if count == 0 {
            if iterator.is_descending() {
                self.tree.seek_last()
            } else {
                self.tree.seek_first()
            }
        } else {
            let order_of_equal = match iterator {
                IteratorType::Eq | IteratorType::All | IteratorType::Ge | IteratorType::Lt => {
                    Ordering::Greater
                }
                IteratorType::Gt | IteratorType::Req | IteratorType::Le => Ordering::Less,
                IteratorType::NextPrefix | IteratorType::PreviousPrefix => Ordering::Equal,
            };
            let probe = KeyProbe::new(&self.definition, parts, count, order_of_equal);
            self.tree.seek(&probe, beyond(iterator))
        };
        OrderedScan {
            cursor,
            is_descending: iterator.is_descending(),
        }
    }

    #[cold]
    fn scan_by_prefix(&self, iterator: IteratorType, key: Encoded<'_>) -> OrderedScan {
        if let Some((plain, start)) = self.definition.prefix_search(iterator, key) {
            return self.scan(plain, Encoded::trusted(&start));
        }
        let mut cursor = self.tree.seek_last();
        cursor.move_next(&self.tree);
        OrderedScan {
            cursor,
            is_descending: iterator.is_descending(),
        }
    }

    /// Starts a scan right behind a tuple, which need not be in the index any more.
    pub(crate) fn scan_after(&self, iterator: IteratorType, tuple: TuplePtr) -> OrderedScan {
        let probe = Self::probe(&self.definition, tuple);
        self.scan_beyond(iterator, &probe)
    }

    /// Starts a scan right behind a full key, the primary key's parts included where they order.
    pub(crate) fn scan_after_position(
        &self,
        iterator: IteratorType,
        position: Encoded<'_>,
    ) -> OrderedScan {
        let (count, parts) = position.split();
        self.scan_beyond(iterator, &KeyProbe::exact(&self.definition, parts, count))
    }

    fn scan_beyond(&self, iterator: IteratorType, probe: &impl Probe<TuplePtr>) -> OrderedScan {
        OrderedScan {
            cursor: self.tree.seek(probe, beyond(iterator)),
            is_descending: iterator.is_descending(),
        }
    }

    /// Whether a tuple's key begins with the parts of a checked key.
    pub(crate) fn matches(&self, tuple: TuplePtr, key: Encoded<'_>) -> bool {
        let (count, parts) = key.split();
        // SAFETY: the caller passes a live tuple.
        self.definition
            .compare_with_parts(unsafe { tuple.bytes() }, parts, count)
            == Ordering::Equal
    }
}

/// The bound behind an entry, in the iterator's direction.
fn beyond(iterator: IteratorType) -> Bound {
    if iterator.is_descending() {
        Bound::Before
    } else {
        Bound::After
    }
}

/// Where a scan stands: on the tuple that it gives next.
pub(crate) struct OrderedScan {
    cursor: Cursor<TuplePtr>,
    is_descending: bool,
}

impl OrderedScan {
    /// Whether the tree is as it was when the scan was started.
    pub(crate) fn is_current(&self, index: &OrderedIndex) -> bool {
        self.cursor.is_current(&index.tree)
    }

    /// The tuple under the scan, which then moves on.
    #[inline]
    pub(crate) fn next(&mut self, index: &OrderedIndex) -> Option<TuplePtr> {
        let tuple = self.cursor.value(&index.tree)?;
        if self.is_descending {
            self.cursor.move_previous(&index.tree);
        } else {
            self.cursor.move_next(&index.tree);
        }
        Some(tuple)
    }
}
