//! One update operation: its parts, how they are read, its errors, and how it changes a tuple's fields.

use std::borrow::Cow;

use super::fields::Fields;
use super::path::{Path, Token};
use super::scalar::{self, Number, Precision};
use super::{illegal, nested};
use crate::msgpack::{self, Value};
use crate::{Error, ErrorKind, Result};

/// An operation on one place of a tuple.
#[derive(Debug, Clone)]
pub(super) struct Operation<'a> {
    /// The operator as written, for errors.
    pub(super) operator: char,
    pub(super) target: Target<'a>,
    pub(super) action: Action<'a>,
}

/// What an operation does. Values are whole `MsgPack` values.
#[derive(Debug, Clone)]
pub(super) enum Action<'a> {
    Assign(&'a [u8]),
    Insert(&'a [u8]),
    Delete(u32),
    Add(Number),
    Subtract(Number),
    BitAnd(u64),
    BitOr(u64),
    BitXor(u64),
    /// A negative offset counts from behind the string's last byte, a negative length from its end.
    Splice {
        offset: i32,
        cut_length: i32,
        paste: &'a [u8],
    },
}

/// The place that an operation changes.
#[derive(Debug, Clone)]
pub(super) struct Target<'a> {
    /// The tuple's field, counted from 0, or below zero from its end.
    pub(super) field: i64,
    /// The way into the field; empty for the field as a whole.
    pub(super) path: Path<'a>,
    /// The name or the path as written; nothing for a number.
    text: Option<&'a [u8]>,
}

impl<'a> Operation<'a> {
    /// Reads the operation at the front of checked `MsgPack`, and returns what lies behind it.
    pub(super) fn parse(
        data: &'a [u8],
        number: u32,
        index_base: u32,
        names: &dyn Fn(&str) -> Option<u32>,
    ) -> Result<(Self, &'a [u8])> {
        let (Value::Array(part_count), rest) = msgpack::read_trusted(data) else {
            return Err(illegal("update operation must be an array {op,..}"));
        };
        if part_count == 0 {
            return Err(illegal(
                "update operation must be an array {op,..}, got empty array",
            ));
        }
        let (Value::String(operator), rest) = msgpack::read_trusted(rest) else {
            return Err(illegal("update operation name must be a string"));
        };
        let unknown = |reason: String| ErrorKind::UnknownUpdateOp { number, reason };
        let expected = match operator {
            b":" => 5,
            b"=" | b"+" | b"-" | b"&" | b"|" | b"^" | b"!" | b"#" => 3,
            _ => return Err(unknown(format!("\"{}\"", lossy(operator))).into()),
        };
        if part_count != expected {
            let reason =
                format!("wrong number of arguments, expected {expected}, got {part_count}");
            return Err(unknown(reason).into());
        }
        let operator = char::from(operator[0]);
        let (target, rest) = Target::parse(rest, operator, index_base, names)?;
        let (action, rest) = read_action(rest, operator, &target, index_base)?;
        let operation = Self {
            operator,
            target,
            action,
        };
        Ok((operation, rest))
    }

