//! Changes of the schema. All of them roll back with their transaction.

use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::msgpack;
use crate::schema::{FieldDefinition, Format, NAME_MAX_BYTES, is_identifier};
use crate::space::{Space, for_each};
use crate::transaction::{Change, SchemaChange, SpaceChange};

use super::system::{self, SPACE_ID, SpaceRow, key, space_field};
use super::{Database, FIRST_USER_SPACE_ID, no_such_space};

/// Number of the first space that is temporary as a whole.
const FIRST_TEMPORARY_SPACE_ID: u32 = 1 << 30;
/// Largest number of a space.
const SPACE_ID_MAX: u32 = i32::MAX as u32;

/// How a new space shall be.
#[derive(Debug, Clone, Default)]
pub struct SpaceOptions {
    /// Number of the space, in 1..2^31; by default one more than the greatest there is in
    /// 512..2^30, or the lowest free one of them when that is too large.
    pub id: Option<u32>,
    /// Whether the number is by default one from 2^30 on: that of a space which is temporary as a
    /// whole, not only its tuples.
    pub is_temporary: bool,
    /// Declared fields; there may be more.
    pub format: Vec<FieldDefinition>,
    /// Number of fields that each tuple must have; 0: any.
    pub field_count: u32,
    /// User that the space belongs to; by default admin.
    pub owner: Option<u32>,
    /// What `_space` shows as flags, a MsgPack map; by default none.
    pub flags: Option<Vec<u8>>,
    /// What `_space` shows as format, a MsgPack array; by default `format`.
    pub declared_format: Option<Vec<u8>>,
}

/// What shall change about a space; the rest stays.
#[derive(Debug, Clone, Default)]
pub struct SpaceAlteration {
    /// Another name.
    pub name: Option<String>,
    /// Other declared fields.
    pub format: Option<Vec<FieldDefinition>>,
    /// Another number of fields that each tuple must have; 0: any.
    pub field_count: Option<u32>,
    /// What only `_space` shows.
    pub row: SpaceRowChange,
}

/// What shall change of a space's row that means nothing to the engine.
#[derive(Debug, Clone, Default)]
pub struct SpaceRowChange {
    /// Another owner.
    pub owner: Option<u32>,
    /// Other flags, a MsgPack map.
    pub flags: Option<Vec<u8>>,
    /// The format as it was declared, a MsgPack array.
    pub declared_format: Option<Vec<u8>>,
}

impl Database {
    /// Makes a space without indexes and answers with its number. Fails with `SpaceExists`,
    /// `Identifier`, `CreateSpace` or the errors of a format.
    pub fn create_space(&mut self, name: &str, options: SpaceOptions) -> Result<u32> {
        if name.len() > NAME_MAX_BYTES {
            return Err(create_space_error(name, "space name is too long"));
        }
        check_name(name)?;
        self.as_statement(|database| {
            if database.names.contains_key(name) {
                return Err(space_exists(name));
            }
            if !fits_field_count(&options.format, options.field_count) {
                return Err(create_space_error(name, FIELD_COUNT_TOO_SMALL));
            }
            let format = Format::new(options.format, options.field_count, std::iter::empty())?;
            let id = match options.id {
                Some(id) => check_space_id(name, id)?,
                None => database.next_space_id(options.is_temporary),
            };
            let space = Box::new(Space::new(id, name, format));
            let row = SpaceRow {
                owner: options.owner,
                engine: None,
                flags: options.flags.as_deref(),
                format: options.declared_format.as_deref(),
            };
            database.add_space_row(&space, &row)?;
            if let Some(known) = database.spaces.get(&id) {
                return Err(space_exists(&known.name));
            }
            database.spaces.insert(id, space);
            database.names.insert(name.to_owned(), id);
            database.log_schema(SchemaChange::SpaceCreated { space_id: id });
            Ok(id)
        })
    }

    /// One more than the greatest number of its range, or the lowest free one when there is none.
    fn next_space_id(&self, is_temporary: bool) -> u32 {
        let range = if is_temporary {
            FIRST_TEMPORARY_SPACE_ID..=SPACE_ID_MAX
        } else {
            FIRST_USER_SPACE_ID..=FIRST_TEMPORARY_SPACE_ID - 1
        };
        let (first, last) = (*range.start(), *range.end());
        let known = self.spaces.keys().copied();
        match known.filter(|id| range.contains(id)).max() {
            None => first,
            Some(greatest) if greatest < last => greatest + 1,
            // Memory ends long before a billion spaces do, so that one number is free.
            Some(_) => range
                .into_iter()
                .find(|id| !self.spaces.contains_key(id))
                .unwrap_or(last),
        }
    }

