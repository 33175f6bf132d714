//! Cursors: iterations that stay valid while the space changes, across statements and switches.
//! A cursor keeps its last tuple alive and, when the index has changed, finds its place again.

use crate::error::{ErrorKind, Result};
use crate::index::{HashedIndex, Index, IteratorType, OrderedIndex, OrderedScan, Structure};
use crate::statistics::Counter;
use crate::tuple::{Encoded, Tuple, TuplePtr};

use super::Database;

/// An iteration over one index.
pub struct Cursor {
    space_id: u32,
    index_id: u32,
    incarnation: u64,
    state: State,
}

/// A walk over one index: the part of a cursor that does not keep tuples alive.
#[expect(
    clippy::large_enum_variant,
    reason = "boxing the common variant would cost each read of a TREE an allocation"
)]
pub(super) enum Walk {
    /// TREE; `key` is what the tuples must match for as long as the walk lasts, if anything.
    Ordered {
        scan: OrderedScan,
        iterator: IteratorType,
        key: Option<Vec<u8>>,
    },
    /// HASH, all tuples, or those behind one in the table's order.
    Buckets { bucket: usize, layout: u64 },
    /// HASH, one key: the tuple, until it is given.
    Single { tuple: Option<TuplePtr> },
}

#[expect(
    clippy::large_enum_variant,
    reason = "a cursor spends its life in the large variant"
)]
enum State {
    /// `key` is checked; nothing was given yet.
    Start {
        iterator: IteratorType,
        key: Vec<u8>,
        after: Option<Vec<u8>>,
        offset: u64,
    },
    Walking {
        walk: Walk,
        last: Tuple,
    },
    Done,
}

impl Cursor {
    /// Whether the iteration has come to its end.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// The tuple that was given last, unless the end has come.
    pub fn last(&self) -> Option<&Tuple> {
        match &self.state {
            State::Walking { last, .. } => Some(last),
            State::Start { .. } | State::Done => None,
        }
    }
}

impl Walk {
    /// Starts behind the position `after` (a full key), or at the first tuple.
    pub(super) fn start(
        index: &Index,
        iterator: IteratorType,
        key: Encoded<'_>,
        after: Option<&[u8]>,
    ) -> Self {
        match &index.structure {
            Structure::Tree(tree) => {
                let scan = match after {
                    Some(position) => {
                        tree.scan_after_position(iterator, Encoded::trusted(position))
                    }
                    None => tree.scan(iterator, key),
                };
                let bounded =
                    matches!(iterator, IteratorType::Eq | IteratorType::Req) && key.split().0 > 0;
                Self::Ordered {
                    scan,
                    iterator,
                    key: bounded.then(|| key.bytes().to_vec()),
                }
            }
            Structure::Hash(hash) if key.split().0 == 0 => Self::Buckets {
                bucket: 0,
                layout: hash.layout(),
            },
            Structure::Hash(hash) if iterator == IteratorType::Gt => {
                let found = hash.get(key).and_then(|tuple| hash.slot_after(tuple));
                Self::Buckets {
                    bucket: found.unwrap_or(usize::MAX),
                    layout: hash.layout(),
                }
            }
            Structure::Hash(hash) => Self::Single {
                tuple: hash.get(key),
            },
        }
    }

    /// The next tuple. `last` is the one given before, if the index may have changed since.
    #[inline]
    pub(super) fn next(&mut self, index: &Index, last: Option<TuplePtr>) -> Option<TuplePtr> {
        match (self, &index.structure) {
            (
                Self::Ordered {
                    scan,
                    iterator,
                    key,
                },
                Structure::Tree(tree),
            ) => next_ordered(scan, *iterator, key.as_deref(), tree, last),
            (Self::Buckets { bucket, layout }, Structure::Hash(hash)) => {
                next_bucket(bucket, layout, hash, last)
            }
            (Self::Single { tuple }, _) => tuple.take(),
            _ => None,
        }
    }
}

#[inline]
fn next_ordered(
    scan: &mut OrderedScan,
    iterator: IteratorType,
    key: Option<&[u8]>,
    tree: &OrderedIndex,
    last: Option<TuplePtr>,
) -> Option<TuplePtr> {
    if let Some(last) = last
        && !scan.is_current(tree)
    {
        *scan = tree.scan_after(iterator, last);
    }
    let tuple = scan.next(tree)?;
    match key {
        Some(key) if !tree.matches(tuple, Encoded::trusted(key)) => None,
        _ => Some(tuple),
    }
}

