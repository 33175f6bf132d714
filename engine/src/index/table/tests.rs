use std::rc::Rc;
use std::vec::Vec;

use proptest::prelude::*;

use super::{DigestKind, Place, Table, TableMemory, TuplePtr};
use crate::memory::Arena;
use crate::tuple::{Fields, TupleMemory};

/// What a test does with the tuple of a number: it is put into the table, or taken out.
type Step = (u8, bool);

/// Digests that are few, with homes at the end of a table as well, so that runs of slots wrap around.
fn digest(kind: DigestKind, number: u8) -> u64 {
    match kind {
        // Multiples of 64 differ in their blocks only.
        DigestKind::Number => u64::from(number % 16) + u64::from(number / 16) * 64,
        // Every fourth number shares its digest with three others, and most their home.
        DigestKind::Hash => u64::MAX - u64::from(number / 4) * (u64::MAX / 200),
    }
}

struct Tested {
    table: Table,
    memory: TupleMemory,
    /// The tuple of each number that is in the table.
    model: Vec<Option<TuplePtr>>,
}

impl Tested {
    fn new(kind: DigestKind, limit_bytes: usize) -> Self {
        let arena = Rc::new(Arena::new(limit_bytes));
        Self {
            table: Table::new(kind, TableMemory::new(Rc::clone(&arena))),
            memory: TupleMemory::new(arena),
            model: vec![None; 256],
        }
    }

    fn put(&mut self, number: u8) {
        let known = self.model[usize::from(number)];
        let digest = digest(self.table.kind, number);
        let tuple = Fields::new().unsigned(u64::from(number)).finish();
        let tuple = self.memory.allocate(&tuple).unwrap();
        loop {
            match self
                .table
                .find_place(digest, |stored| Some(stored) == known)
            {
                Place::Found(at) => {
                    assert_eq!(self.table.exchange(at, tuple), known);
                    break;
                }
                Place::Free(at) => {
                    assert_eq!(known, None);
                    self.table.fill(at, digest, tuple);
                    break;
                }
                Place::Nowhere => self.table.grow().unwrap(),
            }
        }
        self.model[usize::from(number)] = Some(tuple);
    }

    fn take(&mut self, number: u8) {
        let Some(tuple) = self.model[usize::from(number)].take() else {
            return;
        };
        let at = self.find(number, tuple).unwrap();
        self.table.empty(at);
        assert_eq!(self.find(number, tuple), None);
    }

    fn find(&self, number: u8, tuple: TuplePtr) -> Option<usize> {
        let digest = digest(self.table.kind, number);
        self.table.find(digest, |stored| stored == tuple)
    }

    fn check(&self) {
        let present = self.model.iter().flatten().count();
        assert_eq!(self.table.len(), present);
        for (number, tuple) in self.model.iter().enumerate() {
            if let Some(tuple) = tuple {
                let at = self.find(number as u8, *tuple).unwrap();
                assert_eq!(self.table.tuple(at), Some(*tuple));
            }
        }
        let slots = 0..self.table.slot_count();
        assert_eq!(slots.filter_map(|at| self.table.tuple(at)).count(), present);
        let traces = self.table.slots.iter();
        let traces = traces.filter(|slot| slot.tuple.is_none() && !slot.is_unused());
        assert_eq!(traces.count(), self.table.removed);
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any::<Step>(), 0..600)
}

fn kinds() -> impl Strategy<Value = DigestKind> {
    prop_oneof![Just(DigestKind::Number), Just(DigestKind::Hash)]
}

proptest! {
    #[test]
    fn a_table_holds_what_was_put_and_not_taken(kind in kinds(), steps in steps()) {
        let mut tested = Tested::new(kind, 1 << 24);
        for (number, puts) in steps {
            if puts {
                tested.put(number);
            } else {
                tested.take(number);
            }
        }
        tested.check();
        if tested.table.tidy() {
            assert_eq!(tested.table.removed, 0);
            tested.check();
        }
    }
}

#[test]
fn a_table_that_is_emptied_keeps_no_traces() {
    for kind in [DigestKind::Number, DigestKind::Hash] {
        let mut tested = Tested::new(kind, 1 << 24);
        for number in 0..=255 {
            tested.put(number);
        }
        for number in 0..=255 {
            tested.take(number);
        }
        tested.check();
        assert_eq!(tested.table.removed, 0);
    }
}

#[test]
fn neighbouring_numbers_stand_side_by_side() {
    let mut tested = Tested::new(DigestKind::Number, 1 << 24);
    for number in 0..4 {
        tested.put(number);
    }
    let at = |number: u8| {
        let tuple = tested.model[usize::from(number)].unwrap();
        tested.find(number, tuple).unwrap()
    };
    assert_eq!([1, 2, 3].map(at), [1, 2, 3].map(|step| at(0) + step));
}

#[test]
fn a_table_that_may_not_grow_stays_as_it_is() {
    // The quota of one slab of tuples and a table of few slots.
    let mut tested = Tested::new(DigestKind::Number, crate::memory::SLAB_BYTES + 2048);
    let mut number = 0;
    let refused = loop {
        if tested.table.len() == tested.table.usable()
            && let Err(refused) = tested.table.grow()
        {
            break refused;
        }
        tested.put(number);
        number += 1;
    };
    assert_eq!(refused.bytes, 2 * tested.table.memory_bytes());
    tested.check();
}

#[test]
fn numbers_at_any_distance_have_homes_all_over_the_table() {
    const BITS: u32 = 13;
    let mut tested = Tested::new(DigestKind::Number, 1 << 24);
    while tested.table.slot_count() < 1 << BITS {
        tested.table.grow().unwrap();
    }
    // Powers, and Fibonacci numbers of blocks, at which multiples of the golden ratio are nearly whole.
    let powers = [
        4,
        1_000,
        1_024,
        65_536,
        1_000_000,
        1 << 20,
        1 << 32,
        1_000_000_000,
    ];
    let fibonacci = [196_418, 832_040, 1_346_269, 2_178_309].map(|number| number * 4);
    for distance in powers.into_iter().chain(fibonacci) {
        let homes: std::collections::HashSet<usize> = (0..1 << (BITS - 3))
            .map(|number: u64| tested.table.home(number * distance))
            .collect();
        assert!(homes.len() > 700, "{distance}: {} homes", homes.len());
    }
}
