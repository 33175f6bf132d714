//! Statements that hold others: what code of the user's that runs around a change needs.
//!
//! Such code is no part of the engine. Whoever runs it opens a statement, prepares and makes the
//! change, runs the code, and ends the statement or undoes it together with all that the code did.
//! Outside a transaction the statement is one of its own. A change without such code needs none of
//! this.

use crate::error::{ErrorKind, Result};
use crate::transaction::{Change, State};
use crate::tuple::{Encoded, Tuple};
use crate::update::Operations;

use super::Database;

/// How deep statements may be nested.
const NESTED_MAX: usize = 4;

/// A change of one tuple: what it was and what it became.
#[derive(Debug, Clone)]
pub struct RowChange {
    /// Number of its space.
    pub space_id: u32,
    /// The tuple before, if there was one.
    pub old: Option<Tuple>,
    /// The tuple after, if there is one.
    pub new: Option<Tuple>,
}

/// What the end of a statement leaves to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementEnd {
    /// Nothing: it was part of a transaction or of another statement.
    Inner,
    /// The transaction was begun for the statement: commit it or roll it back.
    Whole,
}

impl Database {
    /// Opens a statement, and a transaction for it when there is none. Fails with `SubStmtMax`, or
    /// with `TransactionYield` when a yield has undone the transaction.
    pub fn begin_statement(&mut self) -> Result<()> {
        if self.transaction.statements.len() == NESTED_MAX {
            return Err(ErrorKind::SubStmtMax.into());
        }
        match self.transaction.state {
            State::Aborted => return Err(ErrorKind::TransactionYield.into()),
            State::Idle => {
                self.number_transaction();
                self.transaction.is_implicit = true;
            }
            State::Fresh | State::Active => {}
        }
        self.transaction.state = State::Active;
        let position = self.transaction.log.len();
        self.transaction.statements.push(position);
        Ok(())
    }

    /// Ends the innermost statement.
    pub fn end_statement(&mut self) -> StatementEnd {
        self.transaction.statements.pop();
        self.statement_end()
    }

    /// Undoes the innermost statement and all that was done within it, and ends it.
    pub fn undo_statement(&mut self) -> StatementEnd {
        if let Some(position) = self.transaction.statements.pop() {
            self.undo_to(position);
            let depth = self.transaction.statements.len();
            self.transaction
                .savepoints
                .retain(|savepoint| savepoint.depth <= depth);
        }
        self.statement_end()
    }

    fn statement_end(&self) -> StatementEnd {
        if self.transaction.is_implicit && self.transaction.statements.is_empty() {
            StatementEnd::Whole
        } else {
            StatementEnd::Inner
        }
    }

    /// How many statements the running fiber has open.
    pub fn statement_depth(&self) -> usize {
        self.transaction.statements.len()
    }

    /// Whether as many statements are open as may be.
    pub fn is_statement_limit_reached(&self) -> bool {
        self.transaction.statements.len() == NESTED_MAX
    }

    /// Position in the log of the running fiber's transaction, for `change_since`.
    pub fn log_position(&self) -> usize {
        self.transaction.log.len()
    }

    /// The last change of a tuple in the log from a position on.
    pub fn change_since(&self, position: usize) -> Option<RowChange> {
        self.row_change(self.transaction.log.get(position..)?.last()?)
    }

    /// Undoes all changes of the running fiber's transaction, which stays open.
    pub fn undo_changes(&mut self) {
        self.undo_to(0);
        self.transaction.savepoints.clear();
    }

    /// The changes of tuples in the log of the running fiber's transaction from a position on,
    /// oldest first.
    pub fn changes(&self, position: usize) -> Vec<RowChange> {
        let log = self.transaction.log.iter().skip(position);
        log.filter_map(|change| self.row_change(change)).collect()
    }

    fn row_change(&self, change: &Change) -> Option<RowChange> {
        match change {
            // SAFETY: the log keeps old tuples; a new one is kept by the index or, if it was
            // replaced since, by a later entry of the log.
            Change::Row { space_id, old, new } => Some(RowChange {
                space_id: *space_id,
                old: old.map(|tuple| unsafe { self.memory.handle(tuple) }),
                new: new.map(|tuple| unsafe { self.memory.handle(tuple) }),
            }),
            Change::Schema(_) => None,
        }
    }

    /// A tuple with the next value of the sequence of its space, if its field for that is null;
    /// nothing for other tuples. Fails as an insert does that takes a value.
    pub fn fill_from_sequence_of(
        &mut self,
        space_id: u32,
        tuple: Encoded<'_>,
    ) -> Result<Option<Vec<u8>>> {
        let special = self.space(space_id)?.special.as_ref();
        match special.and_then(|special| special.sequence) {
            Some(sequence) => self.fill_from_sequence(sequence, tuple.bytes()),
            None => Ok(None),
        }
    }

    /// Checks that a tuple fits a space. Fails as `insert` does for one that does not.
    pub fn check_tuple(&self, space_id: u32, tuple: Encoded<'_>) -> Result<()> {
        self.space(space_id)?.format().check(tuple.bytes())
    }

    /// The tuple with a full key of a unique index. Fails as `delete` does. It is no request of the
    /// user's, and is not counted as one.
    pub fn find_for_statement(
        &self,
        space_id: u32,
        index_id: u32,
        key: Encoded<'_>,
    ) -> Result<Option<Tuple>> {
        let found = self.find_unique(space_id, index_id, key)?;
        // SAFETY: the index holds the tuple.
        Ok(found.map(|tuple| unsafe { self.memory.handle(tuple) }))
    }

    /// The tuple with the primary key of a tuple that fits the space. Fails with `NoSuchIndexId`.
    pub fn find_same_key(&self, space_id: u32, tuple: Encoded<'_>) -> Result<Option<Tuple>> {
        let primary = self.space(space_id)?.index(0)?;
        let key = primary.definition().extract_key(tuple.bytes());
        let found = primary.get(Encoded::trusted(&key));
        // SAFETY: the index holds the tuple.
        Ok(found.map(|tuple| unsafe { self.memory.handle(tuple) }))
    }

    /// Fails with `CantUpdatePrimaryKey` when two tuples of a space have different primary keys.
    pub fn check_same_key(
        &self,
        space_id: u32,
        left: Encoded<'_>,
        right: Encoded<'_>,
    ) -> Result<()> {
        let space = self.space(space_id)?;
        let Some(primary) = space.primary() else {
            return Ok(());
        };
        let order = primary
            .definition()
            .compare_tuples(left.bytes(), right.bytes());
        if order.is_eq() {
            return Ok(());
        }
        Err(ErrorKind::CantUpdatePrimaryKey {
            space: space.name().to_owned(),
        }
        .into())
    }

    /// What an update or upsert would make of a tuple. Fails as they do.
    pub fn preview_update(
        &self,
        space_id: u32,
        old: Encoded<'_>,
        operations: Encoded<'_>,
        index_base: u32,
        is_upsert: bool,
    ) -> Result<Vec<u8>> {
        let operations = self.parse_operations(space_id, operations, index_base)?;
        let mut data = Vec::new();
        if is_upsert {
            operations.apply_upsert(old.bytes(), &mut data)?;
        } else {
            operations.apply(old.bytes(), &mut data)?;
        }
        Ok(data)
    }

    /// Checks update operations as an upsert does that inserts. Fails with what is wrong with them.
    pub fn check_operations(
        &self,
        space_id: u32,
        operations: Encoded<'_>,
        index_base: u32,
    ) -> Result<()> {
        self.parse_operations(space_id, operations, index_base)
            .map(|_: Operations<'_>| ())
    }
}
