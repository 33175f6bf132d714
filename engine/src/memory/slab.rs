//! A slab: [`SLAB_BYTES`] of a block, cut into items of one size.
//!
//! Blocks and slabs are aligned to their size, so the bits of an item's address give its slab. The headers of all
//! slabs of a block lie side by side at its start, in the first slab, which is that much smaller: in the slabs
//! themselves they would compete for the same few places of the processor's caches, and discarded pages
//! would take them along. Freed items hold the free list in their own first eight bytes.
//!
//! This module holds the unsafe half of the arena; what it asks of its caller: a slab that went back to its
//! block is not used again, and a slab is on at most one list.

use std::cell::Cell;
use std::ptr::NonNull;

/// Size and alignment of a slab, and what it counts against the quota, in bytes.
pub const SLAB_BYTES: usize = 32 * 1024;

/// How many slabs a block has.
pub(super) const SLABS_PER_BLOCK: usize = 64;

/// What the headers take of the first slab of a block, in bytes.
pub(super) const HEADERS_BYTES: usize = SLABS_PER_BLOCK * size_of::<Header>();

const BLOCK_BYTES: usize = SLABS_PER_BLOCK * SLAB_BYTES;

/// Where a slab stands among the slabs of its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlabState {
    /// Allocations are served from it.
    Current,
    /// It has room and waits to become the current one.
    Partial,
    /// It has no room.
    Full,
}

#[repr(C, align(64))]
struct Header {
    /// The newest freed item.
    free: Option<NonNull<FreeItem>>,
    /// The first item that was never handed out.
    fresh: NonNull<u8>,
    /// Past the last item.
    end: NonNull<u8>,
    item_bytes: u32,
    used_count: u32,
    /// Where the arena keeps the block.
    block_place: u32,
    class: u16,
    state: SlabState,
    next: Option<Slab>,
    previous: Option<Slab>,
}

const _: () = assert!(size_of::<Header>() == 64);

struct FreeItem {
    next: Option<NonNull<FreeItem>>,
}

/// A slab, by its header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Slab(NonNull<Header>);

impl Slab {
    /// The slab of that number in the block at `start`. It must be [assigned](Slab::assign) before it is used.
    ///
    /// # Safety
    ///
    /// The memory of the block is zeroed or was that of the block before, and the slab is not handed out.
    pub(super) unsafe fn of_block(start: NonNull<u8>, number: usize, place: usize) -> Self {
        // SAFETY: the headers lie at the start of the block, and its memory is ours.
        unsafe {
            let header = start.cast::<Header>().add(number);
            (*header.as_ptr()).block_place = place as u32;
            Self(header)
        }
    }

    /// Which slab of its block it is.
    pub(super) fn number(self) -> usize {
        self.0.addr().get() % BLOCK_BYTES / size_of::<Header>()
    }

    /// Where the arena keeps its block.
    pub(super) fn block_place(self) -> usize {
        // SAFETY: the slab is live.
        unsafe { (*self.0.as_ptr()).block_place as usize }
    }

    /// The memory for its items: where it begins, and how long it is in bytes.
    pub(super) fn memory(self) -> (NonNull<u8>, usize) {
        let number = self.number();
        let offset = if number == 0 {
            HEADERS_BYTES
        } else {
            number * SLAB_BYTES
        };
        // SAFETY: header `number` lies that many headers behind the start of the block, and the slab in the block.
        let start = unsafe { self.0.sub(number).cast::<u8>().add(offset) };
        (start, (number + 1) * SLAB_BYTES - offset)
    }

    /// How many items of a size it holds.
    pub(super) fn capacity(self, item_bytes: usize) -> usize {
        self.memory().1 / item_bytes
    }

    /// Cuts an empty slab into items of a class.
    pub(super) fn assign(self, class: usize, item_bytes: usize) {
        let (start, bytes) = self.memory();
        let header = self.0.as_ptr();
        // SAFETY: the slab is live; no reference to its header is held across calls. The items lie in its
        // memory.
        unsafe {
            debug_assert_eq!((*header).used_count, 0);
            (*header).free = None;
            (*header).fresh = start;
            (*header).end = start.add(bytes / item_bytes * item_bytes);
            (*header).item_bytes = item_bytes as u32;
            (*header).class = class as u16;
        }
    }

