//! Operations on a place inside a field, found by a JSON path. The field is rewritten in one copy.

use std::ops::Range;

use super::operation::{Action, Operation};
use super::path::Token;
use super::scalar::{self, Precision};
use crate::Result;
use crate::msgpack::{self, Value};

/// Where a path leads inside a field. Positions are byte offsets in the field.
enum Place<'a> {
    /// The value is there. `entry` starts at its key in a map, and at the value in an array.
    Found {
        parent: usize,
        entry: usize,
        value: Range<usize>,
    },
    /// All but the last step is there.
    Missing { parent: usize, step: Token<'a> },
}

/// The field with the operation applied inside it.
pub(super) fn apply(operation: &Operation<'_>, field: &[u8]) -> Result<Vec<u8>> {
    let place = locate(operation, field)?;
    match (&operation.action, place) {
        (Action::Assign(new) | Action::Insert(new), Place::Missing { parent, step }) => {
            add(operation, field, parent, step, new)
        }
        (_, Place::Missing { .. }) => Err(operation.no_such_field()),
        (Action::Insert(new), Place::Found { parent, value, .. }) => {
            match msgpack::read_trusted(&field[parent..]).0 {
                Value::Map(_) => Err(operation.failed("the key exists already")),
                _ => Ok(resize(field, parent, 1, value.start..value.start, &[new])),
            }
        }
        (
            Action::Delete(count),
            Place::Found {
                parent,
                entry,
                value,
            },
        ) => delete(operation, field, parent, entry..value.end, *count),
        (_, Place::Found { value, .. }) => {
            let mut changed = Vec::with_capacity(field.len() + 9);
            changed.extend_from_slice(&field[..value.start]);
            let old = &field[value.clone()];
            scalar::apply(operation, old, Precision::Shortest, &mut changed)?;
            changed.extend_from_slice(&field[value.end..]);
            Ok(changed)
        }
    }
}

/// Follows the operation's path. Fails when it is malformed, or when more than its last step is missing.
fn locate<'a>(operation: &Operation<'a>, field: &[u8]) -> Result<Place<'a>> {
    let malformed = |position| operation.malformed_path(position);
    let mut path = operation.target.path;
    let (mut parent, mut entry, mut start) = (0, 0, 0);
    loop {
        let step = path.next().map_err(malformed)?;
        match step {
            Token::Any => return Err(malformed(path.characters() - 1)),
            Token::End => {
                let value = start..position(field, msgpack::skip_trusted(&field[start..]));
                return Ok(Place::Found {
                    parent,
                    entry,
                    value,
                });
            }
            Token::Index(_) | Token::Key(_) => {}
        }
        parent = start;
        match find(&field[parent..], step) {
            Some((entry_offset, value_offset)) => {
                entry = parent + entry_offset;
                start = parent + value_offset;
            }
            None if is_optional(operation) && path.next().map_err(malformed)? == Token::End => {
                return Ok(Place::Missing { parent, step });
            }
            None => return Err(operation.no_such_field()),
        }
    }
}

/// Whether the last step may be missing, to be added by the operation.
fn is_optional(operation: &Operation<'_>) -> bool {
    matches!(operation.action, Action::Assign(_) | Action::Insert(_))
}

/// The element of an array or a map as offsets of its entry and its value.
fn find(container: &[u8], step: Token<'_>) -> Option<(usize, usize)> {
    let (header, mut rest) = msgpack::read_trusted(container);
    match (header, step) {
        (Value::Array(count), Token::Index(index)) if index <= u64::from(count) => {
            for _ in 1..index {
                rest = msgpack::skip_trusted(rest);
            }
            let offset = position(container, rest);
            Some((offset, offset))
        }
        (Value::Map(count), _) => {
            for _ in 0..count {
                let (key, _) = msgpack::read_trusted(rest);
                let value = msgpack::skip_trusted(rest);
                let is_match = match (key, step) {
                    (Value::Unsigned(key), Token::Index(index)) => key == index,
                    (Value::String(key), Token::Key(wanted)) => key == wanted,
                    _ => false,
                };
                if is_match {
                    return Some((position(container, rest), position(container, value)));
                }
                rest = msgpack::skip_trusted(value);
            }
            None
        }
        _ => None,
    }
}

/// Adds what is missing: the next element of an array, or a pair at the front of a map.
fn add(
    operation: &Operation<'_>,
    field: &[u8],
    parent: usize,
    step: Token<'_>,
    new: &[u8],
) -> Result<Vec<u8>> {
    let (header, content) = msgpack::read_trusted(&field[parent..]);
    match (header, step) {
        (Value::Array(count), Token::Index(index)) => {
            if index != u64::from(count) + 1 {
                return Err(operation.no_such_field());
            }
            let end = position(field, msgpack::skip_trusted(&field[parent..]));
            Ok(resize(field, parent, 1, end..end, &[new]))
        }
        (Value::Map(_), Token::Key(key)) => {
            let start = position(field, content);
            let mut encoded_key = Vec::with_capacity(key.len() + 5);
            msgpack::write_string(&mut encoded_key, key);
            Ok(resize(field, parent, 1, start..start, &[&encoded_key, new]))
        }
        (_, Token::Index(_)) => Err(operation.failed("can not access by index a non-array field")),
        _ => Err(operation.failed("can not access by key a non-map field")),
    }
}

/// Deletes an entry of a map, or up to `count` elements of an array, the first being `entry`.
fn delete(
    operation: &Operation<'_>,
    field: &[u8],
    parent: usize,
    entry: Range<usize>,
    count: u32,
) -> Result<Vec<u8>> {
    let (header, mut element) = msgpack::read_trusted(&field[parent..]);
    let Value::Array(size) = header else {
        if count != 1 {
            return Err(operation.failed("can delete only 1 field from a map in a row"));
        }
        return Ok(resize(field, parent, -1, entry, &[]));
    };
    let (mut end, mut index, mut deleted) = (entry.end, 0, 1);
    while position(field, element) < entry.start {
        element = msgpack::skip_trusted(element);
        index += 1;
    }
    while deleted < count && index + deleted < size {
        end = position(field, msgpack::skip_trusted(&field[end..]));
        deleted += 1;
    }
    let change = -i64::from(deleted);
    Ok(resize(field, parent, change, entry.start..end, &[]))
}

/// The field with `range` replaced inside the array or map at `parent`, whose count changes.
fn resize(
    field: &[u8],
    parent: usize,
    change: i64,
    range: Range<usize>,
    replacement: &[&[u8]],
) -> Vec<u8> {
    let (header, content) = msgpack::read_trusted(&field[parent..]);
    let added = replacement.iter().map(|part| part.len()).sum::<usize>();
    // A header may grow to five bytes.
    let mut changed = Vec::with_capacity(field.len() + added + 4);
    changed.extend_from_slice(&field[..parent]);
    match header {
        Value::Map(count) => {
            msgpack::write_map_header(&mut changed, (i64::from(count) + change) as u32);
        }
        Value::Array(count) => {
            msgpack::write_array_header(&mut changed, (i64::from(count) + change) as u32);
        }
        _ => unreachable!("only arrays and maps have elements"),
    }
    changed.extend_from_slice(&field[position(field, content)..range.start]);
    for part in replacement {
        changed.extend_from_slice(part);
    }
    changed.extend_from_slice(&field[range.end..]);
    changed
}

/// Where `rest`, a tail of `whole`, starts in it.
fn position(whole: &[u8], rest: &[u8]) -> usize {
    whole.len() - rest.len()
}
