//! Changes of the indexes of a space. All of them roll back with their transaction.

use std::rc::Rc;

use crate::error::{Error, ErrorKind, Result};
use crate::error_field::ErrorTuple;
use crate::index::{Index, IndexOptions, IndexType};
use crate::schema::{FieldType, Format, KeyPart, NAME_MAX_BYTES};
use crate::space::{Space, for_each};
use crate::transaction::SpaceChange;
use crate::tuple::TuplePtr;

use super::ddl::check_name;
use super::sequence::check_sequence_field;
use super::system::{self, INDEX_ID, key2};
use super::{Database, no_such_space};

/// Most indexes that a space can have.
const INDEX_MAX: u32 = 128;
/// Most parts of a key.
const PART_MAX: usize = 255;
/// Fields that can be indexed have numbers (from 0) up to this.
const INDEXED_FIELD_MAX: u32 = i16::MAX as u32;

impl Database {
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
        self.check_alterable(space_id)?;
        self.as_statement(|database| {
            let is_first = database.is_first_statement();
            let space = database.space(space_id)?;
            check_index_name(space, name)?;
            let id = options.id.unwrap_or_else(|| next_index_id(space));
            if id < INDEX_MAX {
                database.add_index_row(space_id, id, name, options)?;
            }
            let space = database.space(space_id)?;
            check_index(space, id, name, options)?;
            let may_build = Self::require_first(is_first, space, "index build");
            database.add_index(space_id, id, name, options, may_build)?;
            Ok(id)
        })
    }

    /// `may_build` is told once the format is known to be right.
    fn add_index(
        &mut self,
        space_id: u32,
        id: u32,
        name: &str,
        options: &IndexOptions,
        may_build: Result<()>,
    ) -> Result<()> {
        let incarnation = self.next_incarnation();
        let arena = Rc::clone(self.memory.arena());
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        let primary = space.primary_parts();
        let index = Index::new(id, name, incarnation, options, primary, &arena);
        let fields = space.format.fields().to_vec();
        let all = space.indexes.iter().chain(std::iter::once(&index));
        let format = space.format_with(fields, all)?;
        may_build?;
        let index = fill(space, index, &format)?;
        let at = space.indexes.partition_point(|known| known.id < id);
        space.indexes.insert(at, index);
        let old_format = std::mem::replace(&mut space.format, format);
        let index_id = id;
        self.log_within(
            space_id,
            SpaceChange::IndexCreated {
                index_id,
                old_format,
            },
        );
        Ok(())
    }

    /// Drops an index; with the primary key the tuples go. Fails with `NoSuchIndexId`, or with
    /// `DropPrimaryKey` while there are secondary ones.
    pub fn drop_index(&mut self, space_id: u32, index_id: u32) -> Result<()> {
        if index_id == 0 {
            self.check_no_system_space(space_id, |space| ErrorKind::LastDrop { space })?;
        }
        self.check_alterable(space_id)?;
        self.as_statement(|database| {
            let space = database.space(space_id)?;
            space.index(index_id)?;
            if index_id == 0 && space.indexes.len() > 1 {
                return Err(ErrorKind::DropPrimaryKey {
                    space: space.name.clone(),
                }
                .into());
            }
            if index_id == 0 {
                database.let_go_of_sequence(space_id, None);
            }
            let space = database
                .spaces
                .get_mut(&space_id)
                .ok_or_else(|| no_such_space(space_id))?;
            let rest = space.indexes.iter().filter(|index| index.id != index_id);
            let format = space.format_with(space.format.fields().to_vec(), rest)?;
            let at = space.indexes.partition_point(|index| index.id < index_id);
            let index = space.indexes.remove(at);
            let old_format = std::mem::replace(&mut space.format, format);
            if index_id == 0 {
                space.data_bytes = 0;
            }
            database.log_within(space_id, SpaceChange::IndexDropped { index, old_format });
            database.remove_system_row(INDEX_ID, &key2(space_id, index_id));
            Ok(())
        })
    }

    /// Gives an index another name. Fails with `NoSuchIndexId`, `IndexExists` or `Identifier`.
    pub fn rename_index(&mut self, space_id: u32, index_id: u32, name: &str) -> Result<()> {
        self.check_alterable(space_id)?;
        check_name(name)?;
        self.as_statement(|database| {
            if database.space(space_id)?.index(index_id)?.name == name {
                return Ok(());
            }
            let shown = system::value(|out| crate::msgpack::write_string(out, name.as_bytes()));
            let row = key2(space_id, index_id);
            database.edit_system_row(INDEX_ID, &row, system::INDEX_NAME_FIELD, &shown)?;
            let space = database
                .spaces
                .get_mut(&space_id)
                .ok_or_else(|| no_such_space(space_id))?;
            if space.indexes.iter().any(|index| index.name == name) {
                return Err(index_exists(name));
            }
            let at = space.indexes.partition_point(|index| index.id < index_id);
            let old_name = std::mem::replace(&mut space.indexes[at].name, name.to_owned());
            database.log_within(space_id, SpaceChange::IndexRenamed { index_id, old_name });
            Ok(())
        })
    }

    /// Builds an index anew with other parts, type or uniqueness; its number and name stay,
    /// whatever `options` say. With the primary index all others are built anew too, for they may
    /// order by its parts. Fails with `NoSuchIndexId`, and as `create_index` does; the index is
    /// then as it was.
    pub fn alter_index(
        &mut self,
        space_id: u32,
        index_id: u32,
        options: &IndexOptions,
    ) -> Result<()> {
        self.check_alterable(space_id)?;
        self.as_statement(|database| {
            let space = database.space(space_id)?;
            let name = space.index(index_id)?.name.clone();
            check_definition(space, index_id, &name, options)?;
            let sequence = database.space_sequence(space_id);
            if let (0, Some((_, field))) = (index_id, sequence) {
                check_sequence_field(space, &name, &options.parts, field)?;
            }
            let is_first = database.is_first_statement();
            let may_build = if space.index(index_id)?.needs_build(options) {
                Self::require_first(is_first, space, "index build")
            } else {
                Ok(())
            };
            let may_check = Self::require_first(is_first, space, "space format check");
            let incarnation = database.next_incarnation();
            let arena = Rc::clone(database.memory.arena());
            let space = database
                .spaces
                .get_mut(&space_id)
                .ok_or_else(|| no_such_space(space_id))?;
            let rebuilt =
                rebuilt_indexes(space, index_id, options, |id, name, options, primary| {
                    Index::new(id, name, incarnation, options, primary, &arena)
                })?;
            let fields = space.format.fields().to_vec();
            let others = space.indexes.iter().filter(|known| {
                let is_rebuilt = rebuilt.iter().any(|index| index.id == known.id);
                !is_rebuilt
            });
            let format = space.format_with(fields, others.chain(rebuilt.iter()))?;
            may_build?;
            if !format.takes_all_of(&space.format) {
                may_check?;
            }
            let mut old_indexes = Vec::new();
            let mut filled = Vec::new();
            for index in rebuilt {
                filled.push(fill(space, index, &format)?);
            }
            for index in filled {
                let at = space.indexes.partition_point(|known| known.id < index.id);
                old_indexes.push(std::mem::replace(&mut space.indexes[at], index));
            }
            let old_format = std::mem::replace(&mut space.format, format);
            database.log_within(
                space_id,
                SpaceChange::IndexesAltered {
                    indexes: old_indexes,
                    old_format,
                },
            );
            database.write_index_row(space_id, index_id, &name, options)
        })
    }
}

