//! The database against a simple model: random programs of schema changes, statements, transactions,
//! switches of fibers, reads and cursors; with memory to spare, and with next to none.

mod ddl;
mod dml;
mod model;
mod program;
mod read;
mod value;

use lycosa_engine::memory::SLAB_BYTES;
use proptest::prelude::*;

use program::Program;

/// Miri runs some hundred times slower.
const CASES: u32 = if cfg!(miri) { 2 } else { 300 };

/// As many programs as `LYCOSA_MODEL_CASES` says, for a long search.
fn cases() -> u32 {
    let asked = std::env::var("LYCOSA_MODEL_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(CASES)
}

const STEPS: usize = if cfg!(miri) { 40 } else { 160 };

fn steps() -> impl Strategy<Value = Vec<(u8, u64)>> {
    proptest::collection::vec((any::<u8>(), any::<u64>()), 1..STEPS)
}

/// Two spaces with rows, so that few steps are spent on missing ones.
fn prepare(program: &mut Program, seed: u64) {
    for (position, kind) in [0, 2, 3, 4, 0, 2, 3, 10, 10, 10, 10]
        .into_iter()
        .enumerate()
    {
        program.step(kind, seed.wrapping_add(position as u64 * 7919));
    }
}

fn run(memory_limit_bytes: usize, is_tight: bool, seed: u64, steps: &[(u8, u64)]) -> usize {
    let mut program = Program::new(memory_limit_bytes, is_tight);
    prepare(&mut program, seed);
    for &(kind, seed) in steps {
        program.step(kind, seed);
    }
    let failures = program.memory_failures;
    program.finish();
    failures
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_database_does_what_the_model_does(seed in any::<u64>(), steps in steps()) {
        run(64 << 20, false, seed, &steps);
    }

    #[test]
    fn a_database_short_of_memory_fails_cleanly(
        slabs in 0_usize..16,
        seed in any::<u64>(),
        steps in steps(),
    ) {
        run(slabs * SLAB_BYTES, true, seed, &steps);
    }
}

#[test]
fn the_same_program_fails_at_each_possible_limit_and_then_no_more() {
    let program: Vec<(u8, u64)> = (0..STEPS as u64 * 2)
        .map(|step| {
            let kinds = [10, 20, 27, 38, 12, 44, 31, 3, 34, 42];
            (
                kinds[step as usize % kinds.len()],
                step.wrapping_mul(0x5851_f42d_4c95_7f2d),
            )
        })
        .collect();
    let mut failures = Vec::new();
    for slabs in 0..64 {
        failures.push(run(slabs * SLAB_BYTES, true, 11, &program));
        if failures.last() == Some(&0) {
            break;
        }
    }
    assert!(
        failures.len() > 4,
        "the limit was met early and late: {failures:?}"
    );
    assert_eq!(failures.last(), Some(&0), "{failures:?}");
}
