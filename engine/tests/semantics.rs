//! How the database behaves, by example. Where it may surprise, it does as Tarantool does.

use lycosa_engine::memory::SLAB_BYTES;
use lycosa_engine::msgpack;
use lycosa_engine::schema::{FieldDefinition, FieldType, KeyPart};
use lycosa_engine::tuple::{Encoded, Fields, Tuple};
use lycosa_engine::{
    Database, DatabaseOptions, IndexOptions, IteratorType, Result, Select, SpaceOptions,
};

const TWO_53: f64 = 9_007_199_254_740_992.0;

fn part(field: u32, field_type: FieldType) -> KeyPart {
    KeyPart::new(field, field_type)
}

/// A database with one space under these indexes.
fn with_indexes(indexes: &[IndexOptions]) -> (Database, u32) {
    let mut database = Database::default();
    let space = database
        .create_space("test", SpaceOptions::default())
        .expect("a new name");
    for (number, options) in indexes.iter().enumerate() {
        database
            .create_index(space, &format!("index {number}"), options)
            .expect("a good index");
    }
    (database, space)
}

/// A database with one space under an unsigned primary key.
fn plain() -> (Database, u32) {
    with_indexes(&[IndexOptions::tree(vec![part(0, FieldType::Unsigned)])])
}

fn insert(database: &mut Database, space: u32, tuple: &Fields) -> Result<()> {
    let tuple = tuple.finish();
    database.insert(space, Encoded::check(&tuple)?).map(|_| ())
}

fn id(value: u64) -> Fields {
    Fields::new().unsigned(value)
}

/// The text of what a select gives.
fn select(
    database: &mut Database,
    space: u32,
    index: u32,
    iterator: IteratorType,
    key: &Fields,
) -> Vec<String> {
    let key = key.finish();
    let select = Select::new(iterator, Encoded::trusted(&key));
    let tuples = database.select(space, index, &select).expect("a good key");
    tuples
        .iter()
        .map(|tuple| msgpack::to_text(tuple.bytes()))
        .collect()
}

fn all(database: &mut Database, space: u32) -> Vec<String> {
    select(database, space, 0, IteratorType::All, &Fields::new())
}

fn code<T>(outcome: Result<T>) -> Option<u32> {
    outcome.err().map(|error| error.code())
}

fn update(database: &mut Database, space: u32, key: u64, operation: &Fields) -> Result<bool> {
    let operations = Fields::new().raw(&operation.finish())?.finish();
    let key = id(key).finish();
    let found = database.update(
        space,
        0,
        Encoded::check(&key)?,
        Encoded::check(&operations)?,
        1,
    )?;
    Ok(found.is_some())
}

/// How many complaints an upsert with these operations has.
fn upsert(
    database: &mut Database,
    space: u32,
    tuple: &Fields,
    operations: &[Fields],
) -> Result<usize> {
    let list = operations
        .iter()
        .try_fold(Fields::new(), |list, operation| {
            list.raw(&operation.finish())
        })?;
    let (tuple, list) = (tuple.finish(), list.finish());
    let skipped = database.upsert(space, Encoded::check(&tuple)?, Encoded::check(&list)?, 1)?;
    Ok(skipped.len())
}

fn assign(field: u64) -> Fields {
    Fields::new().string("=").unsigned(field)
}

#[test]
fn integers_and_doubles_compare_exactly_in_tree_and_hash() {
    let number = || vec![part(0, FieldType::Number)];
    for options in [IndexOptions::tree(number()), IndexOptions::hash(number())] {
        let (mut database, space) = with_indexes(&[options]);
        insert(&mut database, space, &Fields::new().double(TWO_53)).expect("new");
        insert(&mut database, space, &id((1 << 53) + 1)).expect("one more than the double");
        let same = insert(&mut database, space, &id(1 << 53));
        assert_eq!(code(same), Some(3), "the integer equals the double");
        insert(&mut database, space, &id(5)).expect("new");
        let five = Fields::new().double(5.0).finish();
        let found = database.get(space, 0, Encoded::trusted(&five));
        let found = found.expect("a full key").map(|tuple| tuple.to_vec());
        assert_eq!(found, Some(id(5).finish()));
    }
}

#[test]
fn not_a_number_is_one_key_before_all_numbers() {
    let (mut database, space) =
        with_indexes(&[IndexOptions::tree(vec![part(0, FieldType::Number)])]);
    insert(
        &mut database,
        space,
        &Fields::new().double(f64::NEG_INFINITY),
    )
    .expect("new");
    insert(&mut database, space, &Fields::new().double(f64::NAN)).expect("new");
    let again = insert(&mut database, space, &Fields::new().double(-f64::NAN));
    assert_eq!(code(again), Some(3));
    let first = database.min(space, 0, Encoded::EMPTY).expect("a tree");
    let first = first.expect("two tuples").to_vec();
    assert_eq!(first, Fields::new().double(f64::NAN).finish());
}

