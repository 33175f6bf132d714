//! `MsgPack`, the encoding of tuples, keys and update operations: reading, checking, skipping.
//!
//! Two families of readers. The checked ones ([`read`], [`value_length`], [`check_array`]) take bytes
//! from anywhere; the trusted ones ([`read_trusted`], [`skip_trusted`]) walk tuples that were checked
//! when they were made, and panic on bytes that were not. Nothing here allocates, and nothing recurses
//! but for errors among the details of errors, whose depth is bounded, so that nesting costs nothing; a check is linear in the bytes. Every valid encoding of an integer is
//! accepted, the shortest one is written.

mod error_body;
mod text;
mod write;

pub use error_body::ERROR_NESTING_MAX;
pub use text::{extension_text, to_text};
pub use write::{
    write_array_header, write_binary, write_boolean, write_double, write_extension, write_float,
    write_integer, write_map_header, write_nil, write_string, write_unsigned,
};

use crate::datetime::{Datetime, Interval};
use crate::{ErrorKind, Result};

/// Extension type of a decimal number.
pub const EXTENSION_DECIMAL: i8 = 1;
/// Extension type of a UUID, 16 bytes, big-endian.
pub const EXTENSION_UUID: i8 = 2;
/// Extension type of an error.
pub const EXTENSION_ERROR: i8 = 3;
/// Extension type of a point in time.
pub const EXTENSION_DATETIME: i8 = 4;
/// Extension type of an interval between two of them.
pub const EXTENSION_INTERVAL: i8 = 6;

const TRUNCATED: &str = "truncated input";
const ILLEGAL_CODE: &str = "illegal code";
const JUNK: &str = "junk after input";
const INVALID_EXTENSION: &str = "invalid extension";

