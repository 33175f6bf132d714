use std::ptr::NonNull;

use proptest::prelude::*;

use super::*;

const MIB: usize = 1024 * 1024;

/// An item and the byte that fills it.
struct Item {
    pointer: NonNull<u8>,
    size: usize,
    fill: u8,
}

fn allocate(arena: &Arena, size: usize, fill: u8) -> Result<Item, OutOfMemory> {
    let pointer = arena.allocate(size)?;
    // SAFETY: the arena handed out `size` bytes.
    unsafe { pointer.write_bytes(fill, size) };
    Ok(Item {
        pointer,
        size,
        fill,
    })
}

fn free(arena: &Arena, item: &Item) {
    // SAFETY: the item is live until the call below and was filled when it was allocated.
    unsafe {
        let bytes = std::slice::from_raw_parts(item.pointer.as_ptr(), item.size);
        // Miri takes about a microsecond a byte.
        let step = if cfg!(miri) { 509 } else { 1 };
        assert!(
            bytes.iter().step_by(step).all(|byte| *byte == item.fill),
            "another item overlaps this one"
        );
        arena.free(item.pointer, item.size);
    }
}

fn slab_bytes_of(arena: &Arena) -> usize {
    arena
        .statistics()
        .map(|class| class.slab_count)
        .sum::<usize>()
        * SLAB_BYTES
}

#[derive(Debug, Clone)]
enum Operation {
    Allocate { size: usize },
    Free { nth: usize },
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (0usize..700).prop_map(|size| Operation::Allocate { size }),
        2 => (700usize..40_000).prop_map(|size| Operation::Allocate { size }),
        1 => (40_000usize..200_000).prop_map(|size| Operation::Allocate { size }),
        5 => any::<usize>().prop_map(|nth| Operation::Free { nth }),
    ]
}

fn cases() -> ProptestConfig {
    let cases = if cfg!(miri) { 4 } else { 128 };
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn items_never_overlap_and_the_quota_holds_whatever_is_allocated_and_freed(
        limit_bytes in prop_oneof![3 => 0usize..2 * MIB, 1 => 2 * MIB..12 * MIB],
        wants_huge_pages in any::<bool>(),
        operations in prop::collection::vec(operation(), 1..300),
    ) {
        let arena = Arena::with_huge_pages(limit_bytes, wants_huge_pages);
        let mut items: Vec<Item> = Vec::new();
        for (number, operation) in operations.into_iter().enumerate() {
            match operation {
                Operation::Allocate { size } => match allocate(&arena, size, number as u8) {
                    Ok(item) => {
                        let address = item.pointer.addr().get();
                        let align = match size {
                            0 => 8,
                            _ if size.is_multiple_of(64) => 64,
                            _ => 8,
                        };
                        prop_assert!(address.is_multiple_of(align));
                        items.push(item);
                    }
                    Err(error) => prop_assert!(error.bytes >= size),
                },
                Operation::Free { nth } if !items.is_empty() => {
                    let item = items.swap_remove(nth % items.len());
                    free(&arena, &item);
                }
                Operation::Free { .. } => {}
            }
            let idle_bytes = arena.blocks.borrow().resident_bytes();
            prop_assert!(arena.arena_bytes() + idle_bytes <= limit_bytes);
            let wanted: usize = items.iter().map(|item| item.size).sum();
            prop_assert!(arena.used_bytes() >= wanted);
            prop_assert!(arena.used_bytes() <= arena.arena_bytes());
            let counted: usize = arena.statistics().map(|class| class.item_count).sum();
            let small = items.iter().filter(|item| item.size <= MAX_CLASS_BYTES).count();
            prop_assert_eq!(counted, small);
        }
        for item in &items {
            free(&arena, item);
        }
        prop_assert_eq!(arena.used_bytes(), 0);
    }
}

#[test]
fn slabs_that_become_empty_leave_the_quota() {
    let arena = Arena::new(64 * MIB);
    let count = if cfg!(miri) { 2_000 } else { 40_000 };
    let items: Vec<Item> = (0..count)
        .map(|number| allocate(&arena, 1000, number as u8).expect("it fits"))
        .collect();
    let full_bytes = arena.arena_bytes();
    assert_eq!(full_bytes, slab_bytes_of(&arena));
    assert!(full_bytes >= count * 1000);
    for item in &items {
        free(&arena, item);
    }
    // What remains is the current slab of the class.
    assert_eq!(arena.arena_bytes(), SLAB_BYTES);
    assert_eq!(slab_bytes_of(&arena), SLAB_BYTES);
}

