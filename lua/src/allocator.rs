//! The memory of a Lua state: free lists for small objects over the process's allocator.
//!
//! LuaJIT says how large the block is that it frees, so that a free list needs neither headers nor a
//! look-up: taking a small block and giving it back cost a few instructions each. mlua's own allocator
//! asks the global one for 16-byte alignment each time, for which mimalloc has a slow path. Small blocks
//! stay with the state until it is closed; what is larger goes back at once.

use std::alloc::{self, Layout};
use std::ffi::c_void;
use std::ptr;

use mlua::{Lua, ffi};

/// LuaJIT's objects are aligned to 8 bytes, what `ffi` makes of vectors to 16.
const ALIGN: usize = 16;

/// The largest block that comes from a free list.
const SMALL_MAX: usize = 256;
const CLASSES: usize = SMALL_MAX / ALIGN;

/// Small blocks are cut from chunks of this size and alignment.
const CHUNK: usize = 1 << 21;

/// LuaJIT addresses its objects with 47 bits.
const ADDRESS_BITS: u32 = 47;

/// A free block.
struct Free {
    next: *mut Free,
}

struct Heap {
    /// Free blocks by size class, the last freed first: it is the one that is in the caches.
    free: [*mut Free; CLASSES],
    /// What is left of the newest chunk.
    unused: *mut u8,
    unused_bytes: usize,
    chunks: Vec<*mut u8>,
    /// A bit for each chunk-sized part of the address space: whether it is a chunk. Most of it is never
    /// touched, and takes no memory.
    is_chunk: Vec<u64>,
    /// The state itself is the last block that is freed.
    state: *mut c_void,
}

/// Lets `lua`, which is new, take its memory from a heap of its own from now on.
pub(crate) fn install(lua: &Lua) -> mlua::Result<()> {
    // SAFETY: the stack is left alone. A new state runs its main thread, with which LuaJIT's block for
    // the whole state begins. Blocks that were made before come from the global allocator with the same
    // alignment, and are told from small ones by their address.
    unsafe {
        lua.exec_raw::<()>((), |state| {
            let heap = Box::new(Heap::new(state.cast()));
            ffi::lua_setallocf(state, allocate, Box::into_raw(heap).cast());
        })
    }
}

fn class_of(size: usize) -> usize {
    (size - 1) / ALIGN
}

fn layout_of(size: usize) -> Option<Layout> {
    Layout::from_size_align(size, ALIGN).ok()
}

impl Heap {
    fn new(state: *mut c_void) -> Self {
        Self {
            free: [ptr::null_mut(); CLASSES],
            unused: ptr::null_mut(),
            unused_bytes: 0,
            chunks: Vec::new(),
            is_chunk: vec![0; (1_usize << ADDRESS_BITS) / CHUNK / 64],
            state,
        }
    }

    /// Whether a block was cut from a chunk.
    #[inline]
    fn owns(&self, block: *mut c_void) -> bool {
        let number = block as usize / CHUNK;
        let word = self.is_chunk.get(number / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }

    /// A block of `size` bytes, at least 1; null when there is no memory.
    #[inline]
    fn take(&mut self, size: usize) -> *mut c_void {
        if size > SMALL_MAX {
            return take_large(size);
        }
        let list = &mut self.free[class_of(size)];
        let block = *list;
        if block.is_null() {
            return self.cut(size);
        }
        // SAFETY: what is in the list is free memory that begins with a link.
        *list = unsafe { (*block).next };
        block.cast()
    }

    /// A new small block.
    #[cold]
    fn cut(&mut self, size: usize) -> *mut c_void {
        let size = (class_of(size) + 1) * ALIGN;
        if self.unused_bytes < size && !self.add_chunk() {
            return ptr::null_mut();
        }
        let block = self.unused;
        // SAFETY: that much of the chunk is unused.
        self.unused = unsafe { block.add(size) };
        self.unused_bytes -= size;
        block.cast()
    }

    /// What is left of the chunk before is given up: less than one small block.
    fn add_chunk(&mut self) -> bool {
        // SAFETY: the size is not zero.
        let chunk = unsafe { alloc::alloc(CHUNK_LAYOUT) };
        let number = chunk as usize / CHUNK;
        let Some(word) = self
            .is_chunk
            .get_mut(number / 64)
            .filter(|_| !chunk.is_null())
        else {
            return false;
        };
        *word |= 1 << (number % 64);
        self.chunks.push(chunk);
        (self.unused, self.unused_bytes) = (chunk, CHUNK);
        true
    }

    /// # Safety
    ///
    /// The block must be one of `size` bytes that is not used any more.
    #[inline]
    unsafe fn give_back(&mut self, block: *mut c_void, size: usize) {
        if size <= SMALL_MAX && self.owns(block) {
            let list = &mut self.free[class_of(size)];
            let block: *mut Free = block.cast();
            // SAFETY: small blocks have room for a link, and this one is free.
            unsafe { (*block).next = *list };
            *list = block;
        } else if let Some(layout) = layout_of(size) {
            // SAFETY: it came from the global allocator with this layout.
            unsafe { alloc::dealloc(block.cast(), layout) };
        }
    }

    /// # Safety
    ///
    /// As for [`give_back`](Self::give_back).
    unsafe fn resize(&mut self, block: *mut c_void, old: usize, new: usize) -> *mut c_void {
        let is_small = old <= SMALL_MAX && self.owns(block);
        if is_small && new <= SMALL_MAX && class_of(old) == class_of(new) {
            return block;
        }
        if let (false, true, Some(layout)) = (is_small, new > SMALL_MAX, layout_of(old)) {
            // SAFETY: it came from the global allocator with this layout; the new size is no layout's
            // limit, since there is no such memory.
            return match layout_of(new) {
                Some(_) => unsafe { alloc::realloc(block.cast(), layout, new).cast() },
                None => ptr::null_mut(),
            };
        }
        let target = self.take(new);
        if !target.is_null() {
            // SAFETY: both are as large as the smaller size, and apart.
            unsafe {
                ptr::copy_nonoverlapping(block.cast::<u8>(), target.cast::<u8>(), old.min(new));
                self.give_back(block, old);
            }
        }
        target
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        for chunk in self.chunks.drain(..) {
            // SAFETY: it was allocated with this layout, and the state is gone.
            unsafe { alloc::dealloc(chunk, CHUNK_LAYOUT) };
        }
    }
}

const CHUNK_LAYOUT: Layout = match Layout::from_size_align(CHUNK, CHUNK) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two is an alignment"),
};

