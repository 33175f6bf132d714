//! Tuple objects seen from Lua; the texts were recorded from Tarantool.

mod support;

use lycosa_lua::state::new_state;
use lycosa_lua::state_boundary::Boundary;
use lycosa_lua::tuple::{push_tuple, tuple_at};
use support::{gives, returns};

const SAMPLE: &str = "local t = T{1, 'a', box.NULL, {1, 2}, {k = 1}, 3e14, -3e14, 1.5, false} ";

fn sample(chunk: &str, expected: &str) {
    returns(&format!("{SAMPLE}{chunk}"), expected);
}

#[test]
fn a_tuple_is_a_cdata_made_of_a_table_of_scalars_or_of_a_tuple() {
    gives(
        "type(T{1}), tostring(ffi.typeof(T{1})), T{1, 'a'}, T(1, 2, 3), T(), T(nil), T('abc'), T(T{1}), T{[10] = 1}",
        &[
            "cdata",
            "ctype<struct tuple>",
            "[1, 'a']",
            "[1, 2, 3]",
            "[]",
            "[null]",
            "['abc']",
            "[1]",
            "[null, null, null, null, null, null, null, null, null, 1]",
        ],
    );
    gives(
        "box.tuple.is(T{1}), box.tuple.is({}), box.tuple.is(nil), box.tuple.is(1LL)",
        &["true", "false", "false", "false"],
    );
}

#[test]
fn a_map_or_a_sparse_table_is_no_tuple() {
    returns(
        "local ok, e = pcall(T, {a = 1}) return tostring(e.code) .. ' ' .. tostring(e)",
        "22 Tuple/Key must be MsgPack array",
    );
    gives(
        "fails(T, {[11] = 1}), fails(T, print)",
        &[
            "Tuple/Key must be MsgPack array",
            "unsupported Lua type 'function'",
        ],
    );
}

#[test]
fn fields_are_read_by_position() {
    sample(
        "local r = {} for i = 0, 10 do r[#r + 1] = type(t[i]) end return table.concat(r, ' ')",
        "nil number string cdata table table cdata cdata number boolean nil",
    );
    gives(
        "T{7, 'b'}[1], T{7, 'b'}[2], T{300, -5}[2], T{3e14}[1], T{-3e14}[1], T{1.5}[1], T{false}[1], T{true}[1]",
        &[
            "7",
            "b",
            "-5",
            "300000000000000ULL",
            "-300000000000000LL",
            "1.5",
            "false",
            "true",
        ],
    );
    gives(
        "T{1}[2], T{1}[-1], T{1}[0], T{1}[1.5], T{1}[2^40], T{5}[1LL], true",
        &["nil", "nil", "nil", "1", "nil", "5", "true"],
    );
    sample(
        "return tostring(t[3] == nil) .. t[4][2] .. t[5].k .. #t .. tostring(t.nope)",
        "true219nil",
    );
}

#[test]
fn fields_are_read_by_path() {
    sample(
        "return t['[4][2]'] .. t['[5].k'] .. t['[5][\"k\"]'] .. tostring(t['[9]']) .. tostring(t['[4][9]']) .. tostring(t['1'])",
        "211falsenilnil",
    );
}

#[test]
fn names_of_a_format_reach_fields_and_win_over_methods() {
    let setup = "local tuple = require('lycosa.tuple')
        local encoder = require('lycosa.msgpack_encoder')
        tuple.register_format(5, {'id', 'name', 'unpack', 'info'})
        local t = tuple.from_scratch(encoder.encode({7, 'x', 9, {a = {4, 5}}}), 5) ";
    returns(
        &format!(
            "{setup} return t.id .. t.name .. t.unpack .. t['info.a[2]'] .. t['info[\"a\"][1]'] .. #t:totable()"
        ),
        "7x9544",
    );
    returns(
        &format!(
            "{setup} return json.encode(t:tomap{{names_only = true}}.name) .. #t:tomap() .. t:tomap().id"
        ),
        "\"x\"47",
    );
    returns(
        "local t = T({1, 2}, {format = {{'a', 'unsigned'}, {name = 'b'}}}) return t.a .. t.b",
        "12",
    );
}