#[test]
fn scalars_sort_by_class_first() {
    let (mut database, space) =
        with_indexes(&[IndexOptions::tree(vec![part(0, FieldType::Scalar)])]);
    for fields in [
        Fields::new().binary(b""),
        Fields::new().string("a"),
        Fields::new().double(-0.5),
        Fields::new().unsigned(0),
        Fields::new().boolean(true),
        Fields::new().boolean(false),
    ] {
        insert(&mut database, space, &fields).expect("all differ");
    }
    let sorted = all(&mut database, space);
    assert_eq!(
        sorted[..5],
        ["[false]", "[true]", "[-0.5]", "[0]", "[\"a\"]"]
    );
}

#[test]
fn a_unique_nullable_index_allows_many_nulls_and_sorts_them_first() {
    let (mut database, space) = with_indexes(&[
        IndexOptions::tree(vec![part(0, FieldType::Unsigned)]),
        IndexOptions::tree(vec![part(1, FieldType::Unsigned).nullable()]),
    ]);
    insert(&mut database, space, &id(3).null()).expect("null");
    insert(&mut database, space, &id(1).unsigned(0)).expect("0");
    insert(&mut database, space, &id(2)).expect("nothing is null");
    assert_eq!(
        code(insert(&mut database, space, &id(4).unsigned(0))),
        Some(3)
    );
    let sorted = select(&mut database, space, 1, IteratorType::All, &Fields::new());
    assert_eq!(sorted, ["[2]", "[3, null]", "[1, 0]"]);
    let nulls = select(
        &mut database,
        space,
        1,
        IteratorType::Eq,
        &Fields::new().null(),
    );
    assert_eq!(nulls, ["[2]", "[3, null]"]);
    let null = Fields::new().null().finish();
    let get = database.get(space, 1, Encoded::trusted(&null)).map(|_| ());
    assert_eq!(code(get), Some(18), "null is no exact key");
}

#[test]
fn equal_keys_come_in_the_order_of_the_primary_key_and_req_turns_it_round() {
    let (mut database, space) = with_indexes(&[
        IndexOptions::tree(vec![part(0, FieldType::Unsigned)]),
        IndexOptions::tree(vec![part(1, FieldType::Unsigned)]).non_unique(),
    ]);
    for (key, value) in [(3, 7), (1, 7), (2, 8), (4, 6)] {
        insert(&mut database, space, &id(key).unsigned(value)).expect("new");
    }
    let mut seven = |iterator| select(&mut database, space, 1, iterator, &id(7));
    assert_eq!(seven(IteratorType::Eq), ["[1, 7]", "[3, 7]"]);
    assert_eq!(seven(IteratorType::Req), ["[3, 7]", "[1, 7]"]);
    assert_eq!(seven(IteratorType::All), ["[1, 7]", "[3, 7]", "[2, 8]"]);
    assert_eq!(seven(IteratorType::Ge), seven(IteratorType::All));
    assert_eq!(seven(IteratorType::Le), ["[3, 7]", "[1, 7]", "[4, 6]"]);
    assert_eq!(seven(IteratorType::Gt), ["[2, 8]"]);
    assert_eq!(seven(IteratorType::Lt), ["[4, 6]"]);
    let key = id(7).finish();
    let count = database.count(space, 1, IteratorType::All, Encoded::trusted(&key));
    assert_eq!(
        count.expect("a good key"),
        3,
        "all with a key counts from the key on"
    );
}

#[test]
fn a_yield_aborts_a_transaction_until_it_is_ended() {
    let (mut database, space) = plain();
    database.begin().expect("none is open");
    insert(&mut database, space, &id(1)).expect("new");
    database.before_switch();
    assert!(database.is_in_transaction());
    let read = database.get(space, 0, Encoded::EMPTY).map(|_| ());
    assert_eq!(code(read), Some(19), "a wrong key is told first");
    let key = id(1).finish();
    let read = database.get(space, 0, Encoded::trusted(&key)).map(|_| ());
    assert_eq!(code(read), Some(154));
    assert_eq!(code(insert(&mut database, space, &id(2))), Some(154));
    assert_eq!(code(database.savepoint()), Some(154));
    assert_eq!(code(database.commit()), Some(154));
    assert!(!database.is_in_transaction());
    assert!(all(&mut database, space).is_empty());
}

