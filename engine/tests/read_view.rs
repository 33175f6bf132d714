//! Read views against a model: whatever happens to the spaces, a view shows what was there.

use std::collections::BTreeMap;

use lycosa_engine::schema::{FieldType, KeyPart};
use lycosa_engine::tuple::{Encoded, Fields, Tuple, field};
use lycosa_engine::{
    Database, DatabaseOptions, IndexOptions, IteratorType, ReadView, Select, SpaceOptions,
};
use proptest::prelude::*;

type Model = BTreeMap<u64, u64>;

#[derive(Debug, Clone)]
enum Step {
    Replace(u64, u64),
    Delete(u64),
    Truncate,
    Rollback(u64, u64),
    Open,
    Close(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..20u64, 0..5u64).prop_map(|(id, value)| Step::Replace(id, value)),
        3 => (0..20u64).prop_map(Step::Delete),
        1 => Just(Step::Truncate),
        1 => (0..20u64, 0..5u64).prop_map(|(id, value)| Step::Rollback(id, value)),
        2 => Just(Step::Open),
        1 => (0..4usize).prop_map(Step::Close),
    ]
}

fn new_database() -> (Database, u32) {
    let mut database = Database::new(&DatabaseOptions {
        memory_limit_bytes: 16 << 20,
        ..DatabaseOptions::default()
    });
    let space = database
        .create_space("test", SpaceOptions::default())
        .expect("a new name");
    let part = |number| KeyPart::new(number, FieldType::Unsigned);
    for (name, options) in [
        ("primary", IndexOptions::tree(vec![part(0)])),
        ("hash", IndexOptions::hash(vec![part(0)])),
        ("values", IndexOptions::tree(vec![part(1)]).non_unique()),
    ] {
        database
            .create_index(space, name, &options)
            .expect("a good index");
    }
    (database, space)
}

fn replace(database: &mut Database, space: u32, id: u64, value: u64) {
    let tuple = Fields::new().unsigned(id).unsigned(value).finish();
    let tuple = Encoded::check(&tuple).expect("an array");
    database.replace(space, tuple).expect("it fits");
}

fn delete(database: &mut Database, space: u32, id: u64) {
    let key = Fields::new().unsigned(id).finish();
    let key = Encoded::check(&key).expect("an array");
    database.delete(space, 0, key).expect("a good key");
}

fn number(tuple: &Tuple, position: u32) -> u64 {
    // All numbers here are below 128, so that each is one byte of MsgPack.
    u64::from(field(tuple.bytes(), position).expect("two fields")[0])
}

fn contents(database: &mut Database, space: u32, index: u32) -> Vec<(u64, u64)> {
    let all = Select::new(IteratorType::All, Encoded::EMPTY);
    let tuples = database.select(space, index, &all).expect("a good select");
    (tuples.iter())
        .map(|tuple| (number(tuple, 0), number(tuple, 1)))
        .collect()
}

fn check(database: &mut Database, space: u32, model: &Model) {
    let rows: Vec<(u64, u64)> = model.iter().map(|(id, value)| (*id, *value)).collect();
    assert_eq!(contents(database, space, 0), rows);
    let mut hashed = contents(database, space, 1);
    hashed.sort_unstable();
    assert_eq!(hashed, rows);
    let mut by_value = rows;
    by_value.sort_by_key(|(id, value)| (*value, *id));
    assert_eq!(contents(database, space, 2), by_value);
}

fn copy_of(view: &ReadView, space: u32) -> u32 {
    let mut spaces = view.spaces.iter();
    spaces.find(|(id, _)| *id == space).expect("a copy").1
}

proptest! {
    #[test]
    fn a_view_shows_what_was_there_when_it_was_opened(steps in prop::collection::vec(step(), 1..80)) {
        let (mut database, space) = new_database();
        let mut model = Model::new();
        let mut views: Vec<(ReadView, Model)> = Vec::new();
        for step in steps {
            match step {
                Step::Replace(id, value) => {
                    replace(&mut database, space, id, value);
                    model.insert(id, value);
                }
                Step::Delete(id) => {
                    delete(&mut database, space, id);
                    model.remove(&id);
                }
                Step::Truncate => {
                    database.truncate(space).expect("it is there");
                    model.clear();
                }
                Step::Rollback(id, value) => {
                    database.begin().expect("none is open");
                    replace(&mut database, space, id, value);
                    prop_assert!(database.open_read_view().is_err());
                    database.rollback();
                }
                Step::Open => {
                    let view = database.open_read_view().expect("there is memory");
                    views.push((view, model.clone()));
                }
                Step::Close(which) if which < views.len() => {
                    let (view, _) = views.swap_remove(which);
                    database.close_read_view(view.id);
                    prop_assert!(database.space(copy_of(&view, space)).is_err());
                    database.close_read_view(view.id);
                }
                Step::Close(_) => {}
            }
            prop_assert_eq!(database.read_view_count(), views.len());
        }
        check(&mut database, space, &model);
        for (view, model) in &views {
            check(&mut database, copy_of(view, space), model);
        }
        database.drop_space(space).expect("it is there");
        for (view, model) in &views {
            check(&mut database, copy_of(view, space), model);
            database.close_read_view(view.id);
        }
        prop_assert_eq!(database.arena().used_bytes(), 0);
    }
}

#[test]
fn a_view_that_does_not_fit_leaves_nothing_behind() {
    let (mut database, space) = new_database();
    let mut id = 0;
    while {
        id += 1;
        let tuple = Fields::new().unsigned(id).unsigned(1).finish();
        let tuple = Encoded::check(&tuple).expect("an array");
        database.replace(space, tuple).is_ok()
    } {}
    let used = database.arena().used_bytes();
    assert_eq!(database.open_read_view().expect_err("no room").code(), 2);
    assert_eq!(database.arena().used_bytes(), used);
    assert_eq!(database.read_view_count(), 0);
}
