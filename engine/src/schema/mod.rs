//! What a space's tuples look like and how its indexes order them.

mod compare;
mod format;
mod key_def;

pub use compare::compare_values;
pub use format::{FieldDefinition, FieldType, Format};
pub use key_def::{KeyDefinition, KeyPart};

pub(crate) use compare::hash_encoded;

#[cfg(test)]
mod tests;