#[test]
fn an_empty_transaction_survives_a_yield() {
    let (mut database, space) = plain();
    database.begin().expect("none is open");
    database.before_switch();
    insert(&mut database, space, &id(1)).expect("new");
    database
        .commit()
        .expect("no yield since the first statement");
    assert_eq!(all(&mut database, space), ["[1]"]);
}

#[test]
fn each_fiber_has_its_own_transaction() {
    let (mut database, space) = plain();
    database.after_switch(1);
    database.begin().expect("none is open");
    database.before_switch();
    database.after_switch(2);
    assert!(!database.is_in_transaction());
    insert(&mut database, space, &id(2)).expect("new");
    database.before_switch();
    database.after_switch(1);
    assert!(database.is_in_transaction());
    database.rollback();
    assert_eq!(all(&mut database, space), ["[2]"]);
}

#[test]
fn creating_a_fiber_aborts_as_a_yield_does() {
    let (mut database, space) = plain();
    database.after_switch(1);
    database.begin().expect("none is open");
    insert(&mut database, space, &id(1)).expect("new");
    database.after_switch(2);
    assert!(
        all(&mut database, space).is_empty(),
        "the new fiber sees no changes"
    );
    database.after_switch(1);
    assert_eq!(code(database.commit()), Some(154));
}

#[test]
fn rolling_back_to_a_savepoint_keeps_it_and_ends_later_ones() {
    let (mut database, space) = plain();
    assert_eq!(code(database.savepoint()), Some(114));
    database.begin().expect("none is open");
    let first = database
        .savepoint()
        .expect("an empty transaction has one too");
    insert(&mut database, space, &id(1)).expect("new");
    let second = database.savepoint().expect("open");
    insert(&mut database, space, &id(2)).expect("new");
    database.rollback_to_savepoint(second).expect("known");
    database.rollback_to_savepoint(second).expect("kept");
    assert_eq!(all(&mut database, space), ["[1]"]);
    database.rollback_to_savepoint(first).expect("known");
    assert_eq!(code(database.rollback_to_savepoint(second)), Some(61));
    insert(&mut database, space, &id(3)).expect("new");
    database.commit().expect("open");
    assert_eq!(all(&mut database, space), ["[3]"]);
}

#[test]
fn schema_changes_roll_back_with_the_tuples() {
    let (mut database, space) = plain();
    insert(&mut database, space, &id(1).unsigned(7)).expect("new");
    database.begin().expect("none is open");
    let secondary = IndexOptions::tree(vec![part(1, FieldType::Unsigned)]);
    database
        .create_index(space, "second", &secondary)
        .expect("first statement");
    insert(&mut database, space, &id(2).unsigned(8)).expect("new");
    database.rename_space(space, "renamed").expect("free");
    database.truncate(space).expect("there");
    insert(&mut database, space, &id(1).unsigned(9)).expect("new");
    database.drop_space(space).expect("there");
    let again = database.create_space("test", SpaceOptions::default());
    assert_ne!(again.expect("free"), 0);
    database.rollback();
    assert_eq!(all(&mut database, space), ["[1, 7]"]);
    let restored = database.space_by_name("test").expect("named so");
    assert_eq!(restored.id(), space);
    assert_eq!(restored.indexes().len(), 1);
    assert_eq!(restored.data_bytes(), 3);
}

#[test]
fn looking_through_the_tuples_must_come_first_in_a_transaction() {
    let (mut database, space) = plain();
    let secondary = IndexOptions::tree(vec![part(0, FieldType::Integer)]);
    database.begin().expect("none is open");
    database
        .create_index(space, "early", &secondary)
        .expect("no tuples");
    insert(&mut database, space, &id(1)).expect("new");
    let build = database.create_index(space, "late", &secondary);
    assert_eq!(code(build), Some(54));
    let wider = vec![FieldDefinition::new("id", FieldType::Integer)];
    database
        .set_format(space, wider)
        .expect("nothing to look for");
    let fields = vec![
        FieldDefinition::new("id", FieldType::Unsigned),
        FieldDefinition::new("name", FieldType::String).nullable(),
    ];
    assert_eq!(code(database.set_format(space, fields.clone())), Some(54));
    database.commit().expect("open");
    database.begin().expect("none is open");
    let found = database
        .min(space, 0, Encoded::EMPTY)
        .map(|tuple| tuple.is_some());
    assert!(found.expect("a tree"), "a read before is no change");
    database
        .set_format(space, fields)
        .expect("nothing has changed yet");
    database.commit().expect("open");
}

