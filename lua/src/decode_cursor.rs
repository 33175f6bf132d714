//! Reading `MsgPack` bytes one value at a time, without Lua.
//!
//! Every read checks the bounds, so bytes from outside cannot reach past their end. A read costs
//! one match on the tag; [`skip`] walks nested values with a counter instead of recursion.

/// Why bytes are not the `MsgPack` they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end inside a value.
    #[error("Invalid MsgPack - the data ends inside a value at offset {0}; pass the whole value")]
    Truncated(usize),
    /// A byte that starts no value.
    #[error("Invalid MsgPack - byte 0x{0:02x} at offset {1} starts no value")]
    UnknownTag(u8, usize),
    /// An extension type that has no Lua value.
    #[error("unsupported MsgPack extension type: {0}; decimal (1) and uuid (2) can be decoded")]
    UnsupportedExtension(i8),
    /// Arrays and maps inside one another deeper than the decoder goes.
    #[error("Too high nest level - {0}")]
    TooDeep(u32),
}

/// One value, or the header of a container whose elements follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Token<'a> {
    /// nil.
    Nil,
    /// A boolean.
    Boolean(bool),
    /// An integer from zero up.
    Unsigned(u64),
    /// A negative integer.
    Signed(i64),
    /// A float of either width; the flag says that it was 32 bits wide.
    Float(f64, bool),
    /// A string.
    String(&'a [u8]),
    /// Binary data.
    Binary(&'a [u8]),
    /// The header of an array, with its length.
    Array(u32),
    /// The header of a map, with its number of pairs.
    Map(u32),
    /// An extension type and its payload.
    Extension(i8, &'a [u8]),
}

/// A position in `MsgPack` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The number of bytes read so far.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of bytes that are left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.offset
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let rest = &self.bytes[self.offset..];
        let taken = rest
            .get(..length)
            .ok_or(DecodeError::Truncated(self.offset))?;
        self.offset += length;
        Ok(taken)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    fn take_u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.take_array::<1>()?[0])
    }

    fn take_u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_be_bytes(self.take_array()?))
    }

    fn take_u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_be_bytes(self.take_array()?))
    }

    fn signed(value: i64) -> Token<'a> {
        if value < 0 {
            Token::Signed(value)
        } else {
            Token::Unsigned(value as u64)
        }
    }

    fn extension(&mut self, length: usize) -> Result<Token<'a>, DecodeError> {
        let kind = self.take_u8()? as i8;
        Ok(Token::Extension(kind, self.take(length)?))
    }

    /// Reads the next value or container header.
    pub fn read(&mut self) -> Result<Token<'a>, DecodeError> {
        let start = self.offset;
        let tag = self.take_u8()?;
        Ok(match tag {
            0x00..=0x7f => Token::Unsigned(u64::from(tag)),
            0x80..=0x8f => Token::Map(u32::from(tag & 0x0f)),
            0x90..=0x9f => Token::Array(u32::from(tag & 0x0f)),
            0xa0..=0xbf => Token::String(self.take(usize::from(tag & 0x1f))?),
            0xc0 => Token::Nil,
            0xc1 => return Err(DecodeError::UnknownTag(tag, start)),
            0xc2 | 0xc3 => Token::Boolean(tag == 0xc3),
            0xc4..=0xdb => self.read_wide(tag)?,
            0xdc => Token::Array(u32::from(self.take_u16()?)),
            0xdd => Token::Array(self.take_u32()?),
            0xde => Token::Map(u32::from(self.take_u16()?)),
            0xdf => Token::Map(self.take_u32()?),
            0xe0..=0xff => Token::Signed(i64::from(tag as i8)),
        })
    }

    /// Reads what follows the tags 0xc4 to 0xdb: all that is neither tiny nor a container.
    fn read_wide(&mut self, tag: u8) -> Result<Token<'a>, DecodeError> {
        Ok(match tag {
            0xc4..=0xc6 => {
                let length = self.take_length(tag - 0xc4)?;
                Token::Binary(self.take(length)?)
            }
            0xc7..=0xc9 => {
                let length = self.take_length(tag - 0xc7)?;
                self.extension(length)?
            }
            0xca => Token::Float(f64::from(f32::from_be_bytes(self.take_array()?)), true),
            0xcb => Token::Float(f64::from_be_bytes(self.take_array()?), false),
            0xcc => Token::Unsigned(u64::from(self.take_u8()?)),
            0xcd => Token::Unsigned(u64::from(self.take_u16()?)),
            0xce => Token::Unsigned(u64::from(self.take_u32()?)),
            0xcf => Token::Unsigned(u64::from_be_bytes(self.take_array()?)),
            0xd0 => Self::signed(i64::from(self.take_u8()? as i8)),
            0xd1 => Self::signed(i64::from(self.take_u16()? as i16)),
            0xd2 => Self::signed(i64::from(self.take_u32()? as i32)),
            0xd3 => Self::signed(i64::from_be_bytes(self.take_array()?)),
            0xd4..=0xd8 => self.extension(1 << (tag - 0xd4))?,
            _ => {
                let length = self.take_length(tag - 0xd9)?;
                Token::String(self.take(length)?)
            }
        })
    }

    /// Reads a length of one byte (`width` 0), two (1) or four (2).
    fn take_length(&mut self, width: u8) -> Result<usize, DecodeError> {
        Ok(match width {
            0 => usize::from(self.take_u8()?),
            1 => usize::from(self.take_u16()?),
            _ => self.take_u32()? as usize,
        })
    }

    /// Steps over one whole value, nested ones included.
    pub fn skip(&mut self) -> Result<(), DecodeError> {
        let mut pending: u64 = 1;
        while pending > 0 {
            pending -= 1;
            pending += match self.read()? {
                Token::Array(length) => u64::from(length),
                Token::Map(length) => 2 * u64::from(length),
                _ => 0,
            };
        }
        Ok(())
    }

    /// Reads one whole value and answers with its bytes.
    pub fn read_raw(&mut self) -> Result<&'a [u8], DecodeError> {
        let start = self.offset;
        self.skip()?;
        Ok(&self.bytes[start..self.offset])
    }
}

/// A cursor that stands at field `number`, counted from 1, of the array in `bytes`; `None` past
/// the end.
pub(crate) fn seek_field(bytes: &[u8], number: u32) -> Result<Option<Cursor<'_>>, DecodeError> {
    let mut cursor = Cursor::new(bytes);
    let Token::Array(length) = cursor.read()? else {
        return Ok(None);
    };
    if number == 0 || number > length {
        return Ok(None);
    }
    for _ in 1..number {
        cursor.skip()?;
    }
    Ok(Some(cursor))
}

/// The bytes of field `number`, counted from 1, of the array in `bytes`; `None` past the end.
pub fn field(bytes: &[u8], number: u32) -> Result<Option<&[u8]>, DecodeError> {
    seek_field(bytes, number)?
        .map(|mut cursor| cursor.read_raw())
        .transpose()
}
