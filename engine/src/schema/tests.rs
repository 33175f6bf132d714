//! Order, hash and hint of numbers of all kinds against exact arithmetic.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher};
use std::str::FromStr;

use bigdecimal::BigDecimal;
use foldhash::fast::FixedState;
use proptest::prelude::*;

use super::compare::{compare_encoded, hash_encoded, hint_of_value};
use super::field_type::{FieldType, Tags};
use crate::datetime::Datetime;
use crate::decimal::Decimal;
use crate::msgpack::{self, EXTENSION_DATETIME};

/// An encoded number and its exact value, if it is finite.
#[derive(Debug, Clone)]
struct Number {
    encoded: Vec<u8>,
    exact: Option<BigDecimal>,
    double: f64,
}

fn of_unsigned(value: u64) -> Number {
    let mut encoded = Vec::new();
    msgpack::write_unsigned(&mut encoded, value);
    Number {
        encoded,
        exact: Some(BigDecimal::from(value)),
        double: 0.0,
    }
}

fn of_integer(value: i64) -> Number {
    let mut encoded = Vec::new();
    msgpack::write_integer(&mut encoded, value);
    Number {
        encoded,
        exact: Some(BigDecimal::from(value)),
        double: 0.0,
    }
}

fn of_double(value: f64) -> Number {
    let mut encoded = Vec::new();
    msgpack::write_double(&mut encoded, value);
    // A double is a whole number times a power of two: its text with all places is exact.
    let exact = BigDecimal::from_str(&format!("{value:.1074}")).ok();
    Number {
        encoded,
        exact: exact.filter(|_| value.is_finite()),
        double: value,
    }
}

fn of_decimal(text: &str) -> Option<Number> {
    let decimal = Decimal::from_str(text).ok()?;
    let mut encoded = Vec::new();
    decimal.write(&mut encoded);
    let exact = BigDecimal::from_str(&decimal.to_string()).ok();
    Some(Number {
        encoded,
        exact,
        double: 0.0,
    })
}

fn compare_exactly(a: &Number, b: &Number) -> Ordering {
    match (&a.exact, &b.exact) {
        (Some(a), Some(b)) => a.cmp(b),
        _ if a.double.is_nan() || b.double.is_nan() => b.double.is_nan().cmp(&a.double.is_nan()),
        // What is finite counts as 0 beside an infinity.
        (None, Some(_)) => a.double.total_cmp(&0.0),
        (Some(_), None) => 0.0_f64.total_cmp(&b.double),
        (None, None) => a.double.total_cmp(&b.double),
    }
}

/// Doubles at and around the places where kinds meet.
fn doubles() -> impl Strategy<Value = f64> {
    let edges = prop::sample::select(vec![
        0.0_f64,
        1.0,
        9_007_199_254_740_992.0,
        9_223_372_036_854_775_808.0,
        18_446_744_073_709_551_616.0,
        1e37,
        1e38,
        0.1,
        1e-30,
        5e-324,
    ]);
    let near = (edges, -3_i64..4, any::<bool>()).prop_map(|(edge, steps, is_negative)| {
        let bits = (edge.to_bits() as i64).saturating_add(steps).max(0);
        let value = f64::from_bits(bits as u64);
        if is_negative { -value } else { value }
    });
    prop_oneof![4 => near, 1 => any::<f64>(), 1 => -8.0..8.0]
}

fn numbers() -> impl Strategy<Value = Number> {
    let unsigned = prop_oneof![
        any::<u64>(),
        0..8_u64,
        (0..64_u32).prop_map(|n| (1 << n) + 1)
    ];
    let decimal_of_double = (doubles(), 0..38_usize).prop_filter_map("fits", |(value, places)| {
        of_decimal(&format!("{value:.places$}"))
    });
    let decimal_of_digits =
        (any::<i128>(), 0..38_u32).prop_filter_map("fits", |(value, places)| {
            let coefficient = value % 10_i128.pow(37);
            of_decimal(&format!("{coefficient}e-{places}"))
        });
    prop_oneof![
        unsigned.prop_map(of_unsigned),
        any::<i64>().prop_map(of_integer),
        (-8..0_i64).prop_map(of_integer),
        doubles().prop_map(of_double),
        decimal_of_double,
        decimal_of_digits,
    ]
}

/// Two numbers that are often equal, or close, and of different kinds.
fn pairs() -> impl Strategy<Value = (Number, Number)> {
    let related = doubles().prop_flat_map(|value| {
        let text = format!("{value:.1074}");
        let exact = of_decimal(text.trim_end_matches('0'));
        let rounded = of_decimal(&format!("{value:.20}"));
        let integer = (value.abs() < 9e18).then(|| of_integer(value as i64));
        let unsigned = (0.0..1.8e19)
            .contains(&value)
            .then(|| of_unsigned(value as u64));
        let candidates = [exact, rounded, integer, unsigned, Some(of_double(value))];
        let candidates: Vec<Number> = candidates.into_iter().flatten().collect();
        (Just(of_double(value)), prop::sample::select(candidates))
    });
    prop_oneof![related, (numbers(), numbers())]
}

