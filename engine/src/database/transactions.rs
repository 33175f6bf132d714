//! Begin, commit, rollback, savepoints, and what a switch of fibers does to a transaction.

use crate::error::{ErrorKind, Result};
use crate::msgpack;
use crate::space::{Space, for_each};
use crate::statistics::Counter;
use crate::transaction::{Change, Mark, Savepoint, SchemaChange, SpaceChange, State, Transaction};
use crate::tuple::{TuplePtr, field};

use super::system::{FUNC_ID, SPACE_ID};
use super::{Database, FIRST_USER_SPACE_ID};

impl Database {
    /// Opens a transaction for the running fiber. Fails with `ActiveTransaction` when it has one.
    pub fn begin(&mut self) -> Result<()> {
        if self.transaction.is_open() {
            return Err(ErrorKind::ActiveTransaction.into());
        }
        self.statistics.count(Counter::Begin);
        self.number_transaction();
        self.transaction.state = State::Fresh;
        Ok(())
    }

    pub(super) fn number_transaction(&mut self) {
        self.transactions_begun += 1;
        self.transaction.number = self.transactions_begun;
    }

    /// Makes the changes of the transaction last. Without one it does nothing. Fails with
    /// `TransactionYield` when a yield has aborted it; it is gone then all the same. Fails with
    /// `CommitInSubStmt` while a statement is open.
    pub fn commit(&mut self) -> Result<()> {
        if !self.transaction.statements.is_empty() {
            return Err(ErrorKind::CommitInSubStmt.into());
        }
        match self.transaction.state {
            State::Idle => Ok(()),
            State::Aborted => {
                self.rollback();
                Err(ErrorKind::TransactionYield.into())
            }
            State::Fresh | State::Active => {
                if !self.transaction.is_implicit {
                    self.statistics.count(Counter::Commit);
                }
                self.settle_all();
                Ok(())
            }
        }
    }

    /// Makes the changes of the transaction last, and ends it.
    pub(super) fn settle_all(&mut self) {
        let mut log = std::mem::take(&mut self.transaction.log);
        for change in log.drain(..) {
            self.settle(change);
        }
        self.transaction.log = log;
        self.transaction.reset();
    }

    /// Undoes the changes of the transaction and ends it, its open statements included. Without
    /// one it does nothing.
    pub fn rollback(&mut self) {
        if self.transaction.is_open() {
            if !self.transaction.is_implicit {
                self.statistics.count(Counter::Rollback);
            }
            self.undo_to(0);
            self.transaction.reset();
        }
    }

    /// Whether the running fiber has a transaction, an aborted one included.
    pub fn is_in_transaction(&self) -> bool {
        self.transaction.is_open()
    }

    /// Whether a yield has undone the running fiber's transaction, which can only be rolled back.
    pub fn is_aborted(&self) -> bool {
        self.transaction.state == State::Aborted
    }

    /// Number of the running fiber's transaction, if it has one.
    pub fn transaction_number(&self) -> Option<u64> {
        self.transaction
            .is_open()
            .then_some(self.transaction.number)
    }

    /// Remembers where the transaction stands. Fails with `NoTransaction` or `TransactionYield`.
    pub fn savepoint(&mut self) -> Result<Savepoint> {
        self.require_transaction()?;
        let serial = self.transaction.next_savepoint;
        self.transaction.next_savepoint += 1;
        self.transaction.savepoints.push(Mark {
            serial,
            position: self.transaction.log.len(),
            depth: self.transaction.statements.len(),
            has_idle_statements: self.transaction.has_idle_statements,
        });
        Ok(Savepoint {
            transaction: self.transaction.number,
            serial,
        })
    }