    /// Drops a space with its indexes and tuples. Fails with `NoSuchSpace`.
    pub fn drop_space(&mut self, space_id: u32) -> Result<()> {
        self.check_no_system_space(space_id, |space| ErrorKind::LastDrop { space })?;
        self.as_statement(|database| {
            database.let_go_of_sequence(space_id, None);
            let space = database
                .spaces
                .remove(&space_id)
                .ok_or_else(|| no_such_space(space_id))?;
            database.names.remove(&space.name);
            database.remove_space_rows(&space);
            database.log_schema(SchemaChange::SpaceDropped { space });
            Ok(())
        })
    }

    /// Gives a space another name. Fails with `NoSuchSpace`, `SpaceExists` or `Identifier`.
    pub fn rename_space(&mut self, space_id: u32, name: &str) -> Result<()> {
        let change = SpaceAlteration {
            name: Some(name.to_owned()),
            ..SpaceAlteration::default()
        };
        self.alter_space(space_id, change)
    }

    /// Gives a space another format, as `alter_space` does.
    pub fn set_format(&mut self, space_id: u32, fields: Vec<FieldDefinition>) -> Result<()> {
        let change = SpaceAlteration {
            format: Some(fields),
            ..SpaceAlteration::default()
        };
        self.alter_space(space_id, change)
    }

    /// Changes what an alteration names, all of it or nothing. Every tuple must fit a new format:
    /// fails as a statement with the first tuple that does not would, with `AlterSpace` when the
    /// format has more fields than tuples may or the field count of a space with tuples changes,
    /// or with `MultistatementTransaction` when tuples are there and the transaction has done
    /// something already. Fails as `create_space` does with another name.
    pub fn alter_space(&mut self, space_id: u32, change: SpaceAlteration) -> Result<()> {
        self.check_alterable(space_id)?;
        self.as_statement(|database| {
            database.space(space_id)?;
            if change.format.is_some() || change.field_count.is_some() {
                database.change_format(space_id, change.format, change.field_count)?;
            }
            database.edit_space_row(space_id, &change.row)?;
            match change.name {
                Some(name) => database.change_name(space_id, &name),
                None => Ok(()),
            }
        })
    }

    fn change_name(&mut self, space_id: u32, name: &str) -> Result<()> {
        if name.len() > NAME_MAX_BYTES {
            return Err(ErrorKind::AlterSpace {
                space: self.space(space_id)?.name.clone(),
                reason: String::from("space name is too long"),
            }
            .into());
        }
        check_name(name)?;
        if self.names.get(name) == Some(&space_id) {
            return Ok(());
        }
        let shown = system::value(|out| msgpack::write_string(out, name.as_bytes()));
        self.edit_system_row(SPACE_ID, &key(space_id), space_field::NAME, &shown)?;
        if self.names.contains_key(name) {
            return Err(space_exists(name));
        }
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        let old_name = std::mem::replace(&mut space.name, name.to_owned());
        self.names.remove(&old_name);
        self.names.insert(name.to_owned(), space_id);
        self.log_schema(SchemaChange::SpaceRenamed { space_id, old_name });
        Ok(())
    }

    fn change_format(
        &mut self,
        space_id: u32,
        fields: Option<Vec<FieldDefinition>>,
        field_count: Option<u32>,
    ) -> Result<()> {
        let space = self.space(space_id)?;
        let alter_error = |reason: &str| {
            Err(ErrorKind::AlterSpace {
                space: space.name.clone(),
                reason: reason.to_owned(),
            }
            .into())
        };
        let old_count = space.format.exact_field_count();
        let field_count = field_count.unwrap_or(old_count);
        if field_count != old_count && field_count != 0 && !space.is_empty() {
            return alter_error("can not change field count on a non-empty space");
        }
        let fields = fields.unwrap_or_else(|| space.format.fields().to_vec());
        if !fits_field_count(&fields, field_count) {
            return alter_error(FIELD_COUNT_TOO_SMALL);
        }
        let parts = space.indexes.iter().flat_map(|i| i.definition().parts());
        let format = Format::new(fields, field_count, parts)?;
        if !format.takes_all_of(&space.format) {
            Self::require_first(self.is_first_statement(), space, "space format check")?;
            check_tuples(space, &format)?;
        }
        let shown_format = system::format_value(&format);
        let shown_count = system::value(|out| msgpack::write_unsigned(out, field_count.into()));
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        let old_format = std::mem::replace(&mut space.format, format);
        self.log_within(space_id, SpaceChange::FormatChanged { old_format });
        let row = key(space_id);
        self.edit_system_row(SPACE_ID, &row, space_field::FORMAT, &shown_format)?;
        self.edit_system_row(SPACE_ID, &row, space_field::FIELD_COUNT, &shown_count)
    }

