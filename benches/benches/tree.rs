//! The B+tree beside the standard library's `BTreeMap` and the B+tree of `scc`, on 64-bit keys with
//! exact hints. The latter is made for many threads, and pays for that here.
//!
//! Times are per operation: Criterion's throughput line gives them as elements a second.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use lycosa_engine::index::tree::{Bound, Probe, Tree};
use lycosa_engine::memory::Arena;
use scc::{Guard, TreeIndex};

const KEY_COUNT: u64 = 1_000_000;
const LIMIT_BYTES: usize = 1 << 30;
const STREAM_COUNT: u64 = 50;
const TRANSACTION_INSERTS: u64 = 100;

struct Exact(u64);

impl Probe<u64> for Exact {
    fn hint(&self) -> u64 {
        self.0
    }

    fn compare(&self, _stored: u64) -> Ordering {
        Ordering::Equal
    }
}

fn tree_of(keys: &[u64]) -> Tree<u64> {
    let mut tree = Tree::new(Rc::new(Arena::new(LIMIT_BYTES)));
    for key in keys {
        tree.insert(*key, *key, &Exact(*key))
            .expect("the quota is large");
    }
    tree
}

fn map_of(keys: &[u64]) -> BTreeMap<u64, u64> {
    let mut map = BTreeMap::new();
    for key in keys {
        map.insert(*key, *key);
    }
    map
}

fn tree_index_of(keys: &[u64]) -> TreeIndex<u64, u64> {
    let tree = TreeIndex::new();
    for key in keys {
        tree.insert_sync(*key, *key).expect("the keys differ");
    }
    tree
}

fn sequential() -> Vec<u64> {
    (0..KEY_COUNT).collect()
}

/// Streams of ascending keys that take turns, each with `run` inserts at a time.
fn interleaved(run: u64) -> Vec<u64> {
    let turns = KEY_COUNT / STREAM_COUNT / run;
    let mut keys = Vec::with_capacity(KEY_COUNT as usize);
    for turn in 0..turns {
        for stream in 0..STREAM_COUNT {
            keys.extend((0..run).map(|number| (stream << 40) + turn * run + number));
        }
    }
    keys
}

fn random() -> Vec<u64> {
    // A multiplication by an odd number is a permutation of the 64-bit integers.
    (1..=KEY_COUNT)
        .map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
        .collect()
}

/// Times the filling alone, without giving the memory back.
fn bench_fill<T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    keys: &[u64],
    fill: fn(&[u64]) -> T,
) {
    group.throughput(Throughput::Elements(keys.len() as u64));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let mut total = Duration::ZERO;
            for _ in 0..iterations {
                let start = Instant::now();
                let filled = black_box(fill(keys));
                total += start.elapsed();
                drop(filled);
            }
            total
        });
    });
}

fn insert(criterion: &mut Criterion) {
    let orders = [
        ("sequential", sequential()),
        (
            "interleaved by transaction",
            interleaved(TRANSACTION_INSERTS),
        ),
        ("interleaved by insert", interleaved(1)),
        ("random", random()),
    ];
    let mut group = criterion.benchmark_group("insert 1M");
    group.sample_size(10);
    for (order, keys) in &orders {
        bench_fill(&mut group, &format!("{order}/tree"), keys, tree_of);
        bench_fill(&mut group, &format!("{order}/BTreeMap"), keys, map_of);
        let name = format!("{order}/scc TreeIndex");
        bench_fill(&mut group, &name, keys, tree_index_of);
    }
    group.finish();
}

fn read(criterion: &mut Criterion) {
    let keys = random();
    let tree = tree_of(&keys);
    let map = map_of(&keys);
    let index = tree_index_of(&keys);
    // Another order than that of the inserts.
    let probes: Vec<u64> = (0..keys.len())
        .map(|number| keys[number * 7919 % keys.len()])
        .collect();
    let mut group = criterion.benchmark_group("read 1M");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(KEY_COUNT));
    group.bench_function("get/tree", |bencher| {
        bencher.iter(|| {
            probes
                .iter()
                .filter_map(|key| tree.get(&Exact(*key)))
                .fold(0, u64::wrapping_add)
        });
    });
    group.bench_function("get/BTreeMap", |bencher| {
        bencher.iter(|| {
            probes
                .iter()
                .filter_map(|key| map.get(key))
                .fold(0, |sum, value| value.wrapping_add(sum))
        });
    });
    group.bench_function("get/scc TreeIndex", |bencher| {
        bencher.iter(|| {
            let guard = Guard::new();
            probes
                .iter()
                .filter_map(|key| index.peek(key, &guard))
                .fold(0, |sum, value| value.wrapping_add(sum))
        });
    });
    group.bench_function("scan/tree", |bencher| {
        bencher.iter(|| {
            let mut cursor = tree.seek(&Exact(0), Bound::AtOrAfter);
            let mut sum = 0u64;
            while let Some(value) = cursor.value(&tree) {
                sum = sum.wrapping_add(value);
                cursor.move_next(&tree);
            }
            sum
        });
    });
    group.bench_function("scan/BTreeMap", |bencher| {
        bencher.iter(|| {
            map.range(0..)
                .fold(0u64, |sum, (_, value)| sum.wrapping_add(*value))
        });
    });
    group.bench_function("scan/scc TreeIndex", |bencher| {
        bencher.iter(|| {
            let guard = Guard::new();
            // Its `range(0..)` gives the same, but takes minutes over keys that came at random.
            index
                .iter(&guard)
                .fold(0u64, |sum, (_, value)| sum.wrapping_add(*value))
        });
    });
    group.finish();
}

criterion_group!(benches, insert, read);
criterion_main!(benches);
