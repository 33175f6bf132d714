//! Indexes: ordered (TREE) and hashed (HASH).
pub mod tree;
