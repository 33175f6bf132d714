//! `MsgPack` as text, in the form that Tarantool prints tuples in its error messages. Cold: errors only.

use std::fmt::Write;

use super::{
    EXTENSION_DATETIME, EXTENSION_DECIMAL, EXTENSION_ERROR, EXTENSION_INTERVAL, EXTENSION_UUID,
    Value, error_body, parse,
};
use crate::datetime::{Datetime, Interval};
use crate::decimal::Decimal;
use crate::general_number::GeneralNumber;

/// Arrays and maps nested deeper than this are cut short as `[...]` and `{...}`.
const MAX_DEPTH: usize = 32;

/// The value at the front of `data` as JSON-like text, for messages: `[1, "a", null, {"k": 1.5}]`.
/// Values of known extensions appear as their text without quotes. Bytes that are no `MsgPack` appear as
/// `<invalid MsgPack>`; it never fails.
pub fn to_text(data: &[u8]) -> String {
    let mut text = String::new();
    if print(&mut text, data, MAX_DEPTH).is_none() {
        text.push_str("<invalid MsgPack>");
    }
    text
}

/// Prints one value and returns what lies behind it, or nothing when the bytes are malformed.
pub(super) fn print<'a>(text: &mut String, data: &'a [u8], depth: usize) -> Option<&'a [u8]> {
    let (value, mut rest) = parse(data).ok()?;
    match value {
        Value::Nil => text.push_str("null"),
        Value::Boolean(value) => text.push_str(if value { "true" } else { "false" }),
        Value::Unsigned(value) => push(text, format_args!("{value}")),
        Value::Negative(value) => push(text, format_args!("{value}")),
        Value::Float(value) => print_number(text, f64::from(value)),
        Value::Double(value) => print_number(text, value),
        Value::String(bytes) | Value::Binary(bytes) => print_string(text, bytes),
        Value::Array(_) | Value::Map(_) if depth == 0 => {
            text.push_str(if matches!(value, Value::Array(_)) {
                "[...]"
            } else {
                "{...}"
            });
            let length = super::value_length(data).ok()?;
            rest = &data[length..];
        }
        Value::Array(count) => {
            text.push('[');
            for index in 0..count {
                separate(text, index);
                rest = print(text, rest, depth - 1)?;
            }
            text.push(']');
        }
        Value::Map(count) => {
            text.push('{');
            for index in 0..count {
                separate(text, index);
                rest = print(text, rest, depth - 1)?;
                text.push_str(": ");
                rest = print(text, rest, depth - 1)?;
            }
            text.push('}');
        }
        Value::Extension(EXTENSION_ERROR, body) => error_body::print_body(text, body, depth)?,
        Value::Extension(kind, body) => print_extension(text, kind, body),
    }
    Some(rest)
}

pub(super) fn separate(text: &mut String, index: u32) {
    if index > 0 {
        text.push_str(", ");
    }
}

pub(super) fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments)
        .expect("writing into a string does not fail");
}

/// A number as C's `%g` prints it.
fn print_number(text: &mut String, value: f64) {
    let precision = 6;
    push(text, format_args!("{}", GeneralNumber { value, precision }));
}

/// A string in JSON's quotes and escapes. Bytes that are not UTF-8 become replacement characters.
fn print_string(text: &mut String, bytes: &[u8]) {
    text.push('"');
    for character in String::from_utf8_lossy(bytes).chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '/' => text.push_str("\\/"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            '\0'..='\x1f' | '\x7f' => push(text, format_args!("\\u{:04x}", character as u32)),
            _ => text.push(character),
        }
    }
    text.push('"');
}

fn print_extension(text: &mut String, kind: i8, body: &[u8]) {
    match extension_text(kind, body) {
        Some(known) => text.push_str(&known),
        None => push(
            text,
            format_args!("(extension: type {kind}, len {})", body.len()),
        ),
    }
}

/// The text of a decimal, a UUID, a time or an interval, or the message of an error, as `tostring`
/// gives it; nothing for other extensions and for malformed bodies.
pub fn extension_text(kind: i8, body: &[u8]) -> Option<String> {
    match kind {
        EXTENSION_DECIMAL => Some(Decimal::from_extension_body(body).ok()?.to_string()),
        EXTENSION_UUID => {
            let hex = format!("{:032x}", u128::from_be_bytes(body.try_into().ok()?));
            let parts = [
                &hex[..8],
                &hex[8..12],
                &hex[12..16],
                &hex[16..20],
                &hex[20..],
            ];
            Some(parts.join("-"))
        }
        EXTENSION_DATETIME => Some(Datetime::from_extension_body(body)?.to_string()),
        EXTENSION_ERROR => {
            let message = error_body::message(body)?;
            Some(String::from_utf8_lossy(message).into_owned())
        }
        EXTENSION_INTERVAL => Some(Interval::from_extension_body(body)?.to_string()),
        _ => None,
    }
}