#[test]
fn totable_and_unpack_take_a_range() {
    sample(
        "return #t:totable() .. #t:totable(2) .. #t:totable(2, 3) .. #t:totable(20) .. #t:totable(2, 1)",
        "98200",
    );
    sample("return getmetatable(t:totable()).__serialize", "seq");
    sample(
        "return select('#', t:unpack()) .. select('#', t:unpack(2, 3)) .. select('#', t:unpack(8, 20)) .. select('#', t:unpack(20))",
        "9220",
    );
    sample(
        "return fails(t.totable, t, 0)",
        "tuple.totable: invalid second argument",
    );
    sample(
        "return fails(t.totable)",
        "Usage: tuple:totable([from[, to]])",
    );
    sample(
        "return fails(box.tuple.totable, 5)",
        "Usage: tuple:totable([from[, to]])",
    );
}

#[test]
fn walks_give_positions_and_fields() {
    returns(
        "local r = {} for i, v in T{'x', 'y'}:pairs() do r[#r + 1] = i .. v end return table.concat(r)",
        "1x2y",
    );
    returns(
        "local r = {} for i, v in pairs(T{'x', 'y'}) do r[#r + 1] = i .. v end return table.concat(r)",
        "1x2y",
    );
    returns(
        "local r = {} for i, v in ipairs(T{'x', 'y'}) do r[#r + 1] = i .. v end return table.concat(r)",
        "1x2y",
    );
    sample(
        "local i, v = t:next(1) return i .. v .. tostring(t:next(9)) .. tostring(t:next(99))",
        "2anilnil",
    );
}

#[test]
fn slice_find_findall_and_transform_count_as_tarantool_does() {
    sample(
        "return select('#', t:slice(0, 2)) .. tostring((t:slice(-2)))",
        "21.5",
    );
    sample(
        "return fails(t.slice, t, 3, 20)",
        "tuple.slice(): end > field count",
    );
    sample("return tostring(select('#', t:slice()))", "9");
    sample(
        "return fails(t.slice, t, 2, 1)",
        "tuple.slice(): start must be less than end",
    );
    sample(
        "return t:find('a') .. t:find(1) .. tostring(t:find(1, 1)) .. tostring(t:find(99))",
        "21nilnil",
    );
    gives(
        "json.encode(T{1, 2, 1, 1}:findall(1)), json.encode(T{1, 2, 1, 1}:findall(1, 1))",
        &["[1,3,4]", "[3,4]"],
    );
    gives(
        "T{1, 2, 3}:transform(1, 2, 'x', 'y', 'z'), T{1, 2, 3}:transform(2, 1), T{1, 2, 3}:transform(-1, 1, 9),
         T{1, 2, 3}:transform(9, 1, 9), T{1, 2, 3}:transform(-2, 0, 9)",
        &["['x', 'y', 'z', 3]", "[1, 3]", "[1, 2, 9]", "[1, 2, 3, 9]", "[1, 9, 2, 3]"],
    );
    sample(
        "return fails(t.transform, t, 0, 1)",
        "tuple.transform(): offset is out of bound",
    );
    sample(
        "return fails(t.transform, t)",
        "tuple.transform(): bad arguments",
    );
    sample("return tostring(t:bsize())", "40");
}

