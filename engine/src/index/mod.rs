//! Indexes: ordered (TREE) and hashed (HASH). An index holds pointers only; the primary index of a
//! space owns one reference of each tuple, secondary indexes own none.

pub mod tree;

mod hashed;
mod ordered;
mod table;

use std::rc::Rc;

use crate::error::{ErrorKind, Result};
use crate::memory::{Arena, OutOfMemory};
use crate::schema::{KeyDefinition, KeyPart};
use crate::tuple::{Encoded, TuplePtr};

pub(crate) use hashed::HashedIndex;
pub(crate) use ordered::{OrderedIndex, OrderedScan};

/// Kind of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexType {
    /// B+tree: ordered; any iterator.
    Tree,
    /// Hash table: unique, exact keys only.
    Hash,
}

impl IndexType {
    /// Tarantool's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "TREE",
            Self::Hash => "HASH",
        }
    }
}

/// Which tuples an iteration gives, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IteratorType {
    /// Equal to the key, ascending.
    Eq = 0,
    /// Equal to the key, descending.
    Req = 1,
    /// All from the key on, ascending.
    All = 2,
    /// Less than the key, descending.
    Lt = 3,
    /// Less than or equal to the key, descending.
    Le = 4,
    /// Greater than or equal to the key, ascending.
    Ge = 5,
    /// Greater than the key, ascending.
    Gt = 6,
    /// Greater than the key and all that begin with its last string, ascending.
    NextPrefix = 12,
    /// Less than the key, descending; in a descending part also those that begin with its string.
    PreviousPrefix = 13,
}

impl IteratorType {
    /// The iterator with Tarantool's number.
    pub fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Eq,
            1 => Self::Req,
            2 => Self::All,
            3 => Self::Lt,
            4 => Self::Le,
            5 => Self::Ge,
            6 => Self::Gt,
            12 => Self::NextPrefix,
            13 => Self::PreviousPrefix,
            _ => return None,
        })
    }

    pub(crate) fn is_descending(self) -> bool {
        matches!(self, Self::Req | Self::Lt | Self::Le | Self::PreviousPrefix)
    }

    pub(crate) fn is_by_prefix(self) -> bool {
        matches!(self, Self::NextPrefix | Self::PreviousPrefix)
    }
}

/// How a new index shall be.
#[derive(Debug, Clone)]
pub struct IndexOptions {
    /// TREE or HASH.
    pub index_type: IndexType,
    /// Whether two tuples may not have the same key.
    pub is_unique: bool,
    /// The key; at least one part.
    pub parts: Vec<KeyPart>,
    /// Number of the index; by default one more than the greatest there is. 0 is the primary key.
    pub id: Option<u32>,
    /// What `_index` shows as options, a MsgPack map; by default whether it is unique.
    pub declared: Option<Vec<u8>>,
}

impl IndexOptions {
    /// A unique TREE index.
    pub fn tree(parts: Vec<KeyPart>) -> Self {
        Self {
            index_type: IndexType::Tree,
            is_unique: true,
            parts,
            id: None,
            declared: None,
        }
    }

    /// A HASH index.
    pub fn hash(parts: Vec<KeyPart>) -> Self {
        Self {
            index_type: IndexType::Hash,
            is_unique: true,
            parts,
            id: None,
            declared: None,
        }
    }

    /// The same, holding equal keys.
    #[must_use]
    pub fn non_unique(self) -> Self {
        Self {
            is_unique: false,
            ..self
        }
    }
}

/// The structure behind an index.
pub(crate) enum Structure {
    Tree(OrderedIndex),
    Hash(HashedIndex),
}

/// An index of a space.
pub struct Index {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) is_unique: bool,
    /// Whether some tuples of the space are left out.
    excludes_nulls: bool,
    /// Differs for every index ever made, so that a cursor knows whether its index is still there.
    pub(crate) incarnation: u64,
    pub(crate) structure: Structure,
}

impl Index {
    pub(crate) fn new(
        id: u32,
        name: &str,
        incarnation: u64,
        options: &IndexOptions,
        primary: &[KeyPart],
        arena: &Rc<Arena>,
    ) -> Self {
        let definition = KeyDefinition::new(options.parts.clone(), options.is_unique, primary);
        let structure = match options.index_type {
            IndexType::Tree => Structure::Tree(OrderedIndex::new(definition, Rc::clone(arena))),
            IndexType::Hash => Structure::Hash(HashedIndex::new(definition, Rc::clone(arena))),
        };
        Self {
            id,
            name: name.to_owned(),
            is_unique: options.is_unique,
            excludes_nulls: options.parts.iter().any(|part| part.excludes_null),
            incarnation,
            structure,
        }
    }

    /// Whether an index with these options would hold its tuples in another order or another
    /// structure, or must prove that its keys are unique.
    pub(crate) fn needs_build(&self, options: &IndexOptions) -> bool {
        let known = self.definition().parts();
        self.index_type() != options.index_type
            || (!self.is_unique && options.is_unique)
            || known.len() != options.parts.len()
            || known.iter().zip(&options.parts).any(|(known, new)| {
                known.field != new.field
                    || known.is_descending != new.is_descending
                    || known.collation != new.collation
                    || known.excludes_null != new.excludes_null
            })
    }

