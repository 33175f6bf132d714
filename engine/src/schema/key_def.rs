//! Key definitions: which fields an index orders by, how two tuples or a tuple and a key compare,
//! and the 8-byte hint of a key.
//!
//! A hint orders as the key's first part does (equal keys have equal hints, a smaller key never a
//! larger hint), so that most comparisons of an ordered index read no tuple.

use std::cmp::Ordering;
use std::hash::Hasher;

use crate::error::{ErrorKind, Result};
use crate::index::IteratorType;
use crate::msgpack::{self, Value};
use crate::tuple::{self, Encoded};

use super::collation::Collation;
use super::compare::{
    compare_collated, compare_encoded, hash_collated, hash_encoded, hint_of_collated, hint_of_value,
};
use super::field_type::FieldType;

/// One part of an index key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPart {
    /// Field number, from 0.
    pub field: u32,
    /// Type that the field must have.
    pub field_type: FieldType,
    /// Whether null, or a missing field, may stand there. Nulls sort first.
    pub is_nullable: bool,
    /// Whether the part sorts from large to small.
    pub is_descending: bool,
    /// How strings compare; byte by byte without one. For strings and scalars.
    pub collation: Option<&'static Collation>,
    /// Whether the index leaves out tuples with null there; the part is nullable then.
    pub excludes_null: bool,
}

impl KeyPart {
    /// An ascending part that must not be null.
    pub fn new(field: u32, field_type: FieldType) -> Self {
        Self {
            field,
            field_type,
            is_nullable: false,
            is_descending: false,
            collation: None,
            excludes_null: false,
        }
    }

    /// The same, nullable.
    #[must_use]
    pub fn nullable(self) -> Self {
        Self {
            is_nullable: true,
            ..self
        }
    }

    /// The same, descending.
    #[must_use]
    pub fn descending(self) -> Self {
        Self {
            is_descending: true,
            ..self
        }
    }

    /// The same, with strings in the order of a collation.
    #[must_use]
    pub fn collated(self, collation: &'static Collation) -> Self {
        Self {
            collation: Some(collation),
            ..self
        }
    }

    /// The same, nullable, but tuples with null there are not in the index.
    #[must_use]
    pub fn excluding_null(self) -> Self {
        Self {
            is_nullable: true,
            excludes_null: true,
            ..self
        }
    }
}

const NULL: &[u8] = &[0xc0];

/// The parts by which an index orders its tuples.
///
/// The first [`key_part_count`](Self::key_part_count) parts are the index's own. An index that is
/// not unique, or that may hold nulls, goes on with the parts of the primary key, so that no two
/// tuples are equal.
#[derive(Debug, Clone)]
pub struct KeyDefinition {
    parts: Vec<KeyPart>,
    key_part_count: u32,
    is_unique: bool,
    /// The single part is field 0, unsigned, ascending and not nullable: the common primary key.
    is_plain_unsigned: bool,
}

impl KeyDefinition {
    /// The definition of an index. `primary` is empty for the primary index itself.
    pub(crate) fn new(parts: Vec<KeyPart>, is_unique: bool, primary: &[KeyPart]) -> Self {
        let key_part_count = parts.len() as u32;
        let mut all = parts;
        if !is_unique || all.iter().any(|part| part.is_nullable) {
            for part in primary {
                if !all.iter().any(|known| known.field == part.field) {
                    all.push(part.clone());
                }
            }
        }
        let is_plain_unsigned = all.len() == 1
            && matches!(all[0].field_type.integer_range(), Some((0, _)))
            && all[0] == KeyPart::new(0, all[0].field_type);
        Self {
            parts: all,
            key_part_count,
            is_unique,
            is_plain_unsigned,
        }
    }

    /// The index's own parts.
    pub fn parts(&self) -> &[KeyPart] {
        &self.parts[..self.key_part_count as usize]
    }

    /// Number of the index's own parts.
    pub fn key_part_count(&self) -> u32 {
        self.key_part_count
    }

    /// Number of all parts that order the tuples.
    pub(crate) fn full_part_count(&self) -> u32 {
        self.parts.len() as u32
    }

