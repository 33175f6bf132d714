//! Reads. None of them changes anything or switches fibers. One with a wrong key does not count as
//! a step of its transaction.

use crate::error::{ErrorKind, Result};
use crate::index::{IndexType, IteratorType};
use crate::statistics::Counter;
use crate::tuple::{Encoded, Tuple, TupleRef};

use super::Database;
use super::cursor::Walk;

/// What a select shall give.
#[derive(Debug, Clone, Copy)]
pub struct Select<'a> {
    /// Which tuples, in which order.
    pub iterator: IteratorType,
    /// The key, or a leading part of it; empty for all.
    pub key: Encoded<'a>,
    /// Tuples to pass over first.
    pub offset: u64,
    /// Tuples to give at most.
    pub limit: u64,
    /// Position (see [`Database::position`]) to go on behind.
    pub after: Option<Encoded<'a>>,
}

impl<'a> Select<'a> {
    /// All tuples of the iterator and key.
    pub fn new(iterator: IteratorType, key: Encoded<'a>) -> Self {
        Self {
            iterator,
            key,
            offset: 0,
            limit: u64::MAX,
            after: None,
        }
    }
}

impl Database {
    /// The tuple with a full key of a unique index. Fails with `ExactMatch`, `KeyPartType`, or
    /// `MoreThanOneTuple` when the index is not unique.
    #[inline]
    pub fn get(
        &mut self,
        space_id: u32,
        index_id: u32,
        key: Encoded<'_>,
    ) -> Result<Option<TupleRef<'_>>> {
        let found = self.find_unique(space_id, index_id, key)?;
        self.touch()?;
        // As in Tarantool, a get counts when its key is right, a select always.
        self.statistics.count(Counter::Select);
        // SAFETY: the index holds the tuple, and the result borrows the database.
        Ok(found.map(|tuple| unsafe { TupleRef::new(tuple, &self.memory) }))
    }

    /// The tuples that a select gives, in order. Fails as [`Database::cursor`] does.
    pub fn select(
        &mut self,
        space_id: u32,
        index_id: u32,
        select: &Select<'_>,
    ) -> Result<Vec<Tuple>> {
        let mut tuples = Vec::new();
        self.select_each(space_id, index_id, select, |tuple| {
            tuples.push(tuple.to_tuple());
        })?;
        Ok(tuples)
    }

    /// Calls `visit` with each tuple that a select gives, in order, and keeps none alive.
    pub fn select_each(
        &mut self,
        space_id: u32,
        index_id: u32,
        select: &Select<'_>,
        mut visit: impl FnMut(TupleRef<'_>),
    ) -> Result<()> {
        self.statistics.count(Counter::Select);
        self.begin_search(space_id, index_id, select.iterator, select.key)?;
        if let Some(position) = select.after {
            self.check_position(space_id, index_id, select.iterator, select.key, position)?;
        }
        let index = self.index(space_id, index_id)?;
        let mut walk = Walk::start(
            index,
            select.iterator,
            select.key,
            select.after.map(Encoded::bytes),
        );
        for _ in 0..select.offset {
            if walk.next(index, None).is_none() {
                return Ok(());
            }
        }
        for _ in 0..select.limit {
            let Some(tuple) = walk.next(index, None) else {
                break;
            };
            // SAFETY: the index holds the tuple; `visit` cannot reach the database.
            visit(unsafe { TupleRef::new(tuple, &self.memory) });
        }
        Ok(())
    }

    /// Number of tuples that an iteration would give.
    pub fn count(
        &mut self,
        space_id: u32,
        index_id: u32,
        iterator: IteratorType,
        key: Encoded<'_>,
    ) -> Result<u64> {
        self.begin_search(space_id, index_id, iterator, key)?;
        let index = self.index(space_id, index_id)?;
        if key.split().0 == 0 {
            return Ok(index.len());
        }
        let mut walk = Walk::start(index, iterator, key, None);
        let mut count = 0;
        while walk.next(index, None).is_some() {
            count += 1;
        }
        Ok(count)
    }

    /// The first tuple, or the first whose key begins with `key`. TREE only.
    pub fn min(
        &mut self,
        space_id: u32,
        index_id: u32,
        key: Encoded<'_>,
    ) -> Result<Option<TupleRef<'_>>> {
        self.extreme(space_id, index_id, IteratorType::Eq, key, "min()")
    }

    /// The last tuple, or the last whose key begins with `key`. TREE only.
    pub fn max(
        &mut self,
        space_id: u32,
        index_id: u32,
        key: Encoded<'_>,
    ) -> Result<Option<TupleRef<'_>>> {
        self.extreme(space_id, index_id, IteratorType::Req, key, "max()")
    }

    fn extreme(
        &mut self,
        space_id: u32,
        index_id: u32,
        iterator: IteratorType,
        key: Encoded<'_>,
        feature: &str,
    ) -> Result<Option<TupleRef<'_>>> {
        self.space(space_id)?.require_tree(index_id, feature)?;
        self.begin_search(space_id, index_id, iterator, key)?;
        let index = self.index(space_id, index_id)?;
        let found = Walk::start(index, iterator, key, None).next(index, None);
        // SAFETY: the index holds the tuple, and the result borrows the database.
        Ok(found.map(|tuple| unsafe { TupleRef::new(tuple, &self.memory) }))
    }

    /// Some tuple, the same for the same seed and contents. It is no step of a transaction.
    pub fn random(&self, space_id: u32, index_id: u32, seed: u64) -> Result<Option<TupleRef<'_>>> {
        let found = self.index(space_id, index_id)?.random(seed);
        // SAFETY: the index holds the tuple, and the result borrows the database.
        Ok(found.map(|tuple| unsafe { TupleRef::new(tuple, &self.memory) }))
    }

    /// Checks an iterator and a key against an index; unless the key is wrong, that is a step of the
    /// transaction.
    pub(super) fn begin_search(
        &mut self,
        space_id: u32,
        index_id: u32,
        iterator: IteratorType,
        key: Encoded<'_>,
    ) -> Result<()> {
        let checked = self.check_search(space_id, index_id, iterator, key);
        match &checked {
            Err(error) if !matches!(error.kind(), ErrorKind::UnsupportedIndexFeature { .. }) => {}
            _ => self.touch()?,
        }
        checked
    }

    /// Checks an iterator and a key against an index.
    fn check_search(
        &self,
        space_id: u32,
        index_id: u32,
        iterator: IteratorType,
        key: Encoded<'_>,
    ) -> Result<()> {
        let space = self.space(space_id)?;
        let index = space.index(index_id)?;
        let definition = index.definition();
        if index.index_type() == IndexType::Tree {
            return definition.check_partial_key(key);
        }
        let (actual, _) = key.split();
        let expected = definition.key_part_count();
        if actual == 0 && matches!(iterator, IteratorType::All | IteratorType::Gt) {
            return Ok(());
        }
        if actual < expected {
            return Err(ErrorKind::PartialKey {
                index_type: index.index_type().name(),
                expected,
                actual,
            }
            .into());
        }
        definition.check_partial_key(key)?;
        match iterator {
            IteratorType::Eq | IteratorType::Gt => Ok(()),
            _ => space.require_tree(index_id, "requested iterator type"),
        }
    }
}
