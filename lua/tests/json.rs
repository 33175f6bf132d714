//! The module `json`; texts were recorded from Tarantool.

mod support;

use support::{gives, returns};

#[test]
fn numbers_are_written_as_tarantool_writes_them() {
    gives(
        "json.encode({1, 'a', true, box.NULL, 1.5, 1e100, 0.1, -0.0}),
         json.encode({1e14, 1e15, 123456789012345, 2^63, 2^64, 1/3, 0.1 + 0.2, 123456.789012345, 1e-7, -1e15}),
         json.encode({1/0, -1/0, 0/0}), json.encode({5LL, -5LL, 18446744073709551615ULL}),
         json.encode(ffi.new('float', 0.1))",
        &[
            "[1,\"a\",true,null,1.5,1e+100,0.1,0]",
            "[100000000000000,1000000000000000,123456789012345,9223372036854775808,1.844674407371e+19,\
             0.33333333333333,0.3,123456.78901235,1e-07,-1000000000000000]",
            "[inf,-inf,nan]",
            "[5,-5,18446744073709551615]",
            "0.10000000149012",
        ],
    );
}

#[test]
fn control_characters_and_quotes_are_escaped_and_slashes_are_not() {
    gives(
        r#"json.encode('a"b\\c/d\n\r\t\b\f\1\127\0é')"#,
        &[r#""a\"b\\c/d\n\r\t\b\f\u0001\u007f\u0000é""#],
    );
}

#[test]
fn tables_become_arrays_or_maps() {
    gives(
        "json.encode({a = 1}), json.encode({[5LL] = 1}), json.encode({}), json.encode(ser('map', {})),
         json.encode(ser(function() return 'x' end, {})), json.encode({[11] = 1}), json.encode(nil)",
        &["{\"a\":1}", "{\"5\":1}", "[]", "{}", "\"x\"", "{\"11\":1}", "null"],
    );
    gives(
        "json.encode({[10] = 1})",
        &["[null,null,null,null,null,null,null,null,null,1]"],
    );
    gives(
        "fails(json.encode, {[1.5] = 1}), fails(json.encode, {[true] = 1}), fails(json.encode, {[{}] = 1})",
        &["table key must be a number or string"; 3],
    );
}

#[test]
fn what_has_no_json_form_is_refused_unless_configured() {
    gives(
        "fails(json.encode, print), fails(json.encode, {print}), fails(json.encode, ffi.new('struct {int x;}')),
         json.encode({print}, {encode_invalid_as_nil = true}),
         (json.encode({print}, {encode_use_tostring = true}):gsub(':.*', ''))",
        &[
            "unsupported Lua type 'function'",
            "unsupported Lua type 'function'",
            "unsupported Lua type 'cdata'",
            "[null]",
            "[\"function",
        ],
    );
    returns(
        "local c = {} c[1] = c return fails(json.encode, c)",
        "Too high nest level",
    );
    gives(
        "json.encode({1/3}, {encode_number_precision = 3}), fails(json.encode, {{{1}}}, {encode_max_depth = 2}),
         json.encode({{{1}}}, {encode_max_depth = 2, encode_deep_as_nil = true}),
         fails(json.encode, {1/0}, {encode_invalid_numbers = false})",
        &["[0.333]", "Too high nest level", "[[null]]", "number must not be NaN or Inf"],
    );
}

#[test]
fn scalars_are_decoded_with_their_types() {
    gives(
        r#"json.decode('true'), json.decode('"a\\u00e9\\n\\ud83d\\ude00"'), json.decode('1.5'), json.decode('1e3'),
           json.decode('-5'), json.decode('123456789012345678'), json.decode('18446744073709551615'),
           json.decode('100000000000000'), json.decode('-100000000000000'), json.decode('1e14'), json.decode('-0'),
           json.decode('1.'), json.decode('-inf'), json.decode(5), type(json.decode('null'))"#,
        &[
            "true",
            "aé\n😀",
            "1.5",
            "1000",
            "-5",
            "123456789012345678LL",
            "18446744073709551615ULL",
            "100000000000000LL",
            "-100000000000000LL",
            "1e+14",
            "0",
            "1",
            "-inf",
            "5",
            "cdata",
        ],
    );
    returns(
        "local v = json.decode(' [1, {\"a\": null, \"a\": 2}] ')
         return getmetatable(v).__serialize .. getmetatable(v[2]).__serialize .. v[2].a",
        "seqmap2",
    );
}

#[test]
fn broken_text_is_reported_with_its_place() {
    let cases = [
        (
            "[1,",
            "Expected value but found end on line 1 at character 4 here '[1, >> '",
        ),
        (
            "{\"a\"}",
            "Expected colon but found '}' on line 1 at character 5 here '{\"a\" >> }'",
        ),
        (
            "nul",
            "Expected value but found invalid token on line 1 at character 1 here ' >> nul'",
        ),
        (
            "",
            "Expected value but found end on line 1 at character 1 here ' >> '",
        ),
        (
            "[1 2]",
            "Expected comma or ']' but found int on line 1 at character 4 here '[1  >> 2]'",
        ),
        (
            "\"abc",
            "Expected value but found unexpected end of string on line 1 at character 5 here '\"abc >> '",
        ),
        (
            "[1,]",
            "Expected value but found ']' on line 1 at character 4 here '[1, >> ]'",
        ),
        (
            "{\"a\":1,}",
            "Expected object key string but found '}' on line 1 at character 8 here '{\"a\":1, >> }'",
        ),
        (
            "01",
            "Expected value but found invalid token on line 1 at character 1 here ' >> 01'",
        ),
        (
            "+1",
            "Expected value but found invalid token on line 1 at character 1 here ' >> +1'",
        ),
        (
            "[NaN]",
            "Expected value but found invalid token on line 1 at character 2 here '[ >> NaN]'",
        ),
        (
            "[1,\n2,\n x]",
            "Expected value but found invalid token on line 3 at character 2 here '  >> x]'",
        ),
        (
            "[] x",
            "Expected the end but found invalid token on line 1 at character 4 here '[]  >> x'",
        ),
        (
            "0x10",
            "Expected value but found invalid token on line 1 at character 1 here ' >> 0x10'",
        ),
        (
            "{1:2}",
            "Expected object key string but found int on line 1 at character 2 here '{ >> 1:2}'",
        ),
        (
            "\"\\x\"",
            "Expected value but found invalid escape code on line 1 at character 2 here '\" >> \\x\"'",
        ),
        (
            "\"\\ud83d\"",
            "Expected value but found invalid unicode escape code on line 1 at character 2 here '\" >> \\ud83d\"'",
        ),
    ];
    for (text, expected) in cases {
        returns(
            &format!("return fails(json.decode, [==[{text}]==])"),
            expected,
        );
    }
    returns(
        "return fails(json.decode, ('['):rep(129) .. (']'):rep(129))",
        "Found too many nested data structures (129) on line 1 at character 129 here '[[[[[[[[ >> []]]]]]]'",
    );
    returns(
        "return type(json.decode(('['):rep(128) .. (']'):rep(128)))",
        "table",
    );
}

#[test]
fn a_new_serializer_has_a_configuration_of_its_own() {
    returns(
        "local own = json.new() own.cfg{encode_number_precision = 3, decode_save_metatables = false, encode_sparse_convert = false}
         return own.encode({1/3}) .. json.encode({1/3}) .. own.cfg.encode_number_precision .. json.cfg.encode_number_precision
             .. tostring(getmetatable(own.decode('[1]'))) .. fails(own.encode, {[11] = 1})",
        "[0.333][0.33333333333333]314nilexcessively sparse array",
    );
    returns(
        "return fails(json.cfg, 'x')",
        "bad argument #2 to '?' (table expected, got string)",
    );
}

#[test]
fn encoded_values_decode_to_themselves() {
    returns(
        "local text = json.encode({1, 'x', {a = {true, box.NULL}}, 1.25}) return tostring(json.encode(json.decode(text)) == text)",
        "true",
    );
}
