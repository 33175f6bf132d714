//! Memory under one quota: tuples, tree nodes and hash tables live in an [`Arena`].
//!
//! Small items come from slabs of [`SLAB_BYTES`], each cut into items of one size class. A slab hands out
//! the items that were freed first, newest first, and then its never-used tail. Slabs come from blocks,
//! which come from the system. Larger items come from Rust's allocator, and from 2 MiB on from the system.
//!
//! Slabs with items and larger items count against the quota in full, which is a promise that only an
//! [`Overdraft`] suspends. Slabs without items do not count, and their pages go back to the system once they
//! are more than [`IDLE_SHARE`] of the arena, or where the quota has no room for them.
//!
//! Costs: an allocation from the current slab of a class, or a free, is a few nanoseconds and touches
//! the header of the slab and the item. Items waste at most 11 % to their size class; each size class
//! in use keeps at least one slab. A block has 4 KiB of headers.

mod blocks;
mod large;
mod size_class;
mod slab;
mod system;
mod table;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ptr::NonNull;

pub use slab::SLAB_BYTES;
pub(crate) use table::TableMemory;

use blocks::{BLOCK_BYTES, Blocks};
use size_class::{CLASS_COUNT, MAX_CLASS_BYTES, class_bytes, class_of};
use slab::{Slab, SlabList, SlabState};

/// Free slabs may hold one part in so many of the arena, and [`IDLE_MIN_BYTES`], before their pages are
/// given back.
const IDLE_SHARE: usize = 20;

/// What free slabs may hold in any case, in bytes.
const IDLE_MIN_BYTES: usize = 2 * BLOCK_BYTES;

/// The quota does not have this many more bytes, or the system refused them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{bytes} bytes do not fit into the memory limit: raise the limit or delete some of the data"
)]
pub struct OutOfMemory {
    /// The size that was asked for, in bytes.
    pub bytes: usize,
}

/// The slabs of one size class.
struct SizeClass {
    /// The slab that allocations are served from.
    current: Cell<Option<Slab>>,
    /// Slabs with room, other than the current one.
    partial: SlabList,
    /// Slabs without room.
    full: SlabList,
    slab_count: Cell<usize>,
    /// Items that its slabs can hold.
    capacity: Cell<usize>,
    item_count: Cell<usize>,
}

/// What one size class holds, as `box.slab.stats` reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeClassStatistics {
    /// Size of the items of the class, in bytes.
    pub item_bytes: usize,
    /// Slabs that belong to the class.
    pub slab_count: usize,
    /// Items handed out.
    pub item_count: usize,
    /// Bytes of the items handed out.
    pub used_bytes: usize,
    /// Bytes of the items that the slabs of the class can still hand out.
    pub free_bytes: usize,
}

/// A single-threaded allocator under a quota.
///
/// Memory that is still handed out when the arena is dropped goes with its slab; items larger than the
/// largest size class leak. Owners therefore keep the arena alive (`Rc<Arena>`) and free what they took.
pub struct Arena {
    classes: [SizeClass; CLASS_COUNT],
    blocks: RefCell<Blocks>,
    limit_bytes: Cell<usize>,
    taken_bytes: Cell<usize>,
    large_bytes: Cell<usize>,
    overdraft_count: Cell<usize>,
    wants_huge_pages: bool,
    /// Slabs belong to one thread.
    not_send: PhantomData<*mut u8>,
}

impl Arena {
    /// An empty arena that takes at most `limit_bytes` from the system.
    pub fn new(limit_bytes: usize) -> Self {
        Self::with_huge_pages(limit_bytes, false)
    }

    /// The same; if it `wants_huge_pages`, it asks the system for them.
    pub fn with_huge_pages(limit_bytes: usize, wants_huge_pages: bool) -> Self {
        Self {
            classes: std::array::from_fn(|_| SizeClass {
                current: Cell::new(None),
                partial: SlabList::new(),
                full: SlabList::new(),
                slab_count: Cell::new(0),
                capacity: Cell::new(0),
                item_count: Cell::new(0),
            }),
            blocks: RefCell::new(Blocks::new()),
            limit_bytes: Cell::new(limit_bytes),
            taken_bytes: Cell::new(0),
            large_bytes: Cell::new(0),
            overdraft_count: Cell::new(0),
            wants_huge_pages,
            not_send: PhantomData,
        }
    }

