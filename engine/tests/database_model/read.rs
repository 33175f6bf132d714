//! Steps that read, and cursors that live on while the space changes.

use std::cmp::Ordering;
use std::rc::Rc;

use lycosa_engine::tuple::Encoded;
use lycosa_engine::{IndexType, IteratorType, Select};

use crate::model::{ModelIndex, ModelSpace, Outcome, Row, fail, is_backward};
use crate::program::{OpenCursor, Program};
use crate::value::{Value, encode};

/// What a read is asked for.
struct Request {
    space_id: u32,
    index_id: u32,
    iterator: IteratorType,
    key: Vec<Value>,
    after: Option<Row>,
    offset: usize,
}

impl Program {
    fn some_request(&mut self) -> Request {
        let space_id = self.some_space();
        let index_id = self.some_index(space_id);
        let iterators = [
            IteratorType::Eq,
            IteratorType::Req,
            IteratorType::All,
            IteratorType::Lt,
            IteratorType::Le,
            IteratorType::Ge,
            IteratorType::Gt,
        ];
        let mut key = self.some_key(space_id, index_id);
        let index = self
            .spaces
            .get(&space_id)
            .and_then(|s| s.index(index_id).ok());
        let is_hash = index.is_some_and(|index| index.index_type == IndexType::Hash);
        let is_plain = is_hash && !self.choices.once_in(4);
        let mut iterator = *self.choices.pick(&iterators);
        if is_plain {
            let all = self.choices.once_in(2);
            iterator = if all {
                IteratorType::All
            } else {
                IteratorType::Eq
            };
            key.truncate(if all { 0 } else { key.len() });
        } else {
            let count = self.choices.below(key.len() + 1);
            key.truncate(count);
        }
        if is_hash && iterator == IteratorType::Gt && !key.is_empty() {
            // What lies behind a key in a table is not for the model to know.
            iterator = IteratorType::Ge;
        }
        let after = if self.choices.once_in(3) && !is_plain {
            self.known_row(space_id)
        } else {
            None
        };
        let offset = [0, 0, 0, 1, 3, 100][self.choices.below(6)];
        Request {
            space_id,
            index_id,
            iterator,
            key,
            after,
            offset,
        }
    }

    /// The position of the request's row, as the engine gives it, if it gives one.
    fn position_of(&mut self, request: &Request) -> Option<Vec<u8>> {
        let tuple = encode(request.after.as_ref()?);
        let (space_id, index_id) = (request.space_id, request.index_id);
        let actual = self
            .database
            .position(space_id, index_id, Encoded::trusted(&tuple));
        let expected = self.lookup(space_id).and_then(|space| {
            require_tree(space.index(index_id)?)?;
            space.check_row(request.after.as_ref().expect("some"))
        });
        let before = self.spaces.clone();
        self.agree("position", before, actual, expected)
            .map(|(position, ())| position)
    }

    fn check_request(&self, request: &Request) -> Outcome<(&ModelSpace, &ModelIndex)> {
        let space = self.lookup(request.space_id)?;
        let index = space.index(request.index_id)?;
        index.check_search(request.iterator, &request.key)?;
        if let Some(after) = &request.after {
            require_tree(index)?;
            if !ModelSpace::comes_by(index, request.iterator, &request.key, after) {
                return fail(247);
            }
        }
        Ok((space, index))
    }

    /// A read with a wrong key is no step of a transaction; a wrong iterator or position is seen later.
    fn touch_for(&mut self, request: &Request) -> Outcome<()> {
        match self.check_request(request).map(|_| ()) {
            Err(codes) if codes != [112] && codes != [247] => Err(codes),
            checked => self.touch().and(checked),
        }
    }