fn take_large(size: usize) -> *mut c_void {
    match layout_of(size) {
        // SAFETY: the size is not zero.
        Some(layout) => unsafe { alloc::alloc(layout).cast() },
        None => ptr::null_mut(),
    }
}

/// What LuaJIT calls for all its memory: `lua_Alloc`. Null makes it raise that there is no memory.
unsafe extern "C" fn allocate(
    heap: *mut c_void,
    block: *mut c_void,
    old: usize,
    new: usize,
) -> *mut c_void {
    let heap: *mut Heap = heap.cast();
    // SAFETY: the heap lives until the state frees itself, which is the last call; LuaJIT is not called
    // from here, so that nothing else uses the heap meanwhile.
    unsafe {
        if block.is_null() {
            return if new == 0 { block } else { (*heap).take(new) };
        }
        if new != 0 {
            return (*heap).resize(block, old, new);
        }
        (*heap).give_back(block, old);
        if block == (*heap).state {
            drop(Box::from_raw(heap));
        }
    }
    ptr::null_mut()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Take(usize),
        Resize(usize, usize),
        GiveBack(usize),
        /// A block of the global allocator, as the state has from before.
        Foreign(usize),
    }

    fn size() -> impl Strategy<Value = usize> {
        prop_oneof![1..SMALL_MAX + 32, 1..64_usize, SMALL_MAX..5000]
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => size().prop_map(Step::Take),
            2 => (any::<usize>(), size()).prop_map(|(at, size)| Step::Resize(at, size)),
            2 => any::<usize>().prop_map(Step::GiveBack),
            1 => size().prop_map(Step::Foreign),
        ]
    }

    struct Block {
        address: *mut c_void,
        size: usize,
        mark: u8,
    }

    impl Block {
        fn fill(address: *mut c_void, size: usize, mark: u8) -> Self {
            assert!(!address.is_null() && (address as usize).is_multiple_of(ALIGN));
            // SAFETY: the block is that large.
            unsafe { ptr::write_bytes(address.cast::<u8>(), mark, size) };
            Self {
                address,
                size,
                mark,
            }
        }

        /// Whether the first `size` bytes are what they were: no other block overlaps.
        fn is_intact(&self, size: usize) -> bool {
            // SAFETY: the block is at least that large.
            let bytes = unsafe { std::slice::from_raw_parts(self.address.cast::<u8>(), size) };
            bytes.iter().all(|byte| *byte == self.mark)
        }
    }

    proptest! {
        #[test]
        fn blocks_hold_what_was_written_whatever_happens_to_others(
            steps in prop::collection::vec(step(), 1..400)
        ) {
            let mut heap = Heap::new(ptr::null_mut());
            let mut blocks: Vec<Block> = Vec::new();
            for (number, step) in steps.into_iter().enumerate() {
                let mark = number as u8;
                match step {
                    Step::Take(size) => blocks.push(Block::fill(heap.take(size), size, mark)),
                    Step::Foreign(size) => {
                        blocks.push(Block::fill(take_large(size), size, mark));
                    }
                    Step::Resize(at, size) if !blocks.is_empty() => {
                        let at = at % blocks.len();
                        let old = &mut blocks[at];
                        // SAFETY: it is a live block of that size.
                        old.address = unsafe { heap.resize(old.address, old.size, size) };
                        prop_assert!(old.is_intact(old.size.min(size)));
                        blocks[at] = Block::fill(old.address, size, mark);
                    }
                    Step::GiveBack(at) if !blocks.is_empty() => {
                        let block = blocks.swap_remove(at % blocks.len());
                        prop_assert!(block.is_intact(block.size));
                        // SAFETY: it is a live block of that size, and forgotten now.
                        unsafe { heap.give_back(block.address, block.size) };
                    }
                    _ => {}
                }
            }
            for block in blocks {
                prop_assert!(block.is_intact(block.size));
                // SAFETY: as above.
                unsafe { heap.give_back(block.address, block.size) };
            }
        }
    }

    #[test]
    fn a_block_that_was_given_back_is_taken_again() {
        let mut heap = Heap::new(ptr::null_mut());
        let first = heap.take(40);
        // SAFETY: it is a live block of that size.
        unsafe { heap.give_back(first, 40) };
        assert_eq!(heap.take(33), first);
        assert_eq!(heap.chunks.len(), 1);
    }

    #[test]
    fn no_memory_is_null_and_no_panic() {
        let mut heap = Heap::new(ptr::null_mut());
        assert!(heap.take(usize::MAX).is_null());
        let block = heap.take(1000);
        // SAFETY: it is a live block of that size; after a failure it still is.
        unsafe {
            assert!(heap.resize(block, 1000, usize::MAX - 64).is_null());
            heap.give_back(block, 1000);
        }
    }
}