    /// Changes the fields, or fails and leaves them as they are.
    pub(super) fn apply<'f>(&self, fields: &mut Fields<'f>, double_fields: u64) -> Result<()>
    where
        'a: 'f,
    {
        let count = fields.len();
        let field = self.target.field;
        if !self.target.path.is_empty() {
            let index = self.resolve(count)?;
            let changed = nested::apply(self, fields.get(index))?;
            fields.set(index, Cow::Owned(changed));
            return Ok(());
        }
        match self.action {
            Action::Assign(value) if field < count as i64 => {
                let index = self.resolve(count)?;
                fields.set(index, Cow::Borrowed(value));
            }
            Action::Assign(value) | Action::Insert(value) => {
                if field > count as i64 {
                    fields.append_nulls_up_to(field as usize)?;
                }
                let index = self.resolve(fields.len() + 1)?;
                fields.insert(index, Cow::Borrowed(value));
            }
            Action::Delete(_) if field >= count as i64 => {}
            Action::Delete(deleted) => {
                let index = self.resolve(count)?;
                fields.remove(index, deleted as usize);
            }
            _ => {
                let index = self.resolve(count)?;
                let precision = match double_fields & super::mask_bit(index as u64) {
                    0 => Precision::Shortest,
                    _ => Precision::Double,
                };
                let mut changed = Vec::new();
                scalar::apply(self, fields.get(index), precision, &mut changed)?;
                fields.set(index, Cow::Owned(changed));
            }
        }
        Ok(())
    }

    /// The place of the target's field among `count` places.
    fn resolve(&self, count: usize) -> Result<usize> {
        let count = count as i64;
        let field = self.target.field;
        let index = if field < 0 { field + count } else { field };
        if (0..count).contains(&index) {
            Ok(index as usize)
        } else {
            Err(self.no_such_field())
        }
    }

    pub(super) fn no_such_field(&self) -> Error {
        match self.target.text {
            Some(_) => ErrorKind::NoSuchFieldName {
                field: self.target.describe(),
            },
            None => ErrorKind::NoSuchFieldNo {
                field: self.target.number(),
            },
        }
        .into()
    }

    pub(super) fn argument_type(&self, expected: &'static str) -> Error {
        argument_type(self.operator, &self.target, expected)
    }

    pub(super) fn splice_out_of_bound(&self) -> Error {
        splice_out_of_bound(&self.target)
    }

    pub(super) fn malformed_path(&self, position: usize) -> Error {
        self.target.malformed(position)
    }

    pub(super) fn failed(&self, reason: &str) -> Error {
        self.target.failed(reason)
    }
}

impl<'a> Target<'a> {
    fn parse(
        data: &'a [u8],
        operator: char,
        index_base: u32,
        names: &dyn Fn(&str) -> Option<u32>,
    ) -> Result<(Self, &'a [u8])> {
        let (value, rest) = msgpack::read_trusted(data);
        let target = match value {
            Value::Unsigned(_) | Value::Negative(_) => {
                Self::from_number(value, operator, index_base)?
            }
            Value::String(text) => Self::from_text(text, names)?,
            _ => return Err(illegal("field id must be a number or a string")),
        };
        Ok((target, rest))
    }

    fn from_number(value: Value<'_>, operator: char, index_base: u32) -> Result<Self> {
        let at = |field| Self {
            field,
            path: Path::new(&[]),
            text: None,
        };
        let base = i64::from(index_base);
        let Some(number) = int32(value) else {
            let field = match value {
                Value::Unsigned(number) => i64::try_from(number - 1).unwrap_or(i64::MAX - 1),
                Value::Negative(number) => number,
                _ => 0,
            };
            return Err(argument_type(operator, &at(field), "an integer"));
        };
        match i64::from(number) {
            number if number >= base => Ok(at(number - base)),
            number if number < 0 => Ok(at(number)),
            number => Err(ErrorKind::NoSuchFieldNo { field: number }.into()),
        }
    }

    /// A whole name goes before a path: names may look like paths.
    fn from_text(text: &'a [u8], names: &dyn Fn(&str) -> Option<u32>) -> Result<Self> {
        let by_name = |name| {
            std::str::from_utf8(name)
                .ok()
                .and_then(names)
                .map(i64::from)
        };
        let mut target = Self {
            field: 0,
            path: Path::new(&[]),
            text: Some(text),
        };
        if let Some(field) = by_name(text) {
            target.field = field;
            return Ok(target);
        }
        let mut path = Path::new(text);
        let first = path.next().map_err(|position| target.malformed(position))?;
        let field = match first {
            // No tuple has as many fields as 32 bits count.
            Token::Index(index) => Some(i64::from(u32::try_from(index - 1).unwrap_or(u32::MAX))),
            Token::Key(name) => by_name(name),
            Token::Any | Token::End => None,
        };
        target.field = field.ok_or_else(|| ErrorKind::NoSuchFieldName { field: lossy(text) })?;
        target.path = path;
        Ok(target)
    }