    pub(crate) fn select(&mut self) {
        let mut request = self.some_request();
        let position = self.position_of(&request);
        if position.is_none() {
            request.after = None;
        }
        let limit = [usize::MAX, 0, 1, 2, 5][self.choices.below(5)];
        let is_all = request.offset == 0 && limit == usize::MAX && request.after.is_none();
        let touched = self.touch_for(&request);
        let expected = touched.and_then(|()| {
            let (space, index) = self.check_request(&request)?;
            let rows = space.iterate(
                index,
                request.iterator,
                &request.key,
                request.after.as_ref(),
            );
            let rows = rows.iter().skip(request.offset).take(limit);
            let rows: Vec<Vec<u8>> = rows.map(|row| encode(row)).collect();
            Ok((rows, index.index_type))
        });
        let key = encode(&request.key);
        let select = Select {
            offset: request.offset as u64,
            limit: limit as u64,
            after: position.as_deref().map(Encoded::trusted),
            ..Select::new(request.iterator, Encoded::trusted(&key))
        };
        let (space_id, index_id) = (request.space_id, request.index_id);
        let actual = self.database.select(space_id, index_id, &select);
        let before = self.spaces.clone();
        if let Some((actual, (mut expected, index_type))) =
            self.agree("select", before, actual, expected)
        {
            let mut actual: Vec<Vec<u8>> = actual.iter().map(|t| t.bytes().to_vec()).collect();
            if index_type == IndexType::Hash {
                // Any order will do, and so any tuples when only some are asked for.
                actual.sort();
                expected.sort();
                if !is_all {
                    assert_eq!(actual.len(), expected.len());
                    return;
                }
            }
            assert_eq!(actual, expected, "select {:?}", request.iterator);
            if is_all {
                let count = self.database.count(
                    space_id,
                    index_id,
                    request.iterator,
                    Encoded::trusted(&key),
                );
                assert_eq!(count.expect("as select"), expected.len() as u64);
            }
        }
    }

    pub(crate) fn get_one(&mut self) {
        let space_id = self.some_space();
        let index_id = self.some_index(space_id);
        let key = self.some_key(space_id, index_id);
        let checked = self
            .lookup(space_id)
            .and_then(|space| space.find(index_id, &key).map(|_| ()));
        let touched = checked.and_then(|()| self.touch());
        let expected = touched.and_then(|()| {
            let space = self.lookup(space_id)?;
            let found = space.find(index_id, &key)?;
            Ok(found.map(|position| encode(&space.rows[position])))
        });
        let key = encode(&key);
        let actual = self
            .database
            .get(space_id, index_id, Encoded::trusted(&key));
        let actual = actual.map(|tuple| tuple.map(|tuple| tuple.to_vec()));
        let before = self.spaces.clone();
        if let Some((actual, expected)) = self.agree("get", before, actual, expected) {
            assert_eq!(actual, expected, "get");
        }
    }

    pub(crate) fn extremes(&mut self) {
        let mut request = self.some_request();
        let is_min = self.choices.once_in(2);
        request.iterator = if is_min {
            IteratorType::Eq
        } else {
            IteratorType::Req
        };
        request.after = None;
        let checked = self
            .lookup(request.space_id)
            .and_then(|space| require_tree(space.index(request.index_id)?));
        let touched = checked.and_then(|()| self.touch_for(&request));
        let expected = touched.and_then(|()| {
            let (space, index) = self.check_request(&request)?;
            let rows = space.iterate(index, request.iterator, &request.key, None);
            Ok(rows.first().map(|row| encode(row)))
        });
        let key = encode(&request.key);
        let (space_id, index_id, key) =
            (request.space_id, request.index_id, Encoded::trusted(&key));
        let actual = if is_min {
            self.database.min(space_id, index_id, key)
        } else {
            self.database.max(space_id, index_id, key)
        };
        let actual = actual.map(|tuple| tuple.map(|tuple| tuple.to_vec()));
        let before = self.spaces.clone();
        if let Some((actual, expected)) = self.agree("min or max", before, actual, expected) {
            assert_eq!(actual, expected, "min or max");
        }
    }

