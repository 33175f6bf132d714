use proptest::prelude::*;

use super::*;

/// An owned value, for generation.
#[derive(Debug, Clone, PartialEq)]
enum Model {
    Nil,
    Boolean(bool),
    Unsigned(u64),
    Negative(i64),
    Float(f32),
    Double(f64),
    String(Vec<u8>),
    Binary(Vec<u8>),
    Array(Vec<Model>),
    Map(Vec<(Model, Model)>),
    Extension(i8, Vec<u8>),
}

fn write(out: &mut Vec<u8>, value: &Model) {
    match value {
        Model::Nil => write_nil(out),
        Model::Boolean(value) => write_boolean(out, *value),
        Model::Unsigned(value) => write_unsigned(out, *value),
        Model::Negative(value) => write_integer(out, *value),
        Model::Float(value) => write_float(out, *value),
        Model::Double(value) => write_double(out, *value),
        Model::String(bytes) => write_string(out, bytes),
        Model::Binary(bytes) => write_binary(out, bytes),
        Model::Array(values) => {
            write_array_header(out, values.len() as u32);
            for value in values {
                write(out, value);
            }
        }
        Model::Map(pairs) => {
            write_map_header(out, pairs.len() as u32);
            for (key, value) in pairs {
                write(out, key);
                write(out, value);
            }
        }
        Model::Extension(kind, body) => write_extension(out, *kind, body),
    }
}

type Reader = for<'a> fn(&'a [u8]) -> (Value<'a>, &'a [u8]);

fn checked(data: &[u8]) -> (Value<'_>, &[u8]) {
    read(data).expect("well-formed")
}

fn rebuild(data: &[u8], reader: Reader) -> (Model, &[u8]) {
    let (value, mut rest) = reader(data);
    let model = match value {
        Value::Nil => Model::Nil,
        Value::Boolean(value) => Model::Boolean(value),
        Value::Unsigned(value) => Model::Unsigned(value),
        Value::Negative(value) => Model::Negative(value),
        Value::Float(value) => Model::Float(value),
        Value::Double(value) => Model::Double(value),
        Value::String(bytes) => Model::String(bytes.to_vec()),
        Value::Binary(bytes) => Model::Binary(bytes.to_vec()),
        Value::Array(count) => {
            let mut values = Vec::new();
            for _ in 0..count {
                let (value, behind) = rebuild(rest, reader);
                values.push(value);
                rest = behind;
            }
            Model::Array(values)
        }
        Value::Map(count) => {
            let mut pairs = Vec::new();
            for _ in 0..count {
                let (key, behind) = rebuild(rest, reader);
                let (value, behind) = rebuild(behind, reader);
                pairs.push((key, value));
                rest = behind;
            }
            Model::Map(pairs)
        }
        Value::Extension(kind, body) => Model::Extension(kind, body.to_vec()),
    };
    (model, rest)
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        prop::collection::vec(any::<u8>(), 250..260),
        (65_530_usize..65_540).prop_map(|length| vec![b'x'; length]),
    ]
}

fn model() -> impl Strategy<Value = Model> {
    let scalar = prop_oneof![
        Just(Model::Nil),
        any::<bool>().prop_map(Model::Boolean),
        (any::<u64>(), 0..64_u32).prop_map(|(value, shift)| Model::Unsigned(value >> shift)),
        (i64::MIN..0, 0..63_u32).prop_map(|(value, shift)| Model::Negative(value >> shift)),
        any::<f32>().prop_map(Model::Float),
        any::<f64>().prop_map(Model::Double),
        bytes().prop_map(Model::String),
        bytes().prop_map(Model::Binary),
        (7_i8..100, bytes()).prop_map(|(kind, body)| Model::Extension(kind, body)),
    ];
    scalar.prop_recursive(4, 40, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Model::Array),
            prop::collection::vec((inner.clone(), inner), 0..20).prop_map(Model::Map),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in model(), tail in prop::collection::vec(any::<u8>(), 0..4)) {
        let mut data = Vec::new();
        write(&mut data, &value);
        let length = data.len();
        data.extend_from_slice(&tail);
        prop_assert_eq!(value_length(&data).expect("well-formed"), length);
        prop_assert_eq!(rebuild(&data, checked), (value.clone(), &tail[..]));
        prop_assert_eq!(rebuild(&data, read_trusted), (value, &tail[..]));
        prop_assert_eq!(skip_trusted(&data), &tail[..]);
    }

    #[test]
    fn a_truncated_value_is_an_error(value in model(), cut in any::<prop::sample::Index>()) {
        let mut data = Vec::new();
        write(&mut data, &value);
        let cut = cut.index(data.len());
        prop_assert!(value_length(&data[..cut]).is_err());
        let _ = to_text(&data[..cut]);
    }

    #[test]
    fn a_checked_value_is_read_and_skipped_alike(data in prop::collection::vec(any::<u8>(), 1..64)) {
        if let Ok(length) = value_length(&data) {
            prop_assert_eq!(skip_trusted(&data), &data[length..]);
            prop_assert_eq!(read_trusted(&data).1, read(&data).expect("checked").1);
        }
    }

    #[test]
    fn random_bytes_never_panic(data in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = read(&data);
        let _ = value_length(&data);
        let _ = check_array(&data);
        let _ = to_text(&data);
    }
}

