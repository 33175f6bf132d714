//! Memory under one quota: tuples and tree nodes live in an [`Arena`].
//!
//! Small items come from slabs: aligned blocks of [`SLAB_BYTES`], each cut into items of one size
//! class. A slab hands out its never-used tail first and then the items that were freed, newest first.
//! Larger items come from the system allocator. Both count against the quota in full, so an arena never
//! takes more from the system than its limit (a promise that only an [`Overdraft`] suspends).
//!
//! Costs: an allocation from the current slab of a class, or a free, is a few nanoseconds and touches
//! the header of the slab and the item. Items waste at most 11 % to their size class; each size class
//! in use keeps at least one slab.

mod size_class;
mod slab;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::NonNull;

pub use slab::SLAB_BYTES;

use size_class::{CLASS_COUNT, MAX_CLASS_BYTES, class_bytes, class_of};
use slab::{Slab, SlabList, SlabState};

/// How many empty slabs are kept for the next class that needs one, instead of being returned.
const EMPTY_SLABS_MAX: usize = 16;

/// Alignment and rounding of the items that come straight from the system allocator.
const LARGE_ALIGN: usize = 64;

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
    empty: SlabList,
    empty_count: Cell<usize>,
    limit_bytes: Cell<usize>,
    taken_bytes: Cell<usize>,
    large_bytes: Cell<usize>,
    charged_bytes: Cell<usize>,
    overdraft_count: Cell<usize>,
    /// Slabs belong to one thread.
    not_send: PhantomData<*mut u8>,
}

impl Arena {
    /// An empty arena that takes at most `limit_bytes` from the system.
    pub fn new(limit_bytes: usize) -> Self {
        Self {
            classes: std::array::from_fn(|_| SizeClass {
                current: Cell::new(None),
                partial: SlabList::new(),
                full: SlabList::new(),
                slab_count: Cell::new(0),
                item_count: Cell::new(0),
            }),
            empty: SlabList::new(),
            empty_count: Cell::new(0),
            limit_bytes: Cell::new(limit_bytes),
            taken_bytes: Cell::new(0),
            large_bytes: Cell::new(0),
            charged_bytes: Cell::new(0),
            overdraft_count: Cell::new(0),
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

    /// Counts `bytes` of memory that lives elsewhere (a hash table) against the quota.
    pub fn charge(&self, bytes: usize) -> Result<(), OutOfMemory> {
        self.reserve(bytes)?;
        self.charged_bytes.set(self.charged_bytes.get() + bytes);
        Ok(())
    }

    /// Gives back what [`Arena::charge`] counted.
    ///
    /// # Panics
    ///
    /// When more is released than was charged: the quota would be wrong from there on.
    pub fn release(&self, bytes: usize) {
        let charged_bytes = self.charged_bytes.get();
        assert!(
            bytes <= charged_bytes,
            "{bytes} bytes released, but only {charged_bytes} are charged"
        );
        self.charged_bytes.set(charged_bytes - bytes);
        self.taken_bytes.set(self.taken_bytes.get() - bytes);
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

    /// Bytes taken from the system, with what was charged: this is what the quota limits.
    pub fn arena_bytes(&self) -> usize {
        self.taken_bytes.get()
    }

    /// Bytes of the items handed out, rounded up to their size class, with what was charged.
    pub fn used_bytes(&self) -> usize {
        let small_bytes: usize = self
            .classes
            .iter()
            .enumerate()
            .map(|(index, class)| class.item_count.get() * class_bytes(index))
            .sum();
        small_bytes + self.large_bytes.get() + self.charged_bytes.get()
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
                let capacity = slab_count * slab::item_capacity(item_bytes);
                SizeClassStatistics {
                    item_bytes,
                    slab_count,
                    item_count,
                    used_bytes: item_count * item_bytes,
                    free_bytes: (capacity - item_count) * item_bytes,
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
        let slab = if let Some(slab) = self.empty.pop() {
            self.empty_count.set(self.empty_count.get() - 1);
            slab
        } else {
            self.reserve(SLAB_BYTES)?;
            Slab::from_system().ok_or_else(|| {
                self.taken_bytes.set(self.taken_bytes.get() - SLAB_BYTES);
                OutOfMemory { bytes: SLAB_BYTES }
            })?
        };
        slab.assign(index, class_bytes(index));
        let class = &self.classes[index];
        class.slab_count.set(class.slab_count.get() + 1);
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

    /// Takes an empty slab, which is on no list, out of its class: to the cache or to the system.
    fn retire(&self, slab: Slab) {
        let class = &self.classes[slab.class()];
        class.slab_count.set(class.slab_count.get() - 1);
        if self.empty_count.get() < EMPTY_SLABS_MAX && self.arena_bytes() <= self.limit_bytes() {
            self.empty.push(slab);
            self.empty_count.set(self.empty_count.get() + 1);
        } else {
            self.return_to_system(slab);
        }
    }

    fn return_to_system(&self, slab: Slab) {
        // SAFETY: the slab is empty and on no list, so nothing refers to it any more.
        unsafe { slab.to_system() };
        self.taken_bytes.set(self.taken_bytes.get() - SLAB_BYTES);
    }

    /// Counts bytes that are about to be taken from the system.
    fn reserve(&self, bytes: usize) -> Result<(), OutOfMemory> {
        if !self.has_room(bytes) {
            self.return_empty_slabs();
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

    fn has_room(&self, bytes: usize) -> bool {
        bytes
            <= self
                .limit_bytes
                .get()
                .saturating_sub(self.taken_bytes.get())
    }

    /// Returns every slab that holds no item, the current ones of their classes included.
    #[cold]
    fn return_empty_slabs(&self) {
        for class in &self.classes {
            if let Some(slab) = class.current.get()
                && slab.is_empty()
            {
                class.current.set(None);
                class.slab_count.set(class.slab_count.get() - 1);
                self.return_to_system(slab);
            }
        }
        while let Some(slab) = self.empty.pop() {
            self.return_to_system(slab);
        }
        self.empty_count.set(0);
    }

    #[cold]
    fn allocate_large(&self, size: usize) -> Result<NonNull<u8>, OutOfMemory> {
        let layout = slab::large_layout(size, LARGE_ALIGN).ok_or(OutOfMemory { bytes: size })?;
        self.reserve(layout.size())
            .map_err(|_| OutOfMemory { bytes: size })?;
        let Some(pointer) = slab::system_allocate(layout) else {
            self.taken_bytes.set(self.taken_bytes.get() - layout.size());
            return Err(OutOfMemory { bytes: size });
        };
        self.large_bytes.set(self.large_bytes.get() + layout.size());
        Ok(pointer)
    }

    /// # Safety
    ///
    /// As for [`Arena::free`], with a size past the largest class.
    #[cold]
    unsafe fn free_large(&self, pointer: NonNull<u8>, size: usize) {
        let Some(layout) = slab::large_layout(size, LARGE_ALIGN) else {
            return; // No such item was ever handed out.
        };
        // SAFETY: the item was allocated with the layout that follows from its size.
        unsafe { slab::system_free(pointer, layout) };
        self.large_bytes.set(self.large_bytes.get() - layout.size());
        self.taken_bytes.set(self.taken_bytes.get() - layout.size());
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for class in &self.classes {
            if let Some(slab) = class.current.take() {
                self.return_to_system(slab);
            }
            while let Some(slab) = class.partial.pop().or_else(|| class.full.pop()) {
                self.return_to_system(slab);
            }
        }
        while let Some(slab) = self.empty.pop() {
            self.return_to_system(slab);
        }
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
