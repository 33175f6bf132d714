//! Operations that make a new scalar of an old one: arithmetic, bits, splice.

use super::operation::{Action, Operation};
use crate::datetime::{Datetime, Interval};
use crate::decimal::Decimal;
use crate::msgpack::{self, Value};
use crate::{ErrorKind, Result};

/// A number in the kind it is stored in, or a time, which adds up as well.
#[derive(Debug, Clone)]
pub(super) enum Number {
    /// Wide enough for the sum of any two stored integers.
    Integer(i128),
    Float(f32),
    Double(f64),
    Decimal(Decimal),
    Datetime(Datetime),
    Interval(Interval),
}

/// How binary sums are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// In single precision where that loses nothing.
    Shortest,
    Double,
}

impl Number {
    /// The number that a value is, if it is one.
    pub(super) fn new(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Unsigned(number) => Some(Self::Integer(number.into())),
            Value::Negative(number) => Some(Self::Integer(number.into())),
            Value::Float(number) => Some(Self::Float(number)),
            Value::Double(number) => Some(Self::Double(number)),
            Value::Extension(msgpack::EXTENSION_DECIMAL, body) => {
                Decimal::from_extension_body(body).ok().map(Self::Decimal)
            }
            Value::Extension(msgpack::EXTENSION_DATETIME, body) => {
                Datetime::from_extension_body(body).map(Self::Datetime)
            }
            Value::Extension(msgpack::EXTENSION_INTERVAL, body) => {
                Interval::from_extension_body(body).map(Self::Interval)
            }
            _ => None,
        }
    }

    /// The number as a double, unless it is a decimal or a time.
    fn to_binary(&self) -> Option<f64> {
        match *self {
            Self::Integer(number) => Some(number as f64),
            Self::Float(number) => Some(number.into()),
            Self::Double(number) => Some(number),
            Self::Decimal(_) | Self::Datetime(_) | Self::Interval(_) => None,
        }
    }

    fn is_time(&self) -> bool {
        matches!(self, Self::Datetime(_) | Self::Interval(_))
    }

    /// The number as a decimal, unless it is a time or too large for one.
    fn to_decimal(&self) -> Option<Decimal> {
        match self {
            Self::Integer(number) => match u64::try_from(*number) {
                Ok(unsigned) => Some(Decimal::from(unsigned)),
                Err(_) => i64::try_from(*number).ok().map(Decimal::from),
            },
            Self::Float(number) => Decimal::from_f64(f64::from(*number)),
            Self::Double(number) => Decimal::from_f64(*number),
            Self::Decimal(number) => Some(number.clone()),
            Self::Datetime(_) | Self::Interval(_) => None,
        }
    }
}

/// Appends the changed value of a scalar, or the value assigned.
///
/// # Panics
/// On an insertion or a deletion, which change the fields around the value instead.
pub(super) fn apply(
    operation: &Operation<'_>,
    old: &[u8],
    precision: Precision,
    out: &mut Vec<u8>,
) -> Result<()> {
    let (value, _) = msgpack::read_trusted(old);
    let unsigned = || match value {
        Value::Unsigned(number) => Ok(number),
        _ => Err(operation.argument_type("a positive integer")),
    };
    match &operation.action {
        Action::Assign(new) => out.extend_from_slice(new),
        Action::Add(number) | Action::Subtract(number) => {
            let old = Number::new(value).ok_or_else(|| operation.argument_type("a number"))?;
            add(operation, &old, number, precision, out)?;
        }
        Action::BitAnd(bits) => msgpack::write_unsigned(out, unsigned()? & bits),
        Action::BitOr(bits) => msgpack::write_unsigned(out, unsigned()? | bits),
        Action::BitXor(bits) => msgpack::write_unsigned(out, unsigned()? ^ bits),
        Action::Splice {
            offset,
            cut_length,
            paste,
        } => {
            let Value::String(text) = value else {
                return Err(operation.argument_type("a string"));
            };
            let (start, end) = splice_bounds(text.len(), *offset, *cut_length)
                .ok_or_else(|| operation.splice_out_of_bound())?;
            let spliced = [&text[..start], paste, &text[end..]].concat();
            msgpack::write_string(out, &spliced);
        }
        Action::Insert(_) | Action::Delete(_) => {
            unreachable!("insertions and deletions do not change a scalar")
        }
    }
    Ok(())
}