#[test]
fn at_the_quota_statements_fail_but_truncate_delete_and_rollback_work() {
    let mut database = Database::new(&DatabaseOptions {
        memory_limit_bytes: 8 * SLAB_BYTES,
        ..DatabaseOptions::default()
    });
    let space = database
        .create_space("test", SpaceOptions::default())
        .expect("new");
    let primary = IndexOptions::tree(vec![part(0, FieldType::Unsigned)]);
    database
        .create_index(space, "primary", &primary)
        .expect("good");
    let text = "x".repeat(1000);
    let row = |key: u64| id(key).string(&text);
    let fill = |database: &mut Database| {
        (0..).find_map(|key| code(insert(database, space, &row(key))).map(|code| (key, code)))
    };
    let (held, failure) = fill(&mut database).expect("the quota ends");
    assert_eq!(failure, 2);
    database.begin().expect("none is open");
    database.truncate(space).expect("needs no memory");
    database.rollback();
    assert_eq!(database.space(space).expect("there").len(), held);
    database.begin().expect("none is open");
    for key in 0..held {
        let key = id(key).finish();
        let old = database.delete(space, 0, Encoded::trusted(&key));
        assert!(old.expect("needs no memory").is_some());
    }
    database.rollback();
    assert_eq!(database.space(space).expect("there").len(), held);
    database.truncate(space).expect("needs no memory");
    let (again, _) = fill(&mut database).expect("the quota ends");
    assert_eq!(again, held, "all memory came back");
}

#[test]
fn at_the_quota_a_hash_index_takes_tuples_in_the_place_of_deleted_ones() {
    let mut database = Database::new(&DatabaseOptions {
        memory_limit_bytes: 8 * SLAB_BYTES,
        ..DatabaseOptions::default()
    });
    let space = database
        .create_space("test", SpaceOptions::default())
        .expect("new");
    let primary = IndexOptions::hash(vec![part(0, FieldType::Unsigned)]);
    database
        .create_index(space, "primary", &primary)
        .expect("good");
    let held = (0..1_000_000)
        .find(|&key| insert(&mut database, space, &id(key)).is_err())
        .expect("the quota ends");
    let delete = |database: &mut Database, key: u64| {
        let key = id(key).finish();
        let old = database.delete(space, 0, Encoded::trusted(&key));
        assert!(old.expect("needs no memory").is_some());
    };
    let kept = held * 2 / 5;
    for key in 0..held - kept {
        delete(&mut database, key);
    }
    for key in held..held * 4 {
        insert(&mut database, space, &id(key)).expect("a place is free");
        delete(&mut database, key - kept);
    }
    assert_eq!(database.space(space).expect("there").len(), kept);
}

#[test]
fn an_update_of_the_primary_key_fails_and_one_of_nothing_does_nothing() {
    let (mut database, space) = plain();
    insert(&mut database, space, &id(1).unsigned(7)).expect("new");
    assert_eq!(
        code(update(&mut database, space, 1, &assign(1).unsigned(2))),
        Some(94)
    );
    update(&mut database, space, 1, &assign(1).unsigned(1)).expect("the same key");
    let unknown = Fields::new().string("?").unsigned(1);
    assert!(!update(&mut database, space, 9, &unknown).expect("nothing is there"));
    assert_eq!(code(update(&mut database, space, 1, &unknown)), Some(28));
    assert_eq!(all(&mut database, space), ["[1, 7]"]);
}

#[test]
fn an_update_fills_the_gap_behind_the_end_with_nulls() {
    let (mut database, space) = plain();
    insert(&mut database, space, &id(1)).expect("new");
    update(&mut database, space, 1, &assign(4).unsigned(4)).expect("fits");
    assert_eq!(all(&mut database, space), ["[1, null, null, 4]"]);
}