    fn field_of<'a>(tuple: &'a [u8], part: &KeyPart) -> &'a [u8] {
        match tuple::field(tuple, part.field) {
            Some(value) => value,
            None => NULL,
        }
    }

    /// Orders two tuples as the index does. In a unique index the own parts decide, unless one of
    /// them is null: nulls never clash.
    #[inline]
    pub(crate) fn compare_tuples(&self, left: &[u8], right: &[u8]) -> Ordering {
        let mut saw_null = false;
        for (position, part) in self.parts.iter().enumerate() {
            if position == self.key_part_count as usize && self.is_unique && !saw_null {
                break;
            }
            let (a, b) = (Self::field_of(left, part), Self::field_of(right, part));
            saw_null |= a[0] == NULL[0];
            let order = part.compare(a, b);
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Orders a tuple against the first `count` parts that stand encoded one after another in
    /// `parts`; `count` may go on into the parts of the primary key.
    #[inline]
    pub(crate) fn compare_with_parts(&self, tuple: &[u8], parts: &[u8], count: u32) -> Ordering {
        let mut sought = parts;
        for part in &self.parts[..count as usize] {
            let order = part.compare(Self::field_of(tuple, part), sought);
            if order != Ordering::Equal {
                return order;
            }
            sought = msgpack::skip_trusted(sought);
        }
        Ordering::Equal
    }

    /// The key of a tuple as one MsgPack array, the primary key's parts included where they order.
    pub(crate) fn extract_full(&self, tuple: &[u8]) -> Vec<u8> {
        Self::extract(tuple, &self.parts)
    }

    /// The index's own parts of a tuple as one MsgPack array.
    pub fn extract_key(&self, tuple: &[u8]) -> Vec<u8> {
        Self::extract(tuple, self.parts())
    }

    fn extract(tuple: &[u8], parts: &[KeyPart]) -> Vec<u8> {
        let mut out = Vec::with_capacity(parts.len() * 9 + 5);
        msgpack::write_array_header(&mut out, parts.len() as u32);
        for part in parts {
            let value = Self::field_of(tuple, part);
            let rest = msgpack::skip_trusted(value);
            out.extend_from_slice(&value[..value.len() - rest.len()]);
        }
        out
    }

    /// Whether an index leaves this tuple out: a part that excludes nulls holds one.
    pub(crate) fn excludes(&self, tuple: &[u8]) -> bool {
        let is_null = |part: &KeyPart| Self::field_of(tuple, part)[0] == NULL[0];
        self.parts()
            .iter()
            .any(|part| part.excludes_null && is_null(part))
    }

    /// Whether the own key is one unsigned number, which is then its own hint.
    pub(crate) fn is_one_unsigned(&self) -> bool {
        match self.parts() {
            [part] => {
                part.field_type == FieldType::Unsigned && !part.is_nullable && !part.is_descending
            }
            _ => false,
        }
    }

    /// Feeds the hasher with the own parts of a tuple.
    pub(crate) fn hash_tuple(&self, tuple: &[u8], hasher: &mut impl Hasher) {
        for part in self.parts() {
            if let Some(value) = tuple::field(tuple, part.field) {
                part.hash(value, hasher);
            }
        }
    }

    /// Feeds the hasher with all own parts, which stand encoded one after another in `parts`.
    pub(crate) fn hash_parts(&self, parts: &[u8], hasher: &mut impl Hasher) {
        let mut rest = parts;
        for part in self.parts() {
            part.hash(rest, hasher);
            rest = msgpack::skip_trusted(rest);
        }
    }

    /// The key with which a search by prefix begins, for an iterator and a key with parts: the
    /// least key above all that begin with `key`'s last string, or `key` itself where the plain
    /// order does. Nothing when there is no key above.
    pub(crate) fn prefix_search(
        &self,
        iterator: IteratorType,
        key: Encoded<'_>,
    ) -> Option<(IteratorType, Vec<u8>)> {
        let (count, parts) = key.split();
        let is_descending = self.parts[count as usize - 1].is_descending;
        let is_next = iterator == IteratorType::NextPrefix;
        let plain = if is_next {
            IteratorType::Gt
        } else {
            IteratorType::Lt
        };
        let mut last = parts;
        for _ in 1..count {
            last = msgpack::skip_trusted(last);
        }
        let (Value::String(text), true) = (msgpack::read_trusted(last).0, is_next != is_descending)
        else {
            return Some((plain, key.bytes().to_vec()));
        };
        // 0xff bytes at the end have no successor of their length; the byte before them has.
        let significant = text.iter().rposition(|&byte| byte != 0xff)?;
        let mut above = text.to_vec();
        above[significant] += 1;
        above[significant + 1..].fill(0);
        let mut bytes = key.bytes()[..key.bytes().len() - last.len()].to_vec();
        msgpack::write_string(&mut bytes, &above);
        let from = if is_next {
            IteratorType::Ge
        } else {
            IteratorType::Le
        };
        Some((from, bytes))
    }

    /// The hint of a tuple.
    #[inline]
    pub(crate) fn hint_of_tuple(&self, tuple: &[u8]) -> u64 {
        if self.is_plain_unsigned
            && let (_, rest) = tuple::split_array(tuple)
            && let (Value::Unsigned(value), _) = msgpack::read_trusted(rest)
        {
            return value;
        }
        let part = &self.parts[0];
        self.hint_of_part(Self::field_of(tuple, part))
    }

    /// The hint of a key whose first part is the first value in `parts`.
    #[inline]
    pub(crate) fn hint_of_part(&self, parts: &[u8]) -> u64 {
        let part = &self.parts[0];
        let hint = match part.collation {
            None => hint_of_value(part.field_type, parts),
            Some(collation) => hint_of_collated(part.field_type, parts, collation),
        };
        if part.is_descending { !hint } else { hint }
    }

    /// Checks a key for a search: at most the own parts, each of the part's type. Fails with `KeyPartCount` or `KeyPartType`.
    pub(crate) fn check_partial_key(&self, key: Encoded<'_>) -> Result<()> {
        let (count, parts) = key.split();
        if count > self.key_part_count {
            return Err(ErrorKind::KeyPartCount {
                maximum: self.key_part_count,
                actual: count,
            }
            .into());
        }
        self.check_parts(parts, count, true)
    }

    /// Whether a position has all the parts that order, each of its type.
    pub(crate) fn accepts_position(&self, position: Encoded<'_>) -> bool {
        let (count, parts) = position.split();
        count == self.full_part_count() && self.check_parts(parts, count, true).is_ok()
    }

    /// Whether an iteration from `key` comes by a position, which has all its parts.
    pub(crate) fn is_within(
        &self,
        iterator: IteratorType,
        key: Encoded<'_>,
        position: Encoded<'_>,
    ) -> bool {
        let (_, mut at) = position.split();
        let (count, mut sought) = key.split();
        let mut order = Ordering::Equal;
        for part in &self.parts[..count as usize] {
            order = part.compare(at, sought);
            if order != Ordering::Equal {
                break;
            }
            at = msgpack::skip_trusted(at);
            sought = msgpack::skip_trusted(sought);
        }
        count == 0
            || match iterator {
                IteratorType::Eq | IteratorType::Req => order.is_eq(),
                IteratorType::All | IteratorType::Ge => order.is_ge(),
                IteratorType::Gt | IteratorType::NextPrefix => order.is_gt(),
                IteratorType::Le => order.is_le(),
                IteratorType::Lt | IteratorType::PreviousPrefix => order.is_lt(),
            }
    }

    /// Checks a key that must have every own part and no null where none may stand. Fails with
    /// `ExactMatch` or `KeyPartType`.
    #[inline]
    pub(crate) fn check_exact_key(&self, key: Encoded<'_>) -> Result<()> {
        let (count, parts) = key.split();
        if count != self.key_part_count {
            return Err(ErrorKind::ExactMatch {
                expected: self.key_part_count,
                actual: count,
            }
            .into());
        }
        self.check_parts(parts, count, false)
    }

    fn check_parts(&self, parts: &[u8], count: u32, allow_null: bool) -> Result<()> {
        let mut rest = parts;
        for (number, part) in self.parts[..count as usize].iter().enumerate() {
            let (value, after) = msgpack::read_trusted(rest);
            let fits = match value {
                Value::Nil => allow_null && part.is_nullable,
                value => part.field_type.accepts(&value),
            };
            if !fits {
                return Err(ErrorKind::KeyPartType {
                    part: number as u32,
                    expected: part.field_type.name(),
                }
                .into());
            }
            rest = match value {
                Value::Array(_) | Value::Map(_) => msgpack::skip_trusted(rest),
                _ => after,
            };
        }
        Ok(())
    }
}

impl KeyPart {
    /// Orders two values, each the first of the bytes given, as the part does.
    #[inline]
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        let order = match self.collation {
            None => compare_encoded(left, right),
            Some(collation) => compare_collated(left, right, collation),
        };
        if self.is_descending {
            order.reverse()
        } else {
            order
        }
    }

    fn hash(&self, value: &[u8], hasher: &mut impl Hasher) {
        match self.collation {
            None => hash_encoded(value, hasher),
            Some(collation) => hash_collated(value, collation, hasher),
        }
    }
}