#[test]
fn integers_take_the_shortest_form_and_longer_forms_are_accepted() {
    let lengths = [
        (0, 1),
        (127, 1),
        (128, 2),
        (255, 2),
        (256, 3),
        (65_535, 3),
        (65_536, 5),
    ];
    for (value, length) in lengths {
        let mut data = Vec::new();
        write_unsigned(&mut data, value);
        assert_eq!(data.len(), length, "{value}");
    }
    for (value, length) in [(-32, 1), (-33, 2), (-128, 2), (-129, 3), (-32_769, 5)] {
        let mut data = Vec::new();
        write_integer(&mut data, value);
        assert_eq!(data.len(), length, "{value}");
    }
    let five: [&[u8]; 5] = [
        &[5],
        &[0xcc, 5],
        &[0xcf, 0, 0, 0, 0, 0, 0, 0, 5],
        &[0xd0, 5],
        &[0xd3, 0, 0, 0, 0, 0, 0, 0, 5],
    ];
    for data in five {
        assert_eq!(read(data).expect("valid"), (Value::Unsigned(5), &[][..]));
        assert_eq!(read_trusted(data), (Value::Unsigned(5), &[][..]));
    }
    assert_eq!(
        read(&[0xd2, 0xff, 0xff, 0xff, 0xff]).expect("valid").0,
        Value::Negative(-1)
    );
}

#[test]
fn check_array_wants_exactly_one_array() {
    assert_eq!(check_array(&[0x92, 1, 2]).expect("valid"), 2);
    assert_eq!(check_array(&[0x80]).expect_err("a map").code(), 22);
    for data in [&[][..], &[0x92, 1], &[0x92, 1, 2, 3], &[0x91, 0xc1]] {
        assert_eq!(check_array(data).expect_err("malformed").code(), 20);
    }
}

#[test]
fn a_depth_bomb_or_a_giant_count_is_only_an_error() {
    assert!(value_length(&vec![0x91; 1 << 20]).is_err());
    assert!(value_length(&[0xdd, 0xff, 0xff, 0xff, 0xff, 1]).is_err());
    assert!(value_length(&[0xdf, 0xff, 0xff, 0xff, 0xff, 1]).is_err());
    assert!(to_text(&vec![0x91; 1 << 20]).starts_with("[[["));
}

#[test]
fn a_uuid_has_sixteen_bytes() {
    let mut data = Vec::new();
    write_extension(&mut data, EXTENSION_UUID, &[0xab; 16]);
    assert_eq!(value_length(&data).expect("valid"), 18);
    assert_eq!(to_text(&data), "abababab-abab-abab-abab-abababababab");
    data.clear();
    write_extension(&mut data, EXTENSION_UUID, &[0xab; 15]);
    assert_eq!(value_length(&data).expect_err("too short").code(), 20);
}

