//! Sequences: counters with a step and limits, and the spaces that take the values of a field from
//! one. A sequence's definition rolls back with its transaction; its value does not.

use crate::error::{Error, ErrorKind, Result};
use crate::msgpack::{self, Value};
use crate::schema::{FieldType, KeyPart};
use crate::space::{PutMode, Space, SpaceSequence};
use crate::transaction::{Change, SchemaChange, SpaceChange};
use crate::tuple::{Fields, split_array};

use super::ddl::check_name;
use super::system::{ADMIN, SEQUENCE_DATA_ID, SEQUENCE_ID, SPACE_SEQUENCE_ID, key};
use super::{Database, no_such_space};

/// How a sequence counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequenceDefinition {
    /// What is added to get the next value; not 0.
    pub step: i64,
    /// Least value.
    pub minimum: i64,
    /// Greatest value.
    pub maximum: i64,
    /// First value.
    pub start: i64,
    /// Kept for `_sequence`; nothing is cached.
    pub cache: i64,
    /// Whether it goes on at its other end after its last value.
    pub is_cyclic: bool,
    /// User that it belongs to.
    pub owner: u32,
}

impl SequenceDefinition {
    /// From 1 up by 1, or from -1 down when the step is negative.
    pub fn with_step(step: i64) -> Self {
        let is_ascending = step > 0;
        Self {
            step,
            minimum: if is_ascending { 1 } else { i64::MIN },
            maximum: if is_ascending { i64::MAX } else { -1 },
            start: if is_ascending { 1 } else { -1 },
            cache: 0,
            is_cyclic: false,
            owner: ADMIN,
        }
    }

    fn check(&self) -> std::result::Result<(), &'static str> {
        if self.step == 0 {
            Err("step option must be non-zero")
        } else if self.minimum > self.maximum {
            Err("max must be greater than or equal to min")
        } else if self.start < self.minimum || self.start > self.maximum {
            Err("start must be between min and max")
        } else {
            Ok(())
        }
    }

    /// The value behind `value`, or nothing when the sequence ends there.
    fn after(&self, value: i64) -> Option<i64> {
        // A value that was set outside of the limits comes back to the nearer end.
        if self.step > 0 && value < self.minimum {
            return Some(self.minimum);
        } else if self.step < 0 && value > self.maximum {
            return Some(self.maximum);
        }
        let next = value.checked_add(self.step);
        match next.filter(|next| (self.minimum..=self.maximum).contains(next)) {
            Some(next) => Some(next),
            None if !self.is_cyclic => None,
            None if self.step > 0 => Some(self.minimum),
            None => Some(self.maximum),
        }
    }
}

/// A sequence of the database.
#[derive(Debug, Clone)]
pub struct Sequence {
    id: u32,
    name: String,
    definition: SequenceDefinition,
    value: Option<i64>,
}

impl Sequence {
    /// Number of the sequence.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Name, unique among sequences.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it counts.
    pub fn definition(&self) -> &SequenceDefinition {
        &self.definition
    }

    /// Its row in `_sequence`.
    pub fn row(&self) -> Vec<u8> {
        sequence_row(self)
    }

    /// The value that it gave last, if it gave one.
    pub fn value(&self) -> Option<i64> {
        self.value
    }
}

impl Database {
    /// The sequence with this number. Fails with `NoSuchSequence`.
    pub fn sequence(&self, id: u32) -> Result<&Sequence> {
        self.sequences.get(&id).ok_or_else(|| no_such_sequence(id))
    }

    /// All sequences, ascending by number.
    pub fn sequences(&self) -> Vec<&Sequence> {
        let mut all: Vec<&Sequence> = self.sequences.values().collect();
        all.sort_unstable_by_key(|sequence| sequence.id);
        all
    }