    fn edit_space_row(&mut self, space_id: u32, change: &SpaceRowChange) -> Result<()> {
        let row = key(space_id);
        if let Some(owner) = change.owner {
            let owner = system::value(|out| msgpack::write_unsigned(out, owner.into()));
            self.edit_system_row(SPACE_ID, &row, space_field::OWNER, &owner)?;
        }
        if let Some(flags) = &change.flags {
            self.edit_system_row(SPACE_ID, &row, space_field::FLAGS, flags)?;
        }
        if let Some(format) = &change.declared_format {
            self.edit_system_row(SPACE_ID, &row, space_field::FORMAT, format)?;
        }
        self.note_schema_change(space_id);
        Ok(())
    }

    /// Whether the running transaction has done no statement yet.
    pub(super) fn is_first_statement(&self) -> bool {
        self.transaction.log.is_empty() && !self.transaction.has_idle_statements
    }

    /// Fails with `MultistatementTransaction` when there are tuples to look through and this is not
    /// the first statement of the transaction.
    pub(super) fn require_first(is_first: bool, space: &Space, operation: &str) -> Result<()> {
        if space.is_empty() || is_first {
            return Ok(());
        }
        Err(ErrorKind::MultistatementTransaction {
            operation: operation.to_owned(),
        }
        .into())
    }

    pub(super) fn log_within(&mut self, space_id: u32, change: SpaceChange) {
        self.log_schema(SchemaChange::Within { space_id, change });
    }

    fn log_schema(&mut self, change: SchemaChange) {
        self.note_schema_change(change.space_id());
        self.log(Change::schema(change));
    }

    /// Remembers that a space has changed.
    pub(super) fn note_schema_change(&mut self, space_id: u32) {
        self.schema_version += 1;
        self.changed_spaces.insert(space_id);
    }
}

impl Space {
    pub(super) fn format_with<'a>(
        &self,
        fields: Vec<FieldDefinition>,
        indexes: impl Iterator<Item = &'a Index>,
    ) -> Result<Format> {
        let parts = indexes.flat_map(|index| index.definition().parts());
        Format::new(fields, self.format.exact_field_count(), parts)
    }

    /// Sums up the tuples' bytes anew.
    pub(super) fn recount_data_bytes(&mut self) {
        let mut total = 0;
        if let Some(primary) = self.primary() {
            for_each(primary, |tuple| {
                // SAFETY: the tuple has just come out of the index.
                total += unsafe { tuple.bytes() }.len() as u64;
            });
        }
        self.data_bytes = total;
    }
}

const FIELD_COUNT_TOO_SMALL: &str =
    "exact_field_count must be either 0 or >= formatted field count";

fn fits_field_count(fields: &[FieldDefinition], exact_field_count: u32) -> bool {
    exact_field_count == 0 || fields.len() <= exact_field_count as usize
}

fn check_space_id(name: &str, id: u32) -> Result<u32> {
    if id == 0 {
        return Err(create_space_error(name, "space id 0 is reserved"));
    }
    if id > SPACE_ID_MAX {
        return Err(create_space_error(name, "space id is too big"));
    }
    Ok(id)
}

fn space_exists(name: &str) -> Error {
    ErrorKind::SpaceExists {
        space: name.to_owned(),
    }
    .into()
}

fn create_space_error(space: &str, reason: &str) -> Error {
    ErrorKind::CreateSpace {
        space: space.to_owned(),
        reason: reason.to_owned(),
    }
    .into()
}

/// Fails with `Identifier` for what cannot be a name.
pub(super) fn check_name(name: &str) -> Result<()> {
    if !is_identifier(name) {
        return Err(ErrorKind::Identifier {
            value: name.to_owned(),
        }
        .into());
    }
    Ok(())
}

/// Fails as a statement with the first tuple that does not fit would.
fn check_tuples(space: &Space, format: &Format) -> Result<()> {
    let mut outcome = Ok(());
    if let Some(primary) = space.primary() {
        for_each(primary, |tuple| {
            if outcome.is_ok() {
                // SAFETY: the tuple has just come out of the index.
                outcome = format.check(unsafe { tuple.bytes() });
            }
        });
    }
    outcome
}
