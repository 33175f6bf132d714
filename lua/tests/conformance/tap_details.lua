-- What a failed check shows, without traces, and what strict tests tell apart. A child runs the checks:
-- its lines are sorted here, since the members of a map come in any order.
if arg[1] ~= 'child' then
    local lines = {}
    for line in io.popen(('%s %s child'):format(arg[-1], arg[0])):lines() do
        lines[#lines + 1] = line:match('^ *(.*)$')
    end
    table.sort(lines)
    print(table.concat(lines, '\n'))
    os.exit()
end

local ffi = require('ffi')
local fiber = require('fiber')
local test = require('tap').test('details')
test.trace = false
test:plan(40)

print(getmetatable(fiber.self()), getmetatable(fiber.channel(1)), getmetatable(fiber.cond()))
test:isudata(fiber.self(), 'fiber', 'a fiber')
test:isudata(fiber.channel(1), 'fiber.channel', 'a channel')
test:isudata(fiber.self(), 'fiber.channel', 'a fiber is no channel')
test:isudata(nil, 'fiber')
test:isudata('x', 'fiber', 'with more', {more = 1})
test:iscdata(1ULL, 'uint64_t', 'a number')
test:iscdata(1ULL, 'int', 'another kind')
test:iscdata(nil, 'int')
test:iscdata(box.NULL, 'void *')
test:iscdata(ffi.new('int[3]'), 'int[3]')
test:fail('nothing to show')

for _, strict in ipairs({true, false}) do
    test.strict = strict
    print('strict', strict)
    test:is(box.NULL, nil, 'null is nil')
    test:isnt(box.NULL, nil, 'null is not nil')
    test:isnil(box.NULL, 'null as nil')
    test:isnil(nil, 'nil as nil')
    test:is(1ULL, 1, 'numbers')
    test:is_deeply({1ULL}, {1}, 'numbers within')
    test:is_deeply({box.NULL}, {}, 'null, nothing')
    test:is_deeply({}, {box.NULL}, 'nothing, null')
    test:is_deeply({a = box.NULL}, {a = box.NULL}, 'null, null')
end

test:isnil(false, 'false as nil')
test:is_deeply({1, {2}}, {1, {2, 3}}, 'less within')
test:is_deeply({1, {2, 3}}, {1, {2}}, 'more within')
test:is_deeply({a = {b = 1}}, {a = {b = '1'}}, 'other within')
test:is_deeply({a = 1}, {b = 1}, 'another key')
test:is_deeply(1, 2, 'numbers alone')
test:is_deeply(1, '1', 'number and string')
test:is_deeply({1}, 'x', 'table and string')
test:is_deeply('x', {1}, 'string and table')
test:test('sub', function(inner)
    inner:plan(1)
    print(inner.strict, inner.trace)
    inner:is(1, 2, 'within')
end)
os.exit()
