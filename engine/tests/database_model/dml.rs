//! Steps that change tuples.

use std::rc::Rc;

use lycosa_engine::msgpack;
use lycosa_engine::tuple::Encoded;

use crate::ddl::usual_type;
use crate::model::{ModelSpace, Operation, Outcome, Row, fail};
use crate::program::{MAX_TUPLE_BYTES, Program};
use crate::value::{Value, encode};

fn encode_operations(operations: &[Operation]) -> Vec<u8> {
    let mut out = Vec::new();
    msgpack::write_array_header(&mut out, operations.len() as u32);
    for operation in operations {
        out.extend_from_slice(&operation.encode());
    }
    out
}

impl Program {
    pub(crate) fn some_value(&mut self, space_id: u32, field: u32) -> Value {
        let field_type = usual_type(space_id, field);
        match self.choices.below(60) {
            0..4 => Value::null(),
            4 => self.pool.any(&mut self.choices),
            5..40 => {
                // Many more different values than the pool has.
                let number = self.choices.below(300);
                let common = [
                    Value::unsigned(number as u64),
                    Value::string(&format!("string {number}")),
                ];
                let fitting = common.into_iter().find(|value| value.fits(field_type));
                fitting.unwrap_or_else(|| self.pool.of_type(field_type, &mut self.choices))
            }
            _ => self.pool.of_type(field_type, &mut self.choices),
        }
    }

    /// A row, like one that is there or anew; some are large.
    pub(crate) fn some_row(&mut self, space_id: u32) -> Vec<Value> {
        let known = self.known_row(space_id);
        if let Some(known) = known
            && self.choices.once_in(3)
        {
            let mut row = known.to_vec();
            let field = self.choices.below(row.len().max(1));
            if field < row.len() {
                row[field] = self.some_value(space_id, field as u32);
            }
            return row;
        }
        let count = [4, 5, 5, 5, 5, 5, 5, 6, 1, 3][self.choices.below(10)];
        let mut row: Vec<Value> = (0..count)
            .map(|field| self.some_value(space_id, field))
            .collect();
        if count == 5 && self.choices.once_in(3) {
            let lengths = [300, 3_000, 30_000, 50_000];
            let length = lengths[self.choices.below(100) % 5 % 4];
            row[4] = Value::string(&"x".repeat(length));
        }
        row
    }

    /// A row that is in the space, or was.
    pub(crate) fn known_row(&mut self, space_id: u32) -> Option<Row> {
        let rows = match self.spaces.get(&space_id) {
            Some(space) if !space.rows.is_empty() && !self.choices.once_in(8) => &space.rows,
            _ => &self.old_rows,
        };
        if rows.is_empty() {
            return None;
        }
        Some(Rc::clone(self.choices.pick(rows)))
    }

    pub(crate) fn some_key(&mut self, space_id: u32, index_id: u32) -> Vec<Value> {
        let index = self.spaces.get(&space_id);
        let index = index.and_then(|space| space.index(index_id).ok());
        let parts = index.map_or_else(Vec::new, |index| index.parts.clone());
        let known = self
            .known_row(space_id)
            .filter(|_| !self.choices.once_in(4));
        let fields = parts.iter().map(|part| part.field);
        let mut key: Vec<Value> = fields
            .map(
                |field| match known.as_ref().and_then(|row| row.get(field as usize)) {
                    Some(value) => value.clone(),
                    None => self.some_value(space_id, field),
                },
            )
            .collect();
        if self.choices.once_in(40) {
            key.push(Value::unsigned(1));
        }
        key
    }

    fn check_put(space: &ModelSpace, row: &[Value]) -> Outcome<()> {
        if encode(row).len() > MAX_TUPLE_BYTES {
            return fail(110);
        }
        space.check_row(row)
    }

    pub(crate) fn put_some(&mut self, is_insert: bool) {
        let most = if self.choices.once_in(8) { 150 } else { 4 };
        for _ in 0..=self.choices.below(most) {
            self.put(is_insert);
        }
    }

    fn put(&mut self, is_insert: bool) {
        let space_id = self.some_space();
        let row: Row = Rc::new(self.some_row(space_id));
        let before = self.spaces.clone();
        let expected = self.touch().and_then(|()| {
            Self::check_put(self.lookup(space_id)?, &row)?;
            let space = self.spaces.get_mut(&space_id).expect("looked up");
            let replaced = match space.same_primary_key(&row) {
                Some(_) if is_insert => return fail(3),
                replaced => replaced,
            };
            space.put(Rc::clone(&row), replaced)
        });
        let bytes = encode(&row);
        let tuple = Encoded::check(&bytes).expect("an array");
        let actual = if is_insert {
            self.database.insert(space_id, tuple)
        } else {
            self.database.replace(space_id, tuple)
        };
        let actual = actual.map(|tuple| tuple.to_vec());
        if let Some((actual, ())) = self.agree("put", before, actual, expected) {
            assert_eq!(actual, bytes);
            self.remember(row);
            self.count_change();
        }
    }

    fn remember(&mut self, row: Row) {
        if self.old_rows.len() < 16 {
            self.old_rows.push(row);
        } else {
            let at = self.choices.below(16);
            self.old_rows[at] = row;
        }
    }

