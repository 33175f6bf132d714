//! The database: spaces, the transaction of the running fiber, the memory quota. Plain data with
//! `&mut self` methods: nothing here switches fibers, and no reference into it survives a switch.

mod cursor;
mod ddl;
mod ddl_index;
mod read;
mod read_view;
mod sequence;
mod statement;
mod system;
mod transactions;
mod write;

use std::rc::Rc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use crate::error::{ErrorKind, Result};
use crate::index::Index;
use crate::memory::Arena;
use crate::space::Space;
use crate::statistics::Statistics;
use crate::transaction::Transaction;
use crate::tuple::TupleMemory;

pub use cursor::Cursor;
pub use ddl::{SpaceAlteration, SpaceOptions, SpaceRowChange};
pub use read::Select;
pub use read_view::ReadView;
pub use sequence::{Sequence, SequenceDefinition};
pub use statement::{RowChange, StatementEnd};
pub(crate) use system::SEQUENCE_ID;

/// Number of the first space of a user.
pub const FIRST_USER_SPACE_ID: u32 = 512;

/// Limits of a database.
#[derive(Debug, Clone)]
pub struct DatabaseOptions {
    /// Quota for tuples and indexes.
    pub memory_limit_bytes: usize,
    /// Largest MsgPack of one tuple.
    pub max_tuple_bytes: usize,
    /// Asks the system (Linux) for huge pages. Reads of random keys of a large space are then faster, while the
    /// first inserts depend on what huge pages cost the system at that moment.
    pub huge_pages: bool,
}

impl Default for DatabaseOptions {
    /// 256 MiB in all, 1 MiB a tuple, as Tarantool.
    fn default() -> Self {
        Self {
            memory_limit_bytes: 256 << 20,
            max_tuple_bytes: 1 << 20,
            huge_pages: false,
        }
    }
}

/// An in-memory transactional database. Owned by one thread.
pub struct Database {
    memory: TupleMemory,
    max_tuple_bytes: usize,
    /// Larger tuples are looked at twice: all of them while the database is read-only, so that the
    /// usual statement pays for one comparison.
    unchecked_tuple_bytes: usize,
    is_read_only: bool,
    /// Spaces whose tuples may change all the same.
    temporary_spaces: HashSet<u32, FixedState>,
    spaces: HashMap<u32, Box<Space>, FixedState>,
    names: HashMap<String, u32, FixedState>,
    sequences: HashMap<u32, Sequence, FixedState>,
    /// Fiber that runs.
    running: u64,
    /// Its transaction.
    transaction: Transaction,
    /// Open transactions of fibers that wait.
    parked: HashMap<u64, Transaction, FixedState>,
    transactions_begun: u64,
    incarnations: u64,
    schema_version: u64,
    /// Spaces that were made, changed or dropped since somebody last asked.
    changed_spaces: HashSet<u32, FixedState>,
    statistics: Statistics,
    /// Spaces of open read views, by numbers of their own.
    copies: HashMap<u32, Box<Space>, FixedState>,
    last_copy_id: u32,
    read_views: HashMap<u64, ReadView, FixedState>,
    read_views_opened: u64,
    /// Result of an update while it is checked, and its scratch.
    scratch: Vec<u8>,
}

impl Default for Database {
    fn default() -> Self {
        Self::new(&DatabaseOptions::default())
    }
}

impl Database {
    /// An empty database.
    pub fn new(options: &DatabaseOptions) -> Self {
        let arena = Arena::with_huge_pages(options.memory_limit_bytes, options.huge_pages);
        Self {
            memory: TupleMemory::new(Rc::new(arena)),
            max_tuple_bytes: options.max_tuple_bytes,
            unchecked_tuple_bytes: options.max_tuple_bytes,
            is_read_only: false,
            temporary_spaces: HashSet::default(),
            spaces: HashMap::default(),
            names: HashMap::default(),
            sequences: HashMap::default(),
            running: 0,
            transaction: Transaction::default(),
            parked: HashMap::default(),
            transactions_begun: 0,
            incarnations: 0,
            schema_version: 1,
            changed_spaces: HashSet::default(),
            statistics: Statistics::default(),
            copies: HashMap::default(),
            last_copy_id: 0,
            read_views: HashMap::default(),
            read_views_opened: 0,
            scratch: Vec::new(),
        }
    }

