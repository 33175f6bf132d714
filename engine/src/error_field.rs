//! The details of an error as values: what its text names, for those who want more than text.

use std::fmt;

use crate::msgpack;

/// A tuple that an error is about. It shows as JSON-like text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorTuple(Vec<u8>);

impl ErrorTuple {
    /// A copy of a tuple's `MsgPack`.
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl fmt::Display for ErrorTuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&msgpack::to_text(&self.0))
    }
}

/// One detail of an error.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorField {
    /// A name, a type, a reason.
    Text(String),
    /// A count, a number of a field or part.
    Number(f64),
    /// `MsgPack` of a tuple.
    Tuple(Vec<u8>),
}

impl From<&String> for ErrorField {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&&'static str> for ErrorField {
    fn from(text: &&'static str) -> Self {
        Self::Text((*text).to_owned())
    }
}

impl From<&char> for ErrorField {
    fn from(character: &char) -> Self {
        Self::Text(character.to_string())
    }
}

impl From<&u32> for ErrorField {
    fn from(number: &u32) -> Self {
        Self::Number(f64::from(*number))
    }
}

impl From<&usize> for ErrorField {
    fn from(number: &usize) -> Self {
        Self::Number(*number as f64)
    }
}

impl From<&i64> for ErrorField {
    fn from(number: &i64) -> Self {
        Self::Number(*number as f64)
    }
}

impl From<&ErrorTuple> for ErrorField {
    fn from(tuple: &ErrorTuple) -> Self {
        Self::Tuple(tuple.0.clone())
    }
}
