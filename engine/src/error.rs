//! The engine's one error type. Every failure carries Tarantool's numeric code, so that scripts
//! which branch on `err.code` work unchanged; the texts follow Tarantool 3.x.

use std::fmt;

use crate::error_field::{ErrorField, ErrorTuple};

/// Result of an engine call.
pub type Result<T> = std::result::Result<T, Error>;

/// An engine failure: one pointer wide, so that the success path stays cheap.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// What went wrong, to match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Tarantool's numeric code, for example 3 for a duplicate key.
    pub fn code(&self) -> u32 {
        self.0.code()
    }

    /// Tarantool's name of the code without the `ER_` prefix, for example `TUPLE_FOUND`.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }
}

impl From<ErrorKind> for Error {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {}

/// Declares the kinds in one place: variant, Tarantool's name and number, fields, text.
macro_rules! error_kinds {
    ($($(#[$doc:meta])* $variant:ident $({ $($field:ident : $type:ty),+ })? = $name:ident, $code:literal, $text:literal;)+) => {
        /// Every failure that the engine reports. `Display` gives the message.
        #[derive(Debug, Clone, PartialEq, thiserror::Error)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "the message of each kind says what its fields are")]
        pub enum ErrorKind {
            $($(#[$doc])* #[error($text)] $variant $({ $($field: $type),+ })?,)+
        }

        impl ErrorKind {
            /// Tarantool's numeric code.
            pub fn code(&self) -> u32 {
                match self { $(Self::$variant { .. } => $code,)+ }
            }

            /// What the text names, in the order of the text.
            pub fn fields(&self) -> Vec<ErrorField> {
                match self { $(Self::$variant $({ $($field),+ })? => vec![$($(ErrorField::from($field)),+)?],)+ }
            }

            /// Name and code of each kind.
            pub const CODES: &'static [(&'static str, u32)] = &[$((stringify!($name), $code),)+];

            /// Tarantool's name without `ER_`.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => stringify!($name),)+ }
            }
        }
    };
}

error_kinds! {
    /// An argument makes no sense; the text says which.
    IllegalParams { reason: String } = ILLEGAL_PARAMS, 1, "{reason}";
    /// The memory quota is used up. Deletes and rollback still work.
    MemoryIssue { bytes: usize, allocator: &'static str, object: &'static str } = MEMORY_ISSUE, 2, "Failed to allocate {bytes} bytes in {allocator} for {object}";
    /// A unique index already holds the key. Tuples are printed as JSON-like text.
    TupleFound { index: String, space: String, old_tuple: ErrorTuple, new_tuple: ErrorTuple } = TUPLE_FOUND, 3, "Duplicate key exists in unique index \"{index}\" in space \"{space}\" with old tuple - {old_tuple} and new tuple - {new_tuple}";
    Unsupported { subject: String, feature: String } = UNSUPPORTED, 5, "{subject} does not support {feature}";
    ReadOnly = READONLY, 7, "Can't modify data on a read-only instance";
    CreateSpace { space: String, reason: String } = CREATE_SPACE, 9, "Failed to create space '{space}': {reason}";
    SpaceExists { space: String } = SPACE_EXISTS, 10, "Space '{space}' already exists";
    AlterSpace { space: String, reason: String } = ALTER_SPACE, 12, "Can't modify space '{space}': {reason}";
    ModifyIndex { index: String, space: String, reason: String } = MODIFY_INDEX, 14, "Can't create or modify index '{index}' in space '{space}': {reason}";
    LastDrop { space: String } = LAST_DROP, 15, "Can't drop the primary key in a system space, space '{space}'";
    DropPrimaryKey { space: String } = DROP_PRIMARY_KEY, 17, "Can't drop primary key in space '{space}' while secondary keys exist";
    /// `part` counts from 0, as in Tarantool.
    KeyPartType { part: u32, expected: &'static str } = KEY_PART_TYPE, 18, "Supplied key type of part {part} does not match index part type: expected {expected}";
    ExactMatch { expected: u32, actual: u32 } = EXACT_MATCH, 19, "Invalid key part count in an exact match (expected {expected}, got {actual})";
    InvalidMsgpack { reason: &'static str } = INVALID_MSGPACK, 20, "Invalid MsgPack - {reason}";
    TupleNotArray = TUPLE_NOT_ARRAY, 22, "Tuple/Key must be MsgPack array";
    /// `field` is `1` or `1 (id)` when the field has a name.
    FieldType { field: String, expected: &'static str, actual: &'static str } = FIELD_TYPE, 23, "Tuple field {field} type does not match one required by operation: expected {expected}, got {actual}";
    IndexPartTypeMismatch { field: String, actual: &'static str, expected: &'static str } = INDEX_PART_TYPE_MISMATCH, 24, "Field {field} has type '{actual}' in one index, but type '{expected}' in another";
    UpdateSplice { field: String, reason: String } = UPDATE_SPLICE, 25, "SPLICE error on field {field}: {reason}";
    UpdateArgType { operation: char, field: String, expected: &'static str } = UPDATE_ARG_TYPE, 26, "Argument type in operation '{operation}' on field {field} does not match field type: expected {expected}";
    FormatMismatchIndexPart { field: String, actual: &'static str, expected: &'static str } = FORMAT_MISMATCH_INDEX_PART, 27, "Field {field} has type '{actual}' in space format, but type '{expected}' in index definition";
    /// `number` counts operations from 1.
    UnknownUpdateOp { number: u32, reason: String } = UNKNOWN_UPDATE_OP, 28, "Unknown UPDATE operation #{number}: {reason}";
    UpdateField { field: String, reason: String } = UPDATE_FIELD, 29, "Field {field} UPDATE error: {reason}";
    KeyPartCount { maximum: u32, actual: u32 } = KEY_PART_COUNT, 31, "Invalid key part count (expected [0..{maximum}], got {actual})";
    NoSuchIndexId { index_id: u32, space: String } = NO_SUCH_INDEX_ID, 35, "No index #{index_id} is defined in space '{space}'";
    NoSuchSpace { space: String } = NO_SUCH_SPACE, 36, "Space '{space}' does not exist";
    NoSuchFieldNo { field: i64 } = NO_SUCH_FIELD_NO, 37, "Field {field} was not found in the tuple";
    ExactFieldCount { actual: u32, expected: u32 } = EXACT_FIELD_COUNT, 38, "Tuple field count {actual} does not match space field count {expected}";
    FieldMissing { field: String } = FIELD_MISSING, 39, "Tuple field {field} required by space format is missing";
    MoreThanOneTuple = MORE_THAN_ONE_TUPLE, 41, "Get() doesn't support partial keys and non-unique indexes";
    MultistatementTransaction { operation: String } = MULTISTATEMENT_TRANSACTION, 54, "Can not perform {operation} in a multi-statement transaction";
    NoSuchSavepoint = NO_SUCH_SAVEPOINT, 61, "Can not rollback to savepoint: the savepoint does not exist";
    Identifier { value: String } = IDENTIFIER, 70, "Invalid identifier '{value}' (expected printable symbols only or it is too long)";
    IteratorType { value: String } = ITERATOR_TYPE, 72, "Unknown iterator type '{value}'";
    ActiveTransaction = ACTIVE_TRANSACTION, 79, "Operation is not permitted when there is an active transaction ";
    IndexExists { index: String } = INDEX_EXISTS, 85, "Index '{index}' already exists";
    CantUpdatePrimaryKey { space: String } = CANT_UPDATE_PRIMARY_KEY, 94, "Attempt to modify a tuple field which is part of primary index in space '{space}'";
    UpdateIntegerOverflow { operation: char, field: String } = UPDATE_INTEGER_OVERFLOW, 95, "Integer overflow when performing '{operation}' operation on field {field}";
    MaxTupleSize { bytes: usize } = MEMTX_MAX_TUPLE_SIZE, 110, "Failed to allocate {bytes} bytes for tuple: tuple is too large. Check 'memtx_max_tuple_size' configuration option.";
    WrongIndexOptions { reason: &'static str } = WRONG_INDEX_OPTIONS, 108, "Wrong index options: {reason}";
    UnsupportedIndexFeature { index: String, index_type: &'static str, space: String, feature: String } = UNSUPPORTED_INDEX_FEATURE, 112, "Index '{index}' ({index_type}) of space '{space}' (memtx) does not support {feature}";
    ViewIsReadOnly { view: String } = VIEW_IS_RO, 113, "View '{view}' is read-only";
    NoTransaction = NO_TRANSACTION, 114, "No active transaction";
    SubStmtMax = SUB_STMT_MAX, 121, "Can not execute a nested statement: nesting limit reached";
    CommitInSubStmt = COMMIT_IN_SUB_STMT, 122, "Can not commit transaction in a nested statement";
    RollbackInSubStmt = ROLLBACK_IN_SUB_STMT, 123, "Rollback called in a nested statement";
    PartialKey { index_type: &'static str, expected: u32, actual: u32 } = PARTIAL_KEY, 136, "{index_type} index  does not support selects via a partial key (expected {expected} parts, got {actual}). Please Consider changing index type to TREE.";
    TruncateSystemSpace { space: String } = TRUNCATE_SYSTEM_SPACE, 137, "Can't truncate a system space, space '{space}'";
    WrongSpaceFormat { field: u32, reason: String } = WRONG_SPACE_FORMAT, 141, "Wrong space format field {field}: {reason}";
    CreateSequence { sequence: String, reason: String } = CREATE_SEQUENCE, 142, "Failed to create sequence '{sequence}': {reason}";
    AlterSequence { sequence: String, reason: String } = ALTER_SEQUENCE, 143, "Can't modify sequence '{sequence}': {reason}";
    DropSequence { sequence: String, reason: &'static str } = DROP_SEQUENCE, 144, "Can't drop sequence '{sequence}': {reason}";
    NoSuchSequence { sequence: String } = NO_SUCH_SEQUENCE, 145, "Sequence '{sequence}' does not exist";
    SequenceExists { sequence: String } = SEQUENCE_EXISTS, 146, "Sequence '{sequence}' already exists";
    SequenceOverflow { sequence: String } = SEQUENCE_OVERFLOW, 147, "Sequence '{sequence}' has overflowed";
    NoSuchIndexName { index: String, space: String } = NO_SUCH_INDEX_NAME, 148, "No index '{index}' is defined in space '{space}'";
    SpaceFieldIsDuplicate { field: String } = SPACE_FIELD_IS_DUPLICATE, 149, "Space field '{field}' is duplicate";
    NullablePrimary { space: String } = NULLABLE_PRIMARY, 152, "Primary index of space '{space}' can not contain nullable parts";
    TransactionYield = TRANSACTION_YIELD, 154, "Transaction has been aborted by a fiber yield";
    UpdateDecimalOverflow { operation: char, field: String } = UPDATE_DECIMAL_OVERFLOW, 160, "Decimal overflow when performing operation '{operation}' on field {field}";
    NoSuchFieldName { field: String } = NO_SUCH_FIELD_NAME, 201, "Field '{field}' was not found in the tuple";
    SequenceNotStarted { sequence: String } = SEQUENCE_NOT_STARTED, 212, "Sequence '{sequence}' is not started";
    IteratorPosition = ITERATOR_POSITION, 247, "Iterator position is invalid";
    FieldValueOutOfRange { field: String, field_type: &'static str, reason: String } = FIELD_VALUE_OUT_OF_RANGE, 280, "The value of field {field} exceeds the supported range for type '{field_type}': {reason}";
}
