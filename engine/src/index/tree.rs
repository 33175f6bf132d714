//! B+tree.
