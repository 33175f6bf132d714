//! Order, hash and hint of single values.
//!
//! Values of different kinds order by class: null, boolean, number, string, binary, UUID, datetime. Numbers
//! compare by value, exactly, whatever their kind: 2^53 + 1 differs from the double 2^53, and the
//! integer 5 equals the double 5. NaN sorts before all other numbers.

use std::cmp::Ordering;
use std::hash::Hasher;

use crate::datetime::Datetime;
use crate::decimal::Decimal;
use crate::msgpack::{self, EXTENSION_DATETIME, EXTENSION_DECIMAL, EXTENSION_UUID, Value};

use super::collation::Collation;
use super::field_type::FieldType;

/// Compares the first values of two byte strings that start with well-formed values.
#[inline]
pub(crate) fn compare_encoded(left: &[u8], right: &[u8]) -> Ordering {
    compare_values(
        &msgpack::read_trusted(left).0,
        &msgpack::read_trusted(right).0,
    )
}

/// Compares as [`compare_encoded`], but strings as the collation does.
#[cold]
pub(super) fn compare_collated(left: &[u8], right: &[u8], collation: &Collation) -> Ordering {
    let (left, right) = (
        msgpack::read_trusted(left).0,
        msgpack::read_trusted(right).0,
    );
    match (&left, &right) {
        (Value::String(a), Value::String(b)) => collation.compare(a, b),
        _ => compare_values(&left, &right),
    }
}

