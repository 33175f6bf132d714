//! Changes of the schema. All of them roll back with their transaction.

use std::rc::Rc;

use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, IndexOptions, IndexType};
use crate::schema::{FieldDefinition, FieldType, Format, KeyPart};
use crate::space::{Space, for_each};
use crate::transaction::{Change, SchemaChange, SpaceChange};
use crate::tuple::TuplePtr;

use super::{Database, FIRST_USER_SPACE_ID, no_such_space};

/// Most indexes that a space can have.
const INDEX_MAX: u32 = 128;
/// Most parts of a key.
const PART_MAX: usize = 255;
/// Fields that can be indexed have numbers (from 0) below this.
const INDEXED_FIELD_MAX: u32 = i16::MAX as u32;
/// Largest number of a space.
const SPACE_ID_MAX: u32 = i32::MAX as u32;
/// Longest name of a space or index, in bytes.
const NAME_MAX_BYTES: usize = 65_000;

/// How a new space shall be.
#[derive(Debug, Clone, Default)]
pub struct SpaceOptions {
    /// Number of the space, in 1..2^31; by default one more than the greatest there is, or the
    /// lowest free one from 512 on when that is too large.
    pub id: Option<u32>,
    /// Declared fields; there may be more.
    pub format: Vec<FieldDefinition>,
    /// Number of fields that each tuple must have; 0: any.
    pub field_count: u32,
}

impl Database {
    /// Makes a space without indexes and answers with its number. Fails with `SpaceExists`,
    /// `Identifier`, `CreateSpace` or the errors of a format.
    pub fn create_space(&mut self, name: &str, options: SpaceOptions) -> Result<u32> {
        self.touch()?;
        check_name(name)?;
        if self.names.contains_key(name) {
            return Err(ErrorKind::SpaceExists {
                space: name.to_owned(),
            }
            .into());
        }
        if !fits_field_count(&options.format, options.field_count) {
            return Err(create_space_error(name, FIELD_COUNT_TOO_SMALL));
        }
        let format = Format::new(options.format, options.field_count, std::iter::empty())?;
        let id = match options.id {
            Some(id) => self.check_space_id(name, id)?,
            None => self.next_space_id(),
        };
        self.spaces
            .insert(id, Box::new(Space::new(id, name, format)));
        self.names.insert(name.to_owned(), id);
        self.log_schema(SchemaChange::SpaceCreated { space_id: id });
        Ok(id)
    }

    fn check_space_id(&self, name: &str, id: u32) -> Result<u32> {
        if id == 0 {
            return Err(create_space_error(name, "space id 0 is reserved"));
        }
        if id > SPACE_ID_MAX {
            return Err(create_space_error(name, "space id is too big"));
        }
        if let Some(known) = self.spaces.get(&id) {
            return Err(ErrorKind::SpaceExists {
                space: known.name.clone(),
            }
            .into());
        }
        Ok(id)
    }

    fn next_space_id(&self) -> u32 {
        let greatest = self.spaces.keys().copied().max().unwrap_or(0);
        if greatest < SPACE_ID_MAX {
            return FIRST_USER_SPACE_ID.max(greatest + 1);
        }
        // Memory ends long before two billion spaces do, so that one number is free.
        (FIRST_USER_SPACE_ID..SPACE_ID_MAX)
            .find(|id| !self.spaces.contains_key(id))
            .unwrap_or(SPACE_ID_MAX)
    }

