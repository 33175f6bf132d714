//! Values between Lua and `MsgPack`, seen from Lua; the bytes were recorded from Tarantool.

mod support;

use lycosa_lua::state::{jit_counters, new_state};
use support::{gives, returns};

#[test]
fn numbers_have_tarantools_bytes() {
    gives(
        "enc(-0.0), enc(1.5), enc(127), enc(128), enc(-32), enc(-33), enc(-129)",
        &[
            "00",
            "cb3ff8000000000000",
            "7f",
            "cc80",
            "e0",
            "d0df",
            "d1ff7f",
        ],
    );
    gives(
        "enc(65535), enc(65536), enc(2^32), enc(-2^31), enc(-2^31-1)",
        &[
            "cdffff",
            "ce00010000",
            "cf0000000100000000",
            "d280000000",
            "d3ffffffff7fffffff",
        ],
    );
    gives(
        "enc(2^63), enc(2^64), enc(-2^63), enc(-2^64), enc(1/0)",
        &[
            "cf8000000000000000",
            "cb43f0000000000000",
            "d38000000000000000",
            "cbc3f0000000000000",
            "cb7ff0000000000000",
        ],
    );
}

#[test]
fn cdata_scalars_have_tarantools_bytes() {
    gives(
        "enc(-5LL), enc(5ULL), enc(18446744073709551615ULL), enc(ffi.new('float', 1.5)),
         enc(ffi.new('double', 1)), enc(box.NULL), enc(ffi.new('int8_t', -3)), enc(ffi.new('bool', true))",
        &["fb", "05", "cfffffffffffffffff", "ca3fc00000", "cb3ff0000000000000", "c0", "fd", "c3"],
    );
}

#[test]
fn strings_have_the_shortest_header() {
    gives(
        "hex(msgpack.encode(('a'):rep(31)):sub(1, 2)), hex(msgpack.encode(('a'):rep(32)):sub(1, 3)), hex(msgpack.encode(('a'):rep(256)):sub(1, 4)),
         hex(msgpack.encode(('a'):rep(65536)):sub(1, 6))",
        &["bf61", "d92061", "da010061", "db0001000061"],
    );
}

#[test]
fn tables_with_holes_are_arrays_up_to_key_ten_and_maps_when_sparser() {
    gives(
        "enc({1, nil, 3}), enc({[10] = 1}), enc({[11] = 1}), enc({1, [11] = 1}),
         enc({1, 2, 3, 4, 5, 6, [12] = 1}), enc({1, 2, 3, 4, 5, [12] = 1})",
        &[
            "9301c003",
            "9ac0c0c0c0c0c0c0c0c001",
            "810b01",
            "8201010b01",
            "9c010203040506c0c0c0c0c001",
            "9c0102030405c0c0c0c0c0c001",
        ],
    );
    gives(
        "enc({[0] = 1}), enc({[-1] = 1}), enc({[1.5] = 1}), enc({[true] = 1}), enc({[5LL] = 1}), enc({[{1}] = 1})",
        &[
            "810001",
            "81ff01",
            "81cb3ff800000000000001",
            "81c301",
            "810501",
            "81910101",
        ],
    );
}

#[test]
fn serialize_decides_the_shape() {
    gives(
        "enc({}), enc(ser('seq', {})), enc(ser('array', {})), enc(ser('map', {})), enc(ser('mapping', {1, 2})),
         enc(ser('seq', {a = 1})), enc(ser('seq', {[20] = 1}))",
        &[
            "90",
            "90",
            "90",
            "80",
            "8201010202",
            "90",
            "dc0014c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c001",
        ],
    );
    gives(
        "enc(ser(function() return 'hi' end, {})), enc({1, ser(function() return {2} end, {}), 3}),
         enc({ser(function() return ser(function() return 7 end, {}) end, {})})",
        &["a26869", "9301910203", "9107"],
    );
    gives(
        "fails(msgpack.encode, ser('bogus', {1})), fails(msgpack.encode, ser(5, {1}))",
        &["invalid __serialize value", "invalid __serialize value"],
    );
}

#[test]
fn a_serialize_function_may_encode_values_itself() {
    gives(
        "enc({1, ser(function() return msgpack.encode({2, 3}) end, {}), 4})",
        &["9301a392020304"],
    );
}

#[test]
fn values_without_a_form_are_refused_by_type() {
    gives(
        "fails(msgpack.encode, print), fails(msgpack.encode, coroutine.create(print)),
         fails(msgpack.encode, io.stdout), fails(msgpack.encode, ffi.new('struct {int x;}')),
         fails(msgpack.encode, ffi.cast('void *', 5)), fails(msgpack.encode, {1, {print}})",
        &[
            "unsupported Lua type 'function'",
            "unsupported Lua type 'thread'",
            "unsupported Lua type 'userdata'",
            "unsupported Lua type 'cdata'",
            "unsupported Lua type 'cdata'",
            "unsupported Lua type 'function'",
        ],
    );
}

