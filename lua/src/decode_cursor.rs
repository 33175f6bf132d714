//! A position in `MsgPack` bytes from outside, and the errors of reading there.
//!
//! The reader is [`lycosa_engine::msgpack`]; the cursor adds the offset that messages name. Its
//! error owns nothing, unlike the engine's: it crosses frames that a Lua throw leaves.

use lycosa_engine::msgpack::{self, Value};

/// Why bytes are not the `MsgPack` they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end inside the value that begins at the offset.
    #[error("Invalid MsgPack - the data ends inside a value at offset {0}; pass the whole value")]
    Truncated(usize),
    /// A byte that starts no value.
    #[error("Invalid MsgPack - byte 0x{0:02x} at offset {1} starts no value")]
    UnknownTag(u8, usize),
    /// An extension type that has no Lua value.
    #[error("msgpack.decode: unsupported extension: {0}")]
    UnsupportedExtension(i8),
    /// A body that its extension type cannot have.
    #[error("Invalid MsgPack - invalid extension of type {0}")]
    InvalidExtension(i8),
    /// An infinity or NaN where the options allow none.
    #[error("number must not be NaN or Inf")]
    InvalidNumber,
    /// Arrays and maps inside one another deeper than the decoder goes.
    #[error("Too high nest level - {0}")]
    TooDeep(u32),
}

/// The one byte that starts no value.
const UNUSED_TAG: u8 = 0xc1;

/// A position in `MsgPack` bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The number of bytes read so far.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The number of bytes that are left.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// Reads the next value or container header.
    #[inline]
    pub(crate) fn read(&mut self) -> Result<Value<'a>, DecodeError> {
        let Ok((value, rest)) = msgpack::read(&self.bytes[self.offset..]) else {
            return Err(self.malformed());
        };
        self.offset = self.bytes.len() - rest.len();
        Ok(value)
    }

    #[cold]
    fn malformed(&self) -> DecodeError {
        match self.bytes.get(self.offset) {
            Some(&UNUSED_TAG) => DecodeError::UnknownTag(UNUSED_TAG, self.offset),
            _ => DecodeError::Truncated(self.offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, DecodeError, Value};

    #[test]
    fn a_malformed_value_is_named_by_the_offset_where_it_begins() {
        let mut truncated = Cursor::new(b"\x01\xcd\x02");
        assert_eq!(truncated.read(), Ok(Value::Unsigned(1)));
        assert_eq!(truncated.read(), Err(DecodeError::Truncated(1)));
        let mut unused = Cursor::new(b"\xc0\xc1");
        assert_eq!(unused.read(), Ok(Value::Nil));
        assert_eq!(unused.read(), Err(DecodeError::UnknownTag(0xc1, 1)));
    }
}
