//! Sequences against a simple model: their values stay whatever becomes of the transaction, their
//! definitions go back with it.

use lycosa_engine::schema::{FieldType, KeyPart};
use lycosa_engine::tuple::{Encoded, Fields};
use lycosa_engine::{Database, IndexOptions, SequenceDefinition, SpaceOptions, msgpack};
use proptest::prelude::*;

/// One step of a program.
#[derive(Debug, Clone)]
enum Step {
    Next,
    Set(i64),
    Reset,
    Alter { step: i64, is_cyclic: bool },
    InsertNull,
    Insert(u64),
    Begin,
    Commit,
    Rollback,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Next),
        1 => (-12_i64..12).prop_map(Step::Set),
        1 => Just(Step::Reset),
        1 => (prop_oneof![-3_i64..0, 1_i64..4], any::<bool>())
            .prop_map(|(step, is_cyclic)| Step::Alter { step, is_cyclic }),
        4 => Just(Step::InsertNull),
        2 => (0_u64..12).prop_map(Step::Insert),
        1 => Just(Step::Begin),
        1 => Just(Step::Commit),
        1 => Just(Step::Rollback),
    ]
}

const MINIMUM: i64 = -9;
const MAXIMUM: i64 = 9;

fn definition(step: i64, is_cyclic: bool) -> SequenceDefinition {
    SequenceDefinition {
        minimum: MINIMUM,
        maximum: MAXIMUM,
        start: 0,
        is_cyclic,
        ..SequenceDefinition::with_step(step)
    }
}

/// What the sequence shall be: its last value, and how it counts now and after a rollback.
struct Model {
    value: Option<i64>,
    rule: (i64, bool),
    before: Option<(i64, bool)>,
}

impl Model {
    fn next(&mut self) -> Option<i64> {
        let (step, is_cyclic) = self.rule;
        let (first, last) = if step > 0 {
            (MINIMUM, MAXIMUM)
        } else {
            (MAXIMUM, MINIMUM)
        };
        let is_before_first = |value: i64| (value - first) * step.signum() < 0;
        let is_behind_last = |value: i64| (value - last) * step.signum() > 0;
        let next = match self.value {
            None => 0,
            Some(value) if is_before_first(value) => first,
            Some(value) if !is_behind_last(value + step) => value + step,
            Some(_) if is_cyclic => first,
            Some(_) => return None,
        };
        self.value = Some(next);
        Some(next)
    }

    fn inserted(&mut self, value: i64) {
        let is_ahead = self
            .value
            .is_none_or(|last| (value - last) * self.rule.0.signum() > 0);
        if is_ahead {
            self.value = Some(value);
        }
    }
}

fn row(value: Option<i64>) -> Vec<u8> {
    match value {
        Some(value) => Fields::new().integer(value).finish(),
        None => Fields::new().null().finish(),
    }
}

fn first_of(row: &[u8]) -> i64 {
    match msgpack::read_trusted(&row[1..]).0 {
        msgpack::Value::Unsigned(value) => value as i64,
        msgpack::Value::Negative(value) => value,
        other => panic!("{other:?} is no integer"),
    }
}

fn insert(database: &mut Database, model: &mut Model, space: u32, value: Option<i64>) {
    let expected = match value {
        Some(value) => {
            model.inserted(value);
            Some(value)
        }
        None => model.next(),
    };
    let row = row(value);
    let outcome = database.replace(space, Encoded::trusted(&row));
    match (outcome, expected) {
        (Ok(stored), Some(expected)) => assert_eq!(first_of(&stored), expected),
        (Err(error), None) => assert_eq!(error.code(), 147),
        (outcome, expected) => panic!("{outcome:?} instead of {expected:?}"),
    }
}

fn run(is_bootstrapped: bool, steps: &[Step]) {
    let mut database = Database::default();
    if is_bootstrapped {
        let made = database.bootstrap("instance", "replica set");
        made.expect("the system spaces fit");
    }
    let made = database.create_sequence("numbers", definition(1, false));
    let id = made.expect("a good definition");
    let space = database.create_space("s", SpaceOptions::default());
    let space = space.expect("a free name");
    let key = IndexOptions::tree(vec![KeyPart::new(0, FieldType::Integer)]);
    database.create_index(space, "pk", &key).expect("the first");
    let attached = database.attach_sequence(space, id, 0, false);
    attached.expect("an integer field");
    let mut model = Model {
        value: None,
        rule: (1, false),
        before: None,
    };
    for step in steps {
        match step {
            Step::Next => {
                let next = database.sequence_next(id).ok();
                assert_eq!(next, model.next());
            }
            Step::Set(value) => {
                database
                    .set_sequence(id, Some(*value))
                    .expect("it is there");
                model.value = Some(*value);
            }
            Step::Reset => {
                database.set_sequence(id, None).expect("it is there");
                model.value = None;
            }
            Step::Alter { step, is_cyclic } => {
                let altered = database.alter_sequence(id, "numbers", definition(*step, *is_cyclic));
                altered.expect("a good definition");
                model.rule = (*step, *is_cyclic);
            }
            Step::InsertNull => insert(&mut database, &mut model, space, None),
            Step::Insert(value) => insert(&mut database, &mut model, space, Some(*value as i64)),
            Step::Begin => {
                if database.begin().is_ok() {
                    model.before = Some(model.rule);
                }
            }
            Step::Commit => {
                database.commit().expect("nothing has yielded");
                model.before = None;
            }
            Step::Rollback => {
                database.rollback();
                model.rule = model.before.take().unwrap_or(model.rule);
            }
        }
        assert_eq!(database.sequence_current(id).ok(), model.value);
    }
    database.rollback();
    database.drop_space(space).expect("no transaction is open");
    database.drop_sequence(id).expect("nobody uses it");
    assert!(database.sequences().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_sequence_does_what_the_model_does(
        is_bootstrapped in any::<bool>(),
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        run(is_bootstrapped, &steps);
    }
}