/// The extension of an error with the message and one detail.
fn error_with(message: &str, detail: &[u8]) -> Vec<u8> {
    let mut body = vec![0x81, 0x00, 0x91, 0x84, 0x00];
    write_string(&mut body, b"ClientError");
    body.push(0x01);
    write_string(&mut body, b"file");
    body.push(0x03);
    write_string(&mut body, message.as_bytes());
    body.extend([0x06, 0x81]);
    write_string(&mut body, b"detail");
    body.extend_from_slice(detail);
    let mut error = Vec::new();
    write_extension(&mut error, EXTENSION_ERROR, &body);
    error
}

#[test]
fn an_error_has_its_parts_and_errors_among_its_details_nest_so_deep_and_no_deeper() {
    let mut error = error_with("innermost", &[0xc0]);
    for _ in 1..ERROR_NESTING_MAX {
        assert_eq!(value_length(&error).unwrap(), error.len());
        error = error_with("around", &error);
    }
    assert_eq!(value_length(&error).unwrap(), error.len());
    assert!(value_length(&error_with("too deep", &error)).is_err());
}

#[test]
fn an_error_that_is_cut_short_is_none() {
    let error = error_with("wrong", &[0x01]);
    // Behind the tag, the length and the type.
    let body = &error[3..];
    for end in 0..body.len() {
        let mut cut = Vec::new();
        write_extension(&mut cut, EXTENSION_ERROR, &body[..end]);
        assert!(value_length(&cut).is_err(), "{end}");
    }
}

#[test]
fn an_error_is_printed_with_the_names_of_its_parts() {
    let error = error_with("wrong", &[0x01]);
    assert_eq!(
        to_text(&error),
        r#"{"stack": [{"type": "ClientError", "file": "file", "message": "wrong", "fields": {"detail": 1}}]}"#
    );
    let (Value::Extension(kind, body), _) = read(&error).unwrap() else {
        panic!("an extension");
    };
    assert_eq!(extension_text(kind, body).as_deref(), Some("wrong"));
}

#[test]
fn a_decimal_is_printed_without_quotes_and_its_body_is_checked() {
    let data = [0xc7, 3, 1, 2, 0x15, 0x0c];
    assert_eq!(value_length(&data).expect("valid"), 6);
    assert_eq!(to_text(&data), "1.50");
    let broken = [0xc7, 3, 1, 2, 0x15, 0x00];
    assert_eq!(value_length(&broken).expect_err("no sign").code(), 20);
    assert_eq!(to_text(&broken), "(extension: type 1, len 3)");
}

#[test]
fn text_looks_like_json() {
    let mut data = vec![0x98, 1, 0xa1, b'a', 0xc0, 0x81, 0xa1, b'k'];
    write_double(&mut data, 1.5);
    write_integer(&mut data, -7);
    write_string(&mut data, b"\"\\\n/\x01");
    write_boolean(&mut data, true);
    write_array_header(&mut data, 0);
    assert_eq!(
        to_text(&data),
        r#"[1, "a", null, {"k": 1.5}, -7, "\"\\\n\/\u0001", true, []]"#
    );
}

#[test]
fn doubles_are_printed_with_six_significant_digits() {
    let cases = [
        (0.0, "0"),
        (100.0, "100"),
        (0.1, "0.1"),
        (1.0 / 3.0, "0.333333"),
        (1e300, "1e+300"),
        (999_999.0, "999999"),
        (1_234_567.0, "1.23457e+06"),
        (0.000_012_3, "1.23e-05"),
        (-2.5, "-2.5"),
        (f64::INFINITY, "inf"),
    ];
    for (value, text) in cases {
        let mut data = Vec::new();
        write_double(&mut data, value);
        assert_eq!(to_text(&data), text);
    }
}

#[test]
fn decimals_and_uuids_have_a_text_and_other_extensions_have_none() {
    let decimal = extension_text(EXTENSION_DECIMAL, &[2, 0x15, 0x0d]);
    assert_eq!(decimal.as_deref(), Some("-1.50"));
    let uuid = extension_text(EXTENSION_UUID, &[0xab; 16]);
    assert_eq!(
        uuid.as_deref(),
        Some("abababab-abab-abab-abab-abababababab")
    );
    assert_eq!(extension_text(EXTENSION_DECIMAL, &[2]), None);
    assert_eq!(extension_text(EXTENSION_UUID, &[0xab; 15]), None);
    assert_eq!(extension_text(9, &[1]), None);
}
