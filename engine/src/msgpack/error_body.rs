//! Errors as values: the body of extension 3, as Tarantool lays it out. It is a map whose key 0 has the
//! stack, an array of the error and its causes; each is a map from numbers to its parts.

use super::text::{print, push, separate};
use super::{Value, parse, value_length_within};

/// Errors among the details of errors nest no deeper than this, so that no reader runs out of stack.
pub const ERROR_NESTING_MAX: u32 = 8;

const STACK: u64 = 0;

const TYPE: u64 = 0;
const FILE: u64 = 1;
const LINE: u64 = 2;
const MESSAGE: u64 = 3;
const NUMBER: u64 = 4;
const CODE: u64 = 5;
const FIELDS: u64 = 6;

/// What the parts of an error are called in text, by their keys.
const NAMES: [&str; 7] = ["type", "file", "line", "message", "errno", "code", "fields"];

/// Whether the body is well-formed and has at least one error, each with its type, file and message.
/// `nesting` is how many errors it is inside of.
pub(super) fn is_valid(body: &[u8], nesting: u32) -> bool {
    check_body(body, nesting).is_some_and(<[u8]>::is_empty)
}

fn check_body(body: &[u8], nesting: u32) -> Option<&[u8]> {
    let (Value::Map(count), mut rest) = parse(body).ok()? else {
        return None;
    };
    let mut has_stack = false;
    for _ in 0..count {
        let (key, value) = read_key(rest)?;
        rest = if key == STACK {
            has_stack = true;
            check_stack(value, nesting)?
        } else {
            skip(value, nesting)?
        };
    }
    has_stack.then_some(rest)
}

fn check_stack(data: &[u8], nesting: u32) -> Option<&[u8]> {
    let (Value::Array(count), mut rest) = parse(data).ok()? else {
        return None;
    };
    for _ in 0..count {
        rest = check_one(rest, nesting)?;
    }
    (count > 0).then_some(rest)
}

fn check_one(data: &[u8], nesting: u32) -> Option<&[u8]> {
    let (Value::Map(count), mut rest) = parse(data).ok()? else {
        return None;
    };
    let mut is_there = [false; NAMES.len()];
    for _ in 0..count {
        let (key, data) = read_key(rest)?;
        let (value, _) = parse(data).ok()?;
        rest = match (key, value) {
            (TYPE | FILE | MESSAGE, Value::String(_))
            | (LINE | NUMBER | CODE, Value::Unsigned(_)) => skip(data, nesting)?,
            (FIELDS, Value::Map(_)) => check_fields(data, nesting)?,
            (TYPE..=FIELDS, _) => return None,
            _ => skip(data, nesting)?,
        };
        if let Some(known) = is_there.get_mut(key as usize) {
            *known = true;
        }
    }
    let mandatory = [TYPE, FILE, MESSAGE];
    let is_whole = mandatory.iter().all(|&key| is_there[key as usize]);
    is_whole.then_some(rest)
}

/// Passes a map whose keys are strings.
fn check_fields(data: &[u8], nesting: u32) -> Option<&[u8]> {
    let (Value::Map(count), mut rest) = parse(data).ok()? else {
        return None;
    };
    for _ in 0..count {
        let (Value::String(_), value) = parse(rest).ok()? else {
            return None;
        };
        rest = skip(value, nesting)?;
    }
    Some(rest)
}

fn read_key(data: &[u8]) -> Option<(u64, &[u8])> {
    match parse(data).ok()? {
        (Value::Unsigned(key), rest) => Some((key, rest)),
        _ => None,
    }
}

fn skip(data: &[u8], nesting: u32) -> Option<&[u8]> {
    data.get(value_length_within(data, nesting).ok()?..)
}

/// The message of the error; nothing when the body is malformed.
pub(super) fn message(body: &[u8]) -> Option<&[u8]> {
    let mut rest = find(body, STACK)?;
    let (Value::Array(1..), errors) = parse(rest).ok()? else {
        return None;
    };
    rest = find(errors, MESSAGE)?;
    match parse(rest).ok()?.0 {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The value of a key in the map at the front of `data`, and what follows it.
fn find(data: &[u8], sought: u64) -> Option<&[u8]> {
    let (Value::Map(count), mut rest) = parse(data).ok()? else {
        return None;
    };
    for _ in 0..count {
        let (key, value) = read_key(rest)?;
        if key == sought {
            return Some(value);
        }
        rest = skip(value, 0)?;
    }
    None
}

/// Prints a body as `{"stack": [{"type": "ClientError", ...}]}`, cut short where it nests deeper than
/// `depth`; nothing when it is malformed.
pub(super) fn print_body(text: &mut String, body: &[u8], depth: usize) -> Option<()> {
    print_map(text, body, depth, &["stack"], |text, key, value, depth| {
        if key == STACK {
            print_stack(text, value, depth)
        } else {
            print(text, value, depth)
        }
    })?;
    Some(())
}

fn print_stack<'a>(text: &mut String, data: &'a [u8], depth: usize) -> Option<&'a [u8]> {
    if depth == 0 {
        return print(text, data, 0);
    }
    let (Value::Array(count), mut rest) = parse(data).ok()? else {
        return None;
    };
    text.push('[');
    for index in 0..count {
        separate(text, index);
        rest = print_map(text, rest, depth - 1, &NAMES, |text, _, value, depth| {
            print(text, value, depth)
        })?;
    }
    text.push(']');
    Some(rest)
}

/// Prints a map whose keys are numbers, under their names; `print_value` answers with what lies behind
/// a value.
fn print_map<'a>(
    text: &mut String,
    data: &'a [u8],
    depth: usize,
    names: &[&str],
    print_value: impl Fn(&mut String, u64, &'a [u8], usize) -> Option<&'a [u8]>,
) -> Option<&'a [u8]> {
    if depth == 0 {
        return print(text, data, 0);
    }
    let (Value::Map(count), mut rest) = parse(data).ok()? else {
        return None;
    };
    text.push('{');
    for index in 0..count {
        separate(text, index);
        let (key, value) = read_key(rest)?;
        match names.get(key as usize) {
            Some(name) => push(text, format_args!("\"{name}\": ")),
            None => push(text, format_args!("{key}: ")),
        }
        rest = print_value(text, key, value, depth - 1)?;
    }
    text.push('}');
    Some(rest)
}