/// Adds or subtracts. The kind of the sum: decimal if either is one, else integer if both are, else
/// binary.
fn add(
    operation: &Operation<'_>,
    old: &Number,
    by: &Number,
    precision: Precision,
    out: &mut Vec<u8>,
) -> Result<()> {
    let subtract = matches!(operation.action, Action::Subtract(_));
    if let (Number::Integer(old), Number::Integer(by)) = (old, by) {
        let sum = if subtract { old - by } else { old + by };
        return write_integer(operation, sum, out);
    }
    if let (Some(old), Some(by)) = (old.to_binary(), by.to_binary()) {
        let sum = if subtract { old - by } else { old + by };
        write_binary_number(sum, precision, out);
        return Ok(());
    }
    if old.is_time() || by.is_time() {
        return add_time(operation, old, by, out);
    }
    let (Some(old), Some(by)) = (old.to_decimal(), by.to_decimal()) else {
        return Err(operation.argument_type("a number convertible to decimal"));
    };
    let sum = if subtract {
        old.checked_sub(&by)
    } else {
        old.checked_add(&by)
    };
    let sum = sum.ok_or_else(|| ErrorKind::UpdateDecimalOverflow {
        operation: operation.operator,
        field: operation.target.describe(),
    })?;
    sum.write(out);
    Ok(())
}

/// Adds or subtracts an interval, or the difference of two times.
fn add_time(operation: &Operation<'_>, old: &Number, by: &Number, out: &mut Vec<u8>) -> Result<()> {
    let sign = if matches!(operation.action, Action::Subtract(_)) {
        -1
    } else {
        1
    };
    let overflow = || ErrorKind::UpdateIntegerOverflow {
        operation: operation.operator,
        field: operation.target.describe(),
    };
    let interval = match (old, by) {
        (Number::Datetime(old), Number::Interval(by)) => {
            let sum = old.shifted(sign, by).map_err(|_| overflow())?;
            msgpack::write_extension(out, msgpack::EXTENSION_DATETIME, &sum.extension_body());
            return Ok(());
        }
        (Number::Interval(old), Number::Interval(by)) => old.combined(sign, by),
        (Number::Datetime(old), Number::Datetime(by)) if sign == -1 => old.since(by),
        _ => return Err(operation.argument_type("datetime or interval")),
    };
    if interval.out_of_range().is_some() {
        return Err(overflow().into());
    }
    msgpack::write_extension(out, msgpack::EXTENSION_INTERVAL, &interval.extension_body());
    Ok(())
}

fn write_integer(operation: &Operation<'_>, number: i128, out: &mut Vec<u8>) -> Result<()> {
    if let Ok(number) = u64::try_from(number) {
        msgpack::write_unsigned(out, number);
    } else if let Ok(number) = i64::try_from(number) {
        msgpack::write_integer(out, number);
    } else {
        return Err(ErrorKind::UpdateIntegerOverflow {
            operation: operation.operator,
            field: operation.target.describe(),
        }
        .into());
    }
    Ok(())
}

fn write_binary_number(number: f64, precision: Precision, out: &mut Vec<u8>) {
    let single = number as f32;
    if precision == Precision::Shortest
        && single.is_finite()
        && f64::from(single).to_bits() == number.to_bits()
    {
        msgpack::write_float(out, single);
    } else {
        msgpack::write_double(out, number);
    }
}

/// The range of a string of `length` bytes that a splice replaces; nothing when it starts before it.
fn splice_bounds(length: usize, offset: i32, cut_length: i32) -> Option<(usize, usize)> {
    let length = length as i64;
    let (offset, cut_length) = (i64::from(offset), i64::from(cut_length));
    let start = if offset < 0 {
        offset + length + 1
    } else {
        offset.min(length)
    };
    let behind = length - start;
    // A negative length leaves that many bytes at the end, and cuts nothing when there are not so many.
    let cut = if cut_length < 0 {
        (cut_length + behind).max(0)
    } else {
        cut_length.min(behind)
    };
    (start >= 0).then_some((start as usize, (start + cut) as usize))
}
