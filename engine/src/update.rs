//! Update operations: a parsed, checked list of changes, applied to encoded tuples.
//!
//! A tuple under change is a list of slices, split only as far as the operations reach: one `+` on the
//! third field passes over three values, copies the rest as one piece, and decodes nothing else. Each
//! operation sees the result of those before it. An operation with a path into a nested value copies
//! that one field; `!` and `#` on the tuple itself move the list of slices behind the place.
//!
//! The semantics are those of Tarantool 3.9, but for three things. Several operations may change one
//! nested place, where Tarantool refuses some combinations. A map that they change may keep another
//! order of keys. Dates and intervals are not added.

mod fields;
mod nested;
mod operation;
mod path;
mod scalar;

use self::fields::Fields;
use self::operation::{Action, Operation};
use crate::msgpack;
use crate::{Error, ErrorKind, Result};

/// The most operations that one update may hold.
pub const MAXIMUM_OPERATIONS: u32 = 4000;

/// The bit of [`Operations::column_mask`] that stands for all fields from the 64th on.
const LAST_MASK_BIT: u64 = 63;

/// A checked list of update operations. It borrows the arguments from the request's bytes.
#[derive(Debug, Clone)]
pub struct Operations<'a> {
    operations: Vec<Operation<'a>>,
    double_fields: u64,
}

impl<'a> Operations<'a> {
    /// Reads a `MsgPack` array of operations, each of them an array: `[operator, field, arguments...]`.
    ///
    /// `index_base`, 0 or 1, is the number of the first field and of a string's first byte. Fields may
    /// be named; `names` gives a name's field, counted from 0. Paths into fields always count from 1.
    /// Fails with `IllegalParams`, `InvalidMsgpack`, `UnknownUpdateOp`, `UpdateArgType`,
    /// `UpdateField`, `UpdateSplice`, `NoSuchFieldNo` or `NoSuchFieldName`.
    pub fn parse(
        operations: &'a [u8],
        index_base: u32,
        names: &dyn Fn(&str) -> Option<u32>,
    ) -> Result<Self> {
        let count = msgpack::check_array(operations).map_err(|error| match error.kind() {
            ErrorKind::TupleNotArray => {
                illegal("update operations must be an array {{op,..}, {op,..}}")
            }
            _ => error,
        })?;
        if count > MAXIMUM_OPERATIONS {
            return Err(illegal("too many operations for update"));
        }
        let (_, mut rest) = msgpack::read_trusted(operations);
        let mut parsed = Vec::with_capacity(count as usize);
        for number in 1..=count {
            let (operation, behind) = Operation::parse(rest, number, index_base, names)?;
            parsed.push(operation);
            rest = behind;
        }
        Ok(Self {
            operations: parsed,
            double_fields: 0,
        })
    }

    /// Names the fields whose type is `double`, as a set of bits laid out like
    /// [`Operations::column_mask`]. Sums are stored in single precision where that loses nothing, but
    /// in these fields always in double precision.
    #[must_use]
    pub fn with_double_fields(mut self, double_fields: u64) -> Self {
        self.double_fields = double_fields;
        self
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are none, so that applying changes nothing.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Applies every operation to a checked tuple; `out` becomes the new tuple. Fails with the error
    /// of the first operation that does not fit, and leaves `out` as it was.
    pub fn apply(&self, tuple: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let mut fields = Fields::new(tuple);
        for operation in &self.operations {
            operation.apply(&mut fields, self.double_fields)?;
        }
        fields.write(out);
        Ok(())
    }

    /// Applies the operations to a checked tuple, passing over those that do not fit it, and returns
    /// their errors; `out` becomes the new tuple. Fails only with `MaxTupleSize`.
    pub fn apply_upsert(&self, tuple: &[u8], out: &mut Vec<u8>) -> Result<Vec<Error>> {
        let mut fields = Fields::new(tuple);
        let mut skipped = Vec::new();
        for operation in &self.operations {
            match operation.apply(&mut fields, self.double_fields) {
                Ok(()) => {}
                Err(error) if matches!(error.kind(), ErrorKind::MaxTupleSize { .. }) => {
                    return Err(error);
                }
                Err(error) => skipped.push(error),
            }
        }
        fields.write(out);
        Ok(skipped)
    }

    /// The fields that the operations may change in a tuple of `field_count` fields, as a set of bits:
    /// bit n is field n, counted from 0, and bit 63 stands for every field from the 64th on. Nulls
    /// that fill a gap behind the end are not named: an absent field and a null are one to an index.
    pub fn column_mask(&self, field_count: u32) -> u64 {
        let mut mask = 0;
        let mut count = i64::from(field_count);
        for operation in &self.operations {
            let is_whole = operation.target.path.is_empty();
            let is_insert = is_whole && matches!(operation.action, Action::Insert(_));
            let field = match operation.target.field {
                field @ 0.. => field,
                // An insertion counts from behind the last field.
                field => count + field + i64::from(is_insert),
            };
            if field < 0 {
                return u64::MAX;
            }
            let bit = mask_bit(field as u64);
            match operation.action {
                Action::Insert(_) if is_whole => {
                    mask |= !(bit - 1);
                    count = count.max(field) + 1;
                }
                Action::Delete(deleted) if is_whole => {
                    mask |= !(bit - 1);
                    count -= i64::from(deleted).min((count - field).max(0));
                }
                Action::Assign(_) if is_whole => {
                    mask |= bit;
                    count = count.max(field + 1);
                }
                _ => mask |= bit,
            }
        }
        mask
    }
}

/// The bit that stands for a field, counted from 0, in a set of fields.
fn mask_bit(field: u64) -> u64 {
    1 << field.min(LAST_MASK_BIT)
}

fn illegal(reason: &str) -> Error {
    ErrorKind::IllegalParams {
        reason: reason.to_owned(),
    }
    .into()
}

#[cfg(test)]
mod tests;
