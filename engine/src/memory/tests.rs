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
        assert!(
            bytes.iter().all(|byte| *byte == item.fill),
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
    Charge { bytes: usize },
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (0usize..700).prop_map(|size| Operation::Allocate { size }),
        2 => (700usize..40_000).prop_map(|size| Operation::Allocate { size }),
        5 => any::<usize>().prop_map(|nth| Operation::Free { nth }),
        1 => (0usize..100_000).prop_map(|bytes| Operation::Charge { bytes }),
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
        limit_bytes in 0usize..2 * MIB,
        operations in prop::collection::vec(operation(), 1..300),
    ) {
        let arena = Arena::new(limit_bytes);
        let mut items: Vec<Item> = Vec::new();
        let mut charged_bytes = 0;
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
                Operation::Charge { bytes } => {
                    if arena.charge(bytes).is_ok() {
                        charged_bytes += bytes;
                    } else {
                        arena.release(charged_bytes);
                        charged_bytes = 0;
                    }
                }
            }
            prop_assert!(arena.arena_bytes() <= limit_bytes);
            let wanted: usize = items.iter().map(|item| item.size).sum();
            prop_assert!(arena.used_bytes() >= wanted + charged_bytes);
            prop_assert!(arena.used_bytes() <= arena.arena_bytes());
            let counted: usize = arena.statistics().map(|class| class.item_count).sum();
            let small = items.iter().filter(|item| item.size <= MAX_CLASS_BYTES).count();
            prop_assert_eq!(counted, small);
        }
        for item in &items {
            free(&arena, item);
        }
        prop_assert_eq!(arena.used_bytes(), charged_bytes);
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
    // What remains is the cache of empty slabs and the current slab of the class.
    assert!(arena.arena_bytes() <= (EMPTY_SLABS_MAX + 1) * SLAB_BYTES);
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
    arena.charge(10).expect("the overdraft allows it");
    assert_eq!(arena.arena_bytes(), 2 * SLAB_BYTES + 10);
    drop(overdraft);
    assert!(arena.allocate(300).is_err());
    arena.release(10);
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
    let capacity = (SLAB_BYTES - 64) / 104;
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
