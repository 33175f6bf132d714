//! Transactions: the log of what a transaction did, newest last, so that walking it backwards
//! undoes it. A savepoint is a position in the log.
//!
//! Ownership: a row entry owns the reference of its `old` tuple; its `new` tuple is owned by the
//! primary index, or by the later entry that took it out.

use crate::database::{SEQUENCE_ID, Sequence};
use crate::index::Index;
use crate::schema::Format;
use crate::space::{Contents, Space, SpaceSequence};
use crate::tuple::TuplePtr;

/// One change, with what it takes to undo it.
pub(crate) enum Change {
    Row {
        space_id: u32,
        old: Option<TuplePtr>,
        new: Option<TuplePtr>,
    },
    Schema(Box<SchemaChange>),
}

impl Change {
    /// Boxed: row changes are the many, and stay small.
    pub(crate) fn schema(change: SchemaChange) -> Self {
        Self::Schema(Box::new(change))
    }
}

/// A change of the schema, with what it replaced.
#[expect(
    clippy::large_enum_variant,
    reason = "the log holds each in a box of its own"
)]
pub(crate) enum SchemaChange {
    SpaceCreated {
        space_id: u32,
    },
    SpaceDropped {
        space: Box<Space>,
    },
    SpaceRenamed {
        space_id: u32,
        old_name: String,
    },
    SequenceCreated {
        id: u32,
    },
    SequenceDropped {
        sequence: Sequence,
    },
    /// The value of `old` counts for nothing.
    SequenceAltered {
        old: Sequence,
    },
    /// A change within a space that stays.
    Within {
        space_id: u32,
        change: SpaceChange,
    },
}

impl SchemaChange {
    /// The space that has changed; for a sequence the one that lists it.
    pub(crate) fn space_id(&self) -> u32 {
        match self {
            Self::SpaceCreated { space_id }
            | Self::SpaceRenamed { space_id, .. }
            | Self::Within { space_id, .. } => *space_id,
            Self::SpaceDropped { space } => space.id,
            Self::SequenceCreated { .. }
            | Self::SequenceDropped { .. }
            | Self::SequenceAltered { .. } => SEQUENCE_ID,
        }
    }
}

/// A change within one space, with what it replaced.
#[expect(
    clippy::large_enum_variant,
    reason = "the log holds each in a box of its own"
)]
pub(crate) enum SpaceChange {
    FormatChanged {
        old_format: Format,
    },
    IndexCreated {
        index_id: u32,
        old_format: Format,
    },
    IndexDropped {
        index: Index,
        old_format: Format,
    },
    IndexRenamed {
        index_id: u32,
        old_name: String,
    },
    IndexesAltered {
        indexes: Vec<Index>,
        old_format: Format,
    },
    SequenceChanged {
        old: Option<SpaceSequence>,
    },
    Truncated {
        contents: Contents,
    },
}

/// A position in a transaction to roll back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Savepoint {
    pub(crate) transaction: u64,
    pub(crate) serial: u32,
}

/// Where a fiber's transaction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum State {
    /// None was begun.
    #[default]
    Idle,
    /// Begun, and nothing read or written yet.
    Fresh,
    /// Begun, and something was read or written.
    Active,
    /// A yield has undone it; only rollback is left.
    Aborted,
}

/// What the transaction knows of a savepoint.
pub(crate) struct Mark {
    pub(crate) serial: u32,
    /// Length of the log.
    pub(crate) position: usize,
    /// How many statements were open.
    pub(crate) depth: usize,
    /// What the transaction's `has_idle_statements` was.
    pub(crate) has_idle_statements: bool,
}

/// The transaction of one fiber.
#[derive(Default)]
pub(crate) struct Transaction {
    pub(crate) state: State,
    /// Which transaction this is, over the life of the database.
    pub(crate) number: u64,
    pub(crate) log: Vec<Change>,
    /// Whether a statement found nothing to change: it is not in the log, but counts as done.
    pub(crate) has_idle_statements: bool,
    /// Oldest first.
    pub(crate) savepoints: Vec<Mark>,
    pub(crate) next_savepoint: u32,
    /// Where the log stood when each open statement began, the outermost first.
    pub(crate) statements: Vec<usize>,
    /// Whether it was begun for one statement, and ends with it.
    pub(crate) is_implicit: bool,
}

impl Transaction {
    /// Makes it ready for the next one; the log's memory is kept.
    pub(crate) fn reset(&mut self) {
        debug_assert!(self.log.is_empty(), "the log is committed or undone first");
        self.state = State::Idle;
        self.has_idle_statements = false;
        self.savepoints.clear();
        self.next_savepoint = 0;
        self.statements.clear();
        self.is_implicit = false;
    }

    pub(crate) fn is_open(&self) -> bool {
        self.state != State::Idle
    }
}
