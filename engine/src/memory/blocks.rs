//! Where slabs come from: blocks of [`BLOCK_BYTES`], each one mapping of the system, cut into 64 slabs.
//!
//! A slab is taken from the oldest block that has one, so that younger blocks can become empty. A block that
//! is entirely empty is unmapped; one is kept, so that work in turns at its edge does not map and unmap.
//! Pages of free slabs in other blocks stay until somebody [discards](Blocks::discard_free) them.
//!
//! Blocks ask for huge pages if they are told to: a random access to a large arena is then no longer bound by
//! the translation of its address. The first block never does, so that a small arena takes a few pages only.
//!
//! Costs: taking a slab or putting it back looks at one word for 64 blocks, and at the block.

use std::ptr::NonNull;

use super::slab::{HEADERS_BYTES, SLAB_BYTES, SLABS_PER_BLOCK, Slab};
use super::system;

/// Size and alignment of a block, in bytes.
pub(super) const BLOCK_BYTES: usize = SLABS_PER_BLOCK * SLAB_BYTES;

const _: () = assert!(BLOCK_BYTES == system::MAPPING_ALIGN);

/// Free slabs of a block, one bit each, when all are.
const ALL: u64 = u64::MAX;

const _: () = assert!(SLABS_PER_BLOCK == u64::BITS as usize);

struct Block {
    start: NonNull<u8>,
    /// The slabs that are not handed out.
    free: u64,
    /// Those of the free slabs that may hold pages.
    resident: u64,
    /// Huge pages were asked for.
    is_huge: bool,
}

/// The blocks of an arena.
pub(super) struct Blocks {
    /// By age, but for places that blocks have left and others have taken.
    places: Vec<Option<Block>>,
    /// One bit for each place: its block has a free slab.
    with_room: Vec<u64>,
    /// Blocks all of whose slabs are free.
    empty_count: usize,
    /// Free slabs that may hold pages.
    resident_count: usize,
}

impl Blocks {
    pub(super) const fn new() -> Self {
        Self {
            places: Vec::new(),
            with_room: Vec::new(),
            empty_count: 0,
            resident_count: 0,
        }
    }

    /// What the free slabs may still hold of the system's memory, in bytes.
    pub(super) fn resident_bytes(&self) -> usize {
        self.resident_count * SLAB_BYTES
    }

    /// Bytes of all blocks.
    #[cfg(test)]
    pub(super) fn mapped_bytes(&self) -> usize {
        self.places.iter().flatten().count() * BLOCK_BYTES
    }

    /// Hands out a slab, of a new block if need be, which asks for huge pages if it `may_be_huge`;
    /// `None` when the system refuses.
    pub(super) fn take(&mut self, may_be_huge: bool) -> Option<Slab> {
        let place = match self.first_with_room() {
            Some(place) => place,
            None => self.add_block(may_be_huge)?,
        };
        let block = self.places[place].as_mut()?;
        if block.free == ALL {
            self.empty_count -= 1;
        }
        let resident = block.free & block.resident;
        let candidates = if resident == 0 { block.free } else { resident };
        let number = candidates.trailing_zeros() as usize;
        let bit = 1 << number;
        block.free &= !bit;
        // SAFETY: the block is mapped, and the slab was not handed out until now.
        let slab = unsafe { Slab::of_block(block.start, number, place) };
        if resident == 0 {
            let (start, bytes) = slab.memory();
            system::reuse(start, bytes);
        } else {
            block.resident &= !bit;
            self.resident_count -= 1;
        }
        if block.free == 0 {
            self.with_room[place / 64] &= !(1 << (place % 64));
        }
        Some(slab)
    }

    /// Takes back a slab, which holds no items and is on no list.
    pub(super) fn put_back(&mut self, slab: Slab) {
        let place = slab.block_place();
        let Some(block) = &mut self.places[place] else {
            return; // A slab that was handed out keeps its block.
        };
        let bit = 1 << slab.number();
        debug_assert_eq!(block.free & bit, 0, "the slab was handed out");
        block.free |= bit;
        block.resident |= bit;
        self.resident_count += 1;
        self.with_room[place / 64] |= 1 << (place % 64);
        if block.free == ALL {
            self.empty_count += 1;
            if self.empty_count > 1 {
                self.remove_block(place);
            }
        }
    }

