//! The table of a HASH index: slots of a digest and a tuple pointer, found by linear probing.
//!
//! A digest has a home slot, and stands there or in the next slots behind it that were free. Homes of
//! neighbouring numbers are neighbours, because workloads count up: one cache line of slots serves a block
//! of them. Blocks are scattered. The upper bits of a hash choose the home, so that a table that doubles
//! reads and writes its slots in order.
//!
//! At most three quarters of the slots are in use, the traces of removed tuples among them. A slot takes
//! 16 bytes; a look-up of a number that is there touches one cache line nearly always.

use allocator_api2::vec::Vec;

use crate::memory::{OutOfMemory, TableMemory};
use crate::prefetch;
use crate::tuple::TuplePtr;

/// Numbers that differ in these bits only have neighbouring homes: four slots are a cache line.
const BLOCK_BITS: u32 = 2;

/// 2^64 over the golden ratio.
const FIBONACCI: u64 = 0x9e37_79b9_7f4a_7c15;

/// Slots of the smallest table, as a power of two.
const BITS_MIN: u32 = 3;

/// What the digests of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DigestKind {
    /// Numbers as they are.
    Number,
    /// Hashes, whose bits are scattered.
    Hash,
}

#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) digest: u64,
    /// `None` in a slot that is free: never used when the digest is [`UNUSED`], else a trace of a tuple
    /// that was removed, which searches pass over.
    pub(super) tuple: Option<TuplePtr>,
}

const UNUSED: u64 = 0;
const REMOVED: u64 = 1;

impl Slot {
    const fn free(digest: u64) -> Self {
        Self {
            digest,
            tuple: None,
        }
    }

    fn is_unused(self) -> bool {
        self.tuple.is_none() && self.digest == UNUSED
    }
}

/// Where a search ended.
pub(super) enum Place {
    /// At the slot that was sought.
    Found(usize),
    /// At the slot that takes what was not found.
    Free(usize),
    /// At the end of a table that must grow first.
    Nowhere,
}

/// The slots and their counts.
pub(super) struct Table {
    kind: DigestKind,
    slots: Vec<Slot, TableMemory>,
    /// The number of slots is two to this power, once there are any.
    bits: u32,
    len: usize,
    removed: usize,
}

impl Table {
    pub(super) fn new(kind: DigestKind, memory: TableMemory) -> Self {
        Self {
            kind,
            slots: Vec::new_in(memory),
            bits: BITS_MIN,
            len: 0,
            removed: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }

    /// Whether the tuples would fit a table of half the size: it is full of traces of removed ones.
    pub(super) fn is_half_empty(&self) -> bool {
        self.len * 2 < self.usable()
    }

    /// The tuple in a slot.
    pub(super) fn tuple(&self, at: usize) -> Option<TuplePtr> {
        self.slots.get(at)?.tuple
    }

    /// How many slots may be in use.
    fn usable(&self) -> usize {
        self.slots.len() / 4 * 3
    }

    #[inline]
    fn home(&self, digest: u64) -> usize {
        match self.kind {
            DigestKind::Number => {
                // One multiplication leaves numbers at some distances of each other in few homes.
                let once = (digest >> BLOCK_BITS).wrapping_mul(FIBONACCI);
                let block = (once ^ once >> 32).wrapping_mul(FIBONACCI);
                let within = digest & ((1 << BLOCK_BITS) - 1);
                (block >> (64 - self.bits + BLOCK_BITS) << BLOCK_BITS | within) as usize
            }
            DigestKind::Hash => (digest >> (64 - self.bits)) as usize,
        }
    }

    /// Fetches the slots of the numbers that a workload which counts up will come to next.
    #[inline]
    fn fetch_next_block(&self, digest: u64) {
        const BLOCK: u64 = 1 << BLOCK_BITS;
        if self.kind == DigestKind::Number && digest.is_multiple_of(BLOCK) {
            let next = self.home(digest.wrapping_add(BLOCK));
            prefetch::lines(self.slots.as_ptr().wrapping_add(next).addr(), 1);
        }
    }

    /// The slot with this digest whose tuple is the one that is sought.
    #[inline]
    pub(super) fn find(&self, digest: u64, is_sought: impl Fn(TuplePtr) -> bool) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = self.home(digest);
        loop {
            let slot = self.slots[at & mask];
            match slot.tuple {
                Some(tuple) if slot.digest == digest && is_sought(tuple) => return Some(at & mask),
                None if slot.digest == UNUSED => return None,
                _ => at += 1,
            }
        }
    }

