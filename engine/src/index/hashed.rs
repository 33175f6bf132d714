//! HASH: `hashbrown`'s table of tuple pointers with a digest of their keys, in memory of the arena. A full
//! table grows to twice its size at once, and the bytes of old and new count under the quota while it does.
//!
//! The digest spares the table from reading tuples when it grows, and nearly always when it compares: a
//! slot costs 17 bytes. Of a key that is one unsigned number the digest is the number itself.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher};
use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::{HashTable, TryReserveError};

use crate::memory::{Arena, OutOfMemory, TableMemory};
use crate::schema::KeyDefinition;
use crate::tuple::{Encoded, TuplePtr};

/// A fixed seed: the order of an iteration is the same in every run.
const SEED: u64 = 0x6c79_636f_7361;

/// How keys become digests, and digests places.
struct Digests {
    definition: KeyDefinition,
    /// The key is one unsigned number, and the digest that number: equal digests are equal keys.
    are_keys: bool,
}

#[derive(Clone, Copy)]
struct Slot {
    digest: u64,
    tuple: TuplePtr,
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

    /// The table's hash of a slot.
    #[inline]
    fn hash(&self, digest: u64) -> u64 {
        if self.are_keys {
            spread(digest)
        } else {
            digest
        }
    }

    /// Whether a slot with the digest of this tuple has its key.
    #[inline]
    fn is_same_tuple(&self, slot: Slot, tuple: &[u8]) -> bool {
        // SAFETY: the table holds tuples of the space, which its primary index keeps alive.
        self.are_keys
            || self
                .definition
                .compare_tuples(unsafe { slot.tuple.bytes() }, tuple)
                == Ordering::Equal
    }

    /// Whether a slot with the digest of this key has it.
    #[inline]
    fn is_same_key(&self, slot: Slot, parts: &[u8], count: u32) -> bool {
        // SAFETY: the table holds tuples of the space, which its primary index keeps alive.
        self.are_keys
            || self
                .definition
                .compare_with_parts(unsafe { slot.tuple.bytes() }, parts, count)
                == Ordering::Equal
    }
}

/// The hash of a number. A block of neighbouring numbers gets neighbouring buckets, because workloads
/// count up: a cache line of slots then serves the whole block. Blocks are scattered. The upper
/// bits, which tell the slots of a group apart, differ within a block.
#[inline]
fn spread(number: u64) -> u64 {
    const BLOCK_BITS: u32 = 2;
    const WITHIN: u64 = (1 << BLOCK_BITS) - 1;
    let product = u128::from(number >> BLOCK_BITS ^ SEED) * 0x9e37_79b9_7f4a_7c15;
    let block = (product >> 64) as u64 ^ product as u64;
    let place = number & WITHIN;
    (block & !WITHIN | place) ^ place << (64 - BLOCK_BITS)
}

/// A HASH index.
pub(crate) struct HashedIndex {
    digests: Digests,
    table: HashTable<Slot, TableMemory>,
    /// Changes whenever tuples may have moved to other buckets.
    layout: u64,
}

impl HashedIndex {
    pub(crate) fn new(definition: KeyDefinition, arena: Rc<Arena>) -> Self {
        Self {
            digests: Digests::new(definition),
            table: HashTable::new_in(TableMemory::new(arena)),
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
        self.table.allocation_size()
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
        let digests = &self.digests;
        let digest = digests.of_tuple(bytes);
        let hash = digests.hash(digest);
        if let Some(slot) = self.table.find_mut(hash, |slot| {
            slot.digest == digest && digests.is_same_tuple(*slot, bytes)
        }) {
            let known = slot.tuple;
            if overwrites {
                slot.tuple = tuple;
            }
            return Ok(Some(known));
        }
        if self.table.len() == self.table.capacity() {
            self.grow()?;
        }
        let digests = &self.digests;
        self.table
            .insert_unique(hash, Slot { digest, tuple }, |slot| {
                digests.hash(slot.digest)
            });
        Ok(None)
    }

    /// A table that is full of traces of removed tuples is tidied in place, so that there is always room
    /// for a tuple after deletes. Otherwise the table doubles, and its old memory is given back after the move.
    #[cold]
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let digests = &self.digests;
        let grown = self.table.try_reserve(1, |slot| digests.hash(slot.digest));
        let Err(refused) = grown else {
            self.layout += 1;
            return Ok(());
        };
        if self.tidy() {
            return Ok(());
        }
        Err(OutOfMemory {
            bytes: match refused {
                TryReserveError::AllocError { layout } => layout.size(),
                TryReserveError::CapacityOverflow => usize::MAX,
            },
        })
    }

