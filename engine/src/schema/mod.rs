//! What a space's tuples look like and how its indexes order them.

mod collation;
mod compare;
mod format;
mod key_def;

pub use collation::{Collation, CollationStrength};
pub use compare::compare_values;
pub use format::{FieldDefinition, FieldType, Format};
pub use key_def::{KeyDefinition, KeyPart};

#[cfg(test)]
mod tests;