    /// As `find`, for who wants to put a tuple there if there is none.
    #[inline]
    pub(super) fn find_place(&self, digest: u64, is_sought: impl Fn(TuplePtr) -> bool) -> Place {
        let Some(mask) = self.slots.len().checked_sub(1) else {
            return Place::Nowhere;
        };
        self.fetch_next_block(digest);
        let mut at = self.home(digest);
        let mut reusable = None;
        loop {
            let slot = self.slots[at & mask];
            match slot.tuple {
                Some(tuple) if slot.digest == digest && is_sought(tuple) => {
                    return Place::Found(at & mask);
                }
                Some(_) => {}
                None if slot.digest == UNUSED => {
                    return match reusable {
                        Some(at) => Place::Free(at),
                        None if self.len + self.removed < self.usable() => Place::Free(at & mask),
                        None => Place::Nowhere,
                    };
                }
                None => reusable = reusable.or(Some(at & mask)),
            }
            at += 1;
        }
    }

    /// Puts a tuple into a slot that `find_place` gave as free.
    #[inline]
    pub(super) fn fill(&mut self, at: usize, digest: u64, tuple: TuplePtr) {
        self.removed -= usize::from(!self.slots[at].is_unused());
        self.len += 1;
        self.slots[at] = Slot {
            digest,
            tuple: Some(tuple),
        };
    }

    /// Puts a tuple in the place of another with the same digest.
    #[inline]
    pub(super) fn exchange(&mut self, at: usize, tuple: TuplePtr) -> Option<TuplePtr> {
        self.slots[at].tuple.replace(tuple)
    }

    /// Empties a slot. No other tuple moves.
    pub(super) fn empty(&mut self, at: usize) {
        let mask = self.slots.len() - 1;
        self.len -= 1;
        self.slots[at] = Slot::free(REMOVED);
        self.removed += 1;
        if !self.slots[(at + 1) & mask].is_unused() {
            return;
        }
        // No search goes on behind it: neither it nor the traces before it need to stay.
        let mut at = at;
        while self.slots[at].tuple.is_none() && !self.slots[at].is_unused() {
            self.slots[at] = Slot::free(UNUSED);
            self.removed -= 1;
            at = at.wrapping_sub(1) & mask;
        }
    }

    /// Moves everything into a table of twice the size. A failure changes nothing.
    pub(super) fn grow(&mut self) -> Result<(), OutOfMemory> {
        let count = (self.slots.len() * 2).max(1 << BITS_MIN);
        let mut slots = Vec::new_in(self.slots.allocator().clone());
        if slots.try_reserve_exact(count).is_err() {
            return Err(OutOfMemory {
                bytes: count * size_of::<Slot>(),
            });
        }
        slots.resize(count, Slot::free(UNUSED));
        let before = std::mem::replace(&mut self.slots, slots);
        self.bits = count.ilog2();
        self.settle(&before);
        Ok(())
    }

    /// Forgets the traces of removed tuples, if they are many enough to be worth the work, which is over the
    /// whole table. Its tuples stand beside it for the moment, outside of the quota. Whether it was done.
    pub(super) fn tidy(&mut self) -> bool {
        if self.removed <= self.usable() / 16 {
            return false;
        }
        let mut kept = std::vec::Vec::new();
        if kept.try_reserve_exact(self.len).is_err() {
            return false;
        }
        kept.extend(self.slots.iter().filter(|slot| slot.tuple.is_some()));
        self.slots.fill(Slot::free(UNUSED));
        self.settle(&kept);
        true
    }

    /// Puts the tuples of other slots into this table, which is empty and has room.
    fn settle(&mut self, slots: &[Slot]) {
        let mask = self.slots.len() - 1;
        self.removed = 0;
        for slot in slots.iter().filter(|slot| slot.tuple.is_some()) {
            let mut at = self.home(slot.digest) & mask;
            while self.slots[at].tuple.is_some() {
                at = (at + 1) & mask;
            }
            self.slots[at] = *slot;
        }
    }
}

#[cfg(test)]
mod tests;
