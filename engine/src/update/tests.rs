use proptest::prelude::*;

use super::*;

mod model;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing into a string does not fail");
        text
    })
}

fn names(name: &str) -> Option<u32> {
    let position = ["id", "name", "a", "b.c"]
        .iter()
        .position(|known| *known == name);
    position.map(|field| field as u32)
}

fn parse(operations: &[u8]) -> Result<Operations<'_>> {
    Operations::parse(operations, 1, &names)
}

fn update(tuple: &str, operations: &str) -> Result<String> {
    let operations = bytes(operations);
    let mut out = Vec::new();
    parse(&operations)?.apply(&bytes(tuple), &mut out)?;
    Ok(hex(&out))
}

/// `ok` and the new tuple, or the code and the text of the error.
fn outcome(result: Result<String>) -> String {
    match result {
        Ok(tuple) => format!("ok {tuple}"),
        Err(error) => format!("{} {error}", error.code()),
    }
}

#[test]
fn every_operation_and_every_error_is_that_of_tarantool() {
    for line in include_str!("oracle.tsv").lines() {
        if line.starts_with('#') {
            continue;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        let &[method, description, tuple, operations, expected] = columns.as_slice() else {
            panic!("five columns in: {line}");
        };
        let result = if method == "upsert" {
            let operations = bytes(operations);
            let mut out = Vec::new();
            parse(&operations)
                .and_then(|parsed| parsed.apply_upsert(&bytes(tuple), &mut out))
                .map(|_| hex(&out))
        } else {
            update(tuple, operations)
        };
        assert_eq!(outcome(result), expected, "{method} {description}");
    }
}

#[test]
fn gaps_behind_the_end_are_filled_with_nulls() {
    // {'=', 5, 7} and {'!', 5, 7} on {1, 2}.
    assert_eq!(
        update("920102", "9193a13d0507").expect("fits"),
        "950102c0c007"
    );
    assert_eq!(
        update("920102", "9193a1210507").expect("fits"),
        "950102c0c007"
    );
    // Arithmetic makes no fields.
    assert_eq!(
        update("920102", "9193a12b0507")
            .expect_err("no field")
            .code(),
        37
    );
}

#[test]
fn a_gap_larger_than_any_tuple_is_an_error_also_in_an_upsert() {
    let operations = bytes("9193a13dce7fffffff07");
    let parsed = parse(&operations).expect("valid");
    let mut out = vec![0xc0];
    assert_eq!(
        parsed
            .apply(&[0x91, 1], &mut out)
            .expect_err("too large")
            .code(),
        110
    );
    assert_eq!(
        parsed
            .apply_upsert(&[0x91, 1], &mut out)
            .expect_err("too large")
            .code(),
        110
    );
    assert_eq!(out, [0xc0], "the output stays as it was");
}

#[test]
fn several_operations_may_change_one_nested_place() {
    // {'#', 'a[1]', 1} and {'=', 'a[1]', 9} on {1, 2, {1, 2, 3}}.
    let operations = "9293a123a4615b315d0193a13da4615b315d09";
    assert_eq!(
        update("93010293010203", operations).expect("fits"),
        "930102920903"
    );
}

#[test]
fn a_field_number_beyond_32_bits_is_named_in_the_error() {
    let cases = [
        ("cf0000000100000000", "4294967296"),
        ("cfffffffffffffffff", "9223372036854775807"),
        ("d38000000000000000", "-9223372036854775808"),
    ];
    for (number, text) in cases {
        let error = update("920102", &format!("9193a13d{number}01")).expect_err("too large");
        assert_eq!(error.code(), 26);
        let place = format!("on field {text} ");
        assert!(error.to_string().contains(&place), "{error}");
    }
}

#[test]
fn an_index_beyond_32_bits_in_a_path_is_an_error() {
    for index in ["4294967297", "9223372036854775808", "99999999999999999999"] {
        let mut operations = bytes("9193a13d");
        msgpack::write_string(&mut operations, format!("[{index}]").as_bytes());
        operations.push(1);
        let parsed = parse(&operations).expect("a path");
        let error = parsed
            .apply(&[0x91, 1], &mut Vec::new())
            .expect_err("too large");
        assert_eq!(error.code(), 110, "{index}");
        assert_eq!(parsed.column_mask(1), 1 << 63);
    }
}

#[test]
fn sums_stay_double_in_fields_of_that_type() {
    // {'+', 2, 1} on {1, 1.5}.
    let (operations, tuple) = (bytes("9193a12b0201"), bytes("9201cb3ff8000000000000"));
    let mut out = Vec::new();
    let parsed = parse(&operations).expect("valid");
    parsed.apply(&tuple, &mut out).expect("fits");
    assert_eq!(hex(&out), "9201ca40200000");
    let typed = parsed.with_double_fields(0b10);
    typed.apply(&tuple, &mut out).expect("fits");
    assert_eq!(hex(&out), "9201cb4004000000000000");
}

#[test]
fn fields_and_strings_count_from_the_index_base() {
    let (assign, splice) = (bytes("9193a13d0007"), bytes("9195a13a010001a158"));
    let mut out = Vec::new();
    let apply = |operations: &[u8], tuple: &[u8], out: &mut Vec<u8>| {
        Operations::parse(operations, 0, &names).and_then(|parsed| parsed.apply(tuple, out))
    };
    apply(&assign, &[0x91, 1], &mut out).expect("fits");
    assert_eq!(out, [0x91, 7]);
    apply(&splice, &bytes("9201a161"), &mut out).expect("fits");
    assert_eq!(hex(&out), "9201a158");
}

#[test]
fn more_than_4000_operations_are_refused() {
    let mut operations = Vec::new();
    for (count, is_valid) in [(4000, true), (4001, false)] {
        operations.clear();
        msgpack::write_array_header(&mut operations, count);
        for _ in 0..count {
            operations.extend_from_slice(&bytes("93a12b0201"));
        }
        let mut out = Vec::new();
        let result = parse(&operations).and_then(|parsed| parsed.apply(&[0x92, 1, 0], &mut out));
        assert_eq!(result.is_ok(), is_valid, "{count}");
        if is_valid {
            assert_eq!(hex(&out), "9201cd0fa0");
        }
    }
    assert_eq!(parse(&operations).expect_err("too many").code(), 1);
}

#[test]
fn operations_that_are_no_well_formed_array_are_refused() {
    for (operations, code) in [("05", 1), ("", 20), ("9193a12b02", 20), ("9000", 20)] {
        assert_eq!(
            parse(&bytes(operations)).expect_err(operations).code(),
            code
        );
    }
}

#[test]
fn an_upsert_returns_the_errors_of_the_operations_it_skipped() {
    // {'+', 2, 1}, {'+', 9, 1}, {'!', -9, 1} on {1, 2}.
    let operations = bytes("9393a12b020193a12b090193a121f701");
    let mut out = Vec::new();
    let skipped = parse(&operations)
        .and_then(|parsed| parsed.apply_upsert(&[0x92, 1, 2], &mut out))
        .expect("skipped, not failed");
    assert_eq!(hex(&out), "920103");
    let codes: Vec<u32> = skipped.iter().map(Error::code).collect();
    assert_eq!(codes, [37, 37]);
}

#[test]
fn the_column_mask_names_the_fields_that_may_change() {
    let mask = |operations: &str, field_count| {
        let operations = bytes(operations);
        parse(&operations).expect("valid").column_mask(field_count)
    };
    assert_eq!(mask("90", 3), 0);
    assert_eq!(mask("9193a13d0205", 3), 0b10);
    assert_eq!(mask("9193a13dff05", 3), 0b100);
    assert_eq!(mask("9193a1210205", 3), !0b1);
    assert_eq!(mask("9193a121ff05", 3), !0b111);
    assert_eq!(mask("9193a1230301", 3), !0b11);
    assert_eq!(mask("9193a13d4c05", 3), 1 << 63);
    // One insertion at the end, then the last field: the fourth.
    assert_eq!(mask("9293a121ff0593a13dff05", 3), !0b111);
    // An insertion inside a field moves no fields.
    assert_eq!(mask("9193a121a4615b315d05", 3), 0b100);
    // A field that is not there: anything may be meant.
    assert_eq!(mask("9193a13df705", 3), u64::MAX);
}

proptest! {
    #[test]
    fn random_operations_never_panic(operations in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(parsed) = parse(&operations) {
            let _ = parsed.apply(&[0x92, 1, 2], &mut Vec::new());
        }
    }

    #[test]
    fn random_paths_never_panic(path in "[a\\[\\]\"'.*1é]{0,12}", operator in "[=!#+:]") {
        let mut operations = vec![0x91, if operator == ":" { 0x95 } else { 0x93 }];
        msgpack::write_string(&mut operations, operator.as_bytes());
        msgpack::write_string(&mut operations, path.as_bytes());
        let arguments = if operator == ":" { "0101a178" } else { "01" };
        operations.extend_from_slice(&bytes(arguments));
        if let Ok(parsed) = parse(&operations) {
            let mut out = Vec::new();
            // {1, 2, {{a = {1}}, 'xy'}}
            let tuple = bytes("9301029281a1619101a27879");
            if parsed.apply(&tuple, &mut out).is_ok() {
                prop_assert!(msgpack::check_array(&out).is_ok());
            }
        }
    }
}