    /// The memory behind tuples and indexes.
    pub fn arena(&self) -> &Arena {
        self.memory.arena()
    }

    /// Sets the largest MsgPack of one tuple.
    pub fn set_max_tuple_bytes(&mut self, bytes: usize) {
        self.max_tuple_bytes = bytes;
        self.set_read_only(self.is_read_only);
    }

    /// Lets changes fail with `ReadOnly` from now on, or succeed again.
    pub fn set_read_only(&mut self, is_read_only: bool) {
        self.is_read_only = is_read_only;
        self.unchecked_tuple_bytes = if is_read_only {
            0
        } else {
            self.max_tuple_bytes
        };
    }

    /// Whether changes fail with `ReadOnly`.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Says whether the tuples of a space may change while the database is read-only.
    pub fn set_temporary(&mut self, space_id: u32, is_temporary: bool) {
        if is_temporary {
            self.temporary_spaces.insert(space_id);
        } else {
            self.temporary_spaces.remove(&space_id);
        }
    }

    /// Fails with `ReadOnly` when tuples of the space may not change.
    #[inline]
    pub(super) fn check_writable(&self, space_id: u32) -> Result<()> {
        if self.is_read_only {
            let space = self.space(space_id)?;
            check_size(0, usize::MAX, !self.temporary_spaces.contains(&space.id))?;
        }
        Ok(())
    }

    /// Requests counted so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Starts all counters from 0.
    pub fn reset_statistics(&mut self) {
        self.statistics = Statistics::default();
    }

    /// Grows with every change of the schema.
    pub fn schema_version(&self) -> u64 {
        self.schema_version
    }

    /// Numbers of the spaces that were made, changed or dropped since the last call.
    pub fn take_changed_spaces(&mut self) -> Vec<u32> {
        self.changed_spaces.drain().collect()
    }

    /// The space with this number; for a view, the one that it shows; for a number that a read view
    /// has given out, the copy. Fails with `NoSuchSpace`.
    #[inline]
    pub fn space(&self, id: u32) -> Result<&Space> {
        match self.spaces.get(&id) {
            Some(space) => Ok(space),
            None => self.viewed_space(id),
        }
    }

    #[cold]
    fn viewed_space(&self, id: u32) -> Result<&Space> {
        system::view_source(id)
            .and_then(|source| self.spaces.get(&source))
            .or_else(|| self.copies.get(&id))
            .map(|space| &**space)
            .ok_or_else(|| no_such_space(id))
    }

    /// Name of the view with this number, if it is one.
    pub fn view_name(&self, id: u32) -> Option<String> {
        let source = system::view_source(id).filter(|_| !self.spaces.contains_key(&id))?;
        let source = self.spaces.get(&source)?;
        Some(system::view_name(&source.name))
    }

    /// The space with this name. Fails with `NoSuchSpace`.
    pub fn space_by_name(&self, name: &str) -> Result<&Space> {
        match self.names.get(name) {
            Some(id) => self.space(*id),
            None => Err(ErrorKind::NoSuchSpace {
                space: name.to_owned(),
            }
            .into()),
        }
    }

    /// All spaces, ascending by number.
    pub fn spaces(&self) -> Vec<&Space> {
        let mut all: Vec<&Space> = self.spaces.values().map(|space| &**space).collect();
        all.sort_unstable_by_key(|space| space.id);
        all
    }

    fn index(&self, space_id: u32, index_id: u32) -> Result<&Index> {
        self.space(space_id)?.index(index_id)
    }

    fn next_incarnation(&mut self) -> u64 {
        self.incarnations += 1;
        self.incarnations
    }
}

/// Says of a tuple that `store` has to look at twice whether it may be stored.
#[cold]
fn check_size(bytes: usize, max_bytes: usize, is_read_only: bool) -> Result<()> {
    if is_read_only {
        return Err(ErrorKind::ReadOnly.into());
    }
    if bytes > max_bytes {
        return Err(ErrorKind::MaxTupleSize { bytes }.into());
    }
    Ok(())
}

#[cold]
fn no_such_space(id: u32) -> crate::Error {
    ErrorKind::NoSuchSpace {
        space: format!("#{id}"),
    }
    .into()
}

impl Drop for Database {
    fn drop(&mut self) {
        self.rollback_everything();
        for space in self.spaces.values().chain(self.copies.values()) {
            space.release_tuples(&self.memory);
        }
    }
}
