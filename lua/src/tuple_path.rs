//! JSON paths into `MsgPack`: `[4].a["b"][2]`, as `tuple['path']` takes them.
//!
//! A path is walked as it is parsed and keeps nothing; each step skips over the values before it.

use lycosa_engine::msgpack::{self, Value};

use crate::tuple::field;

/// One step of a path.
enum Step<'a> {
    /// An element of an array, counted from 1.
    Position(u32),
    /// A key of a map.
    Key(&'a [u8]),
}

/// Splits the first step off `path`; `None` when it is malformed.
fn split(path: &[u8]) -> Option<(Step<'_>, &[u8])> {
    if let Some(inside) = path.strip_prefix(b"[") {
        if let Some(quote @ (b'"' | b'\'')) = inside.first().copied() {
            let end = 1 + inside[1..].iter().position(|&byte| byte == quote)?;
            let rest = inside[end + 1..].strip_prefix(b"]")?;
            return Some((Step::Key(&inside[1..end]), rest));
        }
        let end = inside.iter().position(|&byte| byte == b']')?;
        let position = std::str::from_utf8(&inside[..end]).ok()?.parse().ok()?;
        return Some((Step::Position(position), &inside[end + 1..]));
    }
    let name = path.strip_prefix(b".").unwrap_or(path);
    let end = name
        .iter()
        .position(|byte| matches!(byte, b'.' | b'['))
        .unwrap_or(name.len());
    (end > 0).then(|| (Step::Key(&name[..end]), &name[end..]))
}

/// The value under `key` of the map in `bytes`, and what follows it.
fn member<'a>(bytes: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let (Value::Map(length), mut rest) = msgpack::read_trusted(bytes) else {
        return None;
    };
    for _ in 0..length {
        let value = msgpack::skip_trusted(rest);
        if msgpack::read_trusted(rest).0 == Value::String(key) {
            return Some(value);
        }
        rest = msgpack::skip_trusted(value);
    }
    None
}

/// The value that `path` leads to from the value in `bytes`, a part of a tuple, and what follows it;
/// `None` when there is none.
pub(crate) fn walk<'a>(mut bytes: &'a [u8], mut path: &[u8]) -> Option<&'a [u8]> {
    while !path.is_empty() {
        let (step, rest) = split(path)?;
        bytes = match step {
            Step::Position(position) => field(bytes, position)?,
            Step::Key(key) => member(bytes, key)?,
        };
        path = rest;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::walk;

    /// `[1, {"a": {"b c": [7, 8]}}]`
    const BYTES: &[u8] = b"\x92\x01\x81\xa1a\x81\xa3b c\x92\x07\x08";

    #[test]
    fn a_path_leads_through_arrays_and_maps() {
        assert_eq!(walk(BYTES, b"[1]"), Some(&BYTES[1..]));
        assert_eq!(walk(BYTES, b"[2].a[\"b c\"][2]"), Some(&BYTES[12..]));
        assert_eq!(walk(BYTES, b"[2]['a']['b c'][1]"), Some(&BYTES[11..]));
    }

    #[test]
    fn a_path_that_leads_nowhere_or_is_malformed_finds_nothing() {
        for path in [
            "[3]", "[0]", "[2].x", "[1].a", "[", "[x]", "[2]..a", "[2][\"a]", "[-1]",
        ] {
            assert_eq!(walk(BYTES, path.as_bytes()), None, "{path}");
        }
    }
}