    /// Hands out `size` bytes, aligned to 8; to 64 when `size` is a multiple of 64, and to 128 when it
    /// is a multiple of 128 that comes from a slab. The memory is not initialized.
    ///
    /// Fails when the quota, or the system, has no room.
    #[inline]
    pub fn allocate(&self, size: usize) -> Result<NonNull<u8>, OutOfMemory> {
        if size > MAX_CLASS_BYTES {
            return self.allocate_large(size);
        }
        let index = class_of(size);
        let class = &self.classes[index];
        if let Some(slab) = class.current.get()
            && let Some(item) = slab.take()
        {
            class.item_count.set(class.item_count.get() + 1);
            return Ok(item);
        }
        self.allocate_from_next_slab(index)
    }

    /// Takes an item back.
    ///
    /// # Safety
    ///
    /// `pointer` came from [`Arena::allocate`] of this arena with the same `size`, was not freed since,
    /// and nothing uses its memory any more.
    #[inline]
    pub unsafe fn free(&self, pointer: NonNull<u8>, size: usize) {
        if size > MAX_CLASS_BYTES {
            // SAFETY: the caller's promise is passed on.
            unsafe { self.free_large(pointer, size) };
            return;
        }
        // SAFETY: sizes up to MAX_CLASS_BYTES are items of slabs, and the caller gives this one up.
        let (slab, needs_attention) = unsafe { Slab::put_back(pointer) };
        let class = &self.classes[slab.class()];
        class.item_count.set(class.item_count.get() - 1);
        if needs_attention {
            self.relink(slab);
        }
    }

