//! The forms in which figures are told.

pub(crate) mod baseline;
pub(crate) mod comparison;
pub(crate) mod environment;
pub(crate) mod failure;
pub(crate) mod findings;
pub(crate) mod page;
pub(crate) mod selftest;
pub(crate) mod sizes;
pub(crate) mod terminal;
