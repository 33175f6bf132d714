use std::fmt::Write;

use proptest::prelude::*;

use super::*;

fn decimal(text: &str) -> Decimal {
    text.parse().expect("a decimal")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing into a string does not fail");
        text
    })
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

fn written(value: &Decimal) -> String {
    let mut out = Vec::new();
    value.write(&mut out);
    hex(&out)
}

/// Text, what Tarantool 2.6 prints for it, and how it encodes it.
const ENCODED: [(&str, &str, &str); 20] = [
    ("0", "0", "d501000c"),
    ("1", "1", "d501001c"),
    ("-1", "-1", "d501001d"),
    ("1.50", "1.50", "c7030102150c"),
    ("0.001", "0.001", "d501031c"),
    ("-12.345", "-12.345", "d6010312345d"),
    (
        "99999999999999999999999999999999999999",
        "99999999999999999999999999999999999999",
        "c7150100099999999999999999999999999999999999999c",
    ),
    ("1e10", "10000000000", "d501f61c"),
    (
        "1e37",
        "10000000000000000000000000000000000000",
        "c70301d0db1c",
    ),
    (
        "1e-38",
        "0.00000000000000000000000000000000000001",
        "d501261c",
    ),
    (
        "1.5e-38",
        "0.00000000000000000000000000000000000002",
        "d501262c",
    ),
    (
        "1e-39",
        "0.00000000000000000000000000000000000000",
        "d501260c",
    ),
    ("0.00", "0.00", "d501020c"),
    ("1.23e-10", "0.000000000123", "c703010c123c"),
    ("1.23e5", "123000", "c70301fd123c"),
    ("-1e20", "-100000000000000000000", "d501ec1d"),
    ("0e5", "000000", "d501fb0c"),
    ("123456.7890", "123456.7890", "c707010401234567890c"),
    (
        "0.123456789012345678901234567890123456789",
        "0.12345678901234567890123456789012345679",
        "c7150126012345678901234567890123456789012345679c",
    ),
    (
        "12345678901234567890123456789012345678.9",
        "12345678901234567890123456789012345679",
        "c7150100012345678901234567890123456789012345679c",
    ),
];

#[test]
fn text_and_encoding_are_those_of_tarantool() {
    for (text, printed, encoded) in ENCODED {
        let value = decimal(text);
        assert_eq!(value.to_string(), printed, "{text}");
        assert_eq!(written(&value), encoded, "{text}");
        let data = bytes(encoded);
        let (Value::Extension(EXTENSION_DECIMAL, body), _) = msgpack::read(&data).expect("valid")
        else {
            panic!("{text} is written as a decimal");
        };
        let read = Decimal::from_extension_body(body).expect("valid");
        assert_eq!(read.to_string(), printed, "{text}");
    }
}

#[test]
fn every_sign_and_padding_is_read() {
    let bodies = [
        ("001c", "1"),
        ("00001c", "1"),
        ("021a", "0.01"),
        ("021e", "0.01"),
    ];
    let more = [
        ("021f", "0.01"),
        ("001b", "-1"),
        ("d0fe1c", "100"),
        ("cc261c", "0.00000000000000000000000000000000000001"),
    ];
    for (body, text) in bodies.into_iter().chain(more) {
        let value = Decimal::from_extension_body(&bytes(body)).expect(body);
        assert_eq!(value.to_string(), text);
    }
}

#[test]
fn a_malformed_body_is_an_error() {
    let bodies = [
        "",
        "00",
        "d0fe",
        "0011",
        "000a1c00",
        "001a1c",
        "d1fe1c",
        "cc271c",
        "d0da1c",
        "c0001c",
        "d0db010c",
        "00999999999999999999999999999999999999999c",
    ];
    for body in bodies {
        let error = Decimal::from_extension_body(&bytes(body)).expect_err(body);
        assert_eq!(error.code(), 20, "{body}");
    }
}

#[test]
fn text_that_is_no_decimal_is_an_error() {
    for text in [
        "", "abc", "1e", " 1", "inf", "nan", "1_000", "1e38", "1e39", "0x10",
    ] {
        assert_eq!(text.parse::<Decimal>().expect_err(text).code(), 1, "{text}");
    }
}