fn next_bucket(
    bucket: &mut usize,
    layout: &mut u64,
    hash: &HashedIndex,
    last: Option<TuplePtr>,
) -> Option<TuplePtr> {
    if *layout != hash.layout() {
        // The table was laid out anew: go on behind the last tuple if it is still there.
        *layout = hash.layout();
        if let Some(at) = last.and_then(|last| hash.slot_after(last)) {
            *bucket = at;
        }
    }
    let (tuple, next) = hash.next_from(*bucket)?;
    *bucket = next;
    Some(tuple)
}

impl Database {
    /// Opens an iteration. `after` is a position from [`Database::position`]: the iteration goes on
    /// behind it. Fails with `NoSuchSpace`, `NoSuchIndexId`, `KeyPartCount`, `KeyPartType`,
    /// `PartialKey`, `UnsupportedIndexFeature` or `IteratorPosition`.
    pub fn cursor(
        &mut self,
        space_id: u32,
        index_id: u32,
        iterator: IteratorType,
        key: Encoded<'_>,
        after: Option<Encoded<'_>>,
        offset: u64,
    ) -> Result<Cursor> {
        self.statistics.count(Counter::Select);
        self.begin_search(space_id, index_id, iterator, key)?;
        if let Some(position) = after {
            self.check_position(space_id, index_id, iterator, key, position)?;
        }
        let incarnation = self.index(space_id, index_id)?.incarnation;
        let (key, after) = (
            key.bytes().to_vec(),
            after.map(|position| position.bytes().to_vec()),
        );
        Ok(Cursor {
            space_id,
            index_id,
            incarnation,
            state: State::Start {
                iterator,
                key,
                after,
                offset,
            },
        })
    }

    /// The next tuple of an iteration, or nothing at its end; also when the space, the index or the
    /// contents have been dropped or truncated meanwhile.
    pub fn advance(&mut self, cursor: &mut Cursor) -> Result<Option<Tuple>> {
        self.touch()?;
        let state = std::mem::replace(&mut cursor.state, State::Done);
        let Some(index) = self
            .index(cursor.space_id, cursor.index_id)
            .ok()
            .filter(|index| index.incarnation == cursor.incarnation)
        else {
            return Ok(None);
        };
        let (walk, next) = match state {
            State::Done => return Ok(None),
            State::Start {
                iterator,
                key,
                after,
                offset,
            } => {
                let mut walk =
                    Walk::start(index, iterator, Encoded::trusted(&key), after.as_deref());
                for _ in 0..offset {
                    if walk.next(index, None).is_none() {
                        return Ok(None);
                    }
                }
                let next = walk.next(index, None);
                (walk, next)
            }
            State::Walking { mut walk, last } => {
                let next = walk.next(index, Some(last.pointer()));
                (walk, next)
            }
        };
        let Some(next) = next else { return Ok(None) };
        // SAFETY: the tuple has just come out of the index.
        let tuple = unsafe { self.memory.handle(next) };
        cursor.state = State::Walking {
            walk,
            last: tuple.clone(),
        };
        Ok(Some(tuple))
    }

    /// The position of a tuple in an index, to go on behind it later.
    pub fn position(&self, space_id: u32, index_id: u32, tuple: Encoded<'_>) -> Result<Vec<u8>> {
        let space = self.space(space_id)?;
        space.require_tree(index_id, "pagination")?;
        space.format.check(tuple.bytes())?;
        Ok(space
            .index(index_id)?
            .definition()
            .extract_full(tuple.bytes()))
    }

    /// Fails with `IteratorPosition` when a position has not the index's parts, or lies where the
    /// iteration does not come by.
    pub(super) fn check_position(
        &self,
        space_id: u32,
        index_id: u32,
        iterator: IteratorType,
        key: Encoded<'_>,
        position: Encoded<'_>,
    ) -> Result<()> {
        let space = self.space(space_id)?;
        space.require_tree(index_id, "pagination")?;
        let definition = space.index(index_id)?.definition();
        if !definition.accepts_position(position) || !definition.is_within(iterator, key, position)
        {
            return Err(ErrorKind::IteratorPosition.into());
        }
        Ok(())
    }
}