    /// Gives the pages of all free slabs back to the system.
    pub(super) fn discard_free(&mut self) {
        for place in 0..self.places.len() {
            let Some(block) = &mut self.places[place] else {
                continue;
            };
            if block.free == ALL {
                self.remove_block(place);
            } else if block.resident != 0 {
                self.resident_count -= block.resident.count_ones() as usize;
                block.discard_free();
            }
        }
    }

    fn first_with_room(&self) -> Option<usize> {
        let word = self.with_room.iter().position(|word| *word != 0)?;
        Some(word * 64 + self.with_room[word].trailing_zeros() as usize)
    }

    /// Maps a block; answers its place.
    fn add_block(&mut self, may_be_huge: bool) -> Option<usize> {
        let left = self.places.iter().position(Option::is_none);
        let place = left.unwrap_or(self.places.len());
        if place == self.places.len() {
            self.places.try_reserve(1).ok()?;
            self.with_room.try_reserve(1).ok()?;
        }
        let start = system::map(BLOCK_BYTES)?;
        let is_huge = may_be_huge && place > 0;
        if is_huge {
            // The first touch of any of its slabs then brings all of them.
            system::advise_huge(start, BLOCK_BYTES);
            self.resident_count += SLABS_PER_BLOCK;
        }
        if place == self.places.len() {
            self.places.push(None);
            self.with_room.resize(self.places.len().div_ceil(64), 0);
        }
        self.places[place] = Some(Block {
            start,
            free: ALL,
            resident: if is_huge { ALL } else { 0 },
            is_huge,
        });
        self.with_room[place / 64] |= 1 << (place % 64);
        self.empty_count += 1;
        Some(place)
    }

    /// Unmaps a block, all of whose slabs are free.
    fn remove_block(&mut self, place: usize) {
        let Some(block) = self.places[place].take() else {
            return;
        };
        debug_assert_eq!(block.free, ALL, "no slab of the block is handed out");
        self.resident_count -= block.resident.count_ones() as usize;
        self.empty_count -= 1;
        self.with_room[place / 64] &= !(1 << (place % 64));
        // SAFETY: the mapping was made for the block, and none of its slabs is handed out.
        unsafe { system::unmap(block.start, BLOCK_BYTES) };
    }
}

impl Block {
    /// Gives the pages of the free slabs back. A page larger than a slab goes when all slabs in it are
    /// free; until then it is not counted as one that could go.
    fn discard_free(&mut self) {
        if self.is_huge {
            system::advise_small(self.start, BLOCK_BYTES);
            self.is_huge = false;
        }
        let page_bytes = system::page_bytes();
        let step = page_bytes.div_ceil(SLAB_BYTES);
        let mut number = 0;
        while number < SLABS_PER_BLOCK {
            let first = number;
            while number < SLABS_PER_BLOCK && self.can_discard(number, step) {
                number += step;
            }
            // The headers of all slabs lie in the first.
            let from = (first * SLAB_BYTES).max(HEADERS_BYTES.next_multiple_of(page_bytes));
            let to = number * SLAB_BYTES;
            if from < to {
                // SAFETY: the pages lie in the block, and belong to slabs that are not handed out.
                unsafe { system::discard(self.start.add(from), to - from) };
            }
            number += step;
        }
        self.resident = 0;
    }

    /// Whether `count` slabs from `number` on are free, and one of them may hold pages.
    fn can_discard(&self, number: usize, count: usize) -> bool {
        let slabs = (ALL >> (SLABS_PER_BLOCK - count)) << number;
        self.free & slabs == slabs && self.resident & slabs != 0
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for block in self.places.drain(..).flatten() {
            // SAFETY: the mapping was made for the block; slabs do not outlive their arena.
            unsafe { system::unmap(block.start, BLOCK_BYTES) };
        }
    }
}
