//! Writers of single `MsgPack` values, each appending to a byte vector. Integers and headers take the
//! shortest form there is.

/// Appends nil.
pub fn write_nil(out: &mut Vec<u8>) {
    out.push(0xc0);
}

/// Appends a boolean.
pub fn write_boolean(out: &mut Vec<u8>, value: bool) {
    out.push(if value { 0xc3 } else { 0xc2 });
}

/// Appends an integer from zero up, in its shortest form.
#[inline]
pub fn write_unsigned(out: &mut Vec<u8>, value: u64) {
    match value {
        0..=0x7f => out.push(value as u8),
        0x80..=0xff => out.extend_from_slice(&[0xcc, value as u8]),
        0x100..=0xffff => prefixed(out, 0xcd, (value as u16).to_be_bytes()),
        0x1_0000..=0xffff_ffff => prefixed(out, 0xce, (value as u32).to_be_bytes()),
        _ => prefixed(out, 0xcf, value.to_be_bytes()),
    }
}

/// Appends an integer of either sign, in its shortest form.
#[inline]
pub fn write_integer(out: &mut Vec<u8>, value: i64) {
    match value {
        0.. => write_unsigned(out, value as u64),
        -0x20..=-1 => out.push(value as u8),
        -0x80..=-0x21 => out.extend_from_slice(&[0xd0, value as u8]),
        -0x8000..=-0x81 => prefixed(out, 0xd1, (value as i16).to_be_bytes()),
        -0x8000_0000..=-0x8001 => prefixed(out, 0xd2, (value as i32).to_be_bytes()),
        _ => prefixed(out, 0xd3, value.to_be_bytes()),
    }
}

/// Appends a single-precision number.
pub fn write_float(out: &mut Vec<u8>, value: f32) {
    prefixed(out, 0xca, value.to_be_bytes());
}

/// Appends a double-precision number.
pub fn write_double(out: &mut Vec<u8>, value: f64) {
    prefixed(out, 0xcb, value.to_be_bytes());
}

/// Appends a string of at most 2^32-1 bytes.
///
/// # Panics
/// On a longer one, which no tuple can hold.
#[inline]
pub fn write_string(out: &mut Vec<u8>, value: &[u8]) {
    match length_u32(value) {
        length @ 0..=0x1f => out.push(0xa0 | length as u8),
        length => sized(out, [0xd9, 0xda, 0xdb], length),
    }
    out.extend_from_slice(value);
}

/// Appends bytes, at most 2^32-1.
///
/// # Panics
/// On more, which no tuple can hold.
pub fn write_binary(out: &mut Vec<u8>, value: &[u8]) {
    sized(out, [0xc4, 0xc5, 0xc6], length_u32(value));
    out.extend_from_slice(value);
}

/// Appends the header of an array; `count` values have to follow.
#[inline]
pub fn write_array_header(out: &mut Vec<u8>, count: u32) {
    collection_header(out, count, [0x90, 0xdc, 0xdd]);
}

/// Appends the header of a map; `count` pairs, keys before values, have to follow.
pub fn write_map_header(out: &mut Vec<u8>, count: u32) {
    collection_header(out, count, [0x80, 0xde, 0xdf]);
}

/// Appends an extension with a body of at most 2^32-1 bytes.
///
/// # Panics
/// On a longer one, which no tuple can hold.
pub fn write_extension(out: &mut Vec<u8>, kind: i8, body: &[u8]) {
    match body.len() {
        1 => out.push(0xd4),
        2 => out.push(0xd5),
        4 => out.push(0xd6),
        8 => out.push(0xd7),
        16 => out.push(0xd8),
        _ => sized(out, [0xc7, 0xc8, 0xc9], length_u32(body)),
    }
    out.push(kind as u8);
    out.extend_from_slice(body);
}

#[inline]
fn prefixed<const WIDTH: usize>(out: &mut Vec<u8>, tag: u8, bytes: [u8; WIDTH]) {
    out.push(tag);
    out.extend_from_slice(&bytes);
}

/// A length in 1, 2 or 4 bytes, behind the tag of that width.
fn sized(out: &mut Vec<u8>, tags: [u8; 3], length: u32) {
    match length {
        0..=0xff => out.extend_from_slice(&[tags[0], length as u8]),
        0x100..=0xffff => prefixed(out, tags[1], (length as u16).to_be_bytes()),
        _ => prefixed(out, tags[2], length.to_be_bytes()),
    }
}

#[inline]
fn collection_header(out: &mut Vec<u8>, count: u32, tags: [u8; 3]) {
    match count {
        0..=0x0f => out.push(tags[0] | count as u8),
        0x10..=0xffff => prefixed(out, tags[1], (count as u16).to_be_bytes()),
        _ => prefixed(out, tags[2], count.to_be_bytes()),
    }
}

fn length_u32(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("MsgPack holds at most 2^32-1 bytes in one value")
}
