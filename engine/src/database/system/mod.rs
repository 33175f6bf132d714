//! The system spaces: ordinary spaces whose rows describe the schema.
//!
//! [`Database::bootstrap`] makes them. From then on every change of the schema writes the rows of
//! `_space`, `_index` and their like in the transaction that makes the change, so that rollback
//! undoes both. A database that was not bootstrapped has none, and pays nothing.

mod bootstrap;
mod catalog;

use crate::error::{ErrorKind, Result};
use crate::index::IndexOptions;
use crate::msgpack;
use crate::schema::{Collation, Format, KeyPart};
use crate::space::{PutMode, Space};
use crate::transaction::{Change, State};
use crate::tuple::{Encoded, Fields, field};

use super::{Database, no_such_space};

pub(crate) use catalog::{
    FUNC_ID, INDEX_ID, PRIV_ID, SEQUENCE_DATA_ID, SEQUENCE_ID, SPACE_ID, SPACE_SEQUENCE_ID,
    TRUNCATE_ID, VIEWS, view_source,
};

/// Number of the user that owns what nobody else does.
pub(crate) const ADMIN: u32 = 1;

/// Numbers of the fields of `_space`.
pub(crate) mod space_field {
    pub(crate) const OWNER: u32 = 1;
    pub(crate) const NAME: u32 = 2;
    pub(crate) const FIELD_COUNT: u32 = 4;
    pub(crate) const FLAGS: u32 = 5;
    pub(crate) const FORMAT: u32 = 6;
}

/// Number of the field of `_index` that holds the name.
pub(crate) const INDEX_NAME_FIELD: u32 = 2;

/// Number of the field of `_index` that holds the options.
const INDEX_OPTIONS_FIELD: u32 = 4;

/// A key of one number.
pub(crate) fn key(id: u32) -> Vec<u8> {
    Fields::new().unsigned(u64::from(id)).finish()
}

/// A key of two numbers.
pub(crate) fn key2(first: u32, second: u32) -> Vec<u8> {
    Fields::new()
        .unsigned(u64::from(first))
        .unsigned(u64::from(second))
        .finish()
}

/// One value of MsgPack, written by `write`.
pub(crate) fn value(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out);
    out
}

/// The fields of a format as `_space` shows them.
pub(crate) fn format_value(format: &Format) -> Vec<u8> {
    value(|out| {
        msgpack::write_array_header(out, format.fields().len() as u32);
        for field in format.fields() {
            let entries = 2 + u32::from(field.is_nullable) + u32::from(field.collation.is_some());
            msgpack::write_map_header(out, entries);
            msgpack::write_string(out, b"name");
            msgpack::write_string(out, field.name.as_bytes());
            msgpack::write_string(out, b"type");
            msgpack::write_string(out, field.field_type.name().as_bytes());
            if field.is_nullable {
                msgpack::write_string(out, b"is_nullable");
                msgpack::write_boolean(out, true);
            }
            write_collation(out, field.collation);
        }
    })
}

/// An entry `collation` with the number of the collation, if there is one.
fn write_collation(out: &mut Vec<u8>, collation: Option<&Collation>) {
    if let Some(collation) = collation {
        msgpack::write_string(out, b"collation");
        msgpack::write_unsigned(out, u64::from(collation.id()));
    }
}

/// Key parts as `_index` shows them: pairs of field and type where that says all.
fn parts_value(parts: &[KeyPart]) -> Vec<u8> {
    let is_plain = |part: &KeyPart| *part == KeyPart::new(part.field, part.field_type);
    let all_plain = parts.iter().all(is_plain);
    value(|out| {
        msgpack::write_array_header(out, parts.len() as u32);
        for part in parts {
            if all_plain {
                msgpack::write_array_header(out, 2);
                msgpack::write_unsigned(out, u64::from(part.field));
                msgpack::write_string(out, part.field_type.name().as_bytes());
            } else {
                write_part(out, part);
            }
        }
    })
}

