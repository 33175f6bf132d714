//! What a space's tuples look like and how its indexes order them.

mod collation;
mod compare;
mod field_type;
mod format;
mod key_def;

pub use collation::{Collation, CollationStrength};
pub use compare::compare_values;
pub use field_type::FieldType;
pub use format::{FieldDefinition, Format};
pub use key_def::{KeyDefinition, KeyPart};

/// Longest name of a space, index, sequence or user, in bytes.
pub(crate) const NAME_MAX_BYTES: usize = 65_000;

/// Whether this can be a name: printable, neither empty nor too long.
pub fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.len() <= NAME_MAX_BYTES && !name.chars().any(char::is_control)
}

#[cfg(test)]
mod tests;
