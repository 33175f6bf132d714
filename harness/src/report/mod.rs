//! The forms in which figures are told.

pub(crate) mod failure;
pub(crate) mod page;
pub(crate) mod terminal;
