//! Memory under a quota.