    /// Drops a space with its indexes and tuples. Fails with `NoSuchSpace`.
    pub fn drop_space(&mut self, space_id: u32) -> Result<()> {
        self.touch()?;
        let space = self
            .spaces
            .remove(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        self.names.remove(&space.name);
        self.log_schema(SchemaChange::SpaceDropped { space });
        Ok(())
    }

    /// Gives a space another name. Fails with `NoSuchSpace`, `SpaceExists` or `Identifier`.
    pub fn rename_space(&mut self, space_id: u32, name: &str) -> Result<()> {
        self.touch()?;
        check_name(name)?;
        match self.names.get(name) {
            Some(&known) if known == space_id => return Ok(()),
            Some(_) => {
                return Err(ErrorKind::SpaceExists {
                    space: name.to_owned(),
                }
                .into());
            }
            None => {}
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

    /// Gives a space another format; every tuple must fit it. Fails as a statement with the first
    /// tuple that does not would, with `AlterSpace` when it has more fields than tuples may, or
    /// with `MultistatementTransaction` when tuples must be looked through and the transaction has
    /// done something already.
    pub fn set_format(&mut self, space_id: u32, fields: Vec<FieldDefinition>) -> Result<()> {
        self.touch()?;
        let space = self.space(space_id)?;
        if !fits_field_count(&fields, space.format.exact_field_count()) {
            return Err(ErrorKind::AlterSpace {
                space: space.name.clone(),
                reason: FIELD_COUNT_TOO_SMALL.to_owned(),
            }
            .into());
        }
        let format = space.format_with(fields, space.indexes.iter())?;
        if !format.takes_all_of(&space.format) {
            self.require_first_statement(space, "space format check")?;
            check_tuples(space, &format)?;
        }
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        let old_format = std::mem::replace(&mut space.format, format);
        self.log_within(space_id, SpaceChange::FormatChanged { old_format });
        Ok(())
    }

    /// Adds an index, filled from the tuples that are there, and answers with its number. Fails
    /// with `IndexExists`, `ModifyIndex`, `AlterSpace`, `WrongIndexParts`, `NullablePrimary`,
    /// the errors of a tuple that does not fit, `MemoryIssue`, or `MultistatementTransaction` when
    /// tuples are there and the transaction has done something already.
    pub fn create_index(
        &mut self,
        space_id: u32,
        name: &str,
        options: &IndexOptions,
    ) -> Result<u32> {
        self.touch()?;
        let space = self.space(space_id)?;
        let id = check_index(space, name, options)?;
        let is_first = self.require_first_statement(space, "index build");
        let incarnation = self.next_incarnation();
        let arena = Rc::clone(self.memory.arena());
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        let index = Index::new(
            id,
            name,
            incarnation,
            options,
            space.primary_parts(),
            &arena,
        );
        let fields = space.format.fields().to_vec();
        let format =
            space.format_with(fields, space.indexes.iter().chain(std::iter::once(&index)))?;
        is_first?;
        let index = fill(space, index, &format)?;
        let at = space.indexes.partition_point(|known| known.id < id);
        space.indexes.insert(at, index);
        let old_format = std::mem::replace(&mut space.format, format);
        self.log_within(
            space_id,
            SpaceChange::IndexCreated {
                index_id: id,
                old_format,
            },
        );
        Ok(id)
    }

    /// Drops an index; with the primary key the tuples go. Fails with `NoSuchIndexId`, or with
    /// `DropPrimaryKey` while there are secondary ones.
    pub fn drop_index(&mut self, space_id: u32, index_id: u32) -> Result<()> {
        self.touch()?;
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        space.index(index_id)?;
        if index_id == 0 && space.indexes.len() > 1 {
            return Err(ErrorKind::DropPrimaryKey {
                space: space.name.clone(),
            }
            .into());
        }
        let rest = space.indexes.iter().filter(|index| index.id != index_id);
        let format = space.format_with(space.format.fields().to_vec(), rest)?;
        let at = space.indexes.partition_point(|index| index.id < index_id);
        let index = space.indexes.remove(at);
        let old_format = std::mem::replace(&mut space.format, format);
        if index_id == 0 {
            space.data_bytes = 0;
        }
        self.log_within(space_id, SpaceChange::IndexDropped { index, old_format });
        Ok(())
    }

    /// Gives an index another name. Fails with `NoSuchIndexId`, `IndexExists` or `Identifier`.
    pub fn rename_index(&mut self, space_id: u32, index_id: u32, name: &str) -> Result<()> {
        self.touch()?;
        check_name(name)?;
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        if space.index(index_id)?.name == name {
            return Ok(());
        }
        if space.indexes.iter().any(|index| index.name == name) {
            return Err(ErrorKind::IndexExists {
                index: name.to_owned(),
            }
            .into());
        }
        let at = space.indexes.partition_point(|index| index.id < index_id);
        let old_name = std::mem::replace(&mut space.indexes[at].name, name.to_owned());
        self.log_within(space_id, SpaceChange::IndexRenamed { index_id, old_name });
        Ok(())
    }

    /// Builds a secondary index anew with other parts, type or uniqueness, if they are others; its
    /// number and name stay, whatever `options` say. Fails with `NoSuchIndexId`, with `Unsupported` for the primary
    /// index, and as `create_index` does; the index is then as it was.
    pub fn alter_index(
        &mut self,
        space_id: u32,
        index_id: u32,
        options: &IndexOptions,
    ) -> Result<()> {
        self.touch()?;
        let space = self.space(space_id)?;
        let known = space.index(index_id)?;
        if known.is_as(options) {
            return Ok(());
        }
        let name = known.name.clone();
        if index_id == 0 {
            return Err(ErrorKind::Unsupported {
                subject: String::from("Lycosa"),
                feature: String::from("altering the primary index of a space"),
            }
            .into());
        }
        check_definition(space, index_id, &name, options)?;
        let may_build = if space.index(index_id)?.needs_build(options) {
            self.require_first_statement(space, "index build")
        } else {
            Ok(())
        };
        let may_check = self.require_first_statement(space, "space format check");
        let incarnation = self.next_incarnation();
        let arena = Rc::clone(self.memory.arena());
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        let index = Index::new(
            index_id,
            &name,
            incarnation,
            options,
            space.primary_parts(),
            &arena,
        );
        let rest = space.indexes.iter().filter(|known| known.id != index_id);
        let fields = space.format.fields().to_vec();
        let format = space.format_with(fields, rest.chain(std::iter::once(&index)))?;
        may_build?;
        if !format.takes_all_of(&space.format) {
            may_check?;
        }
        let index = fill(space, index, &format)?;
        let at = space.indexes.partition_point(|known| known.id < index_id);
        let old = std::mem::replace(&mut space.indexes[at], index);
        let old_format = std::mem::replace(&mut space.format, format);
        self.log_within(
            space_id,
            SpaceChange::IndexAltered {
                index: old,
                old_format,
            },
        );
        Ok(())
    }

    /// Fails with `MultistatementTransaction` when there are tuples to look through and the
    /// transaction has done something already.
    fn require_first_statement(&self, space: &Space, operation: &str) -> Result<()> {
        let transaction = &self.transaction;
        let is_first = transaction.log.is_empty() && !transaction.has_idle_statements;
        if space.is_empty() || is_first {
            return Ok(());
        }
        Err(ErrorKind::MultistatementTransaction {
            operation: operation.to_owned(),
        }
        .into())
    }

    fn log_within(&mut self, space_id: u32, change: SpaceChange) {
        self.log_schema(SchemaChange::Within { space_id, change });
    }

    fn log_schema(&mut self, change: SchemaChange) {
        self.schema_version += 1;
        self.log(Change::schema(change));
    }
}

impl Space {
    fn format_with<'a>(
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

fn create_space_error(space: &str, reason: &str) -> Error {
    ErrorKind::CreateSpace {
        space: space.to_owned(),
        reason: reason.to_owned(),
    }
    .into()
}

fn check_name(name: &str) -> Result<()> {
    if name.is_empty() || name.len() > NAME_MAX_BYTES || name.chars().any(char::is_control) {
        return Err(ErrorKind::Identifier {
            value: name.to_owned(),
        }
        .into());
    }
    Ok(())
}

fn modify_index_error(space: &Space, index: &str, reason: &str) -> Error {
    ErrorKind::ModifyIndex {
        index: index.to_owned(),
        space: space.name.clone(),
        reason: reason.to_owned(),
    }
    .into()
}

/// One more than the greatest number there is, or the lowest free one when that is too large.
fn next_index_id(space: &Space) -> u32 {
    let next = space.indexes.last().map_or(0, |index| index.id + 1);
    if next < INDEX_MAX {
        return next;
    }
    (0..INDEX_MAX)
        .find(|id| space.indexes.iter().all(|index| index.id != *id))
        .unwrap_or(INDEX_MAX)
}

/// Checks a new index and answers with its number.
fn check_index(space: &Space, name: &str, options: &IndexOptions) -> Result<u32> {
    check_name(name)?;
    let modify = |reason: &str| modify_index_error(space, name, reason);
    if space.indexes.iter().any(|index| index.name == name) {
        return Err(ErrorKind::IndexExists {
            index: name.to_owned(),
        }
        .into());
    }
    let id = options.id.unwrap_or_else(|| next_index_id(space));
    if id >= INDEX_MAX {
        return Err(modify("index id too big"));
    }
    if space.indexes.iter().any(|index| index.id == id) {
        return Err(ErrorKind::IndexExists {
            index: name.to_owned(),
        }
        .into());
    }
    if id != 0 && space.primary().is_none() {
        let reason = String::from("can not add a secondary key before primary");
        return Err(ErrorKind::AlterSpace {
            space: space.name.clone(),
            reason,
        }
        .into());
    }
    check_definition(space, id, name, options)?;
    Ok(id)
}

/// Checks what an index shall be like.
fn check_definition(space: &Space, id: u32, name: &str, options: &IndexOptions) -> Result<()> {
    let modify = |reason: &str| modify_index_error(space, name, reason);
    if options.parts.is_empty() {
        return Err(modify("part count must be positive"));
    }
    if options.parts.len() > PART_MAX {
        return Err(modify("too many key parts"));
    }
    if id == 0 && !options.is_unique {
        return Err(modify("primary key must be unique"));
    }
    if options.index_type == IndexType::Hash && !options.is_unique {
        return Err(modify("HASH index must be unique"));
    }
    check_parts(space, id, options, &modify)
}

fn check_parts(
    space: &Space,
    id: u32,
    options: &IndexOptions,
    modify: &dyn Fn(&str) -> Error,
) -> Result<()> {
    let needs_tree = |feature: &str| -> Error {
        ErrorKind::Unsupported {
            subject: options.index_type.name().to_owned(),
            feature: feature.to_owned(),
        }
        .into()
    };
    for (position, part) in options.parts.iter().enumerate() {
        if part.field >= INDEXED_FIELD_MAX {
            return Err(modify("field no is too big"));
        }
        if matches!(
            part.field_type,
            FieldType::Any | FieldType::Array | FieldType::Map
        ) {
            return Err(modify(&format!(
                "field type '{}' is not supported",
                part.field_type.name()
            )));
        }
        if part.collation.is_some()
            && !matches!(part.field_type, FieldType::String | FieldType::Scalar)
        {
            return Err(ErrorKind::WrongIndexOptions {
                reason: "collation is reasonable only for string and scalar parts",
            }
            .into());
        }
        if options.parts[..position]
            .iter()
            .any(|other: &KeyPart| other.field == part.field)
        {
            return Err(modify("same key part is indexed twice"));
        }
    }
    for part in &options.parts {
        if part.is_nullable && id == 0 {
            return Err(ErrorKind::NullablePrimary {
                space: space.name.clone(),
            }
            .into());
        }
        if options.index_type == IndexType::Hash && part.is_nullable {
            return Err(needs_tree("nullable parts"));
        }
        if options.index_type == IndexType::Hash && part.is_descending {
            return Err(needs_tree("descending parts"));
        }
    }
    Ok(())
}

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

/// Fills a new secondary index from the primary one; each tuple must fit the format.
fn fill(space: &Space, mut index: Index, format: &Format) -> Result<Index> {
    let mut outcome = Ok(());
    if let Some(primary) = space.primary() {
        for_each(primary, |tuple| {
            if outcome.is_ok() {
                outcome = fill_in(space, &mut index, format, tuple);
            }
        });
    }
    outcome.map(|()| index)
}

fn fill_in(space: &Space, index: &mut Index, format: &Format, tuple: TuplePtr) -> Result<()> {
    // SAFETY: the tuple has just come out of the primary index.
    let new = unsafe { tuple.bytes() };
    format.check(new)?;
    let Some(known) = index.insert(tuple)? else {
        return Ok(());
    };
    Err(ErrorKind::TupleFound {
        index: index.name.clone(),
        space: space.name.clone(),
        // SAFETY: it is in the primary index too.
        old_tuple: crate::msgpack::to_text(unsafe { known.bytes() }),
        new_tuple: crate::msgpack::to_text(new),
    }
    .into())
}