/// One key part as a map.
fn write_part(out: &mut Vec<u8>, part: &KeyPart) {
    let entries = [
        part.is_nullable,
        part.is_descending,
        part.excludes_null,
        part.collation.is_some(),
    ];
    let count = entries.iter().filter(|is_there| **is_there).count();
    msgpack::write_map_header(out, 2 + count as u32);
    msgpack::write_string(out, b"field");
    msgpack::write_unsigned(out, u64::from(part.field));
    msgpack::write_string(out, b"type");
    msgpack::write_string(out, part.field_type.name().as_bytes());
    if part.is_nullable {
        msgpack::write_string(out, b"is_nullable");
        msgpack::write_boolean(out, true);
    }
    if part.is_descending {
        msgpack::write_string(out, b"sort_order");
        msgpack::write_string(out, b"desc");
    }
    if part.excludes_null {
        msgpack::write_string(out, b"exclude_null");
        msgpack::write_boolean(out, true);
    }
    write_collation(out, part.collation);
}

fn unique_value(is_unique: bool) -> Vec<u8> {
    value(|out| {
        msgpack::write_map_header(out, 1);
        msgpack::write_string(out, b"unique");
        msgpack::write_boolean(out, is_unique);
    })
}

/// What the row of a space says beyond what the engine itself keeps.
#[derive(Default)]
pub(crate) struct SpaceRow<'a> {
    pub(crate) owner: Option<u32>,
    pub(crate) engine: Option<&'a str>,
    pub(crate) flags: Option<&'a [u8]>,
    pub(crate) format: Option<&'a [u8]>,
}

impl SpaceRow<'_> {
    fn encode(&self, space: &Space) -> Result<Vec<u8>> {
        let format = match self.format {
            Some(format) => format.to_vec(),
            None => format_value(&space.format),
        };
        let row = Fields::new()
            .unsigned(u64::from(space.id))
            .unsigned(u64::from(self.owner.unwrap_or(ADMIN)))
            .string(&space.name)
            .string(self.engine.unwrap_or("memtx"))
            .unsigned(u64::from(space.format.exact_field_count()))
            .raw(self.flags.unwrap_or(&[0x80]))?
            .raw(&format)?;
        Ok(row.finish())
    }
}

/// The row of an index.
fn index_row(space_id: u32, id: u32, name: &str, options: &IndexOptions) -> Result<Vec<u8>> {
    let unique = unique_value(options.is_unique);
    let row = Fields::new()
        .unsigned(u64::from(space_id))
        .unsigned(u64::from(id))
        .string(name)
        .string(&options.index_type.name().to_ascii_lowercase())
        .raw(options.declared.as_deref().unwrap_or(&unique))?
        .raw(&parts_value(&options.parts))?;
    Ok(row.finish())
}

/// A copy of a row with another value in one of its fields.
fn with_field(row: &[u8], number: u32, new: &[u8]) -> Vec<u8> {
    let Some(at) = field(row, number) else {
        return row.to_vec();
    };
    let rest = msgpack::skip_trusted(at);
    let mut out = Vec::with_capacity(row.len() + new.len());
    out.extend_from_slice(&row[..row.len() - at.len()]);
    out.extend_from_slice(new);
    out.extend_from_slice(rest);
    out
}

impl Database {
    /// The encoded row of a system space, or nothing.
    pub(crate) fn system_row(&self, space_id: u32, key: &[u8]) -> Option<&[u8]> {
        let primary = self.spaces.get(&space_id)?.primary()?;
        let tuple = primary.get(Encoded::trusted(key))?;
        // SAFETY: the index holds the tuple, and the result borrows the database.
        Some(unsafe { tuple.bytes() })
    }

    /// The owner, the flags and the format of a space as its row in `_space` has them; the last
    /// two are MsgPack. Nothing without a row.
    pub fn space_declaration(&self, space_id: u32) -> Option<(u32, &[u8], &[u8])> {
        let row = self.system_row(SPACE_ID, &key(space_id))?;
        let part = |number| {
            let at = field(row, number)?;
            Some(&at[..at.len() - msgpack::skip_trusted(at).len()])
        };
        let (owner, _) = msgpack::read_trusted(part(space_field::OWNER)?);
        let msgpack::Value::Unsigned(owner) = owner else {
            return None;
        };
        let (flags, format) = (part(space_field::FLAGS)?, part(space_field::FORMAT)?);
        Some((owner as u32, flags, format))
    }