/// One `MsgPack` scalar, or the header of an array or a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// The absent value.
    Nil,
    /// True or false.
    Boolean(bool),
    /// An integer from zero up, however it was encoded.
    Unsigned(u64),
    /// An integer below zero.
    Negative(i64),
    /// A single-precision number.
    Float(f32),
    /// A double-precision number.
    Double(f64),
    /// A string; UTF-8 by convention, not by check.
    String(&'a [u8]),
    /// Bytes.
    Binary(&'a [u8]),
    /// The header of an array: its element count.
    Array(u32),
    /// The header of a map: its pair count.
    Map(u32),
    /// An extension: its type and body.
    Extension(i8, &'a [u8]),
}

/// Reads the value at the front of `data`. The rest starts behind a scalar's payload, or behind the
/// header of an array or a map. Fails with `InvalidMsgpack` on truncated or illegal input.
pub fn read(data: &[u8]) -> Result<(Value<'_>, &[u8])> {
    parse(data).map_err(invalid)
}

/// The byte length of the whole value at the front of `data`, nested values included. Bodies of
/// extensions of known types are checked too. Fails with `InvalidMsgpack`.
pub fn value_length(data: &[u8]) -> Result<usize> {
    value_length_within(data, 0)
}

/// [`value_length`] of a value that is inside of `nesting` errors.
fn value_length_within(data: &[u8], nesting: u32) -> Result<usize> {
    let mut rest = data;
    // Values still to pass. Each takes a byte at least, so a count beyond the rest is already wrong.
    let mut pending = 1_u64;
    while pending > 0 {
        if pending > rest.len() as u64 {
            return Err(invalid(TRUNCATED));
        }
        let (length, nested) = measure(rest).map_err(invalid)?;
        if matches!(rest[0], 0xc7..=0xc9 | 0xd4..=0xd8) {
            check_extension(rest, nesting).map_err(invalid)?;
        }
        rest = rest.get(length..).ok_or_else(|| invalid(TRUNCATED))?;
        pending = pending - 1 + nested;
    }
    Ok(data.len() - rest.len())
}

/// Checks that `data` is exactly one well-formed array and returns its field count. Fails with
/// `TupleNotArray` when it is another value, with `InvalidMsgpack` when it is malformed.
pub fn check_array(data: &[u8]) -> Result<u32> {
    let (Value::Array(count), _) = read(data)? else {
        return Err(ErrorKind::TupleNotArray.into());
    };
    if value_length(data)? != data.len() {
        return Err(invalid(JUNK));
    }
    Ok(count)
}

/// [`read`] for bytes that were checked before.
///
/// # Panics
/// On malformed input.
#[inline]
pub fn read_trusted(data: &[u8]) -> (Value<'_>, &[u8]) {
    match data[0] {
        tag @ 0x00..=0x7f => (Value::Unsigned(u64::from(tag)), &data[1..]),
        tag @ 0xa0..=0xbf => {
            let (payload, rest) = data[1..].split_at(usize::from(tag & 0x1f));
            (Value::String(payload), rest)
        }
        0xcd => {
            let (bytes, rest) = fixed(data);
            (Value::Unsigned(u64::from(u16::from_be_bytes(bytes))), rest)
        }
        0xce => {
            let (bytes, rest) = fixed(data);
            (Value::Unsigned(u64::from(u32::from_be_bytes(bytes))), rest)
        }
        0xcf => {
            let (bytes, rest) = fixed(data);
            (Value::Unsigned(u64::from_be_bytes(bytes)), rest)
        }
        0xcb => {
            let (bytes, rest) = fixed(data);
            (Value::Double(f64::from_be_bytes(bytes)), rest)
        }
        0xd9 => {
            let (payload, rest) = data[2..].split_at(usize::from(data[1]));
            (Value::String(payload), rest)
        }
        _ => parse_trusted(data),
    }
}

/// The bytes behind the first one, and the rest.
#[inline]
fn fixed<const WIDTH: usize>(data: &[u8]) -> ([u8; WIDTH], &[u8]) {
    match data[1..].split_first_chunk() {
        Some((bytes, rest)) => (*bytes, rest),
        None => unchecked(TRUNCATED),
    }
}

/// Passes over the whole value at the front of bytes that were checked before, and returns the rest.
///
/// # Panics
/// On malformed input.
#[inline]
pub fn skip_trusted(data: &[u8]) -> &[u8] {
    match FIXED_LENGTH[usize::from(data[0])] {
        0 => skip_trusted_slow(data),
        length => &data[usize::from(length)..],
    }
}

fn skip_trusted_slow(data: &[u8]) -> &[u8] {
    let mut rest = data;
    let mut pending = 1_u64;
    while pending > 0 {
        let (length, nested) = measure(rest).unwrap_or_else(|reason| unchecked(reason));
        rest = &rest[length..];
        pending = pending - 1 + nested;
    }
    rest
}

#[inline(never)]
fn parse_trusted(data: &[u8]) -> (Value<'_>, &[u8]) {
    match parse(data) {
        Ok(parsed) => parsed,
        Err(reason) => unchecked(reason),
    }
}

#[cold]
fn unchecked(reason: &str) -> ! {
    panic!("bytes that were not checked hold invalid MsgPack: {reason}")
}

/// The length of the value at the front without the values nested in it, and how many those are. The
/// length may reach behind the end of `data`.
#[inline]
fn measure(data: &[u8]) -> std::result::Result<(usize, u64), &'static str> {
    let tag = *data.first().ok_or(TRUNCATED)?;
    match FIXED_LENGTH[usize::from(tag)] {
        0 => {}
        length => return Ok((usize::from(length), 0)),
    }
    match tag {
        0x80..=0x8f => return Ok((1, 2 * u64::from(tag & 0x0f))),
        0x90..=0x9f => return Ok((1, u64::from(tag & 0x0f))),
        0xc4 | 0xd9 => {
            let length = *data.get(1).ok_or(TRUNCATED)?;
            return Ok((2 + usize::from(length), 0));
        }
        _ => {}
    }
    let (value, rest) = parse(data)?;
    let nested = match value {
        Value::Array(count) => u64::from(count),
        Value::Map(count) => 2 * u64::from(count),
        _ => 0,
    };
    Ok((data.len() - rest.len(), nested))
}

/// The whole length of a value, by its first byte, where that byte alone decides it; else 0.
static FIXED_LENGTH: [u8; 256] = {
    let mut lengths = [0_u8; 256];
    let mut tag = 0;
    while tag < 256 {
        lengths[tag] = match tag {
            0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => 1,
            0xa0..=0xbf => 1 + (tag as u8 & 0x1f),
            0xcc | 0xd0 => 2,
            0xcd | 0xd1 | 0xd4 => 3,
            0xd5 => 4,
            0xca | 0xce | 0xd2 => 5,
            0xd6 => 6,
            0xcb | 0xcf | 0xd3 => 9,
            0xd7 => 10,
            0xd8 => 18,
            _ => 0,
        };
        tag += 1;
    }
    lengths
};

type Parsed<'a, T> = std::result::Result<(T, &'a [u8]), &'static str>;