#[test]
fn an_upsert_skips_operations_that_do_not_fit_and_drops_a_change_of_key() {
    let (mut database, space) = with_indexes(&[
        IndexOptions::tree(vec![part(0, FieldType::Unsigned)]),
        IndexOptions::tree(vec![part(1, FieldType::Unsigned)]),
    ]);
    let tuple = |key: u64| id(key).unsigned(key);
    let add = |field: u64| Fields::new().string("+").unsigned(field).unsigned(10);
    assert_eq!(
        upsert(&mut database, space, &tuple(1), &[add(2)]).expect("new"),
        0
    );
    insert(&mut database, space, &tuple(2)).expect("new");
    let skipped = upsert(&mut database, space, &tuple(1), &[add(9), add(2)]);
    assert_eq!(skipped.expect("the other fits"), 1);
    let dropped = upsert(
        &mut database,
        space,
        &tuple(1),
        &[add(2), assign(1).unsigned(7)],
    );
    assert_eq!(dropped.expect("no error"), 1);
    assert_eq!(all(&mut database, space), ["[1, 11]", "[2, 2]"]);
    let clash = upsert(&mut database, space, &tuple(1), &[assign(2).unsigned(2)]);
    assert_eq!(code(clash), Some(3));
    let wrong_type = upsert(&mut database, space, &tuple(1), &[assign(2).string("x")]);
    assert_eq!(code(wrong_type), Some(23));
    let unknown = Fields::new().string("?").unsigned(1);
    let unknown = upsert(&mut database, space, &tuple(9), &[unknown]);
    assert_eq!(
        code(unknown),
        Some(28),
        "operations are checked even when not applied"
    );
}

#[test]
fn a_replace_that_clashes_in_a_secondary_index_changes_no_index() {
    let (mut database, space) = with_indexes(&[
        IndexOptions::tree(vec![part(0, FieldType::Unsigned)]),
        IndexOptions::hash(vec![part(2, FieldType::String)]),
        IndexOptions::tree(vec![part(1, FieldType::Unsigned)]),
    ]);
    insert(&mut database, space, &id(1).unsigned(1).string("a")).expect("new");
    insert(&mut database, space, &id(2).unsigned(2).string("b")).expect("new");
    let row = id(1).unsigned(2).string("c").finish();
    let clash = database.replace(space, Encoded::trusted(&row)).map(|_| ());
    assert_eq!(code(clash), Some(3));
    for (index, iterator) in [(0, IteratorType::All), (2, IteratorType::All)] {
        let rows = select(&mut database, space, index, iterator, &Fields::new());
        assert_eq!(rows, ["[1, 1, \"a\"]", "[2, 2, \"b\"]"]);
    }
    let mut named = |name: &str| {
        select(
            &mut database,
            space,
            1,
            IteratorType::Eq,
            &Fields::new().string(name),
        )
        .len()
    };
    assert_eq!((named("a"), named("c")), (1, 0));
}

#[test]
fn a_cursor_goes_on_while_the_space_changes_and_ends_with_it() {
    let (mut database, space) = plain();
    for key in 0..100 {
        insert(&mut database, space, &id(key * 2)).expect("new");
    }
    let cursor = database.cursor(space, 0, IteratorType::Ge, Encoded::EMPTY, None, 10);
    let mut cursor = cursor.expect("good");
    let mut next = |database: &mut Database| -> Option<Tuple> {
        database
            .advance(&mut cursor)
            .expect("no transaction is open")
    };
    let first = next(&mut database).expect("the eleventh");
    assert_eq!(first.bytes(), id(20).finish());
    let key = id(20).finish();
    database
        .delete(space, 0, Encoded::trusted(&key))
        .expect("there");
    insert(&mut database, space, &id(21)).expect("new");
    assert_eq!(first.bytes(), id(20).finish(), "a handle keeps its tuple");
    let second = next(&mut database).expect("the new one");
    assert_eq!(second.bytes(), id(21).finish());
    database.truncate(space).expect("there");
    insert(&mut database, space, &id(30)).expect("new");
    assert!(next(&mut database).is_none());
}

#[test]
fn a_space_takes_the_number_behind_the_greatest() {
    let mut database = Database::default();
    let mut create = |name: &str, id: Option<u32>| {
        let options = SpaceOptions {
            id,
            ..SpaceOptions::default()
        };
        database.create_space(name, options)
    };
    assert_eq!(create("first", None).expect("free"), 512);
    assert_eq!(create("second", Some(600)).expect("free"), 600);
    assert_eq!(create("third", None).expect("free"), 601);
    assert_eq!(
        create("last", Some(i32::MAX as u32)).expect("free"),
        2_147_483_647
    );
    assert_eq!(create("fourth", None).expect("free"), 602);
    let last_of_range = (1 << 30) - 1;
    let made = create("last of its range", Some(last_of_range));
    assert_eq!(made.expect("free"), last_of_range);
    assert_eq!(create("fifth", None).expect("free"), 513);
    assert_eq!(code(create("too big", Some(u32::MAX))), Some(9));
}

#[test]
fn a_field_number_out_of_reach_is_refused() {
    let (mut database, space) = plain();
    let far = IndexOptions::tree(vec![part(u32::MAX, FieldType::Unsigned)]);
    assert_eq!(code(database.create_index(space, "far", &far)), Some(14));
}
