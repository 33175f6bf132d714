//! Tuples: an 8-byte header (reference count, length) and the fields as one MsgPack array, in the
//! [`Arena`]. A tuple never changes once it is made.
//!
//! [`TuplePtr`] is the bare pointer that indexes hold; [`TupleRef`] borrows a tuple from the
//! database; [`Tuple`] is a counted handle that keeps it alive. Only the primary index and the
//! handles count: the reference of a tuple that a statement removes moves from the index into the
//! statement, so an insert touches no counter.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::rc::Rc;

use crate::error::{ErrorKind, Result};
use crate::memory::Arena;
use crate::msgpack;

/// A well-formed MsgPack array: the fields of a tuple or the parts of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded<'a>(&'a [u8]);

impl<'a> Encoded<'a> {
    /// The empty array: a key without parts.
    pub const EMPTY: Encoded<'static> = Encoded(&[0x90]);

    /// Checks that `data` is exactly one MsgPack array. Fails with `InvalidMsgpack` or
    /// `TupleNotArray`.
    pub fn check(data: &'a [u8]) -> Result<Self> {
        msgpack::check_array(data)?;
        Ok(Self(data))
    }

    /// Takes `data` that an encoder of this process has just made. Wrong data makes later calls
    /// panic or fail, and is never undefined behaviour.
    #[inline]
    pub fn trusted(data: &'a [u8]) -> Self {
        Self(data)
    }

    /// The bytes, array header included.
    #[inline]
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// Number of elements, and the bytes after the array's header.
    #[inline]
    pub fn split(self) -> (u32, &'a [u8]) {
        split_array(self.0)
    }
}

/// Number of elements of a trusted array, and the bytes after its header.
#[inline]
pub(crate) fn split_array(data: &[u8]) -> (u32, &[u8]) {
    let first = data[0];
    if first & 0xf0 == 0x90 {
        return (u32::from(first & 0x0f), &data[1..]);
    }
    match msgpack::read_trusted(data) {
        (msgpack::Value::Array(count), rest) => (count, rest),
        _ => (0, &[]),
    }
}

/// The encoded field `number` (from 0) and what follows it, or nothing past the end.
#[inline]
pub fn field(tuple: &[u8], number: u32) -> Option<&[u8]> {
    let (count, mut rest) = split_array(tuple);
    if number >= count {
        return None;
    }
    for _ in 0..number {
        rest = msgpack::skip_trusted(rest);
    }
    Some(rest)
}

/// Makes the MsgPack of a tuple or key field by field.
///
/// ```
/// use lycosa_engine::tuple::Fields;
/// let fields = Fields::new().unsigned(1).string("payload");
/// assert_eq!(fields.finish(), [0x92, 1, 0xa7, b'p', b'a', b'y', b'l', b'o', b'a', b'd']);
/// ```
#[derive(Debug, Default, Clone)]
pub struct Fields {
    count: u32,
    body: Vec<u8>,
}

impl Fields {
    /// No fields yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn with(mut self, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        self.count += 1;
        write(&mut self.body);
        self
    }

    /// Appends an unsigned integer.
    #[must_use]
    pub fn unsigned(self, value: u64) -> Self {
        self.with(|out| msgpack::write_unsigned(out, value))
    }

    /// Appends a signed integer.
    #[must_use]
    pub fn integer(self, value: i64) -> Self {
        self.with(|out| msgpack::write_integer(out, value))
    }

    /// Appends a double.
    #[must_use]
    pub fn double(self, value: f64) -> Self {
        self.with(|out| msgpack::write_double(out, value))
    }

    /// Appends a string.
    #[must_use]
    pub fn string(self, value: &str) -> Self {
        self.with(|out| msgpack::write_string(out, value.as_bytes()))
    }

    /// Appends bytes.
    #[must_use]
    pub fn binary(self, value: &[u8]) -> Self {
        self.with(|out| msgpack::write_binary(out, value))
    }

    /// Appends a boolean.
    #[must_use]
    pub fn boolean(self, value: bool) -> Self {
        self.with(|out| msgpack::write_boolean(out, value))
    }

    /// Appends a null.
    #[must_use]
    pub fn null(self) -> Self {
        self.with(msgpack::write_nil)
    }

    /// Appends one value that is MsgPack already. Fails with `InvalidMsgpack` when it is none.
    pub fn raw(self, value: &[u8]) -> Result<Self> {
        if msgpack::value_length(value)? != value.len() {
            return Err(ErrorKind::InvalidMsgpack {
                reason: "more than one value",
            }
            .into());
        }
        Ok(self.with(|out| out.extend_from_slice(value)))
    }

    /// The array.
    pub fn finish(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.body.len() + 5);
        msgpack::write_array_header(&mut out, self.count);
        out.extend_from_slice(&self.body);
        out
    }
}

#[repr(C)]
struct Header {
    references: Cell<u32>,
    length: u32,
}

const HEADER_BYTES: usize = size_of::<Header>();

/// Pointer to a tuple that somebody else keeps alive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TuplePtr(NonNull<Header>);

impl fmt::Debug for TuplePtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TuplePtr({:p})", self.0)
    }
}

impl TuplePtr {
    /// The MsgPack array.
    ///
    /// # Safety
    /// The tuple is alive for all of `'a`: an index, a statement or a handle holds a reference.
    #[inline]
    pub(crate) unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: a live tuple is a header followed by `length` initialised bytes.
        unsafe {
            let length = (*self.0.as_ptr()).length as usize;
            std::slice::from_raw_parts(self.0.as_ptr().cast::<u8>().add(HEADER_BYTES), length)
        }
    }
}

/// Makes and frees tuples.
#[derive(Clone)]
pub(crate) struct TupleMemory {
    arena: Rc<Arena>,
}

