//! Random values through both encoders, the decoder and tuple objects, and random bytes.

use lycosa_lua::state::new_state;
use proptest::prelude::*;

/// A Lua value that has a `MsgPack` form.
#[derive(Debug, Clone)]
enum Tree {
    Null,
    Boolean(bool),
    Number(f64),
    Signed(i64),
    Unsigned(u64),
    Text(Vec<u8>),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

fn scalar() -> impl Strategy<Value = Tree> {
    prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Boolean),
        any::<i32>().prop_map(|value| Tree::Number(f64::from(value))),
        (-300_i32..70_000).prop_map(|value| Tree::Number(f64::from(value))),
        any::<i64>().prop_map(|value| Tree::Number(value as f64)),
        any::<f64>()
            .prop_filter("NaN is not equal to itself", |value| !value.is_nan())
            .prop_map(Tree::Number),
        any::<i64>().prop_map(Tree::Signed),
        any::<u64>().prop_map(Tree::Unsigned),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Tree::Text),
        prop::collection::vec(any::<u8>(), 250..300).prop_map(Tree::Text),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    scalar().prop_recursive(4, 40, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Tree::List),
            prop::collection::btree_map("[a-z]{1,6}", inner, 1..6)
                .prop_map(|map| Tree::Map(map.into_iter().collect())),
        ]
    })
}

fn build(lua: &mlua::Lua, values: &mlua::Table, tree: &Tree) -> mlua::Value {
    let integer = |value: u64, signed: bool| {
        let make: mlua::Function = values.get("make_integer").expect("make_integer");
        make.call(((value >> 32) as f64, (value & 0xffff_ffff) as f64, signed))
            .expect("an integer")
    };
    match tree {
        Tree::Null => values.get("null").expect("null"),
        Tree::Boolean(value) => mlua::Value::Boolean(*value),
        Tree::Number(value) => mlua::Value::Number(*value),
        Tree::Signed(value) => integer(*value as u64, true),
        Tree::Unsigned(value) => integer(*value, false),
        Tree::Text(bytes) => mlua::Value::String(lua.create_string(bytes).expect("a string")),
        Tree::List(items) => {
            let table = lua.create_table().expect("a table");
            for item in items {
                table.raw_push(build(lua, values, item)).expect("room");
            }
            mlua::Value::Table(table)
        }
        Tree::Map(pairs) => {
            let table = lua.create_table().expect("a table");
            for (key, value) in pairs {
                table
                    .raw_set(key.as_str(), build(lua, values, value))
                    .expect("room");
            }
            mlua::Value::Table(table)
        }
    }
}

const READ: &str = "
    local json = require('json')
    return function(list)
        local tuple = box.tuple.new(list)
        local all, seen = tuple:totable(), 0
        local unpacked = {tuple:unpack()}
        for position = 1, #tuple do
            local field = tuple[position]
            local path = tuple['[' .. position .. ']']
            local text = type(field) == 'table' and json.encode(field) or field
            for _, other in ipairs({all[position], unpacked[position], path}) do
                if type(other) ~= type(field) then return false end
                if (type(other) == 'table' and json.encode(other) or other) ~= text then return false end
                seen = seen + 1
            end
        end
        return seen == 3 * #list and #tuple == #list and tuple[#list + 1] == nil
            and #tostring(tuple) > 1
    end";

#[test]
fn fields_read_one_by_one_equal_the_whole_tuple() {
    let lua = new_state(true).expect("a state");
    let values: mlua::Table = lua
        .load("return require('lycosa.values')")
        .eval()
        .expect("the values");
    let read: mlua::Function = lua.load(READ).eval().expect("the reader");
    let config = ProptestConfig {
        cases: 600,
        failure_persistence: None,
        ..Default::default()
    };
    proptest!(config, |(items in prop::collection::vec(scalar(), 0..18))| {
        let list = build(&lua, &values, &Tree::List(items));
        prop_assert!(read.call::<bool>(list).expect("a reading"));
    });
}

#[test]
fn random_bytes_are_decoded_or_refused_and_never_a_crash() {
    let lua = new_state(true).expect("a state");
    let decode: mlua::Function = lua
        .load(
            "local msgpack, json = require('msgpack'), require('json')
             return function(bytes)
                 local ok, value = pcall(msgpack.decode, bytes)
                 if ok then pcall(json.encode, value) pcall(msgpack.encode, value) end
                 pcall(json.decode, bytes)
             end",
        )
        .eval()
        .expect("the decoder");
    let config = ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..Default::default()
    };
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..64),
        prop::collection::vec(0x90_u8..0xe0, 0..32),
        "[\\[\\]{}:,\"0-9a-z\\\\ .-]{0,24}".prop_map(String::into_bytes),
    ];
    proptest!(config, |(bytes in bytes)| {
        decode.call::<()>(lua.create_string(&bytes).expect("a string")).expect("no throw");
    });
}

const COMPARE: &str = "
    local ffi = require('ffi')
    local encoder, msgpack = require('lycosa.msgpack_encoder'), require('msgpack')
    local function same(a, b)
        if type(a) == 'table' and type(b) == 'table' then
            for k, v in next, a do if not same(v, b[k]) then return false end end
            for k in next, b do if rawequal(a[k], nil) then return false end end
            return true
        end
        return a == b
    end
    local function bytes(length) return ffi.string(encoder.scratch.data, length) end
    return function(value)
        local full = bytes(encoder.encode_full(value))
        local compiled = bytes(encoder.encode_compiled(value))
        local operations = bytes(encoder.encode_operations(value))
        return full == compiled and full == operations, same(value, (msgpack.decode(full)))
    end";

#[test]
fn both_halves_write_the_same_bytes_and_decoding_gives_the_value_back() {
    let lua = new_state(true).expect("a state");
    let values: mlua::Table = lua
        .load("return require('lycosa.values')")
        .eval()
        .expect("the values");
    let compare: mlua::Function = lua.load(COMPARE).eval().expect("the comparison");
    let config = ProptestConfig {
        cases: 600,
        failure_persistence: None,
        ..Default::default()
    };
    let values_of_any_kind = prop::collection::vec(tree(), 0..18);
    // As operations of an update are, some longer than the fast half takes.
    let operation = prop::collection::vec(scalar(), 0..8).prop_map(Tree::List);
    let operations = prop::collection::vec(operation, 0..7);
    proptest!(config, |(items in prop_oneof![values_of_any_kind, operations])| {
        let value = build(&lua, &values, &Tree::List(items));
        let (same_bytes, same_value): (bool, bool) = compare.call(value).expect("a comparison");
        prop_assert!(same_bytes, "the halves differ");
        prop_assert!(same_value, "decoding gives another value");
    });
}
