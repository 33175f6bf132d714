//! Statements that change tuples.

use crate::error::{Error, ErrorKind, Result};
use crate::error_field::ErrorTuple;
use crate::index::IndexType;
use crate::space::{PutMode, Space};
use crate::statistics::Counter;
use crate::transaction::{Change, SchemaChange, SpaceChange};
use crate::tuple::{Encoded, Tuple, TupleMemory, TuplePtr, TupleRef};
use crate::update::Operations;

use super::{Database, check_size, no_such_space};

impl Database {
    /// Adds a tuple. Fails with `TupleFound` when a unique index has its key already, with
    /// `FieldType`, `FieldMissing` or `ExactFieldCount` when it does not fit the space, with
    /// `MaxTupleSize`, or with `MemoryIssue` at the quota. A failed statement changes nothing.
    #[inline]
    pub fn insert(&mut self, space_id: u32, tuple: Encoded<'_>) -> Result<TupleRef<'_>> {
        self.statistics.count(Counter::Insert);
        self.put(space_id, tuple, PutMode::Insert)
    }

    /// Adds a tuple, or puts it in the place of the one with the same primary key. Fails as
    /// `insert` does, with `TupleFound` for secondary indexes only.
    #[inline]
    pub fn replace(&mut self, space_id: u32, tuple: Encoded<'_>) -> Result<TupleRef<'_>> {
        self.statistics.count(Counter::Replace);
        self.put(space_id, tuple, PutMode::Replace)
    }

    #[inline]
    fn put(&mut self, space_id: u32, tuple: Encoded<'_>, mode: PutMode) -> Result<TupleRef<'_>> {
        self.touch()?;
        let new = self.store::<true>(space_id, tuple.bytes(), mode)?;
        // SAFETY: the primary index holds the tuple, and the result borrows the database.
        Ok(unsafe { TupleRef::new(new, &self.memory) })
    }

    /// Checks a tuple, puts it into the space and logs it. An update or upsert takes no value from
    /// a sequence: `FILLS` is false for them.
    #[inline]
    fn store<const FILLS: bool>(
        &mut self,
        space_id: u32,
        data: &[u8],
        mode: PutMode,
    ) -> Result<TuplePtr> {
        let Some(space) = self.spaces.get_mut(&space_id) else {
            return Err(self.not_writable(space_id));
        };
        if space.special.is_some() {
            return self.store_special(space_id, data, mode, FILLS);
        }
        if data.len() > self.unchecked_tuple_bytes {
            let is_read_only = self.is_read_only && !self.temporary_spaces.contains(&space_id);
            check_size(data.len(), self.max_tuple_bytes, is_read_only)?;
        }
        let (old, new) = place(space, &self.memory, data, mode)?;
        self.log_row(space_id, old, new);
        Ok(new)
    }

    /// The same for a space that asks for more.
    #[cold]
    fn store_special(
        &mut self,
        space_id: u32,
        data: &[u8],
        mode: PutMode,
        fills: bool,
    ) -> Result<TuplePtr> {
        let space = self.space(space_id)?;
        space.check_writable()?;
        let sequence = space.special.as_ref().and_then(|special| special.sequence);
        let filled = match sequence {
            Some(sequence) if fills => self.fill_from_sequence(sequence, data)?,
            _ => None,
        };
        let data = filled.as_deref().unwrap_or(data);
        let space = self
            .spaces
            .get_mut(&space_id)
            .ok_or_else(|| no_such_space(space_id))?;
        if data.len() > self.unchecked_tuple_bytes {
            let is_read_only = self.is_read_only && !self.temporary_spaces.contains(&space_id);
            check_size(data.len(), self.max_tuple_bytes, is_read_only)?;
        }
        let (old, new) = place(space, &self.memory, data, mode)?;
        self.log_row(space_id, old, new);
        Ok(new)
    }

    #[inline]
    fn log_row(&mut self, space_id: u32, old: Option<TuplePtr>, new: TuplePtr) {
        if old.is_some() || self.transaction.is_open() {
            self.log(Change::Row {
                space_id,
                old,
                new: Some(new),
            });
        }
    }

    /// Removes the tuple with a full key of a unique index and answers with it. Works at the
    /// quota. Fails with `ExactMatch`, `KeyPartType`, or `MoreThanOneTuple` when the index is not
    /// unique.
    pub fn delete(
        &mut self,
        space_id: u32,
        index_id: u32,
        key: Encoded<'_>,
    ) -> Result<Option<Tuple>> {
        self.statistics.count(Counter::Delete);
        self.touch()?;
        self.check_writable(space_id)?;
        let Some(old) = self.find_unique(space_id, index_id, key)? else {
            self.transaction.has_idle_statements = self.transaction.is_open();
            return Ok(None);
        };
        let Some(space) = self.spaces.get_mut(&space_id) else {
            return Err(self.not_writable(space_id));
        };
        space.check_writable()?;
        space.take(old);
        // SAFETY: the reference that the index gave up keeps the tuple alive.
        let handle = unsafe { self.memory.handle(old) };
        self.log(Change::Row {
            space_id,
            old: Some(old),
            new: None,
        });
        Ok(Some(handle))
    }

    /// Changes fields of the tuple with a full key of a unique index; answers with the new tuple.
    /// `operations` is a MsgPack array of `[operator, field, argument...]`, field numbers counting
    /// from `index_base`. Fails with the errors of the operations, of `insert`, or with
    /// `CantUpdatePrimaryKey` when the new key is free, else `TupleFound`.
    pub fn update(
        &mut self,
        space_id: u32,
        index_id: u32,
        key: Encoded<'_>,
        operations: Encoded<'_>,
        index_base: u32,
    ) -> Result<Option<TupleRef<'_>>> {
        self.statistics.count(Counter::Update);
        self.touch()?;
        self.check_writable(space_id)?;
        let Some(old) = self.find_unique(space_id, index_id, key)? else {
            self.transaction.has_idle_statements = self.transaction.is_open();
            return Ok(None);
        };
        let operations = self.parse_operations(space_id, operations, index_base)?;
        let mut data = std::mem::take(&mut self.scratch);
        data.clear();
        // SAFETY: the index holds the tuple, and nothing changes before the result is made.
        let result = operations
            .apply(unsafe { old.bytes() }, &mut data)
            .and_then(|()| {
                self.check_primary_key(space_id, old, &data)
                    .map_err(|error| self.clash_of_key(space_id, error, &data))?;
                self.store::<false>(space_id, &data, PutMode::Replace)
            });
        self.scratch = data;
        let new = result?;
        // SAFETY: the primary index holds the tuple, and the result borrows the database.
        Ok(Some(unsafe { TupleRef::new(new, &self.memory) }))
    }

    /// Adds a tuple, or, when its primary key is there, applies operations to the one that is.
    /// Operations that do not fit that tuple are skipped and answered with; a result that would
    /// change the primary key is dropped, and that answered with too.
    pub fn upsert(
        &mut self,
        space_id: u32,
        tuple: Encoded<'_>,
        operations: Encoded<'_>,
        index_base: u32,
    ) -> Result<Vec<Error>> {
        self.statistics.count(Counter::Upsert);
        self.touch()?;
        self.check_writable(space_id)?;
        let Some(space) = self.spaces.get(&space_id) else {
            return Err(self.not_writable(space_id));
        };
        space.format.check(tuple.bytes())?;
        let Some(primary) = space.primary() else {
            return Err(ErrorKind::NoSuchIndexId {
                index_id: 0,
                space: space.name.clone(),
            }
            .into());
        };
        let key = primary.definition().extract_key(tuple.bytes());
        let old = primary.get(Encoded::trusted(&key));
        let operations = self.parse_operations(space_id, operations, index_base)?;
        let Some(old) = old else {
            self.store::<false>(space_id, tuple.bytes(), PutMode::Insert)?;
            return Ok(Vec::new());
        };
        let mut data = std::mem::take(&mut self.scratch);
        data.clear();
        // SAFETY: the index holds the tuple, and nothing changes before the result is made.
        let result = operations
            .apply_upsert(unsafe { old.bytes() }, &mut data)
            .and_then(|mut skipped| {
                match self.check_primary_key(space_id, old, &data) {
                    Err(changed)
                        if matches!(changed.kind(), ErrorKind::CantUpdatePrimaryKey { .. }) =>
                    {
                        skipped.push(changed);
                        self.transaction.has_idle_statements = self.transaction.is_open();
                    }
                    Err(other) => return Err(other),
                    Ok(()) => {
                        self.store::<false>(space_id, &data, PutMode::Replace)?;
                    }
                }
                Ok(skipped)
            });
        self.scratch = data;
        result
    }

    pub(super) fn parse_operations<'a>(
        &self,
        space_id: u32,
        operations: Encoded<'a>,
        index_base: u32,
    ) -> Result<Operations<'a>> {
        let format = &self.space(space_id)?.format;
        let operations = Operations::parse(operations.bytes(), index_base, &|name| {
            format.field_number(name)
        })?;
        Ok(operations.with_double_fields(format.double_fields()))
    }

