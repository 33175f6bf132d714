//! HASH: `hashbrown`'s table over tuple pointers. A full table grows to twice its size at once, and
//! the bytes of old and new count under the quota while it does.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher};
use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::memory::{Arena, OutOfMemory};
use crate::schema::KeyDefinition;
use crate::tuple::{Encoded, TuplePtr};

/// A fixed seed: the order of an iteration is the same in every run.
const SEED: u64 = 0x6c79_636f_7361;

/// A HASH index.
pub(crate) struct HashedIndex {
    definition: KeyDefinition,
    table: HashTable<TuplePtr>,
    /// Changes whenever tuples may have moved to other buckets.
    layout: u64,
    arena: Rc<Arena>,
}

fn hash_of_tuple(definition: &KeyDefinition, tuple: &[u8]) -> u64 {
    let mut hasher = FixedState::with_seed(SEED).build_hasher();
    definition.hash_tuple(tuple, &mut hasher);
    hasher.finish()
}

fn hash_of_parts(definition: &KeyDefinition, parts: &[u8]) -> u64 {
    let mut hasher = FixedState::with_seed(SEED).build_hasher();
    definition.hash_parts(parts, &mut hasher);
    hasher.finish()
}

impl HashedIndex {
    pub(crate) fn new(definition: KeyDefinition, arena: Rc<Arena>) -> Self {
        Self {
            definition,
            table: HashTable::new(),
            layout: 0,
            arena,
        }
    }

    pub(crate) fn definition(&self) -> &KeyDefinition {
        &self.definition
    }

    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.table.allocation_size()
    }

    pub(crate) fn insert(&mut self, tuple: TuplePtr) -> Result<Option<TuplePtr>, OutOfMemory> {
        // SAFETY: the caller passes a live tuple.
        let bytes = unsafe { tuple.bytes() };
        let hash = hash_of_tuple(&self.definition, bytes);
        if let Some(known) = self.find(hash, bytes) {
            return Ok(Some(known));
        }
        if self.table.len() == self.table.capacity() {
            self.grow()?;
        }
        let definition = &self.definition;
        self.table.insert_unique(hash, tuple, |&stored| {
            // SAFETY: the table holds tuples of the space, which its primary index keeps alive.
            hash_of_tuple(definition, unsafe { stored.bytes() })
        });
        Ok(None)
    }

    fn find(&self, hash: u64, tuple: &[u8]) -> Option<TuplePtr> {
        self.table
            .find(hash, |&stored| self.is_same(stored, tuple))
            .copied()
    }

    fn is_same(&self, stored: TuplePtr, tuple: &[u8]) -> bool {
        // SAFETY: the table holds tuples of the space, which its primary index keeps alive.
        self.definition
            .compare_tuples(unsafe { stored.bytes() }, tuple)
            == Ordering::Equal
    }

    #[cold]
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let before = self.table.allocation_size();
        // A table that is full of traces of removed tuples is tidied in place, so that there is
        // always room for a tuple after deletes. Otherwise the table doubles, and its old memory is
        // given back after the move.
        let fits_in_place = self.table.len() * 16 < self.table.num_buckets() * 7;
        let expected = if before > 0 && fits_in_place {
            0
        } else {
            (before * 2).max(64)
        };
        self.arena.charge(expected)?;
        let definition = &self.definition;
        let grown = self.table.try_reserve(1, |&stored| {
            // SAFETY: the table holds tuples of the space, which its primary index keeps alive.
            hash_of_tuple(definition, unsafe { stored.bytes() })
        });
        let after = self.table.allocation_size();
        self.layout += 1;
        // What was charged for the estimate and for the old table goes; what is held now stays.
        self.arena.release(expected + before);
        let _held = self.arena.overdraft();
        self.arena.charge(after)?;
        grown.map_err(|_| OutOfMemory { bytes: expected })
    }

    pub(crate) fn replace(&mut self, tuple: TuplePtr) -> Option<TuplePtr> {
        // SAFETY: the caller passes a live tuple.
        let bytes = unsafe { tuple.bytes() };
        let hash = hash_of_tuple(&self.definition, bytes);
        let definition = &self.definition;
        let slot = self.table.find_mut(hash, |&stored| {
            // SAFETY: the table holds tuples of the space, which its primary index keeps alive.
            definition.compare_tuples(unsafe { stored.bytes() }, bytes) == Ordering::Equal
        })?;
        Some(std::mem::replace(slot, tuple))
    }

    pub(crate) fn remove(&mut self, tuple: TuplePtr) {
        // SAFETY: the caller passes a live tuple.
        let hash = hash_of_tuple(&self.definition, unsafe { tuple.bytes() });
        if let Ok(entry) = self.table.find_entry(hash, |&stored| stored == tuple) {
            entry.remove();
        }
    }

    pub(crate) fn get(&self, key: Encoded<'_>) -> Option<TuplePtr> {
        let (count, parts) = key.split();
        let hash = hash_of_parts(&self.definition, parts);
        let matches = |&stored: &TuplePtr| {
            // SAFETY: the table holds tuples of the space, which its primary index keeps alive.
            self.definition
                .compare_with_parts(unsafe { stored.bytes() }, parts, count)
                == Ordering::Equal
        };
        self.table.find(hash, matches).copied()
    }

    pub(crate) fn random(&self, seed: u64) -> Option<TuplePtr> {
        if self.table.is_empty() {
            return None;
        }
        let buckets = self.table.num_buckets();
        let start = (seed % buckets as u64) as usize;
        (start..buckets)
            .chain(0..start)
            .find_map(|bucket| self.table.get_bucket(bucket).copied())
    }

    /// The first tuple at or behind a bucket, and the bucket after it.
    pub(crate) fn next_from(&self, bucket: usize) -> Option<(TuplePtr, usize)> {
        (bucket..self.table.num_buckets())
            .find_map(|at| self.table.get_bucket(at).map(|&tuple| (tuple, at + 1)))
    }

    /// Changes whenever tuples may have moved to other buckets.
    pub(crate) fn layout(&self) -> u64 {
        self.layout
    }

    /// The bucket right behind a tuple, if it is in the index.
    pub(crate) fn bucket_after(&self, tuple: TuplePtr) -> Option<usize> {
        // SAFETY: the caller passes a live tuple.
        let hash = hash_of_tuple(&self.definition, unsafe { tuple.bytes() });
        self.table
            .find_bucket_index(hash, |&stored| stored == tuple)
            .map(|bucket| bucket + 1)
    }
}

impl Drop for HashedIndex {
    fn drop(&mut self) {
        self.arena.release(self.table.allocation_size());
    }
}
