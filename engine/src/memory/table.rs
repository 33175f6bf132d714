//! Memory of an arena for the tables of `hashbrown`.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::rc::Rc;

use allocator_api2::alloc::{AllocError, Allocator};

use super::Arena;

/// An allocator over an arena: what it hands out counts against the quota as larger items do, whatever its size.
#[derive(Clone)]
pub(crate) struct TableMemory {
    arena: Rc<Arena>,
}

impl TableMemory {
    pub(crate) fn new(arena: Rc<Arena>) -> Self {
        Self { arena }
    }
}

// SAFETY: larger items stay where they are until they are freed; clones share the arena, which lives as long
// as any of them.
unsafe impl Allocator for TableMemory {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.align() > super::large::ALIGN {
            return Err(AllocError);
        }
        let pointer = self.arena.allocate_large(layout.size());
        let pointer = pointer.map_err(|_| AllocError)?;
        Ok(NonNull::slice_from_raw_parts(pointer, layout.size()))
    }

    unsafe fn deallocate(&self, pointer: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller gives up what `allocate` handed out for this layout.
        unsafe { self.arena.free_large(pointer, layout.size()) };
    }
}
