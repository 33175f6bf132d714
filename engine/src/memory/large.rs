//! Items past the largest size class, and the tables of HASH indexes: the small ones from Rust's allocator, the
//! others in mappings of their own, which go back to the system when they are freed.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::system;

/// Alignment of the items, and what their size is rounded up to, in bytes.
pub(super) const ALIGN: usize = 64;

/// From here on an item has its own mapping, in bytes.
const MAPPED_MIN_BYTES: usize = system::MAPPING_ALIGN;

/// What an item of `size` bytes takes; `None` when no such item can exist.
pub(super) fn whole_bytes(size: usize) -> Option<usize> {
    if size >= MAPPED_MIN_BYTES {
        return system::whole_pages(size);
    }
    Some(size.max(1).next_multiple_of(ALIGN))
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, ALIGN).ok()
}

/// Takes memory from the system, in huge pages if it may be; `None` when the system refuses.
///
/// # Safety
///
/// `bytes` is an answer of [`whole_bytes`].
pub(super) unsafe fn allocate(bytes: usize, may_be_huge: bool) -> Option<NonNull<u8>> {
    if bytes >= MAPPED_MIN_BYTES {
        let start = system::map(bytes)?;
        if may_be_huge {
            system::advise_huge(start, bytes);
        }
        return Some(start);
    }
    // SAFETY: whole bytes are at least the alignment.
    NonNull::new(unsafe { std::alloc::alloc(layout(bytes)?) })
}

/// Returns memory to the system.
///
/// # Safety
///
/// `pointer` came from [`allocate`] with the same `bytes`, and is not used any more.
pub(super) unsafe fn free(pointer: NonNull<u8>, bytes: usize) {
    if bytes >= MAPPED_MIN_BYTES {
        // SAFETY: the item is a mapping of its own.
        unsafe { system::unmap(pointer, bytes) };
    } else if let Some(layout) = layout(bytes) {
        // SAFETY: the item was allocated with this layout.
        unsafe { std::alloc::dealloc(pointer.as_ptr(), layout) };
    }
}
