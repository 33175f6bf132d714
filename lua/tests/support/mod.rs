//! Runs Lua expressions in states with and without the JIT.

#![allow(dead_code, reason = "each test crate uses a part of it")]

use lycosa_lua::state::new_state;

/// What every chunk of a test can use.
const PRELUDE: &str = "
    local msgpack, json, ffi = require('msgpack'), require('json'), require('ffi')
    local function hex(s) return (s:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end
    local function unhex(s) return (s:gsub('..', function(c) return string.char(tonumber(c, 16)) end)) end
    local function enc(v) return hex(msgpack.encode(v)) end
    local function fails(f, ...) local ok, e = pcall(f, ...) return ok and 'no error' or tostring(e) end
    local function ser(rule, t) return setmetatable(t, {__serialize = rule}) end
    local T = box.tuple.new
";

/// Evaluates the list of expressions; each state must give the texts in `expected`, in order.
///
/// Compiled code must not differ from interpreted code, so each list is evaluated 200 times.
pub(crate) fn gives(expressions: &str, expected: &[&str]) {
    for jit in [true, false] {
        let lua = new_state(jit).expect("a state");
        let chunk = format!(
            "{PRELUDE}
             local out
             for round = 1, 200 do
                 local list = {{{expressions}}}
                 out = {{}}
                 for i = 1, table.maxn(list) do out[i] = tostring(list[i]) end
             end
             return out"
        );
        let found: Vec<String> = lua.load(&chunk).eval().expect(expressions);
        assert_eq!(found, expected, "jit {jit}: {expressions}");
    }
}

/// Evaluates a chunk that returns one text, in both states.
pub(crate) fn returns(chunk: &str, expected: &str) {
    for jit in [true, false] {
        let lua = new_state(jit).expect("a state");
        let found: String = lua.load(format!("{PRELUDE}{chunk}")).eval().expect(chunk);
        assert_eq!(found, expected, "jit {jit}: {chunk}");
    }
}