    /// Fails with `CantUpdatePrimaryKey` when new data would move a tuple to another key.
    fn check_primary_key(&self, space_id: u32, old: TuplePtr, data: &[u8]) -> Result<()> {
        let space = self.space(space_id)?;
        space.format.check(data)?;
        let Some(primary) = space.primary() else {
            return Ok(());
        };
        // SAFETY: the caller's tuple is still in the index.
        let old = unsafe { old.bytes() };
        if primary.definition().compare_tuples(old, data).is_ne() {
            return Err(ErrorKind::CantUpdatePrimaryKey {
                space: space.name.clone(),
            }
            .into());
        }
        Ok(())
    }

    /// What is wrong with a changed primary key: `error` says that it changed, but the tuple that
    /// has it already is named first.
    #[cold]
    fn clash_of_key(&self, space_id: u32, error: Error, data: &[u8]) -> Error {
        if !matches!(error.kind(), ErrorKind::CantUpdatePrimaryKey { .. }) {
            return error;
        }
        let Ok(space) = self.space(space_id) else {
            return error;
        };
        let known = space.primary().and_then(|primary| {
            let key = primary.definition().extract_key(data);
            Some((primary, primary.get(Encoded::trusted(&key))?))
        });
        match known {
            Some((primary, known)) => ErrorKind::TupleFound {
                index: primary.name.clone(),
                space: space.name.clone(),
                // SAFETY: the index has just given the tuple.
                old_tuple: ErrorTuple::new(unsafe { known.bytes() }),
                new_tuple: ErrorTuple::new(data),
            }
            .into(),
            None => error,
        }
    }

