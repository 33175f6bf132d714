//! A slab: an aligned block of items of one size, behind a 64-byte header.
//!
//! Because slabs are aligned to [`SLAB_BYTES`], masking the address of an item gives its slab. Freed items
//! hold the free list in their own first eight bytes. This module holds the unsafe half of the arena;
//! what it asks of its caller: a slab that went back to the system is not used again, and a slab is on
//! at most one list.

use std::alloc::Layout;
use std::cell::Cell;
use std::ptr::NonNull;

/// Alignment of a slab, and what it counts against the quota, in bytes.
///
/// Twice this size is below the 128 KiB from which glibc maps each block by itself: with 64 KiB, four
/// million tuples took 26 MB more than the quota counted, and twice the address space.
pub const SLAB_BYTES: usize = 32 * 1024;

/// What is asked of the system for a slab. An allocator that keeps a word before each block, as glibc
/// does, then puts slabs side by side; with the full size it left as large a hole after each.
const BLOCK_BYTES: usize = SLAB_BYTES - size_of::<usize>();

const SLAB_LAYOUT: Layout = match Layout::from_size_align(BLOCK_BYTES, SLAB_BYTES) {
    Ok(layout) => layout,
    Err(_) => panic!("the alignment of a slab is a power of two"),
};

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
    /// Offset of the first item that was never handed out.
    fresh_offset: u32,
    /// Offset past the last item.
    end_offset: u32,
    item_bytes: u32,
    used_count: u32,
    class: u16,
    state: SlabState,
    next: Option<Slab>,
    previous: Option<Slab>,
}

const _: () = assert!(size_of::<Header>() == 64);

struct FreeItem {
    next: Option<NonNull<FreeItem>>,
}

/// Offset of the first item: items keep the alignment of their size up to two cache lines.
fn first_offset(item_bytes: usize) -> usize {
    if item_bytes.is_multiple_of(128) {
        128
    } else {
        size_of::<Header>()
    }
}

/// How many items of a size a slab holds.
pub(super) fn item_capacity(item_bytes: usize) -> usize {
    (BLOCK_BYTES - first_offset(item_bytes)) / item_bytes
}

/// A slab taken from the system and not yet returned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Slab(NonNull<Header>);

impl Slab {
    /// Takes a slab from the system. It must be [assigned](Slab::assign) before it is used.
    pub(super) fn from_system() -> Option<Self> {
        let header = system_allocate(SLAB_LAYOUT)?.cast::<Header>();
        // SAFETY: the block is aligned for a header, large enough, and ours alone.
        unsafe {
            header.write(Header {
                free: None,
                fresh_offset: 0,
                end_offset: 0,
                item_bytes: 0,
                used_count: 0,
                class: 0,
                state: SlabState::Partial,
                next: None,
                previous: None,
            });
        }
        Some(Self(header))
    }

    /// Returns the slab to the system.
    ///
    /// # Safety
    ///
    /// Nothing refers to the slab or its items any more.
    pub(super) unsafe fn to_system(self) {
        // SAFETY: the block came from `from_system` with this layout.
        unsafe { system_free(self.0.cast(), SLAB_LAYOUT) };
    }

    /// Cuts an empty slab into items of a class.
    pub(super) fn assign(self, class: usize, item_bytes: usize) {
        let first_offset = first_offset(item_bytes);
        let header = self.0.as_ptr();
        // SAFETY: the slab is live; no reference to its header is held across calls.
        unsafe {
            debug_assert_eq!((*header).used_count, 0);
            (*header).free = None;
            (*header).fresh_offset = first_offset as u32;
            (*header).end_offset = (first_offset + item_capacity(item_bytes) * item_bytes) as u32;
            (*header).item_bytes = item_bytes as u32;
            (*header).class = class as u16;
        }
    }

    /// Hands out an item, if there is one.
    #[inline]
    pub(super) fn take(self) -> Option<NonNull<u8>> {
        let header = self.0.as_ptr();
        // SAFETY: the slab is live. Items on the free list lie in it and belong to nobody, so their
        // first bytes are ours; offsets below `end_offset` lie in the block.
        unsafe {
            if let Some(item) = (*header).free {
                (*header).free = item.as_ref().next;
                (*header).used_count += 1;
                return Some(item.cast());
            }
            let offset = (*header).fresh_offset;
            if offset == (*header).end_offset {
                return None;
            }
            (*header).fresh_offset = offset + (*header).item_bytes;
            (*header).used_count += 1;
            Some(self.0.cast::<u8>().add(offset as usize))
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
        let block = item
            .as_ptr()
            .map_addr(|address| address & !(SLAB_BYTES - 1));
        // SAFETY: slabs are aligned to SLAB_BYTES and no larger, so the masked address is the header of the item's
        // slab, which is live and not null; the item is large and aligned enough for a link.
        unsafe {
            let slab = Self(NonNull::new_unchecked(block).cast());
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

/// The layout of an item that comes from the system allocator; `None` when no such item can exist.
pub(super) fn large_layout(size: usize, align: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_next_multiple_of(align)?, align).ok()
}

/// Takes memory from the system; `None` when it refuses. The layout's size is not zero.
pub(super) fn system_allocate(layout: Layout) -> Option<NonNull<u8>> {
    assert!(
        layout.size() > 0,
        "empty items come from the smallest size class"
    );
    // SAFETY: the layout's size is not zero.
    NonNull::new(unsafe { std::alloc::alloc(layout) })
}

/// Returns memory to the system.
///
/// # Safety
///
/// `pointer` came from [`system_allocate`] with this layout and is not used any more.
pub(super) unsafe fn system_free(pointer: NonNull<u8>, layout: Layout) {
    // SAFETY: the caller's promise is the contract of `dealloc`.
    unsafe { std::alloc::dealloc(pointer.as_ptr(), layout) };
}
