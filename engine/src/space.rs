//! A space: a format and the indexes over its tuples. The methods here keep all indexes in step;
//! transactions and schema checks are the database's.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::error::{ErrorKind, Result};
use crate::error_field::ErrorTuple;
use crate::index::{Index, IteratorType};
use crate::memory::Arena;
use crate::schema::{Format, KeyPart};
use crate::tuple::{Encoded, TupleMemory, TuplePtr};

/// Whether a tuple may take the place of one with the same primary key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PutMode {
    Insert,
    Replace,
}

/// A space of the database.
pub struct Space {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) format: Format,
    /// Ascending by id; the first is the primary key, if there is one.
    pub(crate) indexes: Vec<Index>,
    /// Bytes of all tuples' MsgPack.
    pub(crate) data_bytes: u64,
    /// What statements must mind here and not elsewhere.
    pub(crate) special: Option<Box<Special>>,
}

/// What sets a space apart from those that a statement writes into without more ado.
#[derive(Default, Clone)]
pub(crate) struct Special {
    /// Whether the space came with the database.
    pub(crate) is_system: bool,
    /// Whether only changes of the schema may change its rows.
    pub(crate) is_protected: bool,
    /// Where values for nulls of one field come from.
    pub(crate) sequence: Option<SpaceSequence>,
}

/// A field of a space that takes its values from a sequence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpaceSequence {
    pub(crate) sequence_id: u32,
    /// Number of the field, from 0.
    pub(crate) field: u32,
    /// Whether the sequence was made for this space, and ends with it.
    pub(crate) is_generated: bool,
}

impl Space {
    pub(crate) fn new(id: u32, name: &str, format: Format) -> Self {
        Self {
            id,
            name: name.to_owned(),
            format,
            indexes: Vec::new(),
            data_bytes: 0,
            special: None,
        }
    }

    /// Number of the space.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Name, unique in the database.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its declared fields and what its tuples must satisfy.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// Its indexes, ascending by id.
    pub fn indexes(&self) -> &[Index] {
        &self.indexes
    }

    /// Number of tuples.
    pub fn len(&self) -> u64 {
        self.primary().map_or(0, Index::len)
    }

    /// Whether there is no tuple.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all tuples' MsgPack.
    pub fn data_bytes(&self) -> u64 {
        self.data_bytes
    }

    /// Memory of all its indexes, in bytes.
    pub fn index_bytes(&self) -> u64 {
        self.indexes.iter().map(Index::memory_bytes).sum()
    }

    /// The primary index.
    pub(crate) fn primary(&self) -> Option<&Index> {
        self.indexes.first().filter(|index| index.id == 0)
    }

    pub(crate) fn primary_parts(&self) -> &[KeyPart] {
        self.primary()
            .map_or(&[], |index| index.definition().parts())
    }

    /// The index with this id. Fails with `NoSuchIndexId`.
    #[inline]
    pub fn index(&self, id: u32) -> Result<&Index> {
        // Ids are nearly always dense.
        if let Some(index) = self.indexes.get(id as usize).filter(|index| index.id == id) {
            return Ok(index);
        }
        self.indexes
            .iter()
            .find(|index| index.id == id)
            .ok_or_else(|| {
                ErrorKind::NoSuchIndexId {
                    index_id: id,
                    space: self.name.clone(),
                }
                .into()
            })
    }

    /// The index with this name. Fails with `NoSuchIndexName`.
    pub fn index_by_name(&self, name: &str) -> Result<&Index> {
        self.indexes
            .iter()
            .find(|index| index.name == name)
            .ok_or_else(|| {
                ErrorKind::NoSuchIndexName {
                    index: name.to_owned(),
                    space: self.name.clone(),
                }
                .into()
            })
    }

    /// Puts a tuple into all indexes; the primary takes over the caller's reference. Answers with
    /// the tuple that it replaced, whose reference the caller now owns. A failure changes nothing.
    #[inline]
    pub(crate) fn put(
        &mut self,
        tuple: TuplePtr,
        mode: PutMode,
        arena: &Arena,
    ) -> Result<Option<TuplePtr>> {
        let Some(primary) = self.indexes.first_mut().filter(|index| index.id == 0) else {
            return Err(ErrorKind::NoSuchIndexId {
                index_id: 0,
                space: self.name.clone(),
            }
            .into());
        };
        let old = match mode {
            PutMode::Replace => primary.put(tuple)?,
            PutMode::Insert => match primary.insert(tuple)? {
                None => None,
                Some(known) => return Err(self.duplicate(0, known, tuple)),
            },
        };
        if self.indexes.len() > 1 {
            self.put_secondary(old, tuple, arena)?;
        }
        self.account(old, Some(tuple));
        Ok(old)
    }

    fn put_secondary(&mut self, old: Option<TuplePtr>, new: TuplePtr, arena: &Arena) -> Result<()> {
        for position in 1..self.indexes.len() {
            let outcome = match exchange(&mut self.indexes[position], old, new) {
                Ok(None) => continue,
                Ok(Some(clash)) => Err(self.duplicate(position, clash, new)),
                Err(error) => Err(error),
            };
            // Putting back what was there needs no more than was held a moment ago.
            let _held = arena.overdraft();
            for done in &mut self.indexes[..position] {
                restore(done, Some(new), old);
            }
            return outcome;
        }
        Ok(())
    }