#[test]
fn empty_slabs_of_one_size_give_way_to_another_when_the_quota_is_used_up() {
    let arena = Arena::new(4 * SLAB_BYTES);
    for size in [100, 200, 300, 400, 500, 600, 700] {
        let mut items = Vec::new();
        while let Ok(item) = allocate(&arena, size, 7) {
            items.push(item);
        }
        assert_eq!(arena.arena_bytes(), 4 * SLAB_BYTES, "size {size}");
        for item in &items {
            free(&arena, item);
        }
    }
    let whole = allocate(&arena, 4 * SLAB_BYTES, 1).expect("every slab is empty and gives way");
    assert_eq!(arena.arena_bytes(), 4 * SLAB_BYTES);
    free(&arena, &whole);
    assert_eq!((arena.arena_bytes(), arena.used_bytes()), (0, 0));
}

#[test]
fn freed_items_are_handed_out_again_before_the_arena_grows() {
    let arena = Arena::new(MIB);
    let mut items = Vec::new();
    while let Ok(item) = allocate(&arena, 64, 3) {
        items.push(item);
    }
    let count = items.len();
    for item in items.drain(..).step_by(2) {
        free(&arena, &item);
    }
    // The odd items leaked out of the vector, but not out of the arena: only the even half is free.
    for _ in 0..count.div_ceil(2) {
        allocate(&arena, 64, 4).expect("a freed item serves");
    }
    assert!(allocate(&arena, 64, 5).is_err());
}

#[test]
fn an_overdraft_passes_the_limit_and_ends_with_its_guard() {
    let arena = Arena::new(SLAB_BYTES);
    let small = allocate(&arena, 100, 1).expect("one slab fits");
    assert!(arena.allocate(200).is_err());
    let overdraft = arena.overdraft();
    let nested = arena.overdraft();
    drop(nested);
    let other = allocate(&arena, 200, 2).expect("the overdraft allows it");
    let large = allocate(&arena, 5000, 4).expect("the overdraft allows it");
    assert_eq!(arena.arena_bytes(), 2 * SLAB_BYTES + 5056);
    drop(overdraft);
    assert!(arena.allocate(300).is_err());
    free(&arena, &large);
    free(&arena, &other);
    free(&arena, &small);
    let third = allocate(&arena, 300, 3).expect("the empty slabs gave way");
    assert_eq!(arena.arena_bytes(), SLAB_BYTES);
    free(&arena, &third);
}

#[test]
fn the_limit_only_grows() {
    let arena = Arena::new(0);
    assert_eq!(arena.allocate(8), Err(OutOfMemory { bytes: SLAB_BYTES }));
    arena.set_limit_bytes(MIB);
    arena.set_limit_bytes(10);
    assert_eq!(arena.limit_bytes(), MIB);
    assert!(arena.allocate(8).is_ok());
}

#[test]
fn sizes_beyond_all_memory_are_refused() {
    let arena = Arena::new(usize::MAX);
    for size in [usize::MAX, usize::MAX - 63, isize::MAX as usize] {
        assert_eq!(arena.allocate(size), Err(OutOfMemory { bytes: size }));
    }
    assert_eq!(arena.arena_bytes(), 0);
}

#[test]
fn statistics_count_items_and_bytes_of_each_size_class() {
    let arena = Arena::new(MIB);
    let first = allocate(&arena, 100, 1).expect("it fits");
    let second = allocate(&arena, 104, 2).expect("it fits");
    let statistics: Vec<_> = arena.statistics().collect();
    // The first slab of a block holds the headers of all.
    let capacity = (SLAB_BYTES - 4096) / 104;
    assert_eq!(
        statistics,
        [SizeClassStatistics {
            item_bytes: 104,
            slab_count: 1,
            item_count: 2,
            used_bytes: 208,
            free_bytes: (capacity - 2) * 104,
        }]
    );
    free(&arena, &first);
    free(&arena, &second);
}

#[test]
fn blocks_that_become_empty_go_back_to_the_system_but_for_one() {
    let arena = Arena::new(64 * MIB);
    let count = if cfg!(miri) { 3 } else { 12 } * BLOCK_BYTES / 4096;
    let mut items: Vec<Item> = (0..count)
        .map(|number| allocate(&arena, 4096, number as u8).expect("it fits"))
        .collect();
    let full_bytes = arena.blocks.borrow().mapped_bytes();
    assert!(full_bytes >= count * 4096);
    // In any order: here two that are far apart in turns.
    while let Some(item) = items.pop() {
        free(&arena, &item);
        if !items.is_empty() {
            free(&arena, &items.swap_remove(items.len() / 2));
        }
    }
    let blocks = arena.blocks.borrow();
    assert!(blocks.mapped_bytes() <= 2 * BLOCK_BYTES);
    assert!(blocks.resident_bytes() <= IDLE_MIN_BYTES);
}

