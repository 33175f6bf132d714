//! Values between Lua and `MsgPack`, seen from Lua and compared with what Tarantool does.

use lycosa_lua::state::new_state;

/// Runs `expression` in states with and without the JIT; both must give `expected`.
fn gives(expression: &str, expected: &str) {
    for jit in [true, false] {
        let lua = new_state(jit).expect("a state");
        let chunk = format!(
            "local function hex(s) return (s:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end
             local msgpack, ffi = require('msgpack'), require('ffi')
             local function enc(v) return hex(msgpack.encode(v)) end
             local function fails(f, ...) local ok, e = pcall(f, ...) return ok and 'no error' or tostring(e) end
             local list = {{{expression}}}
             local out = {{}}
             for i = 1, table.maxn(list) do out[i] = tostring(list[i]) end
             return table.concat(out, ' ')"
        );
        let found: String = lua.load(&chunk).eval().expect(expression);
        assert_eq!(found, expected, "jit {jit}: {expression}");
    }
}

#[test]
fn scalars_have_tarantools_bytes() {
    gives(
        "enc(-0.0), enc(1.5), enc(127), enc(128), enc(-32), enc(-33), enc(-129)",
        "00 cb3ff8000000000000 7f cc80 e0 d0df d1ff7f",
    );
    gives(
        "enc(65535), enc(65536), enc(2^32), enc(-2^31), enc(-2^31-1)",
        "cdffff ce00010000 cf0000000100000000 d280000000 d3ffffffff7fffffff",
    );
    gives(
        "enc(2^63), enc(2^64), enc(-2^63), enc(-2^64), enc(1/0)",
        "cf8000000000000000 cb43f0000000000000 d38000000000000000 cbc3f0000000000000 cb7ff0000000000000",
    );
    gives(
        "enc(-5LL), enc(5ULL), enc(ffi.new('float', 1.5)), enc(ffi.new('double', 1)), enc(nil), enc(box.NULL), enc(ffi.new('int8_t', -3))",
        "fb 05 ca3fc00000 cb3ff0000000000000 c0 c0 fd",
    );
}