    pub(crate) fn delete(&mut self) {
        let space_id = self.some_space();
        let index_id = self.some_index(space_id);
        let key = self.some_key(space_id, index_id);
        let before = self.spaces.clone();
        let expected = self.touch().and_then(|()| {
            let found = self.lookup(space_id)?.find(index_id, &key)?;
            let space = self.spaces.get_mut(&space_id).expect("looked up");
            Ok(found.map(|position| encode(&space.rows.remove(position))))
        });
        let key = encode(&key);
        let actual = self
            .database
            .delete(space_id, index_id, Encoded::trusted(&key));
        if let Err(error) = &actual {
            assert_ne!(error.code(), 2, "deletes work at the quota");
        }
        let actual = actual.map(|tuple| tuple.map(|tuple| tuple.bytes().to_vec()));
        if let Some((actual, expected)) = self.agree("delete", before, actual, expected) {
            assert_eq!(actual, expected, "deleted tuple");
            self.count_statement(actual.is_some());
        }
    }

    fn some_operations(&mut self, space_id: u32) -> Vec<Operation> {
        let count = self.choices.below(4);
        (0..count)
            .map(|_| {
                let number = 1 + self.choices.below(6);
                match self.choices.below(8) {
                    0 => Operation::Insert(number, self.some_value(space_id, number as u32 - 1)),
                    1 => Operation::Delete(number),
                    2 => Operation::OrZero(number),
                    _ => Operation::Assign(number, self.some_value(space_id, number as u32 - 1)),
                }
            })
            .collect()
    }

    pub(crate) fn update(&mut self) {
        let space_id = self.some_space();
        let index_id = self.some_index(space_id);
        let key = self.some_key(space_id, index_id);
        let operations = self.some_operations(space_id);
        let before = self.spaces.clone();
        let expected = self.expect_update(space_id, index_id, &key, &operations);
        let (key, operations) = (encode(&key), encode_operations(&operations));
        let (key, operations) = (Encoded::trusted(&key), Encoded::trusted(&operations));
        let actual = self.database.update(space_id, index_id, key, operations, 1);
        let actual = actual.map(|tuple| tuple.map(|tuple| tuple.to_vec()));
        if let Some((actual, expected)) = self.agree("update", before, actual, expected) {
            assert_eq!(actual, expected, "updated tuple");
            self.count_statement(actual.is_some());
        }
    }

    fn expect_update(
        &mut self,
        space_id: u32,
        index_id: u32,
        key: &[Value],
        operations: &[Operation],
    ) -> Outcome<Option<Vec<u8>>> {
        self.touch()?;
        let space = self.lookup(space_id)?;
        let Some(position) = space.find(index_id, key)? else {
            return Ok(None);
        };
        let mut row = space.rows[position].to_vec();
        for operation in operations {
            operation.apply(&mut row)?;
        }
        space.check_row(&row)?;
        match space.same_primary_key(&row) {
            Some(same) if same == position => {}
            Some(_) => return fail(3),
            None => return fail(94),
        }
        Self::check_put(space, &row)?;
        let space = self.spaces.get_mut(&space_id).expect("looked up");
        let bytes = encode(&row);
        space.put(Rc::new(row), Some(position))?;
        Ok(Some(bytes))
    }

    pub(crate) fn upsert(&mut self) {
        let space_id = self.some_space();
        let row = self.some_row(space_id);
        let operations = self.some_operations(space_id);
        let before = self.spaces.clone();
        let expected = self.expect_upsert(space_id, &row, &operations);
        let (tuple, operations) = (encode(&row), encode_operations(&operations));
        let (tuple, operations) = (Encoded::trusted(&tuple), Encoded::trusted(&operations));
        let actual = self.database.upsert(space_id, tuple, operations, 1);
        if let Some((skipped, (expected_skipped, is_change))) =
            self.agree("upsert", before, actual, expected)
        {
            assert_eq!(skipped.len(), expected_skipped, "skipped: {skipped:?}");
            self.count_statement(is_change);
        }
    }

    /// How many complaints there are, and whether something changed.
    fn expect_upsert(
        &mut self,
        space_id: u32,
        tuple: &[Value],
        operations: &[Operation],
    ) -> Outcome<(usize, bool)> {
        self.touch()?;
        let space = self.lookup(space_id)?;
        space.check_row(tuple)?;
        if space.primary().is_none() {
            return fail(35);
        }
        let Some(position) = space.same_primary_key(tuple) else {
            Self::check_put(space, tuple)?;
            let space = self.spaces.get_mut(&space_id).expect("looked up");
            space.put(Rc::new(tuple.to_vec()), None)?;
            return Ok((0, true));
        };
        let mut row = space.rows[position].to_vec();
        let mut skipped = 0;
        for operation in operations {
            skipped += usize::from(operation.apply(&mut row).is_err());
        }
        space.check_row(&row)?;
        if space.same_primary_key(&row) != Some(position) {
            return Ok((skipped + 1, false));
        }
        Self::check_put(space, &row)?;
        let space = self.spaces.get_mut(&space_id).expect("looked up");
        space.put(Rc::new(row), Some(position))?;
        Ok((skipped, true))
    }
}