    /// Makes a sequence and answers with its number. Fails with `SequenceExists`, `Identifier` or
    /// `CreateSequence`.
    pub fn create_sequence(&mut self, name: &str, definition: SequenceDefinition) -> Result<u32> {
        self.check_writable(SEQUENCE_ID)?;
        check_name(name)?;
        self.check_sequence_name(name)?;
        definition
            .check()
            .map_err(|reason| ErrorKind::CreateSequence {
                sequence: name.to_owned(),
                reason: reason.to_owned(),
            })?;
        self.as_statement(|database| {
            let id = database.sequences.keys().max().map_or(1, |last| last + 1);
            let sequence = Sequence {
                id,
                name: name.to_owned(),
                definition,
                value: None,
            };
            database.write_system_row(SEQUENCE_ID, &sequence_row(&sequence))?;
            database.sequences.insert(id, sequence);
            database.log_sequence(SchemaChange::SequenceCreated { id });
            Ok(id)
        })
    }

    /// Gives a sequence another name and definition; its value stays. Fails with
    /// `NoSuchSequence`, `SequenceExists`, `Identifier` or `AlterSequence`.
    pub fn alter_sequence(
        &mut self,
        id: u32,
        name: &str,
        definition: SequenceDefinition,
    ) -> Result<()> {
        self.check_writable(SEQUENCE_ID)?;
        let known = self.sequence(id)?;
        definition
            .check()
            .map_err(|reason| ErrorKind::AlterSequence {
                sequence: known.name.clone(),
                reason: reason.to_owned(),
            })?;
        let is_renamed = known.name != name;
        check_name(name)?;
        self.as_statement(|database| {
            let old = database.sequence(id)?.clone();
            let new = Sequence {
                name: name.to_owned(),
                definition,
                ..old.clone()
            };
            database.write_system_row(SEQUENCE_ID, &sequence_row(&new))?;
            if is_renamed {
                database.check_sequence_name(name)?;
            }
            database.sequences.insert(id, new);
            database.log_sequence(SchemaChange::SequenceAltered { old });
            Ok(())
        })
    }

    /// Drops a sequence. Fails with `NoSuchSequence`, or with `DropSequence` while a space takes
    /// values from it.
    pub fn drop_sequence(&mut self, id: u32) -> Result<()> {
        let name = self.sequence(id)?.name.clone();
        let is_used = self.spaces.values().any(|space| {
            let special = space.special.as_ref();
            special.is_some_and(|s| s.sequence.is_some_and(|s| s.sequence_id == id))
        });
        if is_used {
            return Err(ErrorKind::DropSequence {
                sequence: name,
                reason: "the sequence is in use",
            }
            .into());
        }
        self.as_statement(|database| {
            database.forget_sequence(id);
            Ok(())
        })
    }

    /// Drops a sequence without a check.
    fn forget_sequence(&mut self, id: u32) {
        if let Some(sequence) = self.sequences.remove(&id) {
            self.remove_grants("sequence", id);
            self.remove_system_row(SEQUENCE_DATA_ID, &key(id));
            self.remove_system_row(SEQUENCE_ID, &key(id));
            self.log_sequence(SchemaChange::SequenceDropped { sequence });
        }
    }

    /// The next value of a sequence. Fails with `NoSuchSequence` or `SequenceOverflow`.
    pub fn sequence_next(&mut self, id: u32) -> Result<i64> {
        self.touch()?;
        self.check_writable(SEQUENCE_DATA_ID)?;
        let sequence = self.sequence(id)?;
        let next = match sequence.value {
            None => sequence.definition.start,
            Some(value) => {
                sequence
                    .definition
                    .after(value)
                    .ok_or_else(|| ErrorKind::SequenceOverflow {
                        sequence: sequence.name.clone(),
                    })?
            }
        };
        self.put_sequence_value(id, Some(next));
        Ok(next)
    }

    /// The value that a sequence gave last. Fails with `NoSuchSequence` or `SequenceNotStarted`.
    pub fn sequence_current(&self, id: u32) -> Result<i64> {
        let sequence = self.sequence(id)?;
        sequence.value.ok_or_else(|| {
            ErrorKind::SequenceNotStarted {
                sequence: sequence.name.clone(),
            }
            .into()
        })
    }

