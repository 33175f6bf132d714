//! A tuple under change: a list of its fields as slices, split off the tuple only as far as needed.

use std::borrow::Cow;

use crate::msgpack::{self, Value};
use crate::{ErrorKind, Result};

/// The most fields that a gap may leave a tuple with. A tuple of that many nulls is as large as the
/// largest tuple that is allowed by default, and one number must not ask for gigabytes.
const MAXIMUM_GAP_END: usize = 1 << 20;

/// The fields of a tuple, in order.
pub(super) struct Fields<'a> {
    /// The first fields, one by one.
    split: Vec<Cow<'a, [u8]>>,
    /// The fields behind them, as they are in the tuple.
    rest: &'a [u8],
    rest_count: usize,
}

impl<'a> Fields<'a> {
    /// The fields of a checked tuple.
    ///
    /// # Panics
    /// When it is no array.
    pub(super) fn new(tuple: &'a [u8]) -> Self {
        let (Value::Array(count), rest) = msgpack::read_trusted(tuple) else {
            panic!("a tuple is a MsgPack array");
        };
        Self {
            split: Vec::new(),
            rest,
            rest_count: count as usize,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.split.len() + self.rest_count
    }

    /// Splits off fields until `count` of them are, or all.
    fn split_up_to(&mut self, count: usize) {
        while self.split.len() < count && self.rest_count > 0 {
            let rest = msgpack::skip_trusted(self.rest);
            let field = &self.rest[..self.rest.len() - rest.len()];
            self.split.push(Cow::Borrowed(field));
            self.rest = rest;
            self.rest_count -= 1;
        }
    }

    pub(super) fn get(&mut self, index: usize) -> &[u8] {
        self.split_up_to(index + 1);
        &self.split[index]
    }

    pub(super) fn set(&mut self, index: usize, value: Cow<'a, [u8]>) {
        self.split_up_to(index + 1);
        self.split[index] = value;
    }

    pub(super) fn insert(&mut self, index: usize, value: Cow<'a, [u8]>) {
        self.split_up_to(index);
        self.split.insert(index, value);
    }

    /// Removes `count` fields from `index` on, or as many as there are.
    pub(super) fn remove(&mut self, index: usize, count: usize) {
        let end = index.saturating_add(count).min(self.len());
        self.split_up_to(end);
        self.split.drain(index..end);
    }

    /// Appends nulls until there are `count` fields. Fails with `MaxTupleSize` when that is more than
    /// any tuple has room for.
    pub(super) fn append_nulls_up_to(&mut self, count: usize) -> Result<()> {
        if count > MAXIMUM_GAP_END {
            return Err(ErrorKind::MaxTupleSize { bytes: count }.into());
        }
        self.split_up_to(usize::MAX);
        self.split.resize(count, Cow::Borrowed(&[0xc0]));
        Ok(())
    }

    /// Makes `out` the tuple of these fields.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        msgpack::write_array_header(out, self.len() as u32);
        for field in &self.split {
            out.extend_from_slice(field);
        }
        out.extend_from_slice(self.rest);
    }
}
