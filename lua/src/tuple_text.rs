//! The text of a tuple as Tarantool's `tostring` prints it: one line of flow-style YAML.
//!
//! Strings stand in single quotes, or in double quotes with escapes when they hold characters that
//! do not print, or as base64 when they are not UTF-8. Cold: used by people and by error messages.

use std::io::Write as _;

use lycosa_engine::general_number::GeneralNumber;
use lycosa_engine::msgpack::{EXTENSION_ERROR, Value, extension_text};

use crate::decode_cursor::{Cursor, DecodeError};

/// Containers inside one another deeper than this are an error.
const MAX_DEPTH: u32 = 256;

/// Digits that a float is printed with.
const PRECISION: usize = 14;

/// Appends the text of the value in `bytes` to `text`.
pub fn write(text: &mut Vec<u8>, bytes: &[u8]) -> Result<(), DecodeError> {
    write_value(text, &mut Cursor::new(bytes), 0)
}

fn write_value(text: &mut Vec<u8>, cursor: &mut Cursor<'_>, depth: u32) -> Result<(), DecodeError> {
    if depth > MAX_DEPTH {
        return Err(DecodeError::TooDeep(depth));
    }
    match cursor.read()? {
        Value::Nil => text.extend_from_slice(b"null"),
        Value::Boolean(value) => text.extend_from_slice(if value { b"true" } else { b"false" }),
        Value::Unsigned(value) => append(text, format_args!("{value}")),
        Value::Negative(value) => append(text, format_args!("{value}")),
        Value::Float(value) => write_number(text, f64::from(value)),
        Value::Double(value) => write_number(text, value),
        Value::String(bytes) => write_string(text, bytes),
        Value::Binary(bytes) => write_base64(text, bytes),
        Value::Array(length) => {
            text.push(b'[');
            for position in 0..length {
                if position > 0 {
                    text.extend_from_slice(b", ");
                }
                write_value(text, cursor, depth + 1)?;
            }
            text.push(b']');
        }
        Value::Map(length) => {
            text.push(b'{');
            for position in 0..length {
                if position > 0 {
                    text.extend_from_slice(b", ");
                }
                write_value(text, cursor, depth + 1)?;
                text.extend_from_slice(b": ");
                write_value(text, cursor, depth + 1)?;
            }
            text.push(b'}');
        }
        Value::Extension(kind, payload) => {
            write_extension(text, kind, payload).ok_or(DecodeError::UnsupportedExtension(kind))?;
        }
    }
    Ok(())
}

fn write_number(text: &mut Vec<u8>, value: f64) {
    let precision = PRECISION;
    append(text, format_args!("{}", GeneralNumber { value, precision }));
}

fn append(text: &mut Vec<u8>, arguments: std::fmt::Arguments<'_>) {
    // Writing into a vector cannot fail.
    let _ = text.write_fmt(arguments);
}

/// Appends the text of an extension value; `None` when it is of an unknown type.
fn write_extension(text: &mut Vec<u8>, kind: i8, payload: &[u8]) -> Option<()> {
    let known = extension_text(kind, payload)?;
    if kind == EXTENSION_ERROR {
        write_string(text, known.as_bytes());
    } else {
        text.extend_from_slice(known.as_bytes());
    }
    Some(())
}

/// Whether YAML prints the character as it is.
fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && character != '\u{feff}'
}

fn write_string(text: &mut Vec<u8>, bytes: &[u8]) {
    let Ok(string) = std::str::from_utf8(bytes) else {
        return write_base64(text, bytes);
    };
    if string.contains('\u{feff}') {
        return write_base64(text, bytes);
    }
    let ragged = string.contains(" \n") || string.contains("\n ");
    if ragged || !string.chars().all(is_printable) {
        write_double_quoted(text, string);
    } else {
        write_single_quoted(text, string);
    }
}

/// A line break in single quotes is an empty line more, and the rest is indented.
fn write_single_quoted(text: &mut Vec<u8>, string: &str) {
    text.push(b'\'');
    let mut after_break = false;
    for byte in string.bytes() {
        if byte == b'\n' {
            if !after_break {
                text.push(b'\n');
            }
            text.push(b'\n');
        } else {
            if after_break {
                text.extend_from_slice(b"    ");
            }
            text.push(byte);
            if byte == b'\'' {
                text.push(byte);
            }
        }
        after_break = byte == b'\n';
    }
    text.push(b'\'');
}

fn write_double_quoted(text: &mut Vec<u8>, string: &str) {
    text.push(b'"');
    for character in string.chars() {
        let short = match character {
            '\0' => "\\0",
            '\u{7}' => "\\a",
            '\u{8}' => "\\b",
            '\t' => "\\t",
            '\n' => "\\n",
            '\u{b}' => "\\v",
            '\u{c}' => "\\f",
            '\r' => "\\r",
            '\u{1b}' => "\\e",
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{85}' => "\\N",
            _ => "",
        };
        let code = u32::from(character);
        if !short.is_empty() {
            text.extend_from_slice(short.as_bytes());
        } else if is_printable(character) {
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        } else if code <= 0xff {
            append(text, format_args!("\\x{code:02X}"));
        } else if code <= 0xffff {
            append(text, format_args!("\\u{code:04X}"));
        } else {
            append(text, format_args!("\\U{code:08X}"));
        }
    }
    text.push(b'"');
}

fn write_base64(text: &mut Vec<u8>, bytes: &[u8]) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    text.extend_from_slice(b"!!binary ");
    for chunk in bytes.chunks(3) {
        let mut group = [0; 3];
        group[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for position in 0..4 {
            if position <= chunk.len() {
                text.push(ALPHABET[(bits >> (18 - 6 * position)) as usize & 0x3f]);
            } else {
                text.push(b'=');
            }
        }
    }
}
