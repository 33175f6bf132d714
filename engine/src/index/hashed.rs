//! HASH: a table of tuple pointers with a digest of their keys, in memory of the arena. A full table grows to
//! twice its size at once, and the bytes of old and new count under the quota while it does.
//!
//! The digest spares the table from reading tuples when it grows, and nearly always when it compares. Of a
//! key that is one unsigned number the digest is the number itself.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher};
use std::rc::Rc;

use foldhash::fast::FixedState;

use crate::memory::{Arena, OutOfMemory, TableMemory};
use crate::schema::KeyDefinition;
use crate::tuple::{Encoded, TuplePtr};

use super::table::{DigestKind, Place, Table};

/// A fixed seed: the order of an iteration is the same in every run.
const SEED: u64 = 0x6c79_636f_7361;

/// How keys become digests.
struct Digests {
    definition: KeyDefinition,
    /// The key is one unsigned number, and the digest that number: equal digests are equal keys.
    are_keys: bool,
}

impl Digests {
    fn new(definition: KeyDefinition) -> Self {
        Self {
            are_keys: definition.is_one_unsigned(),
            definition,
        }
    }

    #[inline]
    fn of_tuple(&self, tuple: &[u8]) -> u64 {
        if self.are_keys {
            return self.definition.hint_of_tuple(tuple);
        }
        let mut hasher = FixedState::with_seed(SEED).build_hasher();
        self.definition.hash_tuple(tuple, &mut hasher);
        hasher.finish()
    }

    #[inline]
    fn of_parts(&self, parts: &[u8]) -> u64 {
        if self.are_keys {
            return self.definition.hint_of_part(parts);
        }
        let mut hasher = FixedState::with_seed(SEED).build_hasher();
        self.definition.hash_parts(parts, &mut hasher);
        hasher.finish()
    }

    /// Whether a slot with the digest of this tuple has its key.
    #[inline]
    fn is_same_tuple(&self, stored: TuplePtr, tuple: &[u8]) -> bool {
        // SAFETY: the table holds tuples of the space, which its primary index keeps alive.
        self.are_keys
            || self
                .definition
                .compare_tuples(unsafe { stored.bytes() }, tuple)
                == Ordering::Equal
    }

    /// Whether a slot with the digest of this key has it.
    #[inline]
    fn is_same_key(&self, stored: TuplePtr, parts: &[u8], count: u32) -> bool {
        // SAFETY: the table holds tuples of the space, which its primary index keeps alive.
        self.are_keys
            || self
                .definition
                .compare_with_parts(unsafe { stored.bytes() }, parts, count)
                == Ordering::Equal
    }
}

/// A HASH index.
pub(crate) struct HashedIndex {
    digests: Digests,
    table: Table,
    /// Changes whenever tuples may have moved to other slots.
    layout: u64,
}

impl HashedIndex {
    pub(crate) fn new(definition: KeyDefinition, arena: Rc<Arena>) -> Self {
        let digests = Digests::new(definition);
        let kind = if digests.are_keys {
            DigestKind::Number
        } else {
            DigestKind::Hash
        };
        Self {
            digests,
            table: Table::new(kind, TableMemory::new(arena)),
            layout: 0,
        }
    }

    pub(crate) fn definition(&self) -> &KeyDefinition {
        &self.digests.definition
    }

    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.table.memory_bytes()
    }

    pub(crate) fn insert(&mut self, tuple: TuplePtr) -> Result<Option<TuplePtr>, OutOfMemory> {
        self.place(tuple, false)
    }

    pub(crate) fn put(&mut self, tuple: TuplePtr) -> Result<Option<TuplePtr>, OutOfMemory> {
        self.place(tuple, true)
    }

    /// Adds a tuple, unless its key is there: the answer is then the tuple that had it, which the
    /// new one has taken the place of if it `overwrites`.
    #[inline]
    fn place(
        &mut self,
        tuple: TuplePtr,
        overwrites: bool,
    ) -> Result<Option<TuplePtr>, OutOfMemory> {
        // SAFETY: the caller passes a live tuple.
        let bytes = unsafe { tuple.bytes() };
        let digest = self.digests.of_tuple(bytes);
        loop {
            let digests = &self.digests;
            let is_same = |stored| digests.is_same_tuple(stored, bytes);
            match self.table.find_place(digest, is_same) {
                Place::Found(at) if overwrites => return Ok(self.table.exchange(at, tuple)),
                Place::Found(at) => return Ok(self.table.tuple(at)),
                Place::Free(at) => {
                    self.table.fill(at, digest, tuple);
                    return Ok(None);
                }
                Place::Nowhere => self.make_room()?,
            }
        }
    }

    /// Doubles the table. Where it is full of traces of removed tuples, or the quota refuses, their places
    /// are made usable again, so that there is always room for a tuple after deletes.
    #[cold]
    fn make_room(&mut self) -> Result<(), OutOfMemory> {
        self.layout += 1;
        if self.table.is_half_empty() && self.table.tidy() {
            return Ok(());
        }
        match self.table.grow() {
            Err(_) if self.table.tidy() => Ok(()),
            outcome => outcome,
        }
    }

    pub(crate) fn replace(&mut self, tuple: TuplePtr) -> Option<TuplePtr> {
        // SAFETY: the caller passes a live tuple.
        let bytes = unsafe { tuple.bytes() };
        let digest = self.digests.of_tuple(bytes);
        let at = self
            .table
            .find(digest, |stored| self.digests.is_same_tuple(stored, bytes))?;
        self.table.exchange(at, tuple)
    }

    pub(crate) fn remove(&mut self, tuple: TuplePtr) {
        if let Some(at) = self.slot_of(tuple) {
            self.table.empty(at);
        }
    }

    fn slot_of(&self, tuple: TuplePtr) -> Option<usize> {
        // SAFETY: the callers pass live tuples.
        let digest = self.digests.of_tuple(unsafe { tuple.bytes() });
        self.table.find(digest, |stored| stored == tuple)
    }

    #[inline]
    pub(crate) fn get(&self, key: Encoded<'_>) -> Option<TuplePtr> {
        let (count, parts) = key.split();
        let digest = self.digests.of_parts(parts);
        let at = self.table.find(digest, |stored| {
            self.digests.is_same_key(stored, parts, count)
        })?;
        self.table.tuple(at)
    }

    pub(crate) fn random(&self, seed: u64) -> Option<TuplePtr> {
        if self.table.len() == 0 {
            return None;
        }
        let slots = self.table.slot_count();
        let start = (seed % slots as u64) as usize;
        (start..slots)
            .chain(0..start)
            .find_map(|at| self.table.tuple(at))
    }

    /// The first tuple at or behind a slot, and the slot after it.
    pub(crate) fn next_from(&self, slot: usize) -> Option<(TuplePtr, usize)> {
        (slot..self.table.slot_count())
            .find_map(|at| self.table.tuple(at).map(|tuple| (tuple, at + 1)))
    }

    /// Changes whenever tuples may have moved to other slots.
    pub(crate) fn layout(&self) -> u64 {
        self.layout
    }

    /// The slot right behind a tuple, if it is in the index.
    pub(crate) fn slot_after(&self, tuple: TuplePtr) -> Option<usize> {
        self.slot_of(tuple).map(|at| at + 1)
    }
}