    /// Lets allocations pass the limit for as long as the guard lives: a rollback must not fail.
    pub fn overdraft(&self) -> Overdraft<'_> {
        self.overdraft_count.set(self.overdraft_count.get() + 1);
        Overdraft { arena: self }
    }

    /// The quota, in bytes.
    pub fn limit_bytes(&self) -> usize {
        self.limit_bytes.get()
    }

    /// Raises the quota. A lower limit than the present one is not taken over.
    pub fn set_limit_bytes(&self, limit_bytes: usize) {
        self.limit_bytes
            .set(limit_bytes.max(self.limit_bytes.get()));
    }

    /// Bytes of the slabs with items and of the larger items: this is what the quota limits.
    pub fn arena_bytes(&self) -> usize {
        self.taken_bytes.get()
    }

    /// Bytes of the items handed out, rounded up to their size class.
    pub fn used_bytes(&self) -> usize {
        let small_bytes: usize = self
            .classes
            .iter()
            .enumerate()
            .map(|(index, class)| class.item_count.get() * class_bytes(index))
            .sum();
        small_bytes + self.large_bytes.get()
    }

    /// The size classes that own slabs, by ascending item size.
    pub fn statistics(&self) -> impl Iterator<Item = SizeClassStatistics> + '_ {
        let classes = self.classes.iter().enumerate();
        classes
            .filter(|(_, class)| class.slab_count.get() > 0)
            .map(|(index, class)| {
                let item_bytes = class_bytes(index);
                let slab_count = class.slab_count.get();
                let item_count = class.item_count.get();
                SizeClassStatistics {
                    item_bytes,
                    slab_count,
                    item_count,
                    used_bytes: item_count * item_bytes,
                    free_bytes: (class.capacity.get() - item_count) * item_bytes,
                }
            })
    }

    /// Makes another slab with room the current one of the class and allocates from it.
    #[cold]
    #[inline(never)]
    fn allocate_from_next_slab(&self, index: usize) -> Result<NonNull<u8>, OutOfMemory> {
        let class = &self.classes[index];
        let item_bytes = class_bytes(index);
        let next = match class.partial.pop() {
            Some(slab) => slab,
            None => self.new_slab(index)?,
        };
        // Only now, with a successor at hand, does the exhausted slab leave its place.
        if let Some(exhausted) = class.current.replace(Some(next)) {
            exhausted.set_state(SlabState::Full);
            class.full.push(exhausted);
        }
        next.set_state(SlabState::Current);
        let item = next.take().ok_or(OutOfMemory { bytes: item_bytes })?;
        class.item_count.set(class.item_count.get() + 1);
        Ok(item)
    }

    fn new_slab(&self, index: usize) -> Result<Slab, OutOfMemory> {
        self.reserve(SLAB_BYTES)?;
        let room_bytes = self.limit_bytes().saturating_sub(self.arena_bytes());
        let may_be_huge = self.wants_huge_pages && room_bytes >= BLOCK_BYTES;
        let taken = self.blocks.borrow_mut().take(may_be_huge);
        let Some(slab) = taken else {
            self.unreserve(SLAB_BYTES);
            return Err(OutOfMemory { bytes: SLAB_BYTES });
        };
        self.discard_past_the_limit();
        let item_bytes = class_bytes(index);
        slab.assign(index, item_bytes);
        let class = &self.classes[index];
        class.slab_count.set(class.slab_count.get() + 1);
        let capacity = slab.capacity(item_bytes);
        class.capacity.set(class.capacity.get() + capacity);
        Ok(slab)
    }

    /// Moves a slab that had no room, or that has no items left, to where it belongs now.
    #[cold]
    #[inline(never)]
    fn relink(&self, slab: Slab) {
        let class = &self.classes[slab.class()];
        if slab.state() == SlabState::Full {
            class.full.remove(slab);
            slab.set_state(SlabState::Partial);
            class.partial.push(slab);
        }
        if slab.is_empty() {
            class.partial.remove(slab);
            self.retire(slab);
        }
    }

    /// Takes an empty slab, which is on no list, out of its class.
    fn retire(&self, slab: Slab) {
        let index = slab.class();
        let class = &self.classes[index];
        class.slab_count.set(class.slab_count.get() - 1);
        let capacity = slab.capacity(class_bytes(index));
        class.capacity.set(class.capacity.get() - capacity);
        self.unreserve(SLAB_BYTES);
        let mut blocks = self.blocks.borrow_mut();
        blocks.put_back(slab);
        let idle_max_bytes = IDLE_MIN_BYTES.max(self.arena_bytes() / IDLE_SHARE);
        if blocks.resident_bytes() > idle_max_bytes {
            blocks.discard_free();
        }
    }

    /// Counts bytes that are about to be taken from the system.
    fn reserve(&self, bytes: usize) -> Result<(), OutOfMemory> {
        if !self.has_room(bytes) {
            self.retire_empty_slabs();
        }
        let taken_bytes = self
            .taken_bytes
            .get()
            .checked_add(bytes)
            .ok_or(OutOfMemory { bytes })?;
        if taken_bytes > self.limit_bytes.get() && self.overdraft_count.get() == 0 {
            return Err(OutOfMemory { bytes });
        }
        self.taken_bytes.set(taken_bytes);
        Ok(())
    }

    fn unreserve(&self, bytes: usize) {
        self.taken_bytes.set(self.taken_bytes.get() - bytes);
    }

    /// What is taken and what free slabs still hold is together no more than the limit.
    fn discard_past_the_limit(&self) {
        let mut blocks = self.blocks.borrow_mut();
        let resident_bytes = blocks.resident_bytes();
        if resident_bytes > 0 && !self.has_room(resident_bytes) {
            blocks.discard_free();
        }
    }

    fn has_room(&self, bytes: usize) -> bool {
        bytes
            <= self
                .limit_bytes
                .get()
                .saturating_sub(self.taken_bytes.get())
    }

    /// Takes the current slabs that hold no item out of their classes; other slabs leave when they become empty.
    #[cold]
    fn retire_empty_slabs(&self) {
        for class in &self.classes {
            if let Some(slab) = class.current.get()
                && slab.is_empty()
            {
                class.current.set(None);
                self.retire(slab);
            }
        }
    }

    #[cold]
    fn allocate_large(&self, size: usize) -> Result<NonNull<u8>, OutOfMemory> {
        let refused = OutOfMemory { bytes: size };
        let bytes = large::whole_bytes(size).ok_or(refused)?;
        self.reserve(bytes).map_err(|_| refused)?;
        self.discard_past_the_limit();
        // SAFETY: the bytes are whole.
        let Some(pointer) = (unsafe { large::allocate(bytes, self.wants_huge_pages) }) else {
            self.unreserve(bytes);
            return Err(refused);
        };
        self.large_bytes.set(self.large_bytes.get() + bytes);
        Ok(pointer)
    }

    /// # Safety
    ///
    /// `pointer` came from [`Arena::allocate_large`] with the same `size`, and nothing uses its memory any more.
    #[cold]
    unsafe fn free_large(&self, pointer: NonNull<u8>, size: usize) {
        let Some(bytes) = large::whole_bytes(size) else {
            return; // No such item was ever handed out.
        };
        // SAFETY: the item was allocated with the bytes that follow from its size.
        unsafe { large::free(pointer, bytes) };
        self.large_bytes.set(self.large_bytes.get() - bytes);
        self.unreserve(bytes);
    }
}

/// While it lives, allocations of its arena succeed past the limit. See [`Arena::overdraft`].
#[must_use = "the limit holds again as soon as the guard is dropped"]
pub struct Overdraft<'a> {
    arena: &'a Arena,
}

impl Drop for Overdraft<'_> {
    fn drop(&mut self) {
        let count = &self.arena.overdraft_count;
        count.set(count.get() - 1);
    }
}