    pub(crate) fn open_cursor(&mut self) {
        let mut request = self.some_request();
        let position = self.position_of(&request);
        if position.is_none() {
            request.after = None;
        }
        request.offset %= 4;
        let touched = self.touch_for(&request);
        let expected = touched.and_then(|()| {
            let (_, index) = self.check_request(&request)?;
            Ok(index.incarnation)
        });
        let key = encode(&request.key);
        let actual = self.database.cursor(
            request.space_id,
            request.index_id,
            request.iterator,
            Encoded::trusted(&key),
            position.as_deref().map(Encoded::trusted),
            request.offset as u64,
        );
        let before = self.spaces.clone();
        if let Some((cursor, incarnation)) = self.agree("cursor", before, actual, expected) {
            self.cursors.push(OpenCursor {
                cursor,
                space_id: request.space_id,
                index_id: request.index_id,
                incarnation,
                iterator: request.iterator,
                key: request.key,
                after: request.after,
                offset: request.offset,
                last: None,
                is_done: false,
            });
        }
    }

    pub(crate) fn advance_cursor(&mut self) {
        if self.cursors.is_empty() {
            return;
        }
        let at = self.choices.below(self.cursors.len());
        let mut open = self.cursors.swap_remove(at);
        for _ in 0..=self.choices.below(3) {
            self.advance_once(&mut open);
        }
        if !open.is_done || self.choices.once_in(2) {
            self.cursors.push(open);
        }
    }

    fn advance_once(&mut self, open: &mut OpenCursor) {
        let touched = self.touch();
        let actual = self.database.advance(&mut open.cursor);
        if touched.is_err() {
            assert_eq!(actual.err().map(|error| error.code()), Some(154));
            return;
        }
        let actual = actual.expect("cursors fail in aborted transactions only");
        let space = self.spaces.get(&open.space_id);
        let index = space
            .and_then(|space| space.index(open.index_id).ok())
            .filter(|index| index.incarnation == open.incarnation && !open.is_done);
        let (Some(space), Some(index)) = (space, index) else {
            assert!(
                actual.is_none(),
                "the index is gone, or the end was reached"
            );
            open.is_done = true;
            return;
        };
        if index.index_type == IndexType::Hash {
            let row = actual.as_ref().map(|tuple| {
                let known = space.rows.iter().find(|row| encode(row) == tuple.bytes());
                Rc::clone(known.expect("a tuple of the space"))
            });
            let fits = |row: &Row| ModelSpace::comes_by(index, open.iterator, &open.key, row);
            assert!(row.as_ref().is_none_or(fits), "a tuple with the key");
            open.last = row;
        } else {
            let expected = expected_next(space, index, open);
            assert_eq!(
                actual.as_ref().map(|tuple| tuple.bytes().to_vec()),
                expected.as_ref().map(|row| encode(row)),
                "cursor over {:?} behind {:?}",
                open.iterator,
                open.last
            );
            open.last = expected;
        }
        open.is_done = open.last.is_none();
        assert_eq!(open.cursor.is_done(), open.is_done);
    }
}

/// The first row behind the last one that the cursor gave.
fn expected_next(space: &ModelSpace, index: &ModelIndex, open: &OpenCursor) -> Option<Row> {
    let after = if open.last.is_none() {
        open.after.as_ref()
    } else {
        None
    };
    let rows = space.iterate(index, open.iterator, &open.key, after);
    let Some(last) = &open.last else {
        return rows.into_iter().nth(open.offset);
    };
    rows.into_iter().find(|row| {
        // A new row with the unique key of the last one stands where that one stood.
        let order = if index.clash(row, last) {
            Ordering::Equal
        } else {
            index.compare_rows(row, last, space.primary_parts())
        };
        if is_backward(open.iterator) {
            order.is_lt()
        } else {
            order.is_gt()
        }
    })
}

fn require_tree(index: &ModelIndex) -> Outcome<()> {
    if index.index_type == IndexType::Tree {
        Ok(())
    } else {
        fail(112)
    }
}
