//! The scratch buffer that `Lua` and Rust encode `MsgPack` into, one for each Lua state.
//!
//! Its first three fields are read by compiled Lua code through the FFI, which writes straight into
//! the memory behind [`Scratch::data`]. A value is encoded and used before another fiber can run,
//! so one buffer serves all fibers. A finalizer can run in between, wherever Lua makes a value; so
//! who uses the bytes reads them from here, without making a Lua value first, and a finalizer that
//! encodes values does no harm. Each encoding has a serial number: who uses the bytes says which one
//! they are of, and begins anew when another has come between. Appending costs a capacity check; growing moves the bytes and
//! keeps the old memory, which interrupted code may still write to.

use std::mem::ManuallyDrop;

use lycosa_engine::msgpack;

/// A growing byte buffer whose address and capacity Lua reads as `struct lycosa_scratch`.
#[repr(C)]
#[derive(Debug)]
pub struct Scratch {
    data: *mut u8,
    capacity: u32,
    /// Changes with each encoding that begins.
    serial: i32,
    storage: Vec<u8>,
    /// Where the bytes stood before; sizes double, so that all of it is no more than the storage.
    retired: Vec<Vec<u8>>,
}

/// The capacity that a new buffer starts with, in bytes; most tuples never make it grow.
const INITIAL_CAPACITY_BYTES: usize = 64 * 1024;

impl Default for Scratch {
    fn default() -> Self {
        let mut scratch = Self {
            data: std::ptr::null_mut(),
            capacity: 0,
            serial: 0,
            storage: vec![0; INITIAL_CAPACITY_BYTES],
            retired: Vec::new(),
        };
        scratch.storage.clear();
        scratch.publish();
        scratch
    }
}

impl Scratch {
    /// Forgets what the buffer holds: an encoding begins.
    pub fn clear(&mut self) {
        self.serial = self.serial.wrapping_add(1);
        self.storage.clear();
    }

    /// The number of the encoding that has begun last.
    pub fn serial(&self) -> i32 {
        self.serial
    }

    /// The number of bytes that Rust has written since [`Scratch::clear`].
    pub fn len(&self) -> usize {
        self.storage.len()
    }

    /// Whether Rust has written nothing since [`Scratch::clear`].
    pub fn is_empty(&self) -> bool {
        self.storage.is_empty()
    }

    /// The bytes that Rust has written since [`Scratch::clear`].
    pub fn as_slice(&self) -> &[u8] {
        &self.storage
    }

    /// Pushes the bytes written so far as a Lua string.
    ///
    /// Making the string may run a finalizer that encodes values: it gets a buffer of its own.
    ///
    /// # Safety
    ///
    /// `state` must have a free stack slot.
    pub(crate) unsafe fn push(&mut self, state: *mut mlua::ffi::lua_State) {
        let fresh = Vec::with_capacity(INITIAL_CAPACITY_BYTES);
        // When memory is out the string throws, and this memory is lost with it.
        let taken = ManuallyDrop::new(std::mem::replace(&mut self.storage, fresh));
        self.publish();
        // SAFETY: as the caller promises.
        unsafe { crate::state_boundary::push_bytes(state, &taken) };
        self.storage = ManuallyDrop::into_inner(taken);
        self.publish();
    }

    /// Shows the address and the capacity to Lua again, each time the buffer has moved: Lua may
    /// write into it as soon as an error has been thrown.
    fn publish(&mut self) {
        self.data = self.storage.as_mut_ptr();
        self.capacity = u32::try_from(self.storage.capacity()).unwrap_or(u32::MAX);
    }

    fn reserve(&mut self, additional: usize) {
        if self.storage.capacity() - self.storage.len() < additional {
            self.grow(additional);
        }
    }

    #[cold]
    fn grow(&mut self, additional: usize) {
        let wanted = (self.storage.len() + additional).max(self.storage.capacity() * 2);
        let mut larger = Vec::with_capacity(wanted);
        larger.extend_from_slice(&self.storage);
        self.retired
            .push(std::mem::replace(&mut self.storage, larger));
        self.publish();
    }

    /// The address of the bytes, for a caller that knows how many of them Lua has written.
    pub fn data(&self) -> *const u8 {
        self.data
    }

