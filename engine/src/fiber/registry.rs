//! All fibers by id.
//!
//! Ids ascend, so the newest entry is always the last one, and most fibers that end soon are found there:
//! to make and forget such a fiber costs a few nanoseconds. Finding any other takes a binary search.
//! Places of forgotten fibers are kept until they are half of all.

use std::collections::VecDeque;
use std::rc::Rc;

use super::FiberId;
use super::handle::FiberState;

#[derive(Default)]
pub(super) struct Registry {
    entries: VecDeque<(FiberId, Option<Rc<FiberState>>)>,
    known: usize,
}

impl Registry {
    /// Adds a fiber, whose id must be above all others.
    pub(super) fn add(&mut self, fiber: Rc<FiberState>) {
        debug_assert!(self.entries.back().is_none_or(|(id, _)| *id < fiber.id));
        self.entries.push_back((fiber.id, Some(fiber)));
        self.known += 1;
    }

    pub(super) fn forget(&mut self, id: FiberId) {
        let Ok(place) = self.entries.binary_search_by_key(&id, |(id, _)| *id) else {
            return;
        };
        if self.entries[place].1.take().is_none() {
            return;
        }
        self.known -= 1;
        while self
            .entries
            .back()
            .is_some_and(|(_, fiber)| fiber.is_none())
        {
            self.entries.pop_back();
        }
        if self.entries.len() > 2 * self.known + 32 {
            self.entries.retain(|(_, fiber)| fiber.is_some());
        }
    }

    pub(super) fn find(&self, id: FiberId) -> Option<&Rc<FiberState>> {
        let place = self.entries.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.entries[place].1.as_ref()
    }

    /// All fibers above `id`, by ascending id.
    pub(super) fn after(&self, id: FiberId) -> impl Iterator<Item = &Rc<FiberState>> {
        let first = self.entries.partition_point(|(known, _)| *known <= id);
        (self.entries.range(first..)).filter_map(|(_, fiber)| fiber.as_ref())
    }
}