    /// Makes `value` the one that the sequence gave last; nothing starts it anew. Fails with
    /// `NoSuchSequence`.
    pub fn set_sequence(&mut self, id: u32, value: Option<i64>) -> Result<()> {
        self.touch()?;
        self.check_writable(SEQUENCE_DATA_ID)?;
        self.sequence(id)?;
        self.put_sequence_value(id, value);
        Ok(())
    }

    /// Keeps a value, and shows it in `_sequence_data`, in no transaction: it does not roll back.
    fn put_sequence_value(&mut self, id: u32, value: Option<i64>) {
        let Some(sequence) = self.sequences.get_mut(&id) else {
            return;
        };
        sequence.value = value;
        let Some(space) = self.spaces.get_mut(&SEQUENCE_DATA_ID) else {
            return;
        };
        let arena = std::rc::Rc::clone(self.memory.arena());
        let _held = arena.overdraft();
        let old = match value {
            Some(value) => {
                let row = Fields::new().unsigned(u64::from(id)).integer(value);
                match self.memory.allocate(&row.finish()) {
                    Ok(new) => space.put(new, PutMode::Replace, &arena).unwrap_or(None),
                    Err(_) => None,
                }
            }
            None => space.take_by_key(&key(id)),
        };
        if let Some(old) = old {
            // SAFETY: the space has given the tuple up, and its reference with it.
            unsafe { self.memory.release(old) }
        }
    }

    fn check_sequence_name(&self, name: &str) -> Result<()> {
        if self.sequences.values().any(|known| known.name == name) {
            return Err(ErrorKind::SequenceExists {
                sequence: name.to_owned(),
            }
            .into());
        }
        Ok(())
    }

    fn log_sequence(&mut self, change: SchemaChange) {
        self.note_schema_change(SEQUENCE_ID);
        self.log(Change::schema(change));
    }

    /// Undoes the making of a sequence. Its value is in no transaction, and goes here.
    pub(super) fn undo_created_sequence(&mut self, id: u32) {
        self.put_sequence_value(id, None);
        self.sequences.remove(&id);
    }

    /// Brings back the definition that a sequence had; its value stays.
    pub(super) fn undo_altered_sequence(&mut self, old: Sequence) {
        if let Some(known) = self.sequences.get_mut(&old.id) {
            let value = known.value;
            *known = Sequence { value, ..old };
        }
    }

    /// Makes a space take the values of field `field` (from 0) from a sequence where a tuple has
    /// null; an `is_generated` one is dropped when the space lets go of it. The field must be a part
    /// of the primary index, of an integer type. Fails with `NoSuchSequence` or `ModifyIndex`.
    pub fn attach_sequence(
        &mut self,
        space_id: u32,
        sequence_id: u32,
        field: u32,
        is_generated: bool,
    ) -> Result<()> {
        self.check_alterable(space_id)?;
        self.sequence(sequence_id)?;
        let space = self.space(space_id)?;
        let index = space.index(0)?;
        check_sequence_field(space, &index.name, index.definition().parts(), field)?;
        self.as_statement(|database| {
            database.let_go_of_sequence(space_id, Some(sequence_id));
            let row = Fields::new()
                .unsigned(u64::from(space_id))
                .unsigned(u64::from(sequence_id))
                .boolean(is_generated)
                .unsigned(u64::from(field))
                .string("");
            database.write_system_row(SPACE_SEQUENCE_ID, &row.finish())?;
            database.change_space_sequence(
                space_id,
                Some(SpaceSequence {
                    sequence_id,
                    field,
                    is_generated,
                }),
            )
        })
    }

    /// Makes a space take no values from a sequence any more. Fails with `NoSuchSpace`.
    pub fn detach_sequence(&mut self, space_id: u32) -> Result<()> {
        self.check_alterable(space_id)?;
        self.space(space_id)?;
        self.as_statement(|database| {
            database.let_go_of_sequence(space_id, None);
            Ok(())
        })
    }