    /// Appends `bytes` as they are.
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        self.reserve(bytes.len());
        self.storage.extend_from_slice(bytes);
    }

    /// The vector that one of the engine's writers may append `additional` bytes to, no more: it
    /// must not move without being published.
    fn room(&mut self, additional: usize) -> &mut Vec<u8> {
        self.reserve(additional);
        &mut self.storage
    }

    /// Appends a `MsgPack` nil.
    pub fn put_nil(&mut self) {
        msgpack::write_nil(self.room(1));
    }

    /// Appends a `MsgPack` boolean.
    pub fn put_boolean(&mut self, value: bool) {
        msgpack::write_boolean(self.room(1), value);
    }

    /// Appends an unsigned integer in its shortest form.
    pub fn put_unsigned(&mut self, value: u64) {
        msgpack::write_unsigned(self.room(HEADER_BYTES), value);
    }

    /// Appends a signed integer in its shortest form; from zero up it is written as unsigned.
    pub fn put_signed(&mut self, value: i64) {
        msgpack::write_integer(self.room(HEADER_BYTES), value);
    }

    /// Appends a 32-bit float.
    pub fn put_float(&mut self, value: f32) {
        msgpack::write_float(self.room(HEADER_BYTES), value);
    }

    /// Appends a 64-bit float, integral or not.
    pub fn put_double(&mut self, value: f64) {
        msgpack::write_double(self.room(HEADER_BYTES), value);
    }

    /// Appends a Lua number as Tarantool does: an integral value that fits 64 bits becomes an
    /// integer, every other one a 64-bit float.
    pub fn put_number(&mut self, value: f64) {
        self.put_bytes(Number::of(value).as_slice());
    }

    /// Appends a string.
    pub fn put_string(&mut self, bytes: &[u8]) {
        msgpack::write_string(self.room(HEADER_BYTES + bytes.len()), bytes);
    }

    /// Appends bytes that are no text.
    pub fn put_binary(&mut self, bytes: &[u8]) {
        msgpack::write_binary(self.room(HEADER_BYTES + bytes.len()), bytes);
    }

    /// Appends the header of an array of `length` values.
    pub fn put_array_header(&mut self, length: u32) {
        msgpack::write_array_header(self.room(HEADER_BYTES), length);
    }

    /// Makes the one value that the buffer holds the only element of an array.
    pub fn wrap_in_array(&mut self) {
        self.room(1).insert(0, 0x91);
    }

    /// Appends the header of a map of `length` pairs.
    pub fn put_map_header(&mut self, length: u32) {
        msgpack::write_map_header(self.room(HEADER_BYTES), length);
    }

    /// Appends an extension value of `kind`.
    pub fn put_extension(&mut self, kind: i8, payload: &[u8]) {
        msgpack::write_extension(self.room(HEADER_BYTES + payload.len()), kind, payload);
    }
}

/// The bytes that a number, or what stands before the payload of a longer value, takes at most.
const HEADER_BYTES: usize = 9;

/// A number in `MsgPack`, on the stack: compiled Lua code has no vector to append to.
#[derive(Debug, Clone, Copy)]
struct Number {
    bytes: [u8; HEADER_BYTES],
    length: usize,
}

impl Number {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn tagged<const N: usize>(tag: u8, value: [u8; N]) -> Self {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0] = tag;
        bytes[1..=N].copy_from_slice(&value);
        Self {
            bytes,
            length: N + 1,
        }
    }

    fn unsigned(value: u64) -> Self {
        if value < 0x80 {
            Self::tagged(value as u8, [])
        } else if let Ok(value) = u8::try_from(value) {
            Self::tagged(0xcc, [value])
        } else if let Ok(value) = u16::try_from(value) {
            Self::tagged(0xcd, value.to_be_bytes())
        } else if let Ok(value) = u32::try_from(value) {
            Self::tagged(0xce, value.to_be_bytes())
        } else {
            Self::tagged(0xcf, value.to_be_bytes())
        }
    }

    fn signed(value: i64) -> Self {
        if value >= 0 {
            Self::unsigned(value as u64)
        } else if value >= -32 {
            Self::tagged(value as u8, [])
        } else if let Ok(value) = i8::try_from(value) {
            Self::tagged(0xd0, value.to_be_bytes())
        } else if let Ok(value) = i16::try_from(value) {
            Self::tagged(0xd1, value.to_be_bytes())
        } else if let Ok(value) = i32::try_from(value) {
            Self::tagged(0xd2, value.to_be_bytes())
        } else {
            Self::tagged(0xd3, value.to_be_bytes())
        }
    }

    fn of(value: f64) -> Self {
        const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
        let integral = value.trunc().to_bits() == value.to_bits() || value == 0.0;
        if integral && (0.0..2.0 * TWO_POW_63).contains(&value) {
            Self::unsigned(value as u64)
        } else if integral && (-TWO_POW_63..0.0).contains(&value) {
            Self::signed(value as i64)
        } else {
            Self::tagged(0xcb, value.to_be_bytes())
        }
    }
}

/// Writes a Lua number to `target` and answers with the number of bytes, nine at most.
///
/// # Safety
///
/// Nine bytes at `target` must be writable. Called by Lua's FFI.
pub(crate) unsafe extern "C" fn lycosa_put_number(target: *mut u8, value: f64) -> u32 {
    let number = Number::of(value);
    // SAFETY: as the caller promises; all nine bytes are copied, which is one fixed-size move.
    unsafe {
        target
            .cast::<[u8; HEADER_BYTES]>()
            .write_unaligned(number.bytes);
    }
    number.length as u32
}
