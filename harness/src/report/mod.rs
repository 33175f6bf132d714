//! The forms in which figures are told.

pub(crate) mod environment;
pub(crate) mod failure;
pub(crate) mod page;
pub(crate) mod terminal;
