//! Indexes whose strings are in the order of a collation, indexes that leave out nulls, and
//! searches by prefix, against plain lists.

use std::cmp::Ordering;

use lycosa_engine::schema::{Collation, FieldType, KeyPart};
use lycosa_engine::tuple::{Encoded, Fields};
use lycosa_engine::{
    Database, Error, IndexOptions, IteratorType, Result, Select, SpaceOptions, msgpack,
};
use proptest::prelude::*;

fn collation(name: &str) -> &'static Collation {
    Collation::by_name(name).expect("a name of the list")
}

/// A space with a number as its primary key and `options` as its second index.
fn space(options: &IndexOptions) -> Result<(Database, u32)> {
    let mut database = Database::default();
    let space = database.create_space("test", SpaceOptions::default())?;
    let primary = IndexOptions::tree(vec![KeyPart::new(0, FieldType::Unsigned)]);
    database.create_index(space, "primary", &primary)?;
    database.create_index(space, "secondary", options)?;
    Ok((database, space))
}

fn row(id: u64, text: Option<&str>) -> Vec<u8> {
    let fields = Fields::new().unsigned(id);
    match text {
        Some(text) => fields.string(text),
        None => fields.null(),
    }
    .finish()
}

fn insert(database: &mut Database, space: u32, id: u64, text: Option<&str>) -> Result<()> {
    database
        .insert(space, Encoded::check(&row(id, text))?)
        .map(|_| ())
}

/// The ids that a select by the second index gives.
fn ids(database: &mut Database, space: u32, iterator: IteratorType, key: &Fields) -> Vec<u64> {
    let key = key.finish();
    let select = Select::new(iterator, Encoded::trusted(&key));
    let tuples = database.select(space, 1, &select).expect("a good key");
    tuples
        .iter()
        .map(|tuple| match msgpack::read_trusted(&tuple.bytes()[1..]).0 {
            msgpack::Value::Unsigned(id) => id,
            other => panic!("the first field is {other:?}"),
        })
        .collect()
}

fn by_text(options_part: KeyPart) -> IndexOptions {
    IndexOptions::tree(vec![options_part]).non_unique()
}

fn text_part() -> KeyPart {
    KeyPart::new(1, FieldType::String)
}

/// Letters of several scripts, with accents, cases and marks on their own.
const ALPHABET: &[&str] = &[
    "a", "A", "ä", "á", "b", "B", "c", "ch", "z", "ss", "ß", "o", "ö", "ø", "ж", "Ж", "е", "ё",
    "漢", "ｱ", "ア", "\u{301}", " ", "-", "1", "١", "",
];

fn words() -> impl Strategy<Value = Vec<String>> {
    let word = prop::collection::vec(prop::sample::select(ALPHABET), 0..5)
        .prop_map(|letters| letters.concat());
    prop::collection::vec(word, 1..30)
}

fn collations() -> impl Strategy<Value = &'static Collation> {
    prop::sample::select(vec![
        "unicode",
        "unicode_ci",
        "unicode_de__phonebook_s2",
        "unicode_sv_s3",
        "unicode_cs_s1",
        "binary",
    ])
    .prop_map(collation)
}

