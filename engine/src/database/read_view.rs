//! Read views: all spaces as they were at one moment, to be read while the database changes.
//!
//! Opening a view copies every index, pointer by pointer, and takes a reference of each tuple; the
//! copies count under the quota and stay until the view is closed. Statements pay nothing. A copy is
//! read like a space, under a number of its own, and has no name.

use std::rc::Rc;

use crate::error::{ErrorKind, Result};
use crate::index::Index;
use crate::memory::Arena;
use crate::schema::Format;
use crate::space::{Space, for_each};
use crate::tuple::TupleMemory;

use super::Database;

/// Copies have numbers from here on, above those of all spaces.
const FIRST_COPY_ID: u32 = 1 << 31;

/// What an open read view consists of.
#[derive(Debug, Clone)]
pub struct ReadView {
    /// Number of the view; never used again.
    pub id: u64,
    /// Of each space its number, and the number that its copy is read under.
    pub spaces: Vec<(u32, u32)>,
}

impl Database {
    /// Opens a read view of all spaces. Fails with `MemoryIssue` when the quota has no room for it,
    /// and with `Unsupported` within a transaction that has changed something.
    pub fn open_read_view(&mut self) -> Result<ReadView> {
        if !self.transaction.log.is_empty() {
            return Err(ErrorKind::Unsupported {
                subject: "A transaction with changes".to_owned(),
                feature: "opening a read view".to_owned(),
            }
            .into());
        }
        let arena = Rc::clone(self.memory.arena());
        let mut copies = Vec::with_capacity(self.spaces.len());
        for space in self.spaces.values() {
            copies.push(copy_space(space, &mut self.incarnations, &arena)?);
        }
        self.read_views_opened += 1;
        let mut view = ReadView {
            id: self.read_views_opened,
            spaces: Vec::with_capacity(copies.len()),
        };
        for mut copy in copies {
            let space_id = copy.id;
            copy.id = self.next_copy_id();
            // Nothing fails from here on, so that every reference taken is given back by the close.
            retain_tuples(&copy);
            view.spaces.push((space_id, copy.id));
            self.copies.insert(copy.id, copy);
        }
        self.read_views.insert(view.id, view.clone());
        Ok(view)
    }

    /// Closes a read view; does nothing when it is closed already.
    pub fn close_read_view(&mut self, id: u64) {
        let Some(view) = self.read_views.remove(&id) else {
            return;
        };
        for (_, copy_id) in view.spaces {
            if let Some(copy) = self.copies.remove(&copy_id) {
                copy.release_tuples(&self.memory);
            }
        }
    }

    /// Number of open read views.
    pub fn read_view_count(&self) -> usize {
        self.read_views.len()
    }

    fn next_copy_id(&mut self) -> u32 {
        loop {
            self.last_copy_id = self.last_copy_id.wrapping_add(1).max(FIRST_COPY_ID);
            if !self.copies.contains_key(&self.last_copy_id) {
                return self.last_copy_id;
            }
        }
    }
}

/// The indexes of a space once more, without references of the tuples yet. Reads need no format.
fn copy_space(space: &Space, incarnations: &mut u64, arena: &Rc<Arena>) -> Result<Box<Space>> {
    let mut copy = Box::new(Space::new(space.id, &space.name, Format::default()));
    copy.data_bytes = space.data_bytes;
    for index in &space.indexes {
        *incarnations += 1;
        copy.indexes.push(copy_index(index, *incarnations, arena)?);
    }
    Ok(copy)
}

fn copy_index(index: &Index, incarnation: u64, arena: &Rc<Arena>) -> Result<Index> {
    let mut copy = index.emptied(incarnation, arena);
    let mut outcome = Ok(None);
    for_each(index, |tuple| {
        if outcome.is_ok() {
            outcome = copy.insert(tuple);
        }
    });
    outcome.map(|_| copy)
}

/// Takes a reference of each tuple, which the copy of the primary index then owns.
fn retain_tuples(copy: &Space) {
    let Some(primary) = copy.primary() else {
        return;
    };
    for_each(primary, |tuple| {
        // SAFETY: the space whose copy this is keeps the tuple alive.
        unsafe { TupleMemory::retain(tuple) }
    });
}