#[test]
fn nesting_ends_at_128_and_so_do_cycles() {
    returns(
        "local d = {} for i = 1, 127 do d = {d} end return tostring(#msgpack.encode(d))",
        "128",
    );
    returns(
        "local d = {} for i = 1, 128 do d = {d} end return fails(msgpack.encode, d)",
        "Too high nest level - 129",
    );
    returns(
        "local c = {} c[1] = c return fails(msgpack.encode, c)",
        "Too high nest level - 129",
    );
}

#[test]
fn integers_from_1e14_come_back_as_cdata() {
    gives(
        "msgpack.decode(msgpack.encode(99999999999999)), msgpack.decode(msgpack.encode(1e14)),
         msgpack.decode(msgpack.encode(-99999999999999)), (msgpack.decode(msgpack.encode(-1e14)))",
        &[
            "99999999999999",
            "100000000000000ULL",
            "-99999999999999",
            "-100000000000000LL",
        ],
    );
    gives(
        "type((msgpack.decode(unhex('cb42d6bcc41e900000')))), (msgpack.decode(unhex('cfffffffffffffffff')))",
        &["number", "18446744073709551615ULL"],
    );
}

#[test]
fn decoded_containers_know_what_they_are() {
    returns(
        "local v = msgpack.decode(msgpack.encode({1, {a = box.NULL}}))
         return getmetatable(v).__serialize .. getmetatable(v[2]).__serialize .. type(v[2].a)
             .. tostring(v[2].a == nil)",
        "seqmapcdatatrue",
    );
    returns(
        "return enc(msgpack.decode(unhex('80'))) .. enc((msgpack.decode(unhex('90'))))",
        "8090",
    );
}

#[test]
fn decode_answers_with_the_offset_behind_the_value() {
    gives("select(2, msgpack.decode('\\1\\2\\3'))", &["2"]);
    gives("msgpack.decode('\\1\\2\\3', 2)", &["2", "3"]);
}

#[test]
fn broken_bytes_are_errors_and_not_crashes() {
    for bytes in [
        "92",
        "9201",
        "a3ab",
        "c1",
        "dfffffffff",
        "ddffffffff",
        "d6",
        "c7ff01",
        "81",
    ] {
        let chunk = format!("return tostring((pcall(msgpack.decode, unhex('{bytes}'))))");
        returns(&chunk, "false");
    }
    returns("return tostring((pcall(msgpack.decode, '')))", "false");
    returns(
        "return fails(msgpack.decode, ('\\145'):rep(100000))",
        "Too high nest level - 257",
    );
}

#[test]
fn uuid_and_decimal_keep_their_bytes_print_and_compare() {
    let uuid = "d80264d22e4dac924a23899ae59f34af5479";
    gives(
        &format!(
            "msgpack.decode(unhex('{uuid}')), enc((msgpack.decode(unhex('{uuid}')))),
             (msgpack.decode(unhex('{uuid}'))) == (msgpack.decode(unhex('{uuid}')))"
        ),
        &["64d22e4d-ac92-4a23-899a-e59f34af5479", uuid, "true"],
    );
    gives(
        "msgpack.decode(unhex('c7030102150c')), (msgpack.decode(unhex('d501015d'))),
         (msgpack.decode(unhex('d501e21c'))), (msgpack.decode(unhex('c70b01090123456789123456789d'))),
         (msgpack.decode(unhex('d501000c'))), (msgpack.decode(unhex('d501041c')))",
        &[
            "1.50",
            "-0.5",
            "1000000000000000000000000000000",
            "-123456789.123456789",
            "0",
            "0.0001",
        ],
    );
}

#[test]
fn a_hot_loop_over_flat_tables_stays_compiled() {
    let lua = new_state(true).expect("a state");
    let chunk = "local encoder = require('lycosa.msgpack_encoder')
        local bytes = 0
        for i = 1, 200000 do bytes = bytes + encoder.encode({i, 'payload'}) end
        return bytes";
    let bytes: u64 = lua.load(chunk).eval().expect("the loop");
    assert_eq!(
        bytes,
        127 * 10 + 128 * 11 + (65_535 - 255) * 12 + (200_000 - 65_535) * 14
    );
    let counters = jit_counters(&lua).expect("counters");
    assert!(counters.traces > 0, "{counters:?}");
    assert!(counters.aborts < 10, "{counters:?}");
}