    /// Undoes what came after a savepoint, which stays; later ones end, unless nothing lies between.
    /// Fails with `NoTransaction`, `TransactionYield` or `NoSuchSavepoint`; one of another statement
    /// is none of this one.
    pub fn rollback_to_savepoint(&mut self, savepoint: Savepoint) -> Result<()> {
        self.require_transaction()?;
        let known = &self.transaction.savepoints;
        let depth = self.transaction.statements.len();
        let found = known
            .iter()
            .position(|mark| mark.serial == savepoint.serial && mark.depth == depth);
        match found {
            Some(at) if savepoint.transaction == self.transaction.number => {
                let position = known[at].position;
                self.transaction.has_idle_statements = known[at].has_idle_statements;
                self.undo_to(position);
                let savepoints = &mut self.transaction.savepoints;
                let kept = savepoints.partition_point(|mark| mark.position <= position);
                savepoints.truncate(kept);
                Ok(())
            }
            _ => Err(ErrorKind::NoSuchSavepoint.into()),
        }
    }

    fn require_transaction(&self) -> Result<()> {
        match self.transaction.state {
            State::Idle => Err(ErrorKind::NoTransaction.into()),
            State::Aborted => Err(ErrorKind::TransactionYield.into()),
            State::Fresh | State::Active => Ok(()),
        }
    }

    /// Called before every statement and read. Fails with `TransactionYield`.
    #[inline]
    pub(super) fn touch(&mut self) -> Result<()> {
        match self.transaction.state {
            State::Idle | State::Active => Ok(()),
            State::Fresh => {
                self.transaction.state = State::Active;
                Ok(())
            }
            State::Aborted => Err(ErrorKind::TransactionYield.into()),
        }
    }

    /// Records a change, or makes it last at once outside a transaction.
    #[inline]
    pub(super) fn log(&mut self, change: Change) {
        if self.transaction.is_open() {
            self.transaction.log.push(change);
        } else {
            self.settle(change);
        }
    }

    /// Called when the running fiber yields: a transaction that has read or written is undone and
    /// counts as aborted; an empty one lives on.
    pub fn before_switch(&mut self) {
        if self.transaction.state == State::Active {
            self.undo_to(0);
            self.transaction.savepoints.clear();
            self.transaction.state = State::Aborted;
        }
    }

    /// Called when fiber `entering` gets the thread, by a yield or as a new fiber: each fiber has
    /// its own transaction. The fiber that created a new one has yielded to it, as in Tarantool:
    /// no two transactions hold changes at one time, so that each can be undone on its own.
    #[inline]
    pub fn after_switch(&mut self, entering: u64) {
        if self.running == entering {
            return;
        }
        self.before_switch();
        if self.transaction.is_open() {
            self.parked
                .insert(self.running, std::mem::take(&mut self.transaction));
        }
        self.running = entering;
        if !self.parked.is_empty()
            && let Some(parked) = self.parked.remove(&entering)
        {
            self.transaction = parked;
        }
    }

    pub(super) fn rollback_everything(&mut self) {
        self.rollback();
        let parked: Vec<Transaction> = self.parked.drain().map(|(_, parked)| parked).collect();
        for transaction in parked {
            self.transaction = transaction;
            self.rollback();
        }
    }

    pub(super) fn undo_to(&mut self, position: usize) {
        let arena = std::rc::Rc::clone(self.memory.arena());
        let _held = arena.overdraft();
        while self.transaction.log.len() > position {
            if let Some(change) = self.transaction.log.pop() {
                self.undo(change);
            }
        }
    }

    fn undo(&mut self, change: Change) {
        match change {
            Change::Row { space_id, old, new } => {
                if let Some(space) = self.spaces.get_mut(&space_id) {
                    space.undo(old, new);
                }
                if space_id < FIRST_USER_SPACE_ID {
                    self.note_undone_row(space_id, old.or(new));
                }
                if let Some(new) = new {
                    // SAFETY: the index has just given the tuple up, and its reference with it.
                    unsafe { self.memory.release(new) }
                }
            }
            Change::Schema(change) => self.undo_schema(*change),
        }
    }

    /// Whoever keeps what a system space says is to look again.
    fn note_undone_row(&mut self, space_id: u32, row: Option<TuplePtr>) {
        if space_id == FUNC_ID {
            self.note_schema_change(FUNC_ID);
        } else if space_id == SPACE_ID
            && let Some(row) = row
        {
            // SAFETY: the log owns an old tuple, and a new one is released after this.
            let id = field(unsafe { row.bytes() }, 0).map(|at| msgpack::read_trusted(at).0);
            if let Some(msgpack::Value::Unsigned(id)) = id {
                self.note_schema_change(id as u32);
            }
        }
    }