fn hash(encoded: &[u8]) -> u64 {
    let mut hasher = FixedState::with_seed(1).build_hasher();
    hash_encoded(encoded, &mut hasher);
    hasher.finish()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 16 } else { 4000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn numbers_of_all_kinds_compare_by_their_exact_values((a, b) in pairs()) {
        let order = compare_encoded(&a.encoded, &b.encoded);
        prop_assert_eq!(order, compare_exactly(&a, &b));
        prop_assert_eq!(order.reverse(), compare_encoded(&b.encoded, &a.encoded));
    }

    #[test]
    fn equal_numbers_hash_alike_and_hints_follow_the_order((a, b) in pairs()) {
        let order = compare_encoded(&a.encoded, &b.encoded);
        if order.is_eq() {
            prop_assert_eq!(hash(&a.encoded), hash(&b.encoded));
        }
        for field_type in [FieldType::Number, FieldType::Scalar] {
            let hints = hint_of_value(field_type, &a.encoded)
                .cmp(&hint_of_value(field_type, &b.encoded));
            prop_assert!(
                hints.is_eq() || hints == order,
                "hints {:?}, values {:?}", hints, order
            );
        }
    }

    #[test]
    fn hints_of_integers_and_strings_follow_the_order(
        a in any::<i64>(),
        b in any::<u64>(),
        left in ".{0,12}",
        right in ".{0,12}",
    ) {
        let (a, b) = (of_integer(a), of_unsigned(b));
        let hints = hint_of_value(FieldType::Integer, &a.encoded)
            .cmp(&hint_of_value(FieldType::Integer, &b.encoded));
        let order = compare_encoded(&a.encoded, &b.encoded);
        prop_assert!(hints.is_eq() || hints == order);
        let (mut left_bytes, mut right_bytes) = (Vec::new(), Vec::new());
        msgpack::write_string(&mut left_bytes, left.as_bytes());
        msgpack::write_string(&mut right_bytes, right.as_bytes());
        let order = compare_encoded(&left_bytes, &right_bytes);
        prop_assert_eq!(order, left.as_bytes().cmp(right.as_bytes()));
        let hints = hint_of_value(FieldType::String, &left_bytes)
            .cmp(&hint_of_value(FieldType::String, &right_bytes));
        prop_assert!(hints.is_eq() || hints == order);
    }
}

fn encoded_time(epoch: i64, nanoseconds: i32, offset_minutes: i16) -> (Datetime, Vec<u8>) {
    let time = Datetime {
        epoch,
        nanoseconds,
        offset_minutes,
        zone: 0,
    };
    let mut encoded = Vec::new();
    msgpack::write_extension(&mut encoded, EXTENSION_DATETIME, &time.extension_body());
    (time, encoded)
}

proptest! {
    #[test]
    fn times_order_by_their_moment_whatever_they_show(
        seconds in (-185_000_000_000_000_i64..185_000_000_000_000, -2_i64..3),
        nanoseconds in (0..1_000_000_000, 0..1_000_000_000),
        offsets in (-720_i16..=840, -720_i16..=840),
    ) {
        let (left, a) = encoded_time(seconds.0, nanoseconds.0, offsets.0);
        let (right, b) = encoded_time(seconds.0 + seconds.1, nanoseconds.1, offsets.1);
        let order = (left.epoch, left.nanoseconds).cmp(&(right.epoch, right.nanoseconds));
        prop_assert_eq!(compare_encoded(&a, &b), order);
        let hints = hint_of_value(FieldType::Datetime, &a)
            .cmp(&hint_of_value(FieldType::Datetime, &b));
        prop_assert!(hints.is_eq() || hints == order, "hints {:?}, order {:?}", hints, order);
        let (_, elsewhere) = encoded_time(seconds.0, nanoseconds.0, offsets.1);
        prop_assert_eq!(hash(&a), hash(&elsewhere));
    }
}

/// Encoded values of every first byte, each with a value that begins with it.
fn values_by_tag() -> Vec<Vec<u8>> {
    (0..=u8::MAX)
        .filter(|tag| *tag != 0xc1)
        .map(|tag| {
            let mut encoded = vec![tag];
            // Lengths and payloads of zeros; enough for every header and for short contents.
            encoded.extend([0; 64]);
            encoded
        })
        .filter(|encoded| msgpack::read(encoded).is_ok())
        .collect()
}

#[test]
fn a_first_byte_that_a_type_takes_belongs_to_a_value_of_the_type() {
    let mut taken = 0;
    for name in [
        "any",
        "unsigned",
        "string",
        "number",
        "double",
        "integer",
        "boolean",
        "varbinary",
        "scalar",
        "decimal",
        "uuid",
        "array",
        "map",
        "datetime",
        "interval",
        "int8",
        "uint8",
        "int64",
        "uint64",
        "float32",
        "float64",
        "decimal64",
    ] {
        let field_type = FieldType::parse(name).unwrap();
        let (strict, nullable) = (Tags::of(field_type, false), Tags::of(field_type, true));
        for encoded in values_by_tag() {
            let (value, _) = msgpack::read(&encoded).unwrap();
            let is_null = matches!(value, msgpack::Value::Nil);
            let fits = if is_null {
                field_type == FieldType::Any
            } else {
                field_type.accepts(&value)
            };
            assert!(!strict.contain(encoded[0]) || fits, "{name}: {encoded:x?}");
            assert!(
                !nullable.contain(encoded[0]) || fits || is_null,
                "{name}: {encoded:x?}"
            );
            assert!(nullable.contain(0xc0));
            taken += u32::from(strict.contain(encoded[0]));
        }
    }
    assert!(
        taken > 1000,
        "hardly any value takes the short way: {taken}"
    );
}
