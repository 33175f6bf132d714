local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local function after(value, ...)
    s:replace{1, value}
    local ok, result = pcall(s.update, s, 1, {{select(1, ...), 2, select(2, ...)}})
    return ok and result[2] or show.error_text(result)
end
show('add', after(5, '+', 3), after(5, '+', -8), after(-5, '+', 8), after(1.5, '+', 1), after(1, '+', 0.25))
show('subtract', after(5, '-', 3), after(5, '-', 8), after(-5, '-', 8), after(1.5, '-', 1))
show('big', after(18446744073709551615ULL, '+', 1), after(-9223372036854775808LL, '-', 1))
show('to the edge', after(18446744073709551614ULL, '+', 1), after(0, '-', 9223372036854775807LL))
show('signed and unsigned', after(-1, '+', 18446744073709551615ULL))
show('bits', after(12, '&', 10), after(12, '|', 3), after(12, '^', 6))
show('bits of negative', after(-1, '&', 1), after(1, '|', -1))
show('bits of text', after('x', '&', 1))
show('text', after('x', '+', 1), after(1, '+', 'x'))
show('null', after(box.NULL, '+', 1))
show('splice', after('hello world', ':', 1))
s:replace{1, 'hello world'}
show('cut', s:update(1, {{':', 2, 1, 5, 'HELLO'}}))
show('negative', s:update(1, {{':', 2, -5, 5, 'there'}}))
show('insert', s:update(1, {{':', 2, 6, 0, ','}}))
show('past the end', s:update(1, {{':', 2, 100, 1, '!'}}))
show.try('of a number', function() s:replace{1, 5} s:update(1, {{':', 2, 1, 1, 'x'}}) end)
show.try('position zero', function() s:replace{1, 'x'} s:update(1, {{':', 2, 0, 1, 'x'}}) end)

os.exit(0)