    /// The sequence of a space, if it has one: number, field (from 0).
    pub fn space_sequence(&self, space_id: u32) -> Option<(u32, u32)> {
        let special = self.spaces.get(&space_id)?.special.as_ref()?;
        let sequence = special.sequence?;
        Some((sequence.sequence_id, sequence.field))
    }

    /// Takes the sequence from a space; one that was generated for it is dropped, unless it is `kept`.
    pub(super) fn let_go_of_sequence(&mut self, space_id: u32, kept: Option<u32>) {
        let special = self.spaces.get(&space_id).and_then(|s| s.special.as_ref());
        let Some(old) = special.and_then(|special| special.sequence) else {
            return;
        };
        self.remove_system_row(SPACE_SEQUENCE_ID, &key(space_id));
        // The space is there, so that this cannot fail.
        let _ = self.change_space_sequence(space_id, None);
        if old.is_generated && kept != Some(old.sequence_id) {
            self.forget_sequence(old.sequence_id);
        }
    }

    fn change_space_sequence(&mut self, space_id: u32, new: Option<SpaceSequence>) -> Result<()> {
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        let old = space.exchange_sequence(new);
        self.log_within(space_id, SpaceChange::SequenceChanged { old });
        Ok(())
    }

    /// The tuple with the next value of the space's sequence where it has null; nothing when it
    /// stays as it is. A greater value than the sequence's last moves the sequence on.
    pub(super) fn fill_from_sequence(
        &mut self,
        sequence: SpaceSequence,
        tuple: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        let Some(at) = crate::tuple::field(tuple, sequence.field) else {
            return Ok(None);
        };
        let id = sequence.sequence_id;
        match msgpack::read_trusted(at).0 {
            Value::Nil => {
                let next = self.sequence_next(id)?;
                let mut filled = tuple[..tuple.len() - at.len()].to_vec();
                msgpack::write_integer(&mut filled, next);
                filled.extend_from_slice(msgpack::skip_trusted(at));
                debug_assert_eq!(split_array(tuple).0, split_array(&filled).0);
                Ok(Some(filled))
            }
            Value::Unsigned(value) => {
                if let Ok(value) = i64::try_from(value) {
                    self.move_sequence_on(id, value);
                }
                Ok(None)
            }
            Value::Negative(value) => {
                self.move_sequence_on(id, value);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn move_sequence_on(&mut self, id: u32, value: i64) {
        let Some(sequence) = self.sequences.get(&id) else {
            return;
        };
        let is_ascending = sequence.definition.step > 0;
        let is_ahead = match sequence.value {
            Some(last) if is_ascending => value > last,
            Some(last) => value < last,
            None => true,
        };
        if is_ahead {
            self.put_sequence_value(id, Some(value));
        }
    }
}

/// Whether a field can take its values from a sequence: it must be an integer part of the primary
/// index. Fails with `ModifyIndex`.
pub(super) fn check_sequence_field(
    space: &Space,
    index_name: &str,
    parts: &[KeyPart],
    field: u32,
) -> Result<()> {
    let reason = match parts.iter().find(|part| part.field == field) {
        None => "sequence field must be a part of the index",
        Some(part) if !matches!(part.field_type, FieldType::Unsigned | FieldType::Integer) => {
            "sequence cannot be used with a non-integer key"
        }
        Some(_) => return Ok(()),
    };
    Err(ErrorKind::ModifyIndex {
        index: index_name.to_owned(),
        space: space.name.clone(),
        reason: reason.to_owned(),
    }
    .into())
}

fn sequence_row(sequence: &Sequence) -> Vec<u8> {
    let definition = &sequence.definition;
    Fields::new()
        .unsigned(u64::from(sequence.id))
        .unsigned(u64::from(definition.owner))
        .string(&sequence.name)
        .integer(definition.step)
        .integer(definition.minimum)
        .integer(definition.maximum)
        .integer(definition.start)
        .integer(definition.cache)
        .boolean(definition.is_cyclic)
        .finish()
}

#[cold]
fn no_such_sequence(id: u32) -> Error {
    ErrorKind::NoSuchSequence {
        sequence: id.to_string(),
    }
    .into()
}