proptest! {
    #[test]
    fn a_tree_is_in_the_order_of_the_collation(words in words(), collation in collations(), is_descending: bool) {
        let part = text_part().collated(collation);
        let part = if is_descending { part.descending() } else { part };
        let (mut database, space) = space(&by_text(part)).unwrap();
        for (id, word) in (0..).zip(&words) {
            insert(&mut database, space, id, Some(word)).unwrap();
        }
        let mut expected: Vec<u64> = (0..words.len() as u64).collect();
        let order = |a: &u64, b: &u64| {
            let order = collation.compare(words[*a as usize].as_bytes(), words[*b as usize].as_bytes());
            if is_descending { order.reverse() } else { order }
        };
        expected.sort_by(order);
        prop_assert_eq!(ids(&mut database, space, IteratorType::All, &Fields::new()), expected.clone());
        let sought = 0;
        let key = Fields::new().string(&words[0]);
        for (iterator, wanted) in [
            (IteratorType::Eq, Ordering::is_eq as fn(Ordering) -> bool),
            (IteratorType::Ge, Ordering::is_ge),
            (IteratorType::Gt, Ordering::is_gt),
        ] {
            let expected: Vec<u64> = expected.iter().copied().filter(|id| wanted(order(id, &sought))).collect();
            prop_assert_eq!(ids(&mut database, space, iterator, &key), expected);
        }
    }

    #[test]
    fn a_hash_finds_whatever_the_collation_finds_equal(words in words(), collation in collations()) {
        let (mut database, space) = space(&IndexOptions::hash(vec![text_part().collated(collation)])).unwrap();
        let mut kept: Vec<&str> = Vec::new();
        for (id, word) in (0..).zip(&words) {
            let is_known = kept.iter().any(|known| collation.compare(known.as_bytes(), word.as_bytes()).is_eq());
            let outcome = insert(&mut database, space, id, Some(word)).map_err(|error| error.code());
            prop_assert_eq!(outcome, if is_known { Err(3) } else { Ok(()) });
            if !is_known {
                kept.push(word);
            }
            let found = ids(&mut database, space, IteratorType::Eq, &Fields::new().string(word));
            prop_assert_eq!(found.len(), 1);
        }
    }

    #[test]
    fn an_index_without_nulls_follows_every_statement(steps in prop::collection::vec((0_u64..8, prop::option::of(prop::sample::select(ALPHABET)), 0..3), 1..60)) {
        let (mut database, space) = space(&by_text(text_part().excluding_null())).unwrap();
        let mut rows = std::collections::BTreeMap::new();
        for (id, text, kind) in steps {
            if kind == 0 {
                let key = Fields::new().unsigned(id).finish();
                let removed = database.delete(space, 0, Encoded::trusted(&key)).unwrap();
                prop_assert_eq!(removed.is_some(), rows.remove(&id).is_some());
            } else {
                let undone = kind == 2;
                if undone {
                    database.begin().unwrap();
                }
                database.replace(space, Encoded::trusted(&row(id, text))).unwrap();
                if undone {
                    database.rollback();
                } else {
                    rows.insert(id, text);
                }
            }
            let mut expected: Vec<(&str, u64)> = rows.iter().filter_map(|(id, text)| text.map(|text| (text, *id))).collect();
            expected.sort_unstable();
            let expected: Vec<u64> = expected.into_iter().map(|(_, id)| id).collect();
            prop_assert_eq!(ids(&mut database, space, IteratorType::All, &Fields::new()), expected);
        }
    }

    #[test]
    fn the_next_prefix_begins_behind_all_that_begin_alike(words in prop::collection::vec("[a-c\u{ff}]{0,4}", 1..30), sought in "[a-c\u{ff}]{0,2}", is_descending: bool) {
        let part = if is_descending { text_part().descending() } else { text_part() };
        let (mut database, space) = space(&by_text(part)).unwrap();
        for (id, word) in (0..).zip(&words) {
            insert(&mut database, space, id, Some(word)).unwrap();
        }
        let key = Fields::new().string(&sought);
        let all = ids(&mut database, space, IteratorType::All, &Fields::new());
        let above = |id: &u64| words[*id as usize] > sought && !words[*id as usize].starts_with(&sought);
        let below = |id: &u64| words[*id as usize] < sought;
        let is_next = |id: &&u64| if is_descending { below(id) } else { above(id) };
        let is_previous = |id: &&u64| if is_descending { above(id) } else { below(id) };
        let expected: Vec<u64> = all.iter().filter(is_next).copied().collect();
        prop_assert_eq!(ids(&mut database, space, IteratorType::NextPrefix, &key), expected);
        let expected: Vec<u64> = all.iter().rev().filter(is_previous).copied().collect();
        prop_assert_eq!(ids(&mut database, space, IteratorType::PreviousPrefix, &key), expected);
    }
}

#[test]
fn case_and_accents_do_not_count_under_unicode_ci() {
    let unique = IndexOptions::tree(vec![text_part().collated(collation("unicode_ci"))]);
    let (mut database, space) = space(&unique).unwrap();
    insert(&mut database, space, 1, Some("Äpfel")).unwrap();
    let code = |outcome: Result<()>| outcome.map_err(|error: Error| error.code());
    assert_eq!(code(insert(&mut database, space, 2, Some("APFEL"))), Err(3));
    let key = Fields::new().string("apfel");
    assert_eq!(ids(&mut database, space, IteratorType::Eq, &key), [1]);
}

#[test]
fn a_collation_is_for_strings_and_scalars_only() {
    let number = KeyPart::new(1, FieldType::Unsigned).collated(collation("unicode"));
    let code = space(&IndexOptions::tree(vec![number]))
        .map(|_| ())
        .map_err(|error| error.code());
    assert_eq!(code, Err(108));
    let scalar = KeyPart::new(1, FieldType::Scalar).collated(collation("unicode"));
    assert!(space(&IndexOptions::tree(vec![scalar])).is_ok());
}

#[test]
fn every_collation_of_the_list_can_be_used() {
    for known in Collation::all() {
        assert_eq!(Collation::by_id(known.id()), Some(known));
        assert_eq!(
            known.compare(b"a", b"b"),
            Ordering::Less,
            "{}",
            known.name()
        );
    }
    assert_eq!(Collation::all().len(), 277);
}
