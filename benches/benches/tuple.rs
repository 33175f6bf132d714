//! Tuples beside the crates with which a Rust program would read and write `MsgPack`: `rmp-serde`,
//! which knows the type of the record, and `rmpv`, which, as the engine, does not.
//!
//! A record is `{id, name, balance, is_active}`. All three make the same bytes. *Access* wants one
//! field of an encoded record, *comparison* orders two encoded records by name and id, as an index
//! does; the crates have to decode the record first, and do so without copying its strings.

use std::cmp::Ordering;
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use lycosa_engine::msgpack::{self, Value};
use lycosa_engine::schema::compare_values;
use lycosa_engine::tuple::{Encoded, Fields, field};
use rmpv::ValueRef;
use serde::{Deserialize, Serialize};

const ID: u32 = 0;
const NAME: u32 = 1;
const IS_ACTIVE: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Record<'a> {
    id: u64,
    name: &'a str,
    balance: f64,
    is_active: bool,
}

const RECORD: Record<'static> = Record {
    id: 1_234_567,
    name: "Hogna carolinensis",
    balance: -1234.5,
    is_active: true,
};

/// A record that differs from [`RECORD`] in the last part of the key alone.
const NEXT_RECORD: Record<'static> = Record {
    id: RECORD.id + 1,
    ..RECORD
};

fn built(record: &Record<'_>) -> Vec<u8> {
    Fields::new()
        .unsigned(record.id)
        .string(record.name)
        .double(record.balance)
        .boolean(record.is_active)
        .finish()
}

fn written(out: &mut Vec<u8>, record: &Record<'_>) {
    out.clear();
    msgpack::write_array_header(out, 4);
    msgpack::write_unsigned(out, record.id);
    msgpack::write_string(out, record.name.as_bytes());
    msgpack::write_double(out, record.balance);
    msgpack::write_boolean(out, record.is_active);
}

fn written_by_rmp_serde(out: &mut Vec<u8>, record: &Record<'_>) {
    out.clear();
    rmp_serde::encode::write(out, record).expect("a vector takes all");
}

fn written_by_rmpv(out: &mut Vec<u8>, record: &Record<'_>) {
    out.clear();
    let value = ValueRef::Array(vec![
        record.id.into(),
        record.name.into(),
        record.balance.into(),
        ValueRef::Boolean(record.is_active),
    ]);
    rmpv::encode::write_value_ref(out, &value).expect("a vector takes all");
}

/// Checks the bytes and reads all fields.
fn decoded(data: &[u8]) -> Option<Record<'_>> {
    let (_, rest) = Encoded::check(data).ok()?.split();
    let (Value::Unsigned(id), rest) = msgpack::read_trusted(rest) else {
        return None;
    };
    let (Value::String(name), rest) = msgpack::read_trusted(rest) else {
        return None;
    };
    let (Value::Double(balance), rest) = msgpack::read_trusted(rest) else {
        return None;
    };
    let (Value::Boolean(is_active), _) = msgpack::read_trusted(rest) else {
        return None;
    };
    Some(Record {
        id,
        name: str::from_utf8(name).ok()?,
        balance,
        is_active,
    })
}

fn decoded_by_rmp_serde(data: &[u8]) -> Option<Record<'_>> {
    rmp_serde::from_slice(data).ok()
}

fn decoded_by_rmpv(mut data: &[u8]) -> Option<Record<'_>> {
    let ValueRef::Array(fields) = rmpv::decode::read_value_ref(&mut data).ok()? else {
        return None;
    };
    let [
        ValueRef::Integer(id),
        ValueRef::String(name),
        ValueRef::F64(balance),
        ValueRef::Boolean(is_active),
    ] = fields[..]
    else {
        return None;
    };
    Some(Record {
        id: id.as_u64()?,
        name: name.into_str()?,
        balance,
        is_active,
    })
}

fn compared(left: &[u8], right: &[u8]) -> Ordering {
    let part = |tuple, number| {
        let value = field(tuple, number).unwrap_or(&[0xc0]);
        msgpack::read_trusted(value).0
    };
    compare_values(&part(left, NAME), &part(right, NAME))
        .then_with(|| compare_values(&part(left, ID), &part(right, ID)))
}

fn by_name(left: &Record<'_>, right: &Record<'_>) -> Ordering {
    (left.name, left.id).cmp(&(right.name, right.id))
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(1));
    group
}

fn encode(criterion: &mut Criterion) {
    type Write = fn(&mut Vec<u8>, &Record<'_>);
    let mut group = group(criterion, "tuple encode");
    group.bench_function("engine, builder", |bencher| {
        bencher.iter(|| built(black_box(&RECORD)));
    });
    let writers: [(&str, Write); 3] = [
        ("engine, into a buffer", written),
        ("rmp-serde, into a buffer", written_by_rmp_serde),
        ("rmpv, into a buffer", written_by_rmpv),
    ];
    for (name, write) in writers {
        let mut out = Vec::new();
        write(&mut out, &RECORD);
        assert_eq!(out, built(&RECORD), "{name}");
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                write(&mut out, black_box(&RECORD));
                black_box(out.len())
            });
        });
    }
    group.finish();
}

fn decode(criterion: &mut Criterion) {
    type Decode = fn(&[u8]) -> Option<Record<'_>>;
    let data = built(&RECORD);
    let mut group = group(criterion, "tuple decode");
    let decoders: [(&str, Decode); 3] = [
        ("engine", decoded),
        ("rmp-serde", decoded_by_rmp_serde),
        ("rmpv", decoded_by_rmpv),
    ];
    for (name, decode) in decoders {
        assert_eq!(decode(&data), Some(RECORD), "{name}");
        group.bench_function(name, |bencher| bencher.iter(|| decode(black_box(&data))));
    }
    group.finish();
}

fn access(criterion: &mut Criterion) {
    let data = built(&RECORD);
    let mut group = group(criterion, "tuple access, last of 4 fields");
    group.bench_function("engine", |bencher| {
        bencher.iter(|| {
            field(black_box(&data), IS_ACTIVE).map(|value| msgpack::read_trusted(value).0)
        });
    });
    group.bench_function("rmp-serde", |bencher| {
        bencher.iter(|| decoded_by_rmp_serde(black_box(&data)).map(|record| record.is_active));
    });
    group.bench_function("rmpv", |bencher| {
        bencher.iter(|| decoded_by_rmpv(black_box(&data)).map(|record| record.is_active));
    });
    group.finish();
}

fn compare(criterion: &mut Criterion) {
    let (left, right) = (built(&RECORD), built(&NEXT_RECORD));
    let mut group = group(criterion, "tuple comparison, by name and id");
    assert_eq!(compared(&left, &right), by_name(&RECORD, &NEXT_RECORD));
    group.bench_function("engine", |bencher| {
        bencher.iter(|| compared(black_box(&left), black_box(&right)));
    });
    group.bench_function("rmp-serde", |bencher| {
        bencher.iter(|| {
            let left = decoded_by_rmp_serde(black_box(&left))?;
            Some(by_name(&left, &decoded_by_rmp_serde(black_box(&right))?))
        });
    });
    group.bench_function("rmpv", |bencher| {
        bencher.iter(|| {
            let left = decoded_by_rmpv(black_box(&left))?;
            Some(by_name(&left, &decoded_by_rmpv(black_box(&right))?))
        });
    });
    group.bench_function("structs, decoded before", |bencher| {
        bencher.iter(|| by_name(black_box(&RECORD), black_box(&NEXT_RECORD)));
    });
    group.finish();
}

criterion_group!(benches, encode, decode, access, compare);
criterion_main!(benches);