#[test]
fn text_is_what_tarantool_prints() {
    gives(
        "T{\"it's\"}, T{'say \"hi\"'}, T{'tab\\there'}, T{'nl\\nx'}, T{'é'}, T{''}, T{'\\127'}, T{'\\0'}, T{'\\255\\254'}, T{'a\\\\b'},
         T{'\\r'}, T{'\\'\"'}, T{'\\239\\187\\191x'}, T{'\\240\\159\\152\\128'}, T{'\\27'}, T{'q\"\\n\\1é'}",
        &[
            "['it''s']",
            "['say \"hi\"']",
            "[\"tab\\there\"]",
            "['nl\n\n    x']",
            "['é']",
            "['']",
            "[\"\\x7F\"]",
            "[\"\\0\"]",
            "[!!binary //4=]",
            "['a\\b']",
            "[\"\\r\"]",
            "['''\"']",
            "[!!binary 77u/eA==]",
            "[\"\\U0001F600\"]",
            "[\"\\e\"]",
            "[\"q\\\"\\n\\x01é\"]",
        ],
    );
    gives(
        "T{1e15, 123456789012345678, 0.1 + 0.2, 1/3, 1e-7, 1e20, -1.5e300, 2^60, 100.5}, T{1/0, -1/0},
         T{{}, ser('map', {}), {1, {2}}, {a = {b = {}}}}, T{ffi.new('float', 0.1), 5LL, 2^64, true, box.NULL}",
        &[
            "[1000000000000000, 123456789012345680, 0.3, 0.33333333333333, 1e-07, 1e+20, -1.5e+300, 1152921504606846976, 100.5]",
            "[inf, -inf]",
            "[[], {}, [1, [2]], {'a': {'b': []}}]",
            "[0.10000000149012, 5, 1.844674407371e+19, true, null]",
        ],
    );
}

#[test]
fn a_tuple_that_lua_made_equals_itself_alone() {
    returns(
        "local t = T{1} return tostring(t == t) .. tostring(t == T{1}) .. tostring(t ~= T{1, 2})",
        "truefalsetrue",
    );
    gives(
        "T{1} == nil, T{1} == box.NULL, T{1} == 1",
        &["false", "false", "false"],
    );
}

#[test]
fn tuples_are_values_for_both_encoders() {
    gives(
        "enc({T{1, 2}, 5}), enc(T{1}), json.encode(T{1, {a = 2}}), json.encode({T{1}})",
        &["9292010205", "9101", "[1,{\"a\":2}]", "[[1]]"],
    );
}

#[test]
fn a_method_that_is_added_is_found_on_tuples_and_in_box_tuple() {
    returns(
        "require('lycosa.tuple').add_method('first', function(t) return t[1] end) return T{'v'}:first() .. box.tuple.first(T{'w'})",
        "vw",
    );
}

#[test]
fn a_tuple_is_not_written_to() {
    returns(
        "return tostring((pcall(function() local t = T{1} t[1] = 2 end)))",
        "false",
    );
}

#[test]
fn rust_makes_tuples_and_reads_them() {
    let lua = new_state(true).expect("a state");
    let mut seen = Vec::new();
    // SAFETY: nothing that has a destructor is alive while Lua runs, and the tuple is on the stack.
    let tuple: mlua::Value = unsafe {
        lua.exec_raw((), |state| {
            let boundary = &mut *Boundary::of(state);
            push_tuple(state, boundary, b"\x92\x01\xa1x", 0);
            seen.extend(tuple_at(state, boundary, -1).map(|view| view.data.len()));
        })
        .expect("a tuple")
    };
    assert_eq!(seen, [4]);
    lua.globals().set("tuple", tuple).expect("a global");
    assert_eq!(
        lua.load("return tostring(tuple)")
            .eval::<String>()
            .expect("text"),
        "[1, 'x']"
    );
}

#[test]
fn tuples_of_constants_that_compiled_loops_drop_leave_memory_intact() {
    let lua = new_state(true).expect("a state");
    lua.load(
        "local encoder, tuple = require('lycosa.msgpack_encoder'), require('lycosa.tuple')
         local kept
         for round = 1, 50 do
             for i = 1, 5000 do kept = tuple.from_scratch(3, 0) end
             for i = 1, 5000 do kept = tuple.from_scratch(encoder.encode({1, 2}), 0) end
             for i = 1, 5000 do kept = box.tuple.new({1, 2}) end
             assert(tostring(kept) == '[1, 2]' and #kept == 2)
             collectgarbage()
         end",
    )
    .exec()
    .expect("the loops");
}

#[test]
fn a_loop_over_fields_stays_compiled() {
    let lua = new_state(true).expect("a state");
    let sum: f64 = lua
        .load("local t, sum = box.tuple.new{2, 'abc'}, 0 for i = 1, 100000 do sum = sum + t[1] + #t[2] + #t end return sum")
        .eval()
        .expect("a sum");
    assert!((sum - 700_000.0).abs() < 0.5);
    let counters = lycosa_lua::state::jit_counters(&lua).expect("counters");
    assert!(counters.traces > 0 && counters.aborts < 10, "{counters:?}");
}
