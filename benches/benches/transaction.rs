//! Transactions of 100 inserts of `{id, 'payload'}` beside the embedded databases that a Rust
//! program would pick: `redb` over its backend in memory, and `SQLite` in `:memory:` through `rusqlite`
//! with a prepared statement.
//!
//! Every iteration commits [`TRANSACTIONS`] transactions into an empty store, so that stores are of
//! the same size however often Criterion asks. Making and dropping a store is not timed. Both
//! neighbours can write to disk, and pay for that ability here too; neither is asked to.

use criterion::measurement::WallTime;
use criterion::{
    BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main,
};
use lycosa_engine::schema::{FieldType, KeyPart};
use lycosa_engine::tuple::Encoded;
use lycosa_engine::{Database, IndexOptions, SpaceOptions, msgpack};
use redb::backends::InMemoryBackend;
use redb::{ReadableDatabase as _, ReadableTableMetadata as _, TableDefinition};
use rusqlite::Connection;

const TRANSACTIONS: u64 = 100;
const TRANSACTION_INSERTS: u64 = 100;
const RECORDS: u64 = TRANSACTIONS * TRANSACTION_INSERTS;
const PAYLOAD: &str = "payload";
const TABLE: TableDefinition<'_, u64, &str> = TableDefinition::new("bench");

/// The ids of each transaction.
fn transactions() -> impl Iterator<Item = std::ops::Range<u64>> {
    (0..RECORDS)
        .step_by(TRANSACTION_INSERTS as usize)
        .map(|first| first..first + TRANSACTION_INSERTS)
}

fn empty_engine(index: &IndexOptions) -> (Database, u32) {
    let mut database = Database::default();
    let space = database
        .create_space("bench", SpaceOptions::default())
        .expect("the name is free");
    database
        .create_index(space, "primary", index)
        .expect("the space has no index yet");
    (database, space)
}

fn fill_engine((database, space): &mut (Database, u32)) -> lycosa_engine::Result<()> {
    let mut tuple = Vec::new();
    for ids in transactions() {
        database.begin()?;
        for id in ids {
            tuple.clear();
            msgpack::write_array_header(&mut tuple, 2);
            msgpack::write_unsigned(&mut tuple, id);
            msgpack::write_string(&mut tuple, PAYLOAD.as_bytes());
            database.insert(*space, Encoded::trusted(&tuple))?;
        }
        database.commit()?;
    }
    Ok(())
}

fn empty_redb() -> redb::Database {
    let database = redb::Builder::new()
        .create_with_backend(InMemoryBackend::new())
        .expect("memory cannot be missing a file");
    // The table is made here, as the space is for the engine.
    let transaction = database.begin_write().expect("nobody else writes");
    transaction.open_table(TABLE).expect("the table is new");
    transaction.commit().expect("memory takes all writes");
    database
}

fn fill_redb(database: &mut redb::Database) -> Result<(), redb::Error> {
    for ids in transactions() {
        let transaction = database.begin_write()?;
        {
            let mut table = transaction.open_table(TABLE)?;
            for id in ids {
                table.insert(id, PAYLOAD)?;
            }
        }
        transaction.commit()?;
    }
    Ok(())
}

fn empty_sqlite() -> Connection {
    let connection = Connection::open_in_memory().expect("memory cannot be missing a file");
    connection
        .execute_batch("CREATE TABLE bench (id INTEGER PRIMARY KEY, payload TEXT NOT NULL)")
        .expect("the statement is right");
    connection
}

fn fill_sqlite(connection: &mut Connection) -> rusqlite::Result<()> {
    let mut insert = connection.prepare("INSERT INTO bench VALUES (?1, ?2)")?;
    for ids in transactions() {
        let transaction = connection.unchecked_transaction()?;
        for id in ids {
            insert.execute((id as i64, PAYLOAD))?;
        }
        transaction.commit()?;
    }
    Ok(())
}

fn bench<T, E: std::fmt::Debug>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    empty: impl Fn() -> T,
    fill: fn(&mut T) -> Result<(), E>,
    count: impl Fn(&mut T) -> u64,
) {
    let mut store = empty();
    fill(&mut store).expect("every id is new");
    assert_eq!(count(&mut store), RECORDS, "{name}");
    drop(store);
    group.bench_function(name, |bencher| {
        bencher.iter_batched_ref(
            &empty,
            |store| fill(store).expect("every id is new"),
            BatchSize::PerIteration,
        );
    });
}

fn transaction(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("transactions of 100 inserts");
    group
        .sample_size(20)
        .throughput(Throughput::Elements(RECORDS));
    let key = || vec![KeyPart::new(0, FieldType::Unsigned)];
    for (name, index) in [
        ("engine, TREE", IndexOptions::tree(key())),
        ("engine, HASH", IndexOptions::hash(key())),
    ] {
        bench(
            &mut group,
            name,
            || empty_engine(&index),
            fill_engine,
            |(database, space)| database.space(*space).map_or(0, lycosa_engine::Space::len),
        );
    }
    bench(&mut group, "redb", empty_redb, fill_redb, |database| {
        let transaction = database.begin_read().expect("memory can be read");
        let table = transaction.open_table(TABLE).expect("the table is there");
        table.len().expect("memory can be read")
    });
    bench(
        &mut group,
        "SQLite",
        empty_sqlite,
        fill_sqlite,
        |connection| {
            connection
                .query_row("SELECT count(*) FROM bench", (), |row| row.get::<_, i64>(0))
                .expect("the table is there") as u64
        },
    );
    group.finish();
}

criterion_group!(benches, transaction);
criterion_main!(benches);
