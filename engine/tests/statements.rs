//! Statements that hold others: what triggers and their like are built on.

use lycosa_engine::schema::{FieldType, KeyPart};
use lycosa_engine::tuple::{Encoded, Fields};
use lycosa_engine::{Database, IndexOptions, Result, SpaceOptions, StatementEnd};

fn plain() -> (Database, u32) {
    let mut database = Database::default();
    let space = database
        .create_space("test", SpaceOptions::default())
        .expect("a new name");
    let parts = vec![KeyPart::new(0, FieldType::Unsigned)];
    database
        .create_index(space, "primary", &IndexOptions::tree(parts))
        .expect("a good index");
    (database, space)
}

fn row(id: u64, text: &str) -> Vec<u8> {
    Fields::new().unsigned(id).string(text).finish()
}

fn replace(database: &mut Database, space: u32, id: u64, text: &str) -> Result<()> {
    let tuple = row(id, text);
    database.replace(space, Encoded::check(&tuple)?).map(|_| ())
}

fn length(database: &Database, space: u32) -> u64 {
    database.space(space).expect("the space is there").len()
}

#[test]
fn a_statement_outside_a_transaction_is_one_of_its_own() {
    let (mut database, space) = plain();
    database.begin_statement().expect("nothing is open");
    assert!(database.is_in_transaction());
    replace(&mut database, space, 1, "one").expect("a good tuple");
    assert_eq!(database.end_statement(), StatementEnd::Whole);
    database.commit().expect("no yield came");
    assert!(!database.is_in_transaction());
    assert_eq!(length(&database, space), 1);
}

#[test]
fn an_undone_statement_takes_the_inner_ones_with_it() {
    let (mut database, space) = plain();
    database.begin().expect("nothing is open");
    replace(&mut database, space, 1, "one").expect("a good tuple");
    database.begin_statement().expect("the first");
    replace(&mut database, space, 2, "two").expect("a good tuple");
    database.begin_statement().expect("the second");
    replace(&mut database, space, 1, "other").expect("a good tuple");
    assert_eq!(database.end_statement(), StatementEnd::Inner);
    assert_eq!(length(&database, space), 2);
    assert_eq!(database.undo_statement(), StatementEnd::Inner);
    assert_eq!(length(&database, space), 1);
    database.commit().expect("no statement is open");
    let key = Fields::new().unsigned(1).finish();
    let found = database.get(space, 0, Encoded::trusted(&key));
    let found = found.expect("a good key").expect("the row is there");
    assert_eq!(found.bytes(), row(1, "one"));
}

#[test]
fn an_undone_statement_ends_its_savepoints_and_no_others() {
    let (mut database, space) = plain();
    database.begin().expect("nothing is open");
    let outer = database.savepoint().expect("a transaction is open");
    database.begin_statement().expect("the first");
    let inner = database.savepoint().expect("a transaction is open");
    replace(&mut database, space, 1, "one").expect("a good tuple");
    let error = database
        .rollback_to_savepoint(outer)
        .expect_err("not of this statement");
    assert_eq!(error.name(), "NO_SUCH_SAVEPOINT");
    database.rollback_to_savepoint(inner).expect("its own");
    assert_eq!(length(&database, space), 0);
    database.undo_statement();
    let error = database
        .rollback_to_savepoint(inner)
        .expect_err("it has ended");
    assert_eq!(error.name(), "NO_SUCH_SAVEPOINT");
    database.rollback_to_savepoint(outer).expect("it is there");
}

#[test]
fn a_yield_leaves_a_statement_that_can_only_be_undone() {
    let (mut database, space) = plain();
    database.begin_statement().expect("nothing is open");
    replace(&mut database, space, 1, "one").expect("a good tuple");
    database.before_switch();
    assert_eq!(length(&database, space), 0);
    let error = replace(&mut database, space, 1, "one").expect_err("it was undone");
    assert_eq!(error.name(), "TRANSACTION_YIELD");
    assert_eq!(database.undo_statement(), StatementEnd::Whole);
    database.rollback();
    assert!(!database.is_in_transaction());
}

#[test]
fn changes_are_told_from_a_position_and_in_all() {
    let (mut database, space) = plain();
    database.begin_statement().expect("nothing is open");
    replace(&mut database, space, 1, "one").expect("a good tuple");
    let position = database.log_position();
    assert!(database.change_since(position).is_none());
    replace(&mut database, space, 1, "other").expect("a good tuple");
    let change = database.change_since(position).expect("one more");
    assert_eq!(change.old.expect("it replaced one").bytes(), row(1, "one"));
    assert_eq!(change.new.expect("by another").bytes(), row(1, "other"));
    assert_eq!(database.changes(0).len(), 2);
    database.undo_changes();
    assert!(database.is_in_transaction());
    assert_eq!(
        (database.changes(0).len(), length(&database, space)),
        (0, 0)
    );
}

#[test]
fn a_transaction_of_one_statement_is_not_counted() {
    let (mut database, space) = plain();
    database.reset_statistics();
    database.begin_statement().expect("nothing is open");
    replace(&mut database, space, 1, "one").expect("a good tuple");
    database.end_statement();
    database.commit().expect("no yield came");
    let counted: Vec<u64> = ["BEGIN", "COMMIT", "ROLLBACK", "REPLACE"]
        .iter()
        .filter_map(|name| {
            let all = lycosa_engine::statistics::Counter::ALL;
            let counter = all.into_iter().find(|counter| counter.name() == *name)?;
            Some(database.statistics().total(counter))
        })
        .collect();
    assert_eq!(counted, [0, 0, 0, 1]);
}