    fn undo_schema(&mut self, change: SchemaChange) {
        self.note_schema_change(change.space_id());
        match change {
            SchemaChange::SpaceCreated { space_id } => {
                if let Some(space) = self.spaces.remove(&space_id) {
                    self.names.remove(&space.name);
                    space.release_tuples(&self.memory);
                }
            }
            SchemaChange::SpaceDropped { space } => {
                self.names.insert(space.name.clone(), space.id);
                self.spaces.insert(space.id, space);
            }
            SchemaChange::SpaceRenamed { space_id, old_name } => {
                if let Some(space) = self.spaces.get_mut(&space_id) {
                    self.names.remove(&space.name);
                    self.names.insert(old_name.clone(), space_id);
                    space.name = old_name;
                }
            }
            SchemaChange::SequenceCreated { id } => self.undo_created_sequence(id),
            SchemaChange::SequenceDropped { sequence } => {
                self.sequences.insert(sequence.id(), sequence);
            }
            SchemaChange::SequenceAltered { old } => self.undo_altered_sequence(old),
            SchemaChange::Within { space_id, change } => {
                if let Some(space) = self.spaces.get_mut(&space_id) {
                    space.undo_change(change);
                }
            }
        }
    }

    /// Gives back what a change that lasts has replaced.
    #[inline]
    fn settle(&mut self, change: Change) {
        match change {
            Change::Row { old: Some(old), .. } => {
                // SAFETY: the log owned the reference of the tuple that was replaced.
                unsafe { self.memory.release(old) }
            }
            Change::Row { old: None, .. } => {}
            Change::Schema(change) => self.settle_schema(*change),
        }
    }

    fn settle_schema(&mut self, change: SchemaChange) {
        match change {
            SchemaChange::SpaceDropped { space } => space.release_tuples(&self.memory),
            SchemaChange::Within { change, .. } => self.settle_within(&change),
            SchemaChange::SpaceCreated { .. }
            | SchemaChange::SpaceRenamed { .. }
            | SchemaChange::SequenceCreated { .. }
            | SchemaChange::SequenceDropped { .. }
            | SchemaChange::SequenceAltered { .. } => {}
        }
    }

    /// Gives back the tuples of a primary index that is gone.
    fn settle_within(&mut self, change: &SpaceChange) {
        let primary = match change {
            SpaceChange::IndexDropped { index, .. } if index.id == 0 => Some(index),
            SpaceChange::Truncated { contents } => contents.indexes.first(),
            _ => None,
        };
        if let Some(primary) = primary {
            for_each(primary, |tuple| {
                // SAFETY: the primary index owned a reference of each, and ends with the change.
                unsafe { self.memory.release(tuple) }
            });
        }
    }
}

impl Space {
    fn undo_change(&mut self, change: SpaceChange) {
        match change {
            SpaceChange::FormatChanged { old_format } => self.format = old_format,
            SpaceChange::IndexCreated {
                index_id,
                old_format,
            } => {
                self.indexes.retain(|index| index.id != index_id);
                self.format = old_format;
            }
            SpaceChange::IndexDropped { index, old_format } => {
                let at = self.indexes.partition_point(|known| known.id < index.id);
                self.indexes.insert(at, index);
                self.format = old_format;
                self.recount_data_bytes();
            }
            SpaceChange::IndexRenamed { index_id, old_name } => {
                if let Some(index) = self.indexes.iter_mut().find(|index| index.id == index_id) {
                    index.name = old_name;
                }
            }
            SpaceChange::IndexesAltered {
                indexes,
                old_format,
            } => {
                for index in indexes {
                    let at = self.indexes.partition_point(|known| known.id < index.id);
                    self.indexes[at] = index;
                }
                self.format = old_format;
            }
            SpaceChange::SequenceChanged { old } => {
                self.exchange_sequence(old);
            }
            SpaceChange::Truncated { contents } => {
                self.indexes = contents.indexes;
                self.data_bytes = contents.data_bytes;
            }
        }
    }
}