    /// The tuple with a full key of a unique index.
    #[inline]
    pub(super) fn find_unique(
        &self,
        space_id: u32,
        index_id: u32,
        key: Encoded<'_>,
    ) -> Result<Option<TuplePtr>> {
        let space = self.space(space_id)?;
        let index = space.index(index_id)?;
        if !index.is_unique {
            return Err(ErrorKind::MoreThanOneTuple.into());
        }
        index.definition().check_exact_key(key)?;
        Ok(index.get(key))
    }

    /// Empties a space. Works at the quota, and rolls back.
    pub fn truncate(&mut self, space_id: u32) -> Result<()> {
        self.touch()?;
        self.check_writable(space_id)?;
        self.check_no_system_space(space_id, |space| ErrorKind::TruncateSystemSpace { space })?;
        let arena = std::rc::Rc::clone(self.memory.arena());
        let _held = arena.overdraft();
        self.as_statement(|database| {
            let incarnation = database.next_incarnation();
            let space = database
                .spaces
                .get_mut(&space_id)
                .ok_or_else(|| no_such_space(space_id))?;
            let contents = space.take_contents(incarnation, &arena);
            let change = SpaceChange::Truncated { contents };
            database.log(Change::schema(SchemaChange::Within { space_id, change }));
            database.count_truncation(space_id)
        })
    }
}

/// Checks a tuple and puts it into a space. Answers with the one that it replaced, and itself.
#[inline]
fn place(
    space: &mut Space,
    memory: &TupleMemory,
    data: &[u8],
    mode: PutMode,
) -> Result<(Option<TuplePtr>, TuplePtr)> {
    space.format.check(data)?;
    let new = memory.allocate(data)?;
    match space.put(new, mode, memory.arena()) {
        Ok(old) => Ok((old, new)),
        Err(error) => {
            // SAFETY: no index has taken the tuple; the reference is still ours.
            unsafe { memory.release(new) }
            Err(error)
        }
    }
}

impl Space {
    /// Fails with `Unsupported` when only changes of the schema change the rows of this space.
    fn check_writable(&self) -> Result<()> {
        if self.special.as_ref().is_some_and(|s| s.is_protected) {
            return Err(ErrorKind::Unsupported {
                subject: String::from("Lycosa"),
                feature: format!("statements on the system space '{}'", self.name),
            }
            .into());
        }
        Ok(())
    }

    /// Fails with `UnsupportedIndexFeature` for a HASH index.
    pub(super) fn require_tree(&self, index_id: u32, feature: &str) -> Result<()> {
        let index = self.index(index_id)?;
        if index.index_type() == IndexType::Tree {
            return Ok(());
        }
        Err(ErrorKind::UnsupportedIndexFeature {
            index: index.name.clone(),
            index_type: index.index_type().name(),
            space: self.name.clone(),
            feature: feature.to_owned(),
        }
        .into())
    }
}