#[test]
fn pages_of_empty_slabs_go_back_from_blocks_that_are_in_use() {
    const ITEMS_PER_BLOCK: usize = BLOCK_BYTES / 4096;
    for wants_huge_pages in [false, true] {
        let arena = Arena::with_huge_pages(64 * MIB, wants_huge_pages);
        let count = if cfg!(miri) { 4 } else { 12 } * ITEMS_PER_BLOCK;
        let items: Vec<Item> = (0..count)
            .map(|number| allocate(&arena, 4096, number as u8).expect("it fits"))
            .collect();
        let mapped_bytes = arena.blocks.borrow().mapped_bytes();
        let (kept, freed): (Vec<_>, Vec<_>) = items
            .into_iter()
            .enumerate()
            .partition(|(number, _)| number.is_multiple_of(ITEMS_PER_BLOCK));
        for (_, item) in freed {
            free(&arena, &item);
        }
        assert_eq!(arena.blocks.borrow().mapped_bytes(), mapped_bytes);
        assert!(arena.blocks.borrow().resident_bytes() <= IDLE_MIN_BYTES);
        assert!(arena.arena_bytes() <= (kept.len() + 1) * SLAB_BYTES);
        // What was discarded serves again, beside the items that stayed.
        let again: Vec<Item> = (0..count / 2)
            .map(|number| allocate(&arena, 4096, number as u8).expect("it fits"))
            .collect();
        assert_eq!(arena.blocks.borrow().mapped_bytes(), mapped_bytes);
        for item in again.iter().chain(kept.iter().map(|(_, item)| item)) {
            free(&arena, item);
        }
        assert!(arena.blocks.borrow().mapped_bytes() <= 2 * BLOCK_BYTES);
    }
}

#[test]
fn a_tiny_quota_holds_no_more_than_it_allows() {
    let arena = Arena::with_huge_pages(MIB, true);
    let mut items = Vec::new();
    while let Ok(item) = allocate(&arena, 1000, 3) {
        items.push(item);
    }
    assert_eq!(arena.arena_bytes(), MIB);
    assert_eq!(arena.blocks.borrow().mapped_bytes(), BLOCK_BYTES);
    assert_eq!(arena.blocks.borrow().resident_bytes(), 0);
    for item in &items {
        free(&arena, item);
    }
    // A larger item takes the place of the slabs, whose pages go.
    let large = allocate(&arena, MIB - SLAB_BYTES, 4).expect("the slabs are empty");
    assert_eq!(arena.blocks.borrow().resident_bytes(), 0);
    free(&arena, &large);
}

#[test]
fn work_in_turns_at_the_edge_of_a_block_does_not_map_and_unmap() {
    let arena = Arena::new(64 * MIB);
    let mut items = Vec::new();
    while arena.blocks.borrow().mapped_bytes() <= BLOCK_BYTES {
        items.push(allocate(&arena, 4096, 1).expect("it fits"));
    }
    free(
        &arena,
        &items.pop().expect("the first item of the second block"),
    );
    let mut places = Vec::new();
    for _ in 0..10 {
        let turn: Vec<Item> = (0..32)
            .map(|_| allocate(&arena, 4096, 2).expect("it fits"))
            .collect();
        places.push(turn.iter().map(|item| item.pointer.addr()).min());
        for item in &turn {
            free(&arena, item);
        }
        assert_eq!(arena.blocks.borrow().mapped_bytes(), 2 * BLOCK_BYTES);
    }
    places.dedup();
    assert_eq!(places.len(), 1, "each turn gets the same slabs");
    for item in &items {
        free(&arena, item);
    }
}

#[test]
fn an_item_of_many_mebibytes_has_a_mapping_of_its_own_and_counts_in_full() {
    let arena = Arena::new(64 * MIB);
    for size in [BLOCK_BYTES - 1, BLOCK_BYTES, 3 * BLOCK_BYTES + 1] {
        let item = allocate(&arena, size, 9).expect("it fits");
        assert!(item.pointer.addr().get().is_multiple_of(BLOCK_BYTES));
        assert!(arena.arena_bytes() >= size);
        free(&arena, &item);
        assert_eq!((arena.arena_bytes(), arena.used_bytes()), (0, 0));
    }
}