    /// The field as errors call it: its number from 1, or its name or path in quotes.
    pub(super) fn describe(&self) -> String {
        match self.text {
            Some(text) => format!("'{}'", lossy(text)),
            None => self.number().to_string(),
        }
    }

    fn number(&self) -> i64 {
        self.field + i64::from(self.field >= 0)
    }

    fn malformed(&self, position: usize) -> Error {
        self.failed(&format!("invalid JSON in position {position}"))
    }

    fn failed(&self, reason: &str) -> Error {
        ErrorKind::UpdateField {
            field: self.describe(),
            reason: reason.to_owned(),
        }
        .into()
    }
}

/// Reads the arguments behind the field.
fn read_action<'a>(
    data: &'a [u8],
    operator: char,
    target: &Target<'a>,
    index_base: u32,
) -> Result<(Action<'a>, &'a [u8])> {
    let wrong_type = |expected| argument_type(operator, target, expected);
    let rest = msgpack::skip_trusted(data);
    let whole = &data[..data.len() - rest.len()];
    let (value, _) = msgpack::read_trusted(data);
    let number = || Number::new(value).ok_or_else(|| wrong_type("a number"));
    let unsigned = || match value {
        Value::Unsigned(number) => Ok(number),
        _ => Err(wrong_type("a positive integer")),
    };
    let action = match operator {
        '=' => Action::Assign(whole),
        '!' => Action::Insert(whole),
        '+' => Action::Add(number()?),
        '-' => Action::Subtract(number()?),
        '&' => Action::BitAnd(unsigned()?),
        '|' => Action::BitOr(unsigned()?),
        '^' => Action::BitXor(unsigned()?),
        '#' => match unsigned()? {
            0 => return Err(target.failed("cannot delete 0 fields")),
            count => Action::Delete(u32::try_from(count).unwrap_or(u32::MAX)),
        },
        _ => return read_splice(data, operator, target, index_base),
    };
    Ok((action, rest))
}

fn read_splice<'a>(
    data: &'a [u8],
    operator: char,
    target: &Target<'a>,
    index_base: u32,
) -> Result<(Action<'a>, &'a [u8])> {
    let wrong_type = |expected| argument_type(operator, target, expected);
    let (offset, rest) = msgpack::read_trusted(data);
    let mut offset = int32(offset).ok_or_else(|| wrong_type("an integer"))?;
    if offset >= 0 {
        offset = offset
            .checked_sub_unsigned(index_base)
            .filter(|offset| *offset >= 0)
            .ok_or_else(|| splice_out_of_bound(target))?;
    }
    let (cut_length, rest) = msgpack::read_trusted(rest);
    let cut_length = int32(cut_length).ok_or_else(|| wrong_type("an integer"))?;
    let (Value::String(paste), rest) = msgpack::read_trusted(rest) else {
        return Err(wrong_type("a string"));
    };
    let action = Action::Splice {
        offset,
        cut_length,
        paste,
    };
    Ok((action, rest))
}

fn argument_type(operation: char, target: &Target<'_>, expected: &'static str) -> Error {
    ErrorKind::UpdateArgType {
        operation,
        field: target.describe(),
        expected,
    }
    .into()
}

fn splice_out_of_bound(target: &Target<'_>) -> Error {
    ErrorKind::UpdateSplice {
        field: target.describe(),
        reason: "offset is out of bound".to_owned(),
    }
    .into()
}

fn int32(value: Value<'_>) -> Option<i32> {
    match value {
        Value::Unsigned(number) => i32::try_from(number).ok(),
        Value::Negative(number) => i32::try_from(number).ok(),
        _ => None,
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}