/// The one parser: the value at the front and the rest, or the reason why there is none.
fn parse(data: &[u8]) -> Parsed<'_, Value<'_>> {
    let (&tag, rest) = data.split_first().ok_or(TRUNCATED)?;
    Ok(match tag {
        0x00..=0x7f => (Value::Unsigned(u64::from(tag)), rest),
        0x80..=0x8f => (Value::Map(u32::from(tag & 0x0f)), rest),
        0x90..=0x9f => (Value::Array(u32::from(tag & 0x0f)), rest),
        0xa0..=0xbf => wrap(Value::String, take(rest, usize::from(tag & 0x1f))?),
        0xc0 => (Value::Nil, rest),
        0xc1 => return Err(ILLEGAL_CODE),
        0xc2 | 0xc3 => (Value::Boolean(tag == 0xc3), rest),
        0xc4..=0xc6 => wrap(Value::Binary, take_sized(rest, tag - 0xc4)?),
        0xc7..=0xc9 => {
            let (length, rest) = big_endian(rest, 1 << (tag - 0xc7))?;
            extension(rest, length as usize)?
        }
        0xca => {
            let (bits, rest) = big_endian(rest, 4)?;
            (Value::Float(f32::from_bits(bits as u32)), rest)
        }
        0xcb => {
            let (bits, rest) = big_endian(rest, 8)?;
            (Value::Double(f64::from_bits(bits)), rest)
        }
        0xcc..=0xcf => wrap(Value::Unsigned, big_endian(rest, 1 << (tag - 0xcc))?),
        0xd0..=0xd3 => {
            let width = 1 << (tag - 0xd0);
            let (bits, rest) = big_endian(rest, width)?;
            let unused = 64 - 8 * width as u32;
            (integer((bits << unused) as i64 >> unused), rest)
        }
        0xd4..=0xd8 => extension(rest, 1 << (tag - 0xd4))?,
        0xd9..=0xdb => wrap(Value::String, take_sized(rest, tag - 0xd9)?),
        0xdc | 0xdd => {
            let (count, rest) = big_endian(rest, 2 << (tag - 0xdc))?;
            (Value::Array(count as u32), rest)
        }
        0xde | 0xdf => {
            let (count, rest) = big_endian(rest, 2 << (tag - 0xde))?;
            (Value::Map(count as u32), rest)
        }
        0xe0..=0xff => (Value::Negative(i64::from(tag as i8)), rest),
    })
}

fn integer<'a>(value: i64) -> Value<'a> {
    match u64::try_from(value) {
        Ok(value) => Value::Unsigned(value),
        Err(_) => Value::Negative(value),
    }
}

fn wrap<'a, T>(make: fn(T) -> Value<'a>, (payload, rest): (T, &'a [u8])) -> (Value<'a>, &'a [u8]) {
    (make(payload), rest)
}

fn take(data: &[u8], length: usize) -> Parsed<'_, &[u8]> {
    data.split_at_checked(length).ok_or(TRUNCATED)
}

/// A payload behind its length, which takes 1, 2 or 4 bytes.
fn take_sized(data: &[u8], length_width_log2: u8) -> Parsed<'_, &[u8]> {
    let (length, rest) = big_endian(data, 1 << length_width_log2)?;
    take(rest, length as usize)
}

fn extension(data: &[u8], length: usize) -> Parsed<'_, Value<'_>> {
    let (&kind, rest) = data.split_first().ok_or(TRUNCATED)?;
    let (body, rest) = take(rest, length)?;
    Ok((Value::Extension(kind as i8, body), rest))
}

fn check_extension(data: &[u8], nesting: u32) -> std::result::Result<(), &'static str> {
    match parse(data)?.0 {
        Value::Extension(kind, body) => {
            let is_valid = is_valid_extension(kind, body, nesting).unwrap_or(true);
            is_valid.then_some(()).ok_or(INVALID_EXTENSION)
        }
        _ => Ok(()),
    }
}

/// Whether the body of an extension inside of `nesting` errors is well-formed; nothing for an unknown
/// type.
fn is_valid_extension(kind: i8, body: &[u8], nesting: u32) -> Option<bool> {
    Some(match kind {
        EXTENSION_DECIMAL => crate::decimal::is_valid_extension_body(body),
        EXTENSION_UUID => body.len() == 16,
        EXTENSION_ERROR => nesting < ERROR_NESTING_MAX && error_body::is_valid(body, nesting + 1),
        EXTENSION_DATETIME => Datetime::from_extension_body(body).is_some(),
        EXTENSION_INTERVAL => Interval::from_extension_body(body).is_some(),
        _ => return None,
    })
}

/// Whether values of this extension type are known here.
pub fn is_known_extension_type(kind: i8) -> bool {
    matches!(
        kind,
        EXTENSION_DECIMAL
            | EXTENSION_UUID
            | EXTENSION_ERROR
            | EXTENSION_DATETIME
            | EXTENSION_INTERVAL
    )
}

/// Whether an extension is of a known type, with a body that is well-formed.
pub fn is_known_extension(kind: i8, body: &[u8]) -> bool {
    is_valid_extension(kind, body, 0) == Some(true)
}

/// An unsigned number of `width` bytes: 1, 2, 4 or 8.
#[inline]
fn big_endian(data: &[u8], width: usize) -> Parsed<'_, u64> {
    Ok(match width {
        1 => {
            let (&byte, rest) = data.split_first().ok_or(TRUNCATED)?;
            (u64::from(byte), rest)
        }
        2 => {
            let (bytes, rest) = data.split_first_chunk().ok_or(TRUNCATED)?;
            (u64::from(u16::from_be_bytes(*bytes)), rest)
        }
        4 => {
            let (bytes, rest) = data.split_first_chunk().ok_or(TRUNCATED)?;
            (u64::from(u32::from_be_bytes(*bytes)), rest)
        }
        _ => {
            let (bytes, rest) = data.split_first_chunk().ok_or(TRUNCATED)?;
            (u64::from_be_bytes(*bytes), rest)
        }
    })
}

#[cold]
fn invalid(reason: &'static str) -> crate::Error {
    ErrorKind::InvalidMsgpack { reason }.into()
}

#[cfg(test)]
mod tests;
