//! Error objects and `box.error`, seen from Lua; texts were recorded from Tarantool.

mod support;

use lycosa_lua::error::PendingError;
use lycosa_lua::state::{new_state, with_boundary};
use support::{gives, returns};

#[test]
fn an_error_is_an_object_with_code_type_message_and_payload() {
    returns(
        "local e = box.error.new(box.error.SPACE_EXISTS, 'sp')
         return table.concat({type(e), e.code, e.type, e.base_type, e.message, tostring(e), e.space,
             tostring(e.prev), tostring(e.errno), tostring(e.nope), #e.trace, tostring(e.trace[1].line > 0)}, '|')",
        "cdata|10|ClientError|ClientError|Space 'sp' already exists|Space 'sp' already exists|sp|nil|nil|nil|1|true",
    );
}

#[test]
fn box_error_throws_what_it_is_given() {
    gives(
        "fails(box.error, 10, 'x'), fails(box.error, 7), fails(box.error, {code = 10, reason = 'r'}),
         fails(box.error, {reason = 'r'}), fails(box.error, 'CustomT', 'fmt %s', 5), fails(box.error, {}),
         fails(box.error, 99999, 'x')",
        &[
            "Space 'x' already exists",
            "Can't modify data on a read-only instance",
            "r",
            "r",
            "fmt 5",
            "",
            "Unknown error",
        ],
    );
    gives(
        "fails(box.error, 10), fails(box.error, 'x')",
        &["box.error(): bad arguments", "box.error(): bad arguments"],
    );
    returns(
        "local ok, e = pcall(box.error, {code = 5, reason = 'r', foo = 8}) return e.code .. e.foo",
        "58",
    );
}

#[test]
fn a_custom_type_has_the_base_type_custom_error() {
    returns(
        "local e = box.error.new('MyType', 'hello %d', 5)
         return table.concat({e.code, e.type, e.base_type, e.custom_type, e.message}, ' ')",
        "0 MyType CustomError MyType hello 5",
    );
}

#[test]
fn codes_have_names_and_unused_names_are_nil() {
    gives(
        "box.error.TUPLE_FOUND, box.error.NO_SUCH_SPACE, box.error.TRANSACTION_YIELD, box.error.UNCONFIGURED, box.error.NOPE, 1",
        &["3", "36", "154", "274", "nil", "1"],
    );
    returns(
        "local n, last = 0, 0 for k, v in pairs(box.error) do
             if type(v) == 'number' then n = n + 1 last = math.max(last, v) end end
         return n > 260 and tostring(last)",
        "287",
    );
}

#[test]
fn the_last_error_is_kept_thrown_again_and_cleared() {
    returns(
        "local r = {tostring(box.error.last())}
         pcall(box.error, 10, 'sp')
         r[#r + 1] = tostring(box.error.last())
         r[#r + 1] = fails(box.error)
         box.error.clear()
         r[#r + 1] = tostring(box.error.last())
         box.error.set(box.error.new(5, 'a', 'b'))
         r[#r + 1] = tostring(box.error.last())
         r[#r + 1] = fails(box.error.set, 1)
         return table.concat(r, '|')",
        "nil|Space 'sp' already exists|Space 'sp' already exists|nil|a does not support b|\
         Invalid argument #1 (error expected, got number)",
    );
}

#[test]
fn errors_are_unpacked_raised_matched_and_chained() {
    returns(
        "local e, p = box.error.new(10, 'sp'), box.error.new(5, 'a', 'b')
         local ok, thrown = pcall(e.raise, e)
         e:set_prev(p)
         local u = e:unpack()
         return table.concat({tostring(thrown == e), e:match('sp'), tostring(e.prev == p), u.message, u.code,
             tostring(u.prev == p), fails(p.set_prev, p, e), fails(e.set_prev, e, 5), e .. '!'}, '|')",
        "true|sp|true|Space 'sp' already exists|10|true|Cycles are not allowed|\
         Usage: error1:set_prev(error2)|Space 'sp' already exists!",
    );
    gives(
        "box.error.is(box.error.new(5, 'a', 'b')), box.error.is('x'), box.error.new(5, 'a', 'b') == nil,
         json.encode(box.error.new(5, 'a', 'b')), msgpack.decode(msgpack.encode(box.error.new(1, 'x'))).code",
        &["true", "false", "false", "\"a does not support b\"", "1"],
    );
    returns(
        "return tostring((pcall(function() box.error.new(5, 'a', 'b').code = 4 end)))",
        "false",
    );
}

#[test]
fn errors_without_a_code_become_luajit_errors() {
    returns(
        "local wrap = require('lycosa.error').wrap
         local e = wrap('boom') local same = box.error.new(1, 'x')
         return e.type .. e.code .. e.message .. tostring(wrap(same) == same)",
        "LuajitError0boomtrue",
    );
}

#[test]
fn an_error_left_by_an_ffi_function_is_raised_once() {
    let lua = new_state(true).expect("a state");
    with_boundary(&lua, |boundary| {
        boundary.set_error(PendingError {
            code: 36,
            kind: "ClientError",
            message: "Space 'x' does not exist".to_owned(),
            fields: vec![lycosa_engine::ErrorField::Text("x".to_owned())],
        });
    })
    .expect("a boundary");
    let found: String = lua
        .load(
            "local raise = require('lycosa.error').raise_pending
             local _, e = pcall(raise) local _, none = pcall(raise)
             return e.code .. e.space .. tostring(none)",
        )
        .eval()
        .expect("an error object");
    assert_eq!(found, "36xan FFI function failed without leaving an error");
}