    /// The options of an index as its row in `_index` has them, `MsgPack`. Nothing without a row.
    pub fn index_declaration(&self, space_id: u32, index_id: u32) -> Option<&[u8]> {
        let row = self.system_row(INDEX_ID, &key2(space_id, index_id))?;
        let at = field(row, INDEX_OPTIONS_FIELD)?;
        Some(&at[..at.len() - msgpack::skip_trusted(at).len()])
    }

    /// Puts a row into a system space, if there are system spaces.
    pub(crate) fn write_system_row(&mut self, space_id: u32, row: &[u8]) -> Result<()> {
        self.put_system_row(space_id, row, PutMode::Replace)
    }

    fn put_system_row(&mut self, space_id: u32, row: &[u8], mode: PutMode) -> Result<()> {
        let Some(space) = self.spaces.get_mut(&space_id) else {
            return Ok(());
        };
        let new = self.memory.allocate(row)?;
        match space.put(new, mode, self.memory.arena()) {
            Ok(old) => {
                self.log(Change::Row {
                    space_id,
                    old,
                    new: Some(new),
                });
                Ok(())
            }
            Err(error) => {
                // SAFETY: no index has taken the tuple; the reference is still ours.
                unsafe { self.memory.release(new) }
                Err(error)
            }
        }
    }

    /// Removes a row from a system space, if it is there.
    pub(crate) fn remove_system_row(&mut self, space_id: u32, key: &[u8]) {
        let Some(space) = self.spaces.get_mut(&space_id) else {
            return;
        };
        let Some(old) = space.take_by_key(key) else {
            return;
        };
        self.log(Change::Row {
            space_id,
            old: Some(old),
            new: None,
        });
    }

    /// Changes one field of a row, if it is there.
    pub(crate) fn edit_system_row(
        &mut self,
        space_id: u32,
        key: &[u8],
        number: u32,
        new: &[u8],
    ) -> Result<()> {
        match self.system_row(space_id, key) {
            Some(row) => {
                let row = with_field(row, number, new);
                self.write_system_row(space_id, &row)
            }
            None => Ok(()),
        }
    }

    /// Adds the row of a space that is about to be made. Fails with `TupleFound` when its number or
    /// name is taken.
    pub(crate) fn add_space_row(&mut self, space: &Space, row: &SpaceRow<'_>) -> Result<()> {
        if self.spaces.contains_key(&SPACE_ID) {
            let row = row.encode(space)?;
            self.put_system_row(SPACE_ID, &row, PutMode::Insert)?;
        }
        Ok(())
    }

    /// Adds the row of an index that is about to be made. Fails with `TupleFound` when its number or
    /// name is taken.
    pub(crate) fn add_index_row(
        &mut self,
        space_id: u32,
        id: u32,
        name: &str,
        options: &IndexOptions,
    ) -> Result<()> {
        let row = index_row(space_id, id, name, options)?;
        self.put_system_row(INDEX_ID, &row, PutMode::Insert)
    }

    /// Writes the row of an index that was altered.
    pub(crate) fn write_index_row(
        &mut self,
        space_id: u32,
        id: u32,
        name: &str,
        options: &IndexOptions,
    ) -> Result<()> {
        let row = index_row(space_id, id, name, options)?;
        self.write_system_row(INDEX_ID, &row)
    }

    /// Removes all rows of a space that is dropped.
    pub(crate) fn remove_space_rows(&mut self, space: &Space) {
        for index in &space.indexes {
            self.remove_system_row(INDEX_ID, &key2(space.id, index.id));
        }
        self.remove_grants("space", space.id);
        self.remove_system_row(TRUNCATE_ID, &key(space.id));
        self.remove_system_row(SPACE_ID, &key(space.id));
    }

