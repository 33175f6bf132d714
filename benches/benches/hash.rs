//! The HASH index beside the hash maps that a Rust program would pick: the standard library's, and
//! `hashbrown` with `foldhash`, which is what the index is made of.
//!
//! All hold the same 1,000,000 tuples by an unsigned id. The index is measured as a program meets
//! it, through the database: an insert checks the tuple against the space and copies it into the
//! arena; the maps copy it into a box. A get reads a byte of the tuple. Times are per operation.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use lycosa_engine::schema::{FieldType, KeyPart};
use lycosa_engine::tuple::{Encoded, Fields};
use lycosa_engine::{Database, DatabaseOptions, IndexOptions, SpaceOptions};

const KEY_COUNT: u64 = 1_000_000;
const MEMORY_LIMIT_BYTES: usize = 1 << 30;

/// A key and its tuple.
type Row = (u64, Vec<u8>);

fn sequential() -> Vec<Row> {
    (1..=KEY_COUNT).map(row).collect()
}

fn random() -> Vec<Row> {
    // A multiplication by an odd number is a permutation of the 64-bit integers.
    (1..=KEY_COUNT)
        .map(|number| row(number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)))
        .collect()
}

fn row(id: u64) -> Row {
    (id, Fields::new().unsigned(id).string("payload").finish())
}

/// A database with one space, whose primary index is a hash table.
struct Hashed {
    database: Database,
    space: u32,
}

impl Hashed {
    fn new() -> Self {
        let mut database = Database::new(&DatabaseOptions {
            memory_limit_bytes: MEMORY_LIMIT_BYTES,
            ..DatabaseOptions::default()
        });
        let space = database
            .create_space("bench", SpaceOptions::default())
            .expect("the name is free");
        let key = vec![KeyPart::new(0, FieldType::Unsigned)];
        database
            .create_index(space, "primary", &IndexOptions::hash(key))
            .expect("the space has no index yet");
        Self { database, space }
    }

    fn of(rows: &[Row]) -> Self {
        let mut hashed = Self::new();
        for (_, tuple) in rows {
            hashed
                .database
                .insert(hashed.space, Encoded::trusted(tuple))
                .expect("the ids differ and the quota is large");
        }
        hashed
    }

    fn first_byte_of(&mut self, key: &[u8]) -> u64 {
        self.database
            .get(self.space, 0, Encoded::trusted(key))
            .expect("the key fits the index")
            .map_or(0, |tuple| u64::from(tuple.bytes()[0]))
    }
}

fn std_map_of(rows: &[Row]) -> HashMap<u64, Box<[u8]>> {
    let mut map = HashMap::new();
    for (id, tuple) in rows {
        map.insert(*id, tuple.as_slice().into());
    }
    map
}

fn hashbrown_of(rows: &[Row]) -> hashbrown::HashMap<u64, Box<[u8]>, impl BuildHasher + use<>> {
    let mut map = hashbrown::HashMap::with_hasher(foldhash::fast::RandomState::default());
    for (id, tuple) in rows {
        map.insert(*id, tuple.as_slice().into());
    }
    map
}

/// Times the filling alone, without giving the memory back.
fn bench_fill<T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    rows: &[Row],
    fill: fn(&[Row]) -> T,
) {
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let mut total = Duration::ZERO;
            for _ in 0..iterations {
                let start = Instant::now();
                let filled = black_box(fill(rows));
                total += start.elapsed();
                drop(filled);
            }
            total
        });
    });
}

fn insert(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hash insert 1M");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(KEY_COUNT));
    for (order, rows) in [("sequential", sequential()), ("random", random())] {
        bench_fill(
            &mut group,
            &format!("{order}/HASH index"),
            &rows,
            Hashed::of,
        );
        bench_fill(
            &mut group,
            &format!("{order}/std HashMap"),
            &rows,
            std_map_of,
        );
        bench_fill(
            &mut group,
            &format!("{order}/hashbrown"),
            &rows,
            hashbrown_of,
        );
    }
    group.finish();
}

fn get(criterion: &mut Criterion) {
    let rows = random();
    // Another order than that of the inserts. A key of the database is encoded, as its callers have it.
    let probes: Vec<(u64, Vec<u8>)> = (0..rows.len())
        .map(|number| rows[number * 7919 % rows.len()].0)
        .map(|id| (id, Fields::new().unsigned(id).finish()))
        .collect();
    let mut group = criterion.benchmark_group("hash get 1M");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(KEY_COUNT));
    let mut hashed = Hashed::of(&rows);
    group.bench_function("HASH index", |bencher| {
        bencher.iter(|| -> u64 {
            probes
                .iter()
                .map(|(_, key)| hashed.first_byte_of(key))
                .sum()
        });
    });
    drop(hashed);
    let map = std_map_of(&rows);
    group.bench_function("std HashMap", |bencher| {
        bencher.iter(|| -> u64 { probes.iter().map(|(id, _)| u64::from(map[id][0])).sum() });
    });
    drop(map);
    let map = hashbrown_of(&rows);
    group.bench_function("hashbrown", |bencher| {
        bencher.iter(|| -> u64 { probes.iter().map(|(id, _)| u64::from(map[id][0])).sum() });
    });
    group.finish();
}

criterion_group!(benches, insert, get);
criterion_main!(benches);