impl TupleMemory {
    pub(crate) fn new(arena: Rc<Arena>) -> Self {
        Self { arena }
    }

    pub(crate) fn arena(&self) -> &Rc<Arena> {
        &self.arena
    }

    /// A new tuple with one reference, which the caller owns.
    #[inline]
    pub(crate) fn allocate(&self, data: &[u8]) -> Result<TuplePtr> {
        let bytes = HEADER_BYTES + data.len();
        let Ok(memory) = self.arena.allocate(bytes) else {
            return Err(ErrorKind::MemoryIssue {
                bytes,
                allocator: "slab allocator",
                object: "memtx_tuple",
            }
            .into());
        };
        let header = memory.cast::<Header>();
        // SAFETY: the arena gave `bytes` bytes, 8-aligned, that nobody else uses.
        unsafe {
            header.write(Header {
                references: Cell::new(1),
                length: data.len() as u32,
            });
            let body = memory.as_ptr().add(HEADER_BYTES);
            std::ptr::copy_nonoverlapping(data.as_ptr(), body, data.len());
        }
        Ok(TuplePtr(header))
    }

    /// Takes another reference.
    ///
    /// # Safety
    /// The tuple is alive.
    #[inline]
    pub(crate) unsafe fn retain(tuple: TuplePtr) {
        // SAFETY: the caller vouches for the tuple.
        let references = unsafe { &(*tuple.0.as_ptr()).references };
        // At the ceiling the tuple is kept for ever rather than freed too early.
        references.set(references.get().saturating_add(1));
    }

    /// Gives a reference back; the last one frees the tuple.
    ///
    /// # Safety
    /// The tuple is alive, and the caller owns the reference.
    #[inline]
    pub(crate) unsafe fn release(&self, tuple: TuplePtr) {
        // SAFETY: the caller vouches for the tuple.
        let (references, length) = unsafe {
            let header = tuple.0.as_ptr();
            (&(*header).references, (*header).length as usize)
        };
        match references.get() {
            1 => {
                #[cfg(debug_assertions)]
                // SAFETY: this was the last reference, so nobody reads the bytes any more.
                unsafe {
                    poison(tuple, length);
                }
                // SAFETY: allocated by `allocate` with this size, and this was the last reference.
                unsafe { self.arena.free(tuple.0.cast(), HEADER_BYTES + length) }
            }
            u32::MAX => {}
            count => references.set(count - 1),
        }
    }

    /// A counted handle.
    ///
    /// # Safety
    /// The tuple is alive.
    pub(crate) unsafe fn handle(&self, tuple: TuplePtr) -> Tuple {
        // SAFETY: passed on from the caller.
        unsafe { Self::retain(tuple) };
        Tuple {
            pointer: tuple,
            memory: self.clone(),
        }
    }
}

/// Fills the bytes of a tuple that is about to be freed with what is no MsgPack, so that whoever
/// still reads them panics.
///
/// # Safety
/// The tuple has `length` bytes, and nobody reads them any more.
#[cfg(debug_assertions)]
unsafe fn poison(tuple: TuplePtr, length: usize) {
    const NO_MSGPACK: u8 = 0xc1;
    // SAFETY: the bytes follow the header, and are the caller's alone.
    unsafe {
        let body = tuple.0.as_ptr().cast::<u8>().add(HEADER_BYTES);
        body.write_bytes(NO_MSGPACK, length);
    }
}

/// Counted handle of a tuple: keeps it alive, whatever happens to its space.
pub struct Tuple {
    pointer: TuplePtr,
    memory: TupleMemory,
}

impl Tuple {
    /// The MsgPack array.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: this handle holds a reference for as long as `self` lives.
        unsafe { self.pointer.bytes() }
    }

    /// The encoded field `number` (from 0) and what follows it, or nothing past the end.
    pub fn field(&self, number: u32) -> Option<&[u8]> {
        field(self.bytes(), number)
    }

    pub(crate) fn pointer(&self) -> TuplePtr {
        self.pointer
    }
}

impl Clone for Tuple {
    fn clone(&self) -> Self {
        // SAFETY: `self` keeps the tuple alive.
        unsafe { self.memory.handle(self.pointer) }
    }
}

impl Drop for Tuple {
    fn drop(&mut self) {
        // SAFETY: the handle owns one reference.
        unsafe { self.memory.release(self.pointer) }
    }
}

impl fmt::Debug for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&msgpack::to_text(self.bytes()))
    }
}

/// A tuple borrowed from the database: free to make, gone with the next change.
#[derive(Clone, Copy)]
pub struct TupleRef<'a> {
    pointer: TuplePtr,
    memory: &'a TupleMemory,
    database: PhantomData<&'a ()>,
}

impl<'a> TupleRef<'a> {
    /// # Safety
    /// The tuple stays alive while `'a` lasts.
    #[inline]
    pub(crate) unsafe fn new(pointer: TuplePtr, memory: &'a TupleMemory) -> Self {
        Self {
            pointer,
            memory,
            database: PhantomData,
        }
    }

    /// The MsgPack array.
    #[inline]
    pub fn bytes(self) -> &'a [u8] {
        // SAFETY: `new` was promised that the tuple lives for `'a`.
        unsafe { self.pointer.bytes() }
    }

    /// A handle that outlives the borrow.
    pub fn to_tuple(self) -> Tuple {
        // SAFETY: the tuple is alive, as above.
        unsafe { self.memory.handle(self.pointer) }
    }
}

impl Deref for TupleRef<'_> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        (*self).bytes()
    }
}

impl fmt::Debug for TupleRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&msgpack::to_text((*self).bytes()))
    }
}