    #[cold]
    fn duplicate(&self, position: usize, old: TuplePtr, new: TuplePtr) -> crate::Error {
        // SAFETY: both are alive: one is in the index, the other is the caller's.
        let (old, new) = unsafe { (old.bytes(), new.bytes()) };
        ErrorKind::TupleFound {
            index: self.indexes[position].name.clone(),
            space: self.name.clone(),
            old_tuple: ErrorTuple::new(old),
            new_tuple: ErrorTuple::new(new),
        }
        .into()
    }

    /// Takes a tuple out of all indexes; its reference passes to the caller. Needs no memory.
    pub(crate) fn take(&mut self, tuple: TuplePtr) {
        for index in &mut self.indexes {
            index.remove(tuple);
        }
        self.account(Some(tuple), None);
    }

    /// Takes the tuple with a full key of the primary index out, if it is there.
    pub(crate) fn take_by_key(&mut self, key: &[u8]) -> Option<TuplePtr> {
        let found = self.primary()?.get(Encoded::trusted(key))?;
        self.take(found);
        Some(found)
    }

    /// Gives the space another sequence, or none, and answers with the one it had.
    pub(crate) fn exchange_sequence(
        &mut self,
        new: Option<SpaceSequence>,
    ) -> Option<SpaceSequence> {
        let special = self.special.get_or_insert_default();
        let old = std::mem::replace(&mut special.sequence, new);
        if new.is_none() && !special.is_system {
            self.special = None;
        }
        old
    }

    /// Undoes a statement that put `new` in the place of `old`. The caller holds the overdraft.
    pub(crate) fn undo(&mut self, old: Option<TuplePtr>, new: Option<TuplePtr>) {
        for index in &mut self.indexes {
            restore(index, new, old);
        }
        self.account(new, old);
    }

    #[inline]
    fn account(&mut self, removed: Option<TuplePtr>, added: Option<TuplePtr>) {
        // SAFETY: both are alive: the caller owns or has just passed on their references.
        unsafe {
            if let Some(tuple) = added {
                self.data_bytes += tuple.bytes().len() as u64;
            }
            if let Some(tuple) = removed {
                self.data_bytes -= tuple.bytes().len() as u64;
            }
        }
    }

    /// Gives back every tuple and leaves the indexes' memory to their drop.
    pub(crate) fn release_tuples(&self, memory: &TupleMemory) {
        let Some(primary) = self.primary() else {
            return;
        };
        for_each(primary, |tuple| {
            // SAFETY: the primary index owns one reference of each, and is dropped right after.
            unsafe { memory.release(tuple) }
        });
    }

    /// Empties all indexes and answers with the space as it was.
    pub(crate) fn take_contents(&mut self, incarnation: u64, arena: &Rc<Arena>) -> Contents {
        let empty = self
            .indexes
            .iter()
            .map(|index| index.emptied(incarnation, arena))
            .collect();
        Contents {
            indexes: std::mem::replace(&mut self.indexes, empty),
            data_bytes: std::mem::take(&mut self.data_bytes),
        }
    }
}

/// What was in a space before it was truncated.
pub(crate) struct Contents {
    pub(crate) indexes: Vec<Index>,
    pub(crate) data_bytes: u64,
}

/// Calls `visit` with every tuple of an index. The tuple may be gone after the call.
pub(crate) fn for_each(index: &Index, mut visit: impl FnMut(TuplePtr)) {
    match &index.structure {
        crate::index::Structure::Tree(tree) => {
            let mut scan = tree.scan(IteratorType::All, Encoded::EMPTY);
            while let Some(tuple) = scan.next(tree) {
                visit(tuple);
            }
        }
        crate::index::Structure::Hash(hash) => {
            let mut bucket = 0;
            while let Some((tuple, next)) = hash.next_from(bucket) {
                visit(tuple);
                bucket = next;
            }
        }
    }
}

/// Puts `new` in the place of `old` in a secondary index. Answers with the tuple that clashes;
/// nothing has changed then, nor on failure.
fn exchange(index: &mut Index, old: Option<TuplePtr>, new: TuplePtr) -> Result<Option<TuplePtr>> {
    if let Some(old) = old {
        // SAFETY: the caller owns references of both.
        let same = unsafe { index.definition().compare_tuples(old.bytes(), new.bytes()) };
        if same == Ordering::Equal {
            index.replace(new);
            return Ok(None);
        }
    }
    if let Some(clash) = index.insert(new)? {
        return Ok(Some(clash));
    }
    if let Some(old) = old {
        index.remove(old);
    }
    Ok(None)
}

/// Puts `old` back in the place of `new`. With the overdraft held there is no failure.
fn restore(index: &mut Index, new: Option<TuplePtr>, old: Option<TuplePtr>) {
    match (new, old) {
        (Some(new), Some(old)) => {
            // SAFETY: both are alive: the statement that is undone owns their references.
            let same = unsafe { index.definition().compare_tuples(old.bytes(), new.bytes()) };
            if same == Ordering::Equal {
                index.replace(old);
            } else {
                index.remove(new);
                reinsert(index, old);
            }
        }
        (Some(new), None) => index.remove(new),
        (None, Some(old)) => reinsert(index, old),
        (None, None) => {}
    }
}

fn reinsert(index: &mut Index, tuple: TuplePtr) {
    let outcome = index.insert(tuple);
    debug_assert!(
        matches!(outcome, Ok(None)),
        "an undo finds its place free: {outcome:?}"
    );
}