#[test]
fn sums_keep_the_scale_and_round_half_up_to_38_digits() {
    let cases = [
        ("1.10", "2.90", "4.00"),
        ("-1.50", "1.5", "0.00"),
        ("1e20", "1", "100000000000000000001"),
        (
            "12345678901234567890123456789012345678",
            "0.5",
            "12345678901234567890123456789012345679",
        ),
        (
            "99999999999999999999999999999999999999",
            "0.4",
            "99999999999999999999999999999999999999",
        ),
        ("1", "1e-38", "1.0000000000000000000000000000000000000"),
        ("1e-38", "-1", "-0.99999999999999999999999999999999999999"),
        ("10", "1e-38", "10.000000000000000000000000000000000000"),
        ("1e37", "-1e-38", "10000000000000000000000000000000000000"),
        ("5e37", "4e37", "90000000000000000000000000000000000000"),
    ];
    for (left, right, sum) in cases {
        let (left, right) = (decimal(left), decimal(right));
        assert_eq!(left.checked_add(&right).expect("fits").to_string(), sum);
    }
    let zero = decimal("1e20").checked_sub(&decimal("1e20")).expect("fits");
    assert_eq!(zero.to_string(), "000000000000000000000");
}

#[test]
fn a_sum_of_10_to_the_38_overflows() {
    let largest = decimal("99999999999999999999999999999999999999");
    assert_eq!(largest.checked_add(&decimal("1")), None);
    assert_eq!(largest.checked_add(&decimal("0.5")), None);
    assert_eq!(decimal("-5e37").checked_sub(&decimal("5e37")), None);
}

#[test]
fn a_double_becomes_its_first_fifteen_digits() {
    let cases = [
        (0.1 + 0.2, "0.3"),
        (1.0 / 3.0, "0.333333333333333"),
        (1.234_567_890_123_456_7, "1.23456789012346"),
        (1e22, "10000000000000000000000"),
        (100.0, "100"),
        (1e-300, "0.00000000000000000000000000000000000000"),
    ];
    for (value, text) in cases {
        assert_eq!(Decimal::from_f64(value).expect("fits").to_string(), text);
    }
    let encoded = |value| written(&Decimal::from_f64(value).expect("fits"));
    assert_eq!(encoded(100.0), "c7030100100c");
    assert_eq!(encoded(1e15), "d501f11c");
    for value in [1e38, -1e300, f64::INFINITY, f64::NAN] {
        assert_eq!(Decimal::from_f64(value), None);
    }
}

#[test]
fn order_against_other_numbers_is_exact() {
    let above_2_to_53 = decimal("9007199254740993");
    assert_eq!(
        above_2_to_53.compare_u64(9_007_199_254_740_993),
        Ordering::Equal
    );
    assert_eq!(
        above_2_to_53.compare_f64(9_007_199_254_740_992.0),
        Ordering::Greater
    );
    assert_eq!(decimal("-5.0").compare_i64(-5), Ordering::Equal);
    // The double 0.1 is a little more than a tenth; one half is exact.
    assert_eq!(decimal("0.1").compare_f64(0.1), Ordering::Less);
    assert_eq!(decimal("0.50").compare_f64(0.5), Ordering::Equal);
    assert_eq!(decimal("0").compare_f64(-0.0), Ordering::Equal);
    assert_eq!(decimal("1e37").compare_f64(f64::MAX), Ordering::Less);
    assert_eq!(
        decimal("1").compare_f64(f64::NEG_INFINITY),
        Ordering::Greater
    );
    assert_eq!(decimal("-1").compare_f64(f64::NAN), Ordering::Greater);
    assert_eq!(decimal("0").compare_f64(f64::from_bits(1)), Ordering::Less);
}

fn any_decimal() -> impl Strategy<Value = Decimal> {
    let limit = 10_i128.pow(19);
    (-limit..limit, -limit..limit, 0..=38_i64).prop_map(move |(high, low, scale)| {
        // About half of these have more than 19 digits.
        let coefficient = if low % 2 == 0 {
            high
        } else {
            high * (limit - 1) + low.abs() % limit
        };
        let digits = BigDecimal::from(BigInt::from(coefficient)).digits() as i64;
        let scale = scale.max(digits - MAXIMUM_DIGITS);
        bounded(BigDecimal::new(BigInt::from(coefficient), scale)).expect("in bounds")
    })
}

