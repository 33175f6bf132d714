//! Memory from the system: mappings aligned to [`MAPPING_ALIGN`], huge pages where the system has them, and
//! pages that go back while their addresses stay.
//!
//! The only place that knows `mmap` and its like. Under Miri, which has none of the advice, mappings come
//! from Rust's allocator and advice does nothing. Costs: each function is a system call or two, of some
//! microseconds; a page that was never touched, or was discarded, costs a page fault at its next touch.

/// Alignment of every mapping, in bytes: a huge page of x86-64, and of arm64 with pages of 4 KiB.
pub(super) const MAPPING_ALIGN: usize = 2 * 1024 * 1024;

/// Rounds up to whole pages; `None` when no mapping can be that large.
pub(super) fn whole_pages(bytes: usize) -> Option<usize> {
    bytes
        .checked_next_multiple_of(page_bytes())
        .filter(|rounded| *rounded <= isize::MAX as usize - MAPPING_ALIGN)
}

pub(super) use imp::{advise_huge, advise_small, discard, map, page_bytes, reuse, unmap};

#[cfg(not(miri))]
mod imp {
    use std::ptr::{self, NonNull};
    use std::sync::LazyLock;

    use super::MAPPING_ALIGN;

    /// Size of a page, in bytes: 4 KiB, or up to 64 KiB on arm64.
    pub(in super::super) fn page_bytes() -> usize {
        static PAGE_BYTES: LazyLock<usize> = LazyLock::new(|| {
            // SAFETY: asking for a figure touches no memory of ours.
            let answer = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            usize::try_from(answer).unwrap_or(64 * 1024)
        });
        *PAGE_BYTES
    }

    /// Maps zeroed memory of whole pages; `None` when the system refuses.
    pub(in super::super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        let start = map_anywhere(bytes)?;
        let excess = start.addr().get() % MAPPING_ALIGN;
        if excess == 0 {
            return Some(start);
        }
        // SAFETY: the mapping was just made, and nothing refers to it.
        unsafe { unmap(start, bytes) };
        let start = map_anywhere(bytes + MAPPING_ALIGN)?;
        let head = start.addr().get().wrapping_neg() % MAPPING_ALIGN;
        // SAFETY: head and tail lie in the mapping, around the part that is kept; nothing refers to them.
        unsafe {
            let aligned = start.add(head);
            if head > 0 {
                unmap(start, head);
            }
            unmap(aligned.add(bytes), MAPPING_ALIGN - head);
            Some(aligned)
        }
    }

    fn map_anywhere(bytes: usize) -> Option<NonNull<u8>> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, wherever the system has room, disturbs no other memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        NonNull::new(start.cast())
    }

    /// Gives a mapping, or whole pages at one of its ends, back to the system.
    ///
    /// # Safety
    ///
    /// The pages belong to a mapping of [`map`], and nothing refers to them any more.
    pub(in super::super) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's promise. Where the system has no room to note the hole in a mapping, it
        // refuses: the addresses are lost then, but not the pages.
        unsafe {
            if libc::munmap(start.as_ptr().cast(), bytes) != 0 {
                discard(start, bytes);
            }
        }
    }

    /// Advice that a system refuses changes nothing, so its answer is not looked at.
    fn advise(start: NonNull<u8>, bytes: usize, advice: i32) {
        // SAFETY: of the advice used here only a discard changes what pages hold, and whoever calls
        // `discard` promised that nobody needs it.
        unsafe { libc::madvise(start.as_ptr().cast(), bytes, advice) };
    }

    /// Asks for huge pages in a mapping.
    pub(in super::super) fn advise_huge(start: NonNull<u8>, bytes: usize) {
        #[cfg(target_os = "linux")]
        advise(start, bytes, libc::MADV_HUGEPAGE);
        #[cfg(not(target_os = "linux"))]
        let _ = (start, bytes);
    }

    /// Asks for small pages in a mapping, so that discarded ones do not come back within a huge one.
    pub(in super::super) fn advise_small(start: NonNull<u8>, bytes: usize) {
        #[cfg(target_os = "linux")]
        advise(start, bytes, libc::MADV_NOHUGEPAGE);
        #[cfg(not(target_os = "linux"))]
        let _ = (start, bytes);
    }

    /// Gives whole pages of a mapping back and keeps their addresses. What they hold is lost.
    ///
    /// # Safety
    ///
    /// The pages belong to a mapping of [`map`], and nobody needs what they hold.
    pub(in super::super) unsafe fn discard(start: NonNull<u8>, bytes: usize) {
        #[cfg(target_vendor = "apple")]
        advise(start, bytes, libc::MADV_FREE_REUSABLE);
        #[cfg(not(target_vendor = "apple"))]
        advise(start, bytes, libc::MADV_DONTNEED);
    }

    /// Says that discarded pages are used again, which macOS wants to know to count them.
    pub(in super::super) fn reuse(start: NonNull<u8>, bytes: usize) {
        #[cfg(target_vendor = "apple")]
        advise(start, bytes, libc::MADV_FREE_REUSE);
        #[cfg(not(target_vendor = "apple"))]
        let _ = (start, bytes);
    }
}

#[cfg(miri)]
mod imp {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    use super::MAPPING_ALIGN;

    pub(in super::super) fn page_bytes() -> usize {
        4096
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, MAPPING_ALIGN).ok()
    }

    pub(in super::super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: nobody maps nothing.
        NonNull::new(unsafe { alloc_zeroed(layout(bytes)?) })
    }

    pub(in super::super) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        if let Some(layout) = layout(bytes) {
            // SAFETY: the caller passes a whole mapping, which was made with this layout.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }

    pub(in super::super) fn advise_huge(_start: NonNull<u8>, _bytes: usize) {}

    pub(in super::super) fn advise_small(_start: NonNull<u8>, _bytes: usize) {}

    /// Miri does not know that the bytes are lost: they are made so.
    pub(in super::super) unsafe fn discard(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's pages are its own.
        unsafe {
            start
                .cast::<std::mem::MaybeUninit<u8>>()
                .write_bytes(0, bytes)
        };
    }

    pub(in super::super) fn reuse(_start: NonNull<u8>, _bytes: usize) {}
}