    /// Hands out an item, if there is one.
    #[inline]
    pub(super) fn take(self) -> Option<NonNull<u8>> {
        let header = self.0.as_ptr();
        // SAFETY: the slab is live. Items on the free list lie in it and belong to nobody, so their
        // first bytes are ours; so do those from `fresh` up to `end`.
        unsafe {
            if let Some(item) = (*header).free {
                (*header).free = item.as_ref().next;
                (*header).used_count += 1;
                return Some(item.cast());
            }
            let item = (*header).fresh;
            if item == (*header).end {
                return None;
            }
            (*header).fresh = item.add((*header).item_bytes as usize);
            (*header).used_count += 1;
            Some(item)
        }
    }

    /// Puts an item back into the slab that it came from. Answers that slab, and whether it must change
    /// its place: because it had no room, or because its last item came back.
    ///
    /// # Safety
    ///
    /// The item came from [`Slab::take`], was not put back since, and nobody uses it any more.
    #[inline]
    pub(super) unsafe fn put_back(item: NonNull<u8>) -> (Self, bool) {
        let header = item.as_ptr().map_addr(|address| {
            let number = address % BLOCK_BYTES / SLAB_BYTES;
            (address & !(BLOCK_BYTES - 1)) + number * size_of::<Header>()
        });
        // SAFETY: blocks are aligned to their size, and so are slabs within them, so this is the header of the
        // item's slab, which is live and not null; the item is large and aligned enough for a link.
        unsafe {
            let slab = Self(NonNull::new_unchecked(header).cast());
            let header = slab.0.as_ptr();
            let link = item.cast::<FreeItem>();
            link.write(FreeItem {
                next: (*header).free,
            });
            (*header).free = Some(link);
            (*header).used_count -= 1;
            let needs_attention = match (*header).state {
                SlabState::Current => false,
                SlabState::Partial => (*header).used_count == 0,
                SlabState::Full => true,
            };
            (slab, needs_attention)
        }
    }

    #[inline]
    pub(super) fn class(self) -> usize {
        // SAFETY: the slab is live.
        unsafe { usize::from((*self.0.as_ptr()).class) }
    }

    pub(super) fn is_empty(self) -> bool {
        // SAFETY: the slab is live.
        unsafe { (*self.0.as_ptr()).used_count == 0 }
    }

    pub(super) fn state(self) -> SlabState {
        // SAFETY: the slab is live.
        unsafe { (*self.0.as_ptr()).state }
    }

    pub(super) fn set_state(self, state: SlabState) {
        // SAFETY: the slab is live; no reference to its header is held across calls.
        unsafe { (*self.0.as_ptr()).state = state };
    }
}

/// A doubly linked list of slabs, through their headers.
pub(super) struct SlabList {
    head: Cell<Option<Slab>>,
}

impl SlabList {
    pub(super) const fn new() -> Self {
        Self {
            head: Cell::new(None),
        }
    }

    pub(super) fn push(&self, slab: Slab) {
        let next = self.head.replace(Some(slab));
        // SAFETY: slabs on the list are live; no reference to a header is held across calls.
        unsafe {
            (*slab.0.as_ptr()).next = next;
            (*slab.0.as_ptr()).previous = None;
            if let Some(next) = next {
                (*next.0.as_ptr()).previous = Some(slab);
            }
        }
    }

    pub(super) fn pop(&self) -> Option<Slab> {
        let slab = self.head.get()?;
        self.remove(slab);
        Some(slab)
    }

    /// Takes out a slab, which must be on this list.
    pub(super) fn remove(&self, slab: Slab) {
        // SAFETY: slabs on the list are live; no reference to a header is held across calls.
        unsafe {
            let next = (*slab.0.as_ptr()).next.take();
            let previous = (*slab.0.as_ptr()).previous.take();
            if let Some(next) = next {
                (*next.0.as_ptr()).previous = previous;
            }
            match previous {
                Some(previous) => (*previous.0.as_ptr()).next = next,
                None => self.head.set(next),
            }
        }
    }
}