    /// Makes the places of removed tuples usable again where the quota refuses a larger table, if
    /// they are a sixteenth of all: fewer are not worth the work, which is over the whole table. Its
    /// slots stand beside it for the moment, outside of the quota.
    #[cold]
    fn tidy(&mut self) -> bool {
        let usable = self.table.num_buckets() / 8 * 7;
        if self.table.len() + usable / 16 >= usable {
            return false;
        }
        let mut slots: Vec<Slot> = Vec::new();
        if slots.try_reserve_exact(self.table.len()).is_err() {
            return false;
        }
        slots.extend(self.table.drain());
        let digests = &self.digests;
        for slot in slots {
            self.table
                .insert_unique(digests.hash(slot.digest), slot, |slot| {
                    digests.hash(slot.digest)
                });
        }
        self.layout += 1;
        true
    }

    pub(crate) fn replace(&mut self, tuple: TuplePtr) -> Option<TuplePtr> {
        // SAFETY: the caller passes a live tuple.
        let bytes = unsafe { tuple.bytes() };
        let digests = &self.digests;
        let digest = digests.of_tuple(bytes);
        let slot = self.table.find_mut(digests.hash(digest), |slot| {
            slot.digest == digest && digests.is_same_tuple(*slot, bytes)
        })?;
        Some(std::mem::replace(&mut slot.tuple, tuple))
    }

    pub(crate) fn remove(&mut self, tuple: TuplePtr) {
        let hash = self.hash_of(tuple);
        if let Ok(entry) = self.table.find_entry(hash, |slot| slot.tuple == tuple) {
            entry.remove();
        }
    }

    fn hash_of(&self, tuple: TuplePtr) -> u64 {
        // SAFETY: the callers pass live tuples.
        self.digests
            .hash(self.digests.of_tuple(unsafe { tuple.bytes() }))
    }

    #[inline]
    pub(crate) fn get(&self, key: Encoded<'_>) -> Option<TuplePtr> {
        let (count, parts) = key.split();
        let digest = self.digests.of_parts(parts);
        let slot = self.table.find(self.digests.hash(digest), |slot| {
            slot.digest == digest && self.digests.is_same_key(*slot, parts, count)
        })?;
        Some(slot.tuple)
    }

    pub(crate) fn random(&self, seed: u64) -> Option<TuplePtr> {
        if self.table.is_empty() {
            return None;
        }
        let buckets = self.table.num_buckets();
        let start = (seed % buckets as u64) as usize;
        (start..buckets)
            .chain(0..start)
            .find_map(|bucket| self.table.get_bucket(bucket).map(|slot| slot.tuple))
    }

    /// The first tuple at or behind a bucket, and the bucket after it.
    pub(crate) fn next_from(&self, bucket: usize) -> Option<(TuplePtr, usize)> {
        (bucket..self.table.num_buckets())
            .find_map(|at| self.table.get_bucket(at).map(|slot| (slot.tuple, at + 1)))
    }

    /// Changes whenever tuples may have moved to other buckets.
    pub(crate) fn layout(&self) -> u64 {
        self.layout
    }

    /// The bucket right behind a tuple, if it is in the index.
    pub(crate) fn bucket_after(&self, tuple: TuplePtr) -> Option<usize> {
        self.table
            .find_bucket_index(self.hash_of(tuple), |slot| slot.tuple == tuple)
            .map(|bucket| bucket + 1)
    }
}
