//! Memory of deleted tuples goes back to the system at once: seen from outside, by the pages that the process
//! holds. Alone in its process, because every other test would count.

#![cfg(target_os = "linux")]

use std::fs;

use lycosa_engine::schema::{FieldType, KeyPart};
use lycosa_engine::tuple::{Encoded, Fields};
use lycosa_engine::{Database, DatabaseOptions, IndexOptions, SpaceOptions};

const RECORDS: u64 = 100_000;

fn resident_bytes() -> usize {
    let text = fs::read_to_string("/proc/self/smaps_rollup").expect("Linux tells it");
    let line = text.lines().find(|line| line.starts_with("Rss:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.and_then(|kib| kib.parse::<usize>().ok())
        .expect("a number of KiB")
        * 1024
}

fn fill(database: &mut Database, space: u32) {
    let payload = "x".repeat(1000);
    for key in 0..RECORDS {
        let tuple = Fields::new().unsigned(key).string(&payload).finish();
        let tuple = Encoded::check(&tuple).expect("well formed");
        database.insert(space, tuple).expect("there is room");
    }
}

#[test]
fn memory_of_deleted_tuples_goes_back_at_once_in_whatever_order_they_go() {
    let key_part = || vec![KeyPart::new(0, FieldType::Unsigned)];
    for options in [
        IndexOptions::tree(key_part()),
        IndexOptions::hash(key_part()),
    ] {
        let mut database = Database::new(&DatabaseOptions::default());
        let space = database
            .create_space("test", SpaceOptions::default())
            .expect("a new name");
        database
            .create_index(space, "primary", &options)
            .expect("a good index");
        let before = resident_bytes();
        // One step visits the keys in their order, the other scatters them.
        for step in [1, 7919] {
            fill(&mut database, space);
            let full = resident_bytes();
            assert!(full - before >= RECORDS as usize * 1000);
            for number in 0..RECORDS {
                let key = Fields::new().unsigned(number * step % RECORDS).finish();
                let key = Encoded::check(&key).expect("well formed");
                database.delete(space, 0, key).expect("no error");
            }
            let left = resident_bytes().saturating_sub(before);
            assert!(
                left * 10 <= full - before,
                "{left} bytes of {} are left",
                full - before
            );
        }
    }
}
