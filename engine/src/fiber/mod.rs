//! Cooperative fibers.