    /// An index of the same kind without tuples.
    pub(crate) fn emptied(&self, incarnation: u64, arena: &Rc<Arena>) -> Self {
        let definition = self.definition().clone();
        let structure = match self.structure {
            Structure::Tree(_) => Structure::Tree(OrderedIndex::new(definition, Rc::clone(arena))),
            Structure::Hash(_) => Structure::Hash(HashedIndex::new(definition, Rc::clone(arena))),
        };
        Self {
            id: self.id,
            name: self.name.clone(),
            is_unique: self.is_unique,
            excludes_nulls: self.excludes_nulls,
            incarnation,
            structure,
        }
    }

    /// Number in its space; 0 is the primary key.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Name, unique in its space.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// TREE or HASH.
    pub fn index_type(&self) -> IndexType {
        match self.structure {
            Structure::Tree(_) => IndexType::Tree,
            Structure::Hash(_) => IndexType::Hash,
        }
    }

    /// Whether a key occurs once at most.
    pub fn is_unique(&self) -> bool {
        self.is_unique
    }

    /// What the index orders by.
    pub fn definition(&self) -> &KeyDefinition {
        match &self.structure {
            Structure::Tree(index) => index.definition(),
            Structure::Hash(index) => index.definition(),
        }
    }

    /// Number of tuples.
    pub fn len(&self) -> u64 {
        match &self.structure {
            Structure::Tree(index) => index.len() as u64,
            Structure::Hash(index) => index.len() as u64,
        }
    }

    /// Whether there is no tuple.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory of the structure itself, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        match &self.structure {
            Structure::Tree(index) => index.memory_bytes() as u64,
            Structure::Hash(index) => index.memory_bytes() as u64,
        }
    }

    /// Whether a tuple of the space is not in this index.
    #[inline]
    fn leaves_out(&self, tuple: TuplePtr) -> bool {
        // SAFETY: the callers below pass live tuples.
        self.excludes_nulls && self.definition().excludes(unsafe { tuple.bytes() })
    }

    /// Adds a tuple, unless it is one to be left out. Answers with the tuple that already has its
    /// key; nothing has changed then.
    #[inline]
    pub(crate) fn insert(&mut self, tuple: TuplePtr) -> Result<Option<TuplePtr>> {
        if self.leaves_out(tuple) {
            return Ok(None);
        }
        match &mut self.structure {
            Structure::Tree(index) => index
                .insert(tuple)
                .map_err(|e| memory_issue(e, "memtx_tree_index")),
            Structure::Hash(index) => index
                .insert(tuple)
                .map_err(|e| memory_issue(e, "memtx_hash_index")),
        }
    }

    /// Adds a tuple, or puts it in the place of the one with the same key, which it answers with.
    #[inline]
    pub(crate) fn put(&mut self, tuple: TuplePtr) -> Result<Option<TuplePtr>> {
        if self.leaves_out(tuple) {
            return Ok(None);
        }
        match &mut self.structure {
            Structure::Tree(index) => index
                .put(tuple)
                .map_err(|e| memory_issue(e, "memtx_tree_index")),
            Structure::Hash(index) => index
                .put(tuple)
                .map_err(|e| memory_issue(e, "memtx_hash_index")),
        }
    }

    /// Puts a tuple in the place of the one with the same key, which it answers with.
    #[inline]
    pub(crate) fn replace(&mut self, tuple: TuplePtr) -> Option<TuplePtr> {
        if self.leaves_out(tuple) {
            return None;
        }
        match &mut self.structure {
            Structure::Tree(index) => index.replace(tuple),
            Structure::Hash(index) => index.replace(tuple),
        }
    }

    /// Takes a tuple out. Needs no memory.
    pub(crate) fn remove(&mut self, tuple: TuplePtr) {
        if self.leaves_out(tuple) {
            return;
        }
        match &mut self.structure {
            Structure::Tree(index) => index.remove(tuple),
            Structure::Hash(index) => index.remove(tuple),
        }
    }

    /// The tuple with a full, checked key.
    #[inline]
    pub(crate) fn get(&self, key: Encoded<'_>) -> Option<TuplePtr> {
        match &self.structure {
            Structure::Tree(index) => index.get(key),
            Structure::Hash(index) => index.get(key),
        }
    }

    /// Some tuple, chosen by the seed.
    pub(crate) fn random(&self, seed: u64) -> Option<TuplePtr> {
        match &self.structure {
            Structure::Tree(index) => index.random(seed),
            Structure::Hash(index) => index.random(seed),
        }
    }
}

#[cold]
fn memory_issue(error: OutOfMemory, object: &'static str) -> crate::Error {
    ErrorKind::MemoryIssue {
        bytes: error.bytes,
        allocator: "slab allocator",
        object,
    }
    .into()
}