/// The index with its new options, without tuples; after the primary one, all secondary ones too.
fn rebuilt_indexes(
    space: &Space,
    index_id: u32,
    options: &IndexOptions,
    make: impl Fn(u32, &str, &IndexOptions, &[KeyPart]) -> Index,
) -> Result<Vec<Index>> {
    let name = &space.index(index_id)?.name;
    if index_id != 0 {
        return Ok(vec![make(index_id, name, options, space.primary_parts())]);
    }
    let mut rebuilt = vec![make(0, name, options, &[])];
    for index in space.indexes.iter().filter(|index| index.id != 0) {
        let kept = IndexOptions {
            index_type: index.index_type(),
            is_unique: index.is_unique,
            ..IndexOptions::tree(index.definition().parts().to_vec())
        };
        rebuilt.push(make(index.id, &index.name, &kept, &options.parts));
    }
    Ok(rebuilt)
}

fn modify_index_error(space: &Space, index: &str, reason: &str) -> Error {
    ErrorKind::ModifyIndex {
        index: index.to_owned(),
        space: space.name.clone(),
        reason: reason.to_owned(),
    }
    .into()
}

/// One more than the greatest number there is; gaps stay, as in Tarantool.
fn next_index_id(space: &Space) -> u32 {
    space.indexes.last().map_or(0, |index| index.id + 1)
}

/// Checks the name of a new index.
fn check_index_name(space: &Space, name: &str) -> Result<()> {
    if name.len() > NAME_MAX_BYTES {
        return Err(modify_index_error(space, name, "index name is too long"));
    }
    check_name(name)?;
    if space.indexes.iter().any(|index| index.name == name) {
        return Err(index_exists(name));
    }
    Ok(())
}

/// Checks a new index.
fn check_index(space: &Space, id: u32, name: &str, options: &IndexOptions) -> Result<()> {
    let modify = |reason: &str| modify_index_error(space, name, reason);
    if id >= INDEX_MAX {
        return Err(modify("index id too big"));
    }
    if space.index(id).is_ok() {
        return Err(index_exists(name));
    }
    if id != 0 && space.primary().is_none() {
        let reason = String::from("can not add a secondary key before primary");
        return Err(ErrorKind::AlterSpace {
            space: space.name.clone(),
            reason,
        }
        .into());
    }
    check_definition(space, id, name, options)
}

fn index_exists(name: &str) -> Error {
    ErrorKind::IndexExists {
        index: name.to_owned(),
    }
    .into()
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
        if part.field > INDEXED_FIELD_MAX {
            return Err(modify("field no is too big"));
        }
        if matches!(
            part.field_type,
            FieldType::Any | FieldType::Array | FieldType::Map | FieldType::Interval
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
    }
    if options.index_type == IndexType::Hash {
        if !options.is_unique {
            return Err(modify("HASH index must be unique"));
        }
        if options.parts.iter().any(|part| part.is_descending) {
            return Err(needs_tree("descending parts"));
        }
    }
    Ok(())
}

/// Fills a new index from the primary one; each tuple must fit the format.
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
        old_tuple: ErrorTuple::new(unsafe { known.bytes() }),
        new_tuple: ErrorTuple::new(new),
    }
    .into())
}