/// Compares two scalars. Arrays, maps and unknown extensions are equal among themselves: they are
/// never parts of a key.
#[inline]
pub fn compare_values(left: &Value<'_>, right: &Value<'_>) -> Ordering {
    match (left, right) {
        (Value::Unsigned(a), Value::Unsigned(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) | (Value::Binary(a), Value::Binary(b)) => a.cmp(b),
        _ => compare_mixed(left, right),
    }
}

fn compare_mixed(left: &Value<'_>, right: &Value<'_>) -> Ordering {
    let (a, b) = (class(left), class(right));
    if a != b {
        return a.cmp(&b);
    }
    match (left, right) {
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Extension(EXTENSION_UUID, a), Value::Extension(EXTENSION_UUID, b)) => a.cmp(b),
        (Value::Extension(EXTENSION_DATETIME, a), Value::Extension(EXTENSION_DATETIME, b)) => {
            Datetime::from_extension_body(a).cmp(&Datetime::from_extension_body(b))
        }
        _ if a == Class::Number => compare_numbers(left, right),
        _ => Ordering::Equal,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Null,
    Boolean,
    Number,
    String,
    Binary,
    Uuid,
    Datetime,
    Other,
}

fn class(value: &Value<'_>) -> Class {
    match value {
        Value::Nil => Class::Null,
        Value::Boolean(_) => Class::Boolean,
        Value::Unsigned(_)
        | Value::Negative(_)
        | Value::Float(_)
        | Value::Double(_)
        | Value::Extension(EXTENSION_DECIMAL, _) => Class::Number,
        Value::String(_) => Class::String,
        Value::Binary(_) => Class::Binary,
        Value::Extension(EXTENSION_UUID, _) => Class::Uuid,
        Value::Extension(EXTENSION_DATETIME, _) => Class::Datetime,
        Value::Array(_) | Value::Map(_) | Value::Extension(..) => Class::Other,
    }
}

/// A number in the widest form of its kind.
enum Number {
    Integer(i128),
    Double(f64),
    Decimal(Decimal),
}

impl Number {
    fn of(value: &Value<'_>) -> Self {
        match value {
            Value::Unsigned(v) => Self::Integer(i128::from(*v)),
            Value::Negative(v) => Self::Integer(i128::from(*v)),
            Value::Float(v) => Self::Double(f64::from(*v)),
            Value::Double(v) => Self::Double(*v),
            Value::Extension(_, body) => match Decimal::from_extension_body(body) {
                Ok(decimal) => Self::Decimal(decimal),
                Err(_) => Self::Double(f64::NAN),
            },
            _ => Self::Double(f64::NAN),
        }
    }
}

fn compare_numbers(left: &Value<'_>, right: &Value<'_>) -> Ordering {
    match (Number::of(left), Number::of(right)) {
        (Number::Integer(a), Number::Integer(b)) => a.cmp(&b),
        (Number::Integer(a), Number::Double(b)) => compare_integer_double(a, b),
        (Number::Double(a), Number::Integer(b)) => compare_integer_double(b, a).reverse(),
        (Number::Double(a), Number::Double(b)) => compare_doubles(a, b),
        (Number::Decimal(a), Number::Decimal(b)) => a.cmp(&b),
        (Number::Decimal(a), Number::Integer(b)) => compare_decimal_integer(&a, b),
        (Number::Integer(a), Number::Decimal(b)) => compare_decimal_integer(&b, a).reverse(),
        (Number::Decimal(a), Number::Double(b)) => a.compare_f64(b),
        (Number::Double(a), Number::Decimal(b)) => b.compare_f64(a).reverse(),
    }
}

/// The integer is a MsgPack one: in -2^63..2^64.
fn compare_decimal_integer(decimal: &Decimal, integer: i128) -> Ordering {
    match u64::try_from(integer) {
        Ok(unsigned) => decimal.compare_u64(unsigned),
        Err(_) => decimal.compare_i64(integer as i64),
    }
}

fn compare_doubles(a: f64, b: f64) -> Ordering {
    // NaN equals NaN and precedes the rest; -0.0 equals 0.0.
    a.partial_cmp(&b)
        .unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}

/// Exact comparison of an integer in -2^63..2^64 with a double.
fn compare_integer_double(integer: i128, double: f64) -> Ordering {
    const BEYOND: f64 = 36_893_488_147_419_103_232.0; // 2^65, above every integer
    if double.is_nan() {
        Ordering::Greater
    } else if double >= BEYOND {
        Ordering::Less
    } else if double <= -BEYOND {
        Ordering::Greater
    } else {
        let whole = double.trunc();
        integer
            .cmp(&(whole as i128))
            .then_with(|| compare_doubles(0.0, double - whole))
    }
}

/// MsgPack integers lie in this range.
const LOWEST_INTEGER: i128 = -(1 << 63);
const BEYOND_INTEGERS: i128 = 1 << 64;

/// Feeds the hasher with a value so that values which compare equal hash equally.
pub(super) fn hash_encoded(encoded: &[u8], hasher: &mut impl Hasher) {
    let (value, _) = msgpack::read_trusted(encoded);
    match value {
        Value::Unsigned(v) => hasher.write_u64(v),
        Value::Negative(v) => hasher.write_u64(v as u64),
        Value::String(bytes) | Value::Binary(bytes) | Value::Extension(EXTENSION_UUID, bytes) => {
            hasher.write(bytes);
        }
        Value::Boolean(v) => hasher.write_u8(u8::from(v)),
        Value::Float(v) => hash_double(f64::from(v), hasher),
        Value::Double(v) => hash_double(v, hasher),
        Value::Extension(EXTENSION_DECIMAL, body) => match Decimal::from_extension_body(body) {
            Ok(decimal) => match decimal.to_integer() {
                Some(integer) if (LOWEST_INTEGER..BEYOND_INTEGERS).contains(&integer) => {
                    hasher.write_u64(integer as u64);
                }
                _ => hash_double(decimal.to_f64(), hasher),
            },
            Err(_) => hasher.write_u8(2),
        },
        Value::Extension(EXTENSION_DATETIME, body) => {
            let datetime = Datetime::from_extension_body(body).unwrap_or_default();
            hasher.write_i64(datetime.epoch);
            hasher.write_i32(datetime.nanoseconds);
        }
        Value::Nil | Value::Array(_) | Value::Map(_) | Value::Extension(..) => hasher.write_u8(2),
    }
}

/// Feeds the hasher as [`hash_encoded`], but so that strings which the collation finds equal hash
/// equally.
#[cold]
pub(super) fn hash_collated(encoded: &[u8], collation: &Collation, hasher: &mut impl Hasher) {
    match msgpack::read_trusted(encoded).0 {
        Value::String(text) => hasher.write(&collation.sort_key(text)),
        _ => hash_encoded(encoded, hasher),
    }
}

fn hash_double(double: f64, hasher: &mut impl Hasher) {
    let integers = LOWEST_INTEGER as f64..BEYOND_INTEGERS as f64;
    let whole = double.trunc();
    if integers.contains(&double) && whole.total_cmp(&double).is_eq() {
        // -0.0 becomes 0 here.
        hasher.write_u64(double as i128 as u64);
    } else if double.is_nan() {
        hasher.write_u8(3);
    } else {
        hasher.write_u64(double.to_bits());
    }
}

/// The hint of a value as a part of `field_type`: see the head of `key_def.rs`.
#[inline]
pub(super) fn hint_of_value(field_type: FieldType, encoded: &[u8]) -> u64 {
    let (value, _) = msgpack::read_trusted(encoded);
    match (field_type, value) {
        (FieldType::Unsigned, Value::Unsigned(v)) => v,
        (FieldType::String | FieldType::Varbinary, Value::String(bytes) | Value::Binary(bytes)) => {
            leading_bytes(bytes)
        }
        (FieldType::Integer, Value::Unsigned(v)) => v.saturating_add(1 << 63),
        (FieldType::Integer, Value::Negative(v)) => (v as u64) ^ (1 << 63),
        (
            FieldType::Unsigned | FieldType::String | FieldType::Varbinary | FieldType::Integer,
            _,
        ) => 0,
        (_, value) => match field_type.integer_range() {
            Some((0, _)) => hint_of_value(FieldType::Unsigned, encoded),
            Some(_) => hint_of_value(FieldType::Integer, encoded),
            None => hint_by_class(&value),
        },
    }
}

/// The same for a part with a collation.
#[cold]
pub(super) fn hint_of_collated(
    field_type: FieldType,
    encoded: &[u8],
    collation: &Collation,
) -> u64 {
    match (field_type, msgpack::read_trusted(encoded).0) {
        (FieldType::String, Value::String(text)) => collation.leading_sort_key(text),
        (_, Value::String(text)) => {
            (Class::String as u64) << 60 | collation.leading_sort_key(text) >> 4
        }
        _ => hint_of_value(field_type, encoded),
    }
}

/// Class in the top 4 bits, then the leading 60 bits of the value.
fn hint_by_class(value: &Value<'_>) -> u64 {
    let body = match value {
        Value::Boolean(v) => u64::from(*v),
        Value::Unsigned(v) => ordered_bits(*v as f64) >> 4,
        Value::Negative(v) => ordered_bits(*v as f64) >> 4,
        Value::Float(v) => ordered_bits(f64::from(*v)) >> 4,
        Value::Double(v) => ordered_bits(*v) >> 4,
        Value::Extension(EXTENSION_DECIMAL, body) => Decimal::from_extension_body(body)
            .map_or(0, |decimal| ordered_bits(decimal.to_f64()) >> 4),
        Value::String(bytes) | Value::Binary(bytes) | Value::Extension(EXTENSION_UUID, bytes) => {
            leading_bytes(bytes) >> 4
        }
        // The seconds take 49 bits, which leaves 11 for the nanoseconds' first.
        Value::Extension(EXTENSION_DATETIME, body) => {
            Datetime::from_extension_body(body).map_or(0, |datetime| {
                let seconds = (datetime.epoch + (1 << 48)) as u64;
                seconds << 11 | (datetime.nanoseconds as u64 >> 19)
            })
        }
        _ => 0,
    };
    (class(value) as u64) << 60 | body
}

pub(super) fn leading_bytes(bytes: &[u8]) -> u64 {
    if let Some(first) = bytes.first_chunk::<8>() {
        return u64::from_be_bytes(*first);
    }
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    u64::from_be_bytes(padded)
}

/// Maps a double to an integer of the same order; NaN comes first, -0.0 equals 0.0.
fn ordered_bits(double: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    if double.is_nan() {
        return 0;
    }
    let bits = (double + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}
