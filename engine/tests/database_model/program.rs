//! Runs random programs against the engine and the model side by side. A step is a kind and a seed;
//! what it does in detail follows from the seed and the model's state.

use std::collections::BTreeMap;

use lycosa_engine::tuple::{Encoded, Fields, Tuple};
use lycosa_engine::{
    Cursor, Database, DatabaseOptions, Error, FIRST_USER_SPACE_ID, IndexType, IteratorType,
    Savepoint, Select, msgpack,
};

use crate::model::{ModelIndex, Outcome, Row, Spaces, fail};
use crate::value::{Choices, Pool, Value, encode};

/// Largest tuple that the programs' databases take.
pub(crate) const MAX_TUPLE_BYTES: usize = 40_000;

/// Memory that is used for anything but nodes: what stays the same when all is undone. How many nodes
/// the trees of the system spaces have depends on what they held before.
fn bytes_beside_nodes(database: &Database) -> usize {
    let spaces = database.spaces();
    let nodes: u64 = spaces.iter().map(|space| space.index_bytes()).sum();
    database.arena().used_bytes() - nodes as usize
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum State {
    Fresh,
    Active,
    Aborted,
}

/// An open transaction: what to go back to, and how much it has done.
pub(crate) struct Transaction {
    state: State,
    before: Spaces,
    changes: usize,
    /// Whether a statement had nothing to change: it counts as done.
    has_idle_statements: bool,
    savepoints: Vec<(Savepoint, Spaces, usize, bool)>,
}

pub(crate) struct OpenCursor {
    pub(crate) cursor: Cursor,
    pub(crate) space_id: u32,
    pub(crate) index_id: u32,
    pub(crate) incarnation: u64,
    pub(crate) iterator: IteratorType,
    pub(crate) key: Vec<Value>,
    pub(crate) after: Option<Row>,
    pub(crate) offset: usize,
    pub(crate) last: Option<Row>,
    pub(crate) is_done: bool,
}

pub(crate) struct Program {
    pub(crate) database: Database,
    pub(crate) spaces: Spaces,
    pub(crate) pool: Pool,
    pub(crate) choices: Choices,
    pub(crate) cursors: Vec<OpenCursor>,
    pub(crate) incarnations: u64,
    /// Rows that are gone, or were never there, to look for.
    pub(crate) old_rows: Vec<Row>,
    fiber: u64,
    transactions: BTreeMap<u64, Transaction>,
    handles: Vec<Savepoint>,
    /// Whether statements may fail for want of memory.
    is_tight: bool,
    /// Whether the database has system spaces.
    pub(crate) is_bootstrapped: bool,
    /// Memory of the system spaces.
    system_bytes: usize,
    pub(crate) memory_failures: usize,
}

impl Program {
    pub(crate) fn new(memory_limit_bytes: usize, is_tight: bool) -> Self {
        let mut database = Database::new(&DatabaseOptions {
            memory_limit_bytes,
            max_tuple_bytes: MAX_TUPLE_BYTES,
            ..DatabaseOptions::default()
        });
        // With next to no memory the model would have to know what the rows of the schema take.
        let is_bootstrapped = !is_tight;
        if is_bootstrapped {
            let made = database.bootstrap("instance", "replica set");
            made.expect("the system spaces fit");
        }
        let system_bytes = bytes_beside_nodes(&database);
        database.after_switch(1);
        Self {
            database,
            spaces: Spaces::new(),
            pool: Pool::new(),
            choices: Choices(0),
            cursors: Vec::new(),
            incarnations: 0,
            old_rows: Vec::new(),
            fiber: 1,
            transactions: BTreeMap::new(),
            handles: Vec::new(),
            is_tight,
            is_bootstrapped,
            system_bytes,
            memory_failures: 0,
        }
    }

    /// Does one step on both sides and compares them.
    pub(crate) fn step(&mut self, kind: u8, seed: u64) {
        self.choices = Choices(seed);
        match kind % 64 {
            0 => self.create_space(),
            1 => self.drop_space(),
            2..=5 => self.create_index(),
            6 => self.drop_index(),
            7 => self.set_format(),
            8 => self.rename(),
            9 => self.truncate(),
            10..=19 => self.put_some(true),
            20..=26 => self.put_some(false),
            27..=30 => self.update(),
            31..=33 => self.upsert(),
            34..=37 => self.delete(),
            38..=41 => self.begin(),
            42..=43 => self.commit(),
            44..=45 => self.rollback(),
            46..=47 => self.savepoint(),
            48..=49 => self.rollback_to_savepoint(),
            50..=51 => self.switch(),
            52..=55 => self.select(),
            56 => self.get_one(),
            57 => self.extremes(),
            58..=59 => self.open_cursor(),
            _ => self.advance_cursor(),
        }
        self.verify();
    }

    /// What every statement and read does first.
    pub(crate) fn touch(&mut self) -> Outcome<()> {
        match self.transactions.get_mut(&self.fiber) {
            Some(transaction) if transaction.state == State::Aborted => fail(154),
            Some(transaction) => {
                if transaction.state == State::Fresh {
                    // Other fibers may have changed things since it began.
                    transaction.state = State::Active;
                    transaction.before.clone_from(&self.spaces);
                    for (_, spaces, ..) in &mut transaction.savepoints {
                        spaces.clone_from(&self.spaces);
                    }
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether the running fiber's transaction has done a statement.
    pub(crate) fn has_statements(&self) -> bool {
        self.transactions
            .get(&self.fiber)
            .is_some_and(|transaction| transaction.changes > 0 || transaction.has_idle_statements)
    }

    pub(crate) fn count_statement(&mut self, is_change: bool) {
        if is_change {
            self.count_change();
        } else if let Some(transaction) = self.transactions.get_mut(&self.fiber) {
            transaction.has_idle_statements = true;
        }
    }

    pub(crate) fn count_change(&mut self) {
        if let Some(transaction) = self.transactions.get_mut(&self.fiber) {
            transaction.changes += 1;
        }
    }

    /// Compares two outcomes; gives both results when both succeeded. A failure leaves the model
    /// as it was `before`.
    pub(crate) fn agree<A, E>(
        &mut self,
        what: &str,
        before: Spaces,
        actual: Result<A, Error>,
        expected: Outcome<E>,
    ) -> Option<(A, E)> {
        match (actual, expected) {
            (Ok(actual), Ok(expected)) => return Some((actual, expected)),
            (Ok(_), Err(codes)) => panic!("{what}: succeeded, but should fail with {codes:?}"),
            (Err(error), Err(codes)) => assert!(
                codes.contains(&error.code()) || self.is_tight && error.code() == 2,
                "{what}: failed with {} ({error}), but should with {codes:?}",
                error.code()
            ),
            (Err(error), Ok(_)) if self.is_tight && error.code() == 2 => self.memory_failures += 1,
            (Err(error), Ok(_)) => panic!("{what}: failed with {} ({error})", error.code()),
        }
        self.spaces = before;
        None
    }

    fn begin(&mut self) {
        let actual = self.database.begin().map_err(|error| error.code());
        if self.transactions.contains_key(&self.fiber) {
            assert_eq!(actual, Err(79));
            return;
        }
        assert_eq!(actual, Ok(()));
        let transaction = Transaction {
            state: State::Fresh,
            before: self.spaces.clone(),
            changes: 0,
            has_idle_statements: false,
            savepoints: Vec::new(),
        };
        self.transactions.insert(self.fiber, transaction);
    }

    fn commit(&mut self) {
        let ended = self.transactions.remove(&self.fiber);
        let is_aborted = ended.is_some_and(|transaction| transaction.state == State::Aborted);
        let actual = self.database.commit().map_err(|error| error.code());
        assert_eq!(actual, if is_aborted { Err(154) } else { Ok(()) });
    }

    pub(crate) fn rollback(&mut self) {
        self.database.rollback();
        if let Some(ended) = self.transactions.remove(&self.fiber)
            && ended.state != State::Aborted
        {
            self.restore(ended.before, ended.state);
        }
    }

    /// A transaction that has done nothing has nothing to restore, and others may have.
    fn restore(&mut self, before: Spaces, state: State) {
        if state == State::Active {
            self.spaces = before;
        }
    }

    fn savepoint(&mut self) {
        let actual = self.database.savepoint().map_err(|error| error.code());
        match self.transactions.get_mut(&self.fiber) {
            None => assert_eq!(actual, Err(114)),
            Some(transaction) if transaction.state == State::Aborted => {
                assert_eq!(actual, Err(154));
            }
            Some(transaction) => {
                let handle = actual.expect("an open transaction takes savepoints");
                let point = (
                    handle,
                    self.spaces.clone(),
                    transaction.changes,
                    transaction.has_idle_statements,
                );
                transaction.savepoints.push(point);
                self.handles.push(handle);
            }
        }
    }

    fn rollback_to_savepoint(&mut self) {
        if self.handles.is_empty() {
            return;
        }
        let recent = self.handles.len().saturating_sub(4);
        let handle = *self.choices.pick(&self.handles[recent..]);
        let actual = self.database.rollback_to_savepoint(handle);
        let actual = actual.map_err(|error| error.code());
        let Some(transaction) = self.transactions.get_mut(&self.fiber) else {
            assert_eq!(actual, Err(114));
            return;
        };
        if transaction.state == State::Aborted {
            assert_eq!(actual, Err(154));
            return;
        }
        let known = &transaction.savepoints;
        match known.iter().position(|(known, ..)| *known == handle) {
            None => assert_eq!(actual, Err(61)),
            Some(position) => {
                assert_eq!(actual, Ok(()));
                let (_, spaces, changes, has_idle_statements) = &known[position];
                if transaction.changes > *changes {
                    self.spaces = spaces.clone();
                }
                let changes = *changes;
                transaction.has_idle_statements = *has_idle_statements;
                transaction.changes = changes;
                // Those that were made at the same place stay too.
                transaction.savepoints.retain(|known| known.2 <= changes);
            }
        }
    }

    /// Another fiber runs, after a yield or as a new one; or the same one comes back.
    fn switch(&mut self) {
        let next = 1 + self.choices.below(3) as u64;
        let is_yield = self.choices.once_in(2);
        if is_yield {
            self.database.before_switch();
        }
        self.database.after_switch(next);
        if (is_yield || next != self.fiber)
            && let Some(transaction) = self.transactions.get_mut(&self.fiber)
            && transaction.state == State::Active
        {
            transaction.state = State::Aborted;
            transaction.savepoints.clear();
            self.spaces = std::mem::take(&mut transaction.before);
        }
        self.fiber = next;
        let is_open = self.transactions.contains_key(&next);
        assert_eq!(self.database.is_in_transaction(), is_open);
    }

    /// Compares all that the two sides hold.
    fn verify(&mut self) {
        let ids: Vec<u32> = self
            .database
            .spaces()
            .iter()
            .map(|space| space.id())
            .filter(|&id| id >= FIRST_USER_SPACE_ID)
            .collect();
        assert_eq!(ids, self.spaces.keys().copied().collect::<Vec<_>>());
        for (&id, model) in &self.spaces {
            let space = self.database.space(id).expect("listed");
            assert_eq!(space.name(), model.name);
            let named = self.database.space_by_name(&model.name).expect("named");
            assert_eq!(named.id(), id);
            assert_eq!(space.len(), model.rows.len() as u64, "len");
            assert_eq!(space.data_bytes(), model.data_bytes(), "data_bytes");
            assert_eq!(space.format().fields(), model.fields);
            assert_eq!(space.indexes().len(), model.indexes.len());
            for (index, model_index) in space.indexes().iter().zip(&model.indexes) {
                assert_eq!(
                    (index.id(), index.name()),
                    (model_index.id, &*model_index.name)
                );
                assert_eq!(index.len(), model.rows.len() as u64, "index len");
                assert_eq!(index.definition().parts(), model_index.parts);
            }
        }
        let state = self.transactions.get(&self.fiber).map(|open| open.state);
        if matches!(state, None | Some(State::Active)) {
            self.verify_contents();
            if self.is_bootstrapped {
                self.verify_system_rows();
            }
        }
    }

    /// Compares the rows of `_space` and `_index` with the schema.
    fn verify_system_rows(&mut self) {
        let key = Fields::new().unsigned(u64::from(FIRST_USER_SPACE_ID));
        let key = key.finish();
        let select = Select::new(IteratorType::Ge, Encoded::trusted(&key));
        let mut named = |space_id: u32, name_field: u32, keys: u32| -> Vec<Vec<Vec<u8>>> {
            let rows = self.database.select(space_id, 0, &select).expect("rows");
            rows.iter()
                .map(|row| {
                    let fields = (0..keys).chain([name_field]);
                    fields.map(|number| field_of(row, number)).collect()
                })
                .collect()
        };
        let (spaces, indexes) = (named(280, 2, 1), named(288, 2, 2));
        let number = |number: u32| one(|fields| fields.unsigned(u64::from(number)));
        let text = |name: &str| one(|fields| fields.string(name));
        let expected = self.spaces.iter();
        let expected = expected.map(|(&id, space)| vec![number(id), text(&space.name)]);
        assert_eq!(spaces, expected.collect::<Vec<_>>(), "_space");
        let expected = self.spaces.iter().flat_map(|(&id, space)| {
            let indexes = space.indexes.iter();
            indexes.map(move |index| vec![number(id), number(index.id), text(&index.name)])
        });
        assert_eq!(indexes, expected.collect::<Vec<_>>(), "_index");
    }

    fn verify_contents(&mut self) {
        for (&id, model) in &self.spaces {
            for index in &model.indexes {
                let select = Select::new(IteratorType::All, Encoded::EMPTY);
                let actual = self.database.select(id, index.id, &select).expect("all");
                let mut actual: Vec<&[u8]> = actual.iter().map(Tuple::bytes).collect();
                let sorted = model.sorted(index);
                let mut expected: Vec<Vec<u8>> = sorted.iter().map(|row| encode(row)).collect();
                if index.index_type == IndexType::Hash {
                    actual.sort_unstable();
                    expected.sort_unstable();
                }
                assert_eq!(actual, expected, "contents of index {}", index.name);
                verify_gets(&mut self.database, id, index, &model.rows);
            }
        }
    }

    /// Ends everything, and checks that no memory is held.
    pub(crate) fn finish(mut self) {
        for fiber in 1..=3 {
            self.database.before_switch();
            self.database.after_switch(fiber);
            self.database.rollback();
        }
        self.cursors.clear();
        let ids: Vec<u32> = self
            .database
            .spaces()
            .iter()
            .map(|space| space.id())
            .filter(|&id| id >= FIRST_USER_SPACE_ID)
            .collect();
        for id in ids {
            self.database
                .drop_space(id)
                .expect("no transaction is open");
        }
        let used = bytes_beside_nodes(&self.database);
        assert_eq!(used, self.system_bytes, "memory leaks");
    }
}

/// Finds each row by its key, where a unique index can.
fn verify_gets(database: &mut Database, space_id: u32, index: &ModelIndex, rows: &[Row]) {
    if !index.is_unique {
        return;
    }
    for row in rows {
        let key: Option<Vec<Value>> = index
            .parts
            .iter()
            .map(|part| row.get(part.field as usize).cloned())
            .collect();
        let Some(key) = key.filter(|key| !key.iter().any(Value::is_null)) else {
            continue;
        };
        let encoded = encode(&key);
        let found = database.get(space_id, index.id, Encoded::trusted(&encoded));
        let found = found.expect("a full key").map(|tuple| tuple.to_vec());
        assert_eq!(found, Some(encode(row)), "get from index {}", index.name);
    }
}

/// The MsgPack of one field of a row.
fn field_of(row: &Tuple, number: u32) -> Vec<u8> {
    let at = row.field(number).expect("the row has the field");
    let length = msgpack::value_length(at).expect("well-formed");
    at[..length].to_vec()
}

/// The MsgPack of one value.
fn one(write: impl FnOnce(Fields) -> Fields) -> Vec<u8> {
    write(Fields::new()).finish()[1..].to_vec()
}
