//! Update operations.