proptest! {
    #[test]
    fn encoding_and_text_round_trip(value in any_decimal()) {
        let data = bytes(&written(&value));
        let (read, rest) = msgpack::read(&data).expect("valid");
        let Value::Extension(EXTENSION_DECIMAL, body) = read else { panic!("a decimal") };
        prop_assert!(rest.is_empty());
        let back = Decimal::from_extension_body(body).expect("valid");
        prop_assert_eq!(back.to_string(), value.to_string());
        prop_assert_eq!(decimal(&value.to_string()).to_string(), value.to_string());
    }

    #[test]
    fn random_bodies_never_panic(body in prop::collection::vec(any::<u8>(), 0..24)) {
        if let Ok(value) = Decimal::from_extension_body(&body) {
            let mut out = Vec::new();
            value.write(&mut out);
            prop_assert!(msgpack::value_length(&out).is_ok());
        }
    }

    #[test]
    fn order_against_integers_is_that_of_the_integers(left in any::<i64>(), right in any::<i64>()) {
        prop_assert_eq!(Decimal::from(left).compare_i64(right), left.cmp(&right));
        prop_assert_eq!(Decimal::from(left).cmp(&Decimal::from(right)), left.cmp(&right));
    }
}

#[test]
fn products_quotients_and_remainders_round_half_up_to_38_digits() {
    let quotient = |left: &str, right: &str| {
        let quotient = decimal(left).checked_div(&decimal(right));
        quotient.map(|quotient| quotient.to_string())
    };
    assert_eq!(
        quotient("1", "3").as_deref(),
        Some("0.33333333333333333333333333333333333333")
    );
    assert_eq!(
        quotient("2", "3").as_deref(),
        Some("0.66666666666666666666666666666666666667")
    );
    assert_eq!(quotient("2.40", "2").as_deref(), Some("1.20"));
    assert_eq!(quotient("10", "4").as_deref(), Some("2.5"));
    assert_eq!(quotient("1", "0"), None);
    assert_eq!(quotient("1e37", "1e-38"), None);
    let product = decimal("1.00").checked_mul(&decimal("3.0")).expect("fits");
    assert_eq!(product.to_string(), "3.000");
    assert_eq!(decimal("1e20").checked_mul(&decimal("1e20")), None);
    let rest = decimal("-7.5").checked_rem(&decimal("2")).expect("fits");
    assert_eq!(rest.to_string(), "-1.5");
    assert_eq!(decimal("1").checked_rem(&decimal("0")), None);
}

#[test]
fn functions_give_all_38_digits() {
    let text = |value: Option<Decimal>| value.map(|value| value.to_string());
    assert_eq!(
        text(decimal("1").checked_exp()).as_deref(),
        Some("2.7182818284590452353602874713526624978")
    );
    assert_eq!(
        text(decimal("2").checked_ln()).as_deref(),
        Some("0.6931471805599453094172321214581765681")
    );
    assert_eq!(text(decimal("1000").checked_log10()).as_deref(), Some("3"));
    assert_eq!(text(decimal("4.00").checked_sqrt()).as_deref(), Some("2.0"));
    assert_eq!(
        text(decimal("2").checked_pow(&decimal("0.5"))).as_deref(),
        Some("1.4142135623730950488016887242096980786")
    );
    assert_eq!(decimal("-1").checked_sqrt(), None);
    assert_eq!(decimal("0").checked_ln(), None);
    assert_eq!(decimal("100").checked_exp(), None);
    assert_eq!(decimal("2").checked_pow(&decimal("999999999")), None);
    assert_eq!(decimal("-2").checked_pow(&decimal("0.5")), None);
}

#[test]
fn scales_change_without_changing_more_than_they_must() {
    let value = decimal("99.99");
    assert_eq!((value.scale(), value.precision()), (2, 4));
    assert_eq!(value.rounded(1).expect("in range").to_string(), "100");
    assert_eq!(value.rescaled(3).expect("fits").to_string(), "99.990");
    assert_eq!(value.rescaled(37), None);
    assert_eq!(value.rounded(-1), None);
    assert_eq!(decimal("1.500").trimmed().to_string(), "1.5");
    assert_eq!(decimal("100").trimmed().to_string(), "100");
}

#[test]
fn exponents_of_any_size_are_decided_at_once() {
    assert!(Decimal::from_str("1e999999999").is_err());
    let tiny = Decimal::from_str("1e-999999999").expect("rounds to zero");
    assert_eq!(tiny.to_string(), format!("0.{}", "0".repeat(38)));
}
