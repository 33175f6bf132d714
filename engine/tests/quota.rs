//! At the memory quota: a statement is refused with code 2 and leaves nothing behind, a transaction
//! can be rolled back, deletes need no memory, and what they free is used again. For every kind of
//! primary index, with secondary ones, in and out of transactions.

use lycosa_engine::memory::SLAB_BYTES;
use lycosa_engine::schema::{FieldType, KeyPart};
use lycosa_engine::tuple::{Encoded, Fields};
use lycosa_engine::{Database, DatabaseOptions, IndexOptions, IndexType, Result, SpaceOptions};

/// Indexes of the space: the primary one, a unique one and one that is not.
const INDEXES: u32 = 3;

/// How many groups the last index has.
const GROUPS: u64 = 7;

/// A space of at most 128 slabs whose first two indexes are of these kinds.
fn space(primary: IndexType, unique: IndexType) -> (Database, u32) {
    let mut database = Database::new(&DatabaseOptions {
        memory_limit_bytes: 128 * SLAB_BYTES,
        ..DatabaseOptions::default()
    });
    let space = database
        .create_space("test", SpaceOptions::default())
        .expect("a new name");
    let of_kind = |kind, parts| match kind {
        IndexType::Hash => IndexOptions::hash(parts),
        IndexType::Tree => IndexOptions::tree(parts),
    };
    let number = |field| vec![KeyPart::new(field, FieldType::Unsigned)];
    let indexes = [
        of_kind(primary, number(0)),
        of_kind(unique, number(1)),
        IndexOptions::tree(number(2)).non_unique(),
    ];
    for (position, options) in indexes.iter().enumerate() {
        database
            .create_index(space, &format!("index {position}"), options)
            .expect("a good index");
    }
    (database, space)
}

fn insert(database: &mut Database, space: u32, key: u64) -> Result<()> {
    let tuple = Fields::new()
        .unsigned(key)
        .unsigned(key + 1_000_000)
        .unsigned(key % GROUPS)
        .string(&"x".repeat(100))
        .finish();
    let tuple = Encoded::check(&tuple).expect("well formed");
    database.insert(space, tuple).map(|_| ())
}

/// Inserts from `first` on until the quota refuses one, which is answered.
fn fill(database: &mut Database, space: u32, first: u64) -> u64 {
    for key in first.. {
        if let Err(error) = insert(database, space, key) {
            assert_eq!(error.code(), 2, "{error}");
            return key;
        }
    }
    unreachable!("the quota ends")
}

fn delete(database: &mut Database, space: u32, key: u64) {
    let key = Fields::new().unsigned(key).finish();
    let old = database.delete(space, 0, Encoded::trusted(&key));
    assert!(old.expect("a delete needs no memory").is_some());
}

/// Whether every index finds all of these keys, and no more than they are.
fn holds(database: &mut Database, space: u32, keys: impl Iterator<Item = u64>) {
    let mut count = 0;
    for key in keys {
        count += 1;
        for (index, value) in [(0, key), (1, key + 1_000_000)] {
            let value = Fields::new().unsigned(value).finish();
            let found = database.get(space, index, Encoded::trusted(&value));
            assert!(found.expect("a good key").is_some(), "{key} in {index}");
        }
    }
    let held = database.space(space).expect("it is there");
    assert_eq!(held.len(), count);
    for index in 0..INDEXES {
        let index = held.index(index).expect("it is there");
        assert_eq!(index.len(), count);
    }
}

const KINDS: [(IndexType, IndexType); 4] = [
    (IndexType::Tree, IndexType::Tree),
    (IndexType::Tree, IndexType::Hash),
    (IndexType::Hash, IndexType::Tree),
    (IndexType::Hash, IndexType::Hash),
];

#[test]
fn a_refused_insert_leaves_nothing_and_deletes_make_room() {
    for (primary, unique) in KINDS {
        let (mut database, space) = space(primary, unique);
        let mut held = 0..fill(&mut database, space, 0);
        holds(&mut database, space, held.clone());
        let quarter = held.end / 4;
        for _ in 0..3 {
            for _ in 0..quarter {
                delete(&mut database, space, held.start);
                held.start += 1;
            }
            let stop = fill(&mut database, space, held.end);
            // A slab belongs to tuples or to nodes of a tree, as long as it holds one.
            assert!(stop - held.end >= quarter * 9 / 10, "{}", stop - held.end);
            held.end = stop;
            holds(&mut database, space, held.clone());
        }
    }
}

#[test]
fn a_transaction_that_was_refused_a_statement_goes_on_or_is_rolled_back_whole() {
    for (primary, unique) in KINDS {
        let (mut database, space) = space(primary, unique);
        for key in 0..500 {
            insert(&mut database, space, key).expect("there is room");
        }
        database.begin().expect("none is open");
        for key in 0..250 {
            delete(&mut database, space, key);
        }
        let stop = fill(&mut database, space, 500);
        holds(&mut database, space, 250..stop);
        database.rollback();
        holds(&mut database, space, 0..500);

        database.begin().expect("none is open");
        let stop = fill(&mut database, space, 500);
        database
            .commit()
            .expect("a refused statement is all that failed");
        holds(&mut database, space, 0..stop);

        database.begin().expect("none is open");
        for key in 0..stop {
            delete(&mut database, space, key);
        }
        holds(&mut database, space, 0..0);
        database.rollback();
        holds(&mut database, space, 0..stop);
    }
}