#[test]
fn the_deepest_values_fit_the_stack_of_a_fiber() {
    const FIBER_STACK_BYTES: usize = 256 * 1024;
    let chunk = "
        local msgpack, json = require('msgpack'), require('json')
        json.cfg{encode_max_depth = 1000000, decode_max_depth = 1000000}
        local bytes = ('\\145'):rep(255) .. '\\144'
        local deep = msgpack.decode(bytes)
        local text = ('['):rep(249) .. '1' .. (']'):rep(249)
        assert(json.encode(json.decode(text)) == text)
        assert(not pcall(json.encode, deep))
        assert(not pcall(json.decode, ('['):rep(100000)))
        local mine = {}
        for level = 1, 120 do
            local inner = mine
            mine = setmetatable({}, {__serialize = function() return {inner} end})
        end
        assert(not pcall(msgpack.encode, mine))
        return 'fits'";
    let run = move || {
        let lua = new_state(true).expect("a state");
        lua.load(chunk).eval::<String>().expect("the chunk")
    };
    let thread = std::thread::Builder::new()
        .stack_size(FIBER_STACK_BYTES)
        .spawn(run);
    assert_eq!(thread.expect("a thread").join().expect("no panic"), "fits");
}

#[test]
fn an_encoding_that_fails_after_the_buffer_has_moved_leaves_it_usable() {
    returns(
        "local encoder = require('lycosa.msgpack_encoder')
         for round = 1, 12 do
             assert(not pcall(encoder.encode, {('x'):rep(round * 100000), {}, print}))
             for i = 1, 100 do
                 local length = encoder.encode({i, 'payload', ('y'):rep(100)})
                 assert(hex(ffi.string(encoder.scratch.data, 1)) == '93' and length > 100)
             end
         end
         return 'usable'",
        "usable",
    );
}

#[test]
fn finalizers_that_encode_do_not_disturb_an_encoding() {
    returns(
        "local expected = enc({1, {a = {2}}, ser(function() return {'s', ('t'):rep(50)} end, {}), 'end'})
         for round = 1, 1000 do
             local proxy = newproxy(true)
             getmetatable(proxy).__gc = function() msgpack.encode({9, {9, 9}}) json.encode({8}) end
             proxy = nil
             local found = enc({1, {a = {2}}, ser(function() return {'s', ('t'):rep(50)} end, {}), 'end'})
             if found ~= expected then return found end
         end
         return 'equal'",
        "equal",
    );
}

#[test]
fn a_map_that_its_own_serialize_function_changes_is_refused() {
    returns(
        "-- Where a key stands in a map differs from state to state: names by round, so that in some
         -- round the function is not called for the last key.
         local function shrinking(round)
             local map = {['b' .. round] = 2, ['c' .. round] = 3, ['d' .. round] = 4}
             map['a' .. round] = ser(function()
                 for key in next, map do map[key] = nil end
                 return 1
             end, {})
             return map
         end
         for round = 1, 20 do
             local ok, reason = pcall(box.tuple.new, {1, shrinking(round), 5})
             if not ok then
                 assert(tostring(reason):find('a table changed while it was encoded, from 4 pairs to', 1, true),
                     tostring(reason))
                 return 'refused'
             end
         end",
        "refused",
    );
}

#[test]
fn a_finalizer_at_the_end_of_the_state_may_still_encode() {
    for _ in 0..20 {
        let lua = new_state(true).expect("a state");
        lua.load(
            "local msgpack, json, T = require('msgpack'), require('json'), box.tuple.new
             kept = newproxy(true)
             getmetatable(kept).__gc = function()
                 for i = 1, 100 do msgpack.encode({i, {i}}) json.encode(T{i, 'x'}) end
                 pcall(box.error, 1, 'x')
             end",
        )
        .exec()
        .expect("the finalizer");
    }
}

#[test]
fn large_numbers_keep_their_low_bits_in_compiled_code() {
    returns(
        "local encoder = require('lycosa.msgpack_encoder')
         local function bytes(length) return ffi.string(encoder.scratch.data, length) end
         local differ = 0
         for _, base in ipairs({123456789012345678, 2^53, 2^31, 2^32, 2^63, -2^53, 1e300, 0}) do
             for i = 1, 300 do
                 for _, v in ipairs({base, base + i, base - i, base + i - base, (base + i) / 2}) do
                     local t = {v, i}
                     if bytes(encoder.encode_full(t)) ~= bytes(encoder.encode_compiled(t)) then
                         differ = differ + 1
                     end
                 end
             end
         end
         return tostring(differ)",
        "0",
    );
}