    /// Removes what was granted on an object.
    pub(crate) fn remove_grants(&mut self, object_type: &str, object_id: u32) {
        let object = Fields::new()
            .string(object_type)
            .unsigned(u64::from(object_id))
            .finish();
        for row in self.system_rows_of(PRIV_ID, 2, &object) {
            let key = self
                .spaces
                .get(&PRIV_ID)
                .and_then(|space| space.primary())
                .map(|primary| primary.definition().extract_key(&row));
            if let Some(key) = key {
                self.remove_system_row(PRIV_ID, &key);
            }
        }
    }

    /// Removes what was granted on an object, as part of the transaction if there is one. Fails
    /// with `TransactionYield`.
    pub fn remove_grants_on(&mut self, object_type: &str, object_id: u32) -> Result<()> {
        self.as_statement(|database| {
            database.remove_grants(object_type, object_id);
            Ok(())
        })
    }

    /// Copies of the rows that a key of an index finds.
    pub(crate) fn system_rows_of(&self, space_id: u32, index_id: u32, key: &[u8]) -> Vec<Vec<u8>> {
        let mut rows = Vec::new();
        let index = self.spaces.get(&space_id).map(|s| s.index(index_id));
        if let Some(Ok(index)) = index
            && let crate::index::Structure::Tree(tree) = &index.structure
        {
            let key = Encoded::trusted(key);
            let mut scan = tree.scan(crate::index::IteratorType::Eq, key);
            while let Some(tuple) = scan.next(tree).filter(|tuple| tree.matches(*tuple, key)) {
                // SAFETY: the tuple has just come out of the index.
                rows.push(unsafe { tuple.bytes() }.to_vec());
            }
        }
        rows
    }

    /// Counts one more truncation of a space.
    pub(crate) fn count_truncation(&mut self, space_id: u32) -> Result<()> {
        let count = self
            .system_row(TRUNCATE_ID, &key(space_id))
            .and_then(|row| field(row, 1))
            .map_or(0, |at| match msgpack::read_trusted(at).0 {
                msgpack::Value::Unsigned(count) => count,
                _ => 0,
            });
        let row = Fields::new()
            .unsigned(u64::from(space_id))
            .unsigned(count + 1)
            .finish();
        self.write_system_row(TRUNCATE_ID, &row)
    }

    /// Runs a change of the schema and of its rows as one statement: all of it, or nothing.
    pub(crate) fn as_statement<R>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R> {
        self.touch()?;
        let is_own = self.transaction.state == State::Idle;
        let position = self.transaction.log.len();
        if is_own {
            self.transaction.state = State::Active;
        }
        let outcome = body(self);
        if outcome.is_err() {
            self.undo_to(position);
        }
        if is_own {
            self.settle_all();
        }
        outcome
    }

    /// Fails with `Unsupported` for a system space, with `ViewIsReadOnly` for a view.
    pub(crate) fn check_alterable(&self, space_id: u32) -> Result<()> {
        self.check_no_system_space(space_id, |space| ErrorKind::Unsupported {
            subject: String::from("Lycosa"),
            feature: format!("altering the system space '{space}'"),
        })
    }

    /// Fails with what `refusal` makes of its name for a system space, with `ViewIsReadOnly` for a
    /// view.
    pub(crate) fn check_no_system_space(
        &self,
        space_id: u32,
        refusal: impl FnOnce(String) -> ErrorKind,
    ) -> Result<()> {
        match self.spaces.get(&space_id) {
            Some(space) if space.special.as_ref().is_some_and(|s| s.is_system) => {
                Err(refusal(space.name.clone()).into())
            }
            None if view_source(space_id).is_some() => Err(self.not_writable(space_id)),
            _ => Ok(()),
        }
    }

    /// Why there is no space of this number to write into.
    #[cold]
    pub(crate) fn not_writable(&self, space_id: u32) -> crate::Error {
        match view_source(space_id).and_then(|source| self.spaces.get(&source)) {
            Some(source) => ErrorKind::ViewIsReadOnly {
                view: view_name(&source.name),
            }
            .into(),
            None => no_such_space(space_id),
        }
    }
}

/// Name of the view of a system space.
pub(crate) fn view_name(source: &str) -> String {
    format!("_v{}", source.trim_start_matches('_'))
}
