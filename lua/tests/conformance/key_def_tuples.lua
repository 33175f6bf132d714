local show = require('show')
local key_def = require('key_def')

local definition = key_def.new({{fieldno = 1, type = 'unsigned'}, {fieldno = 3, type = 'string'}})
show('object', tostring(definition), type(definition), definition:totable())
show('extract_key', definition:extract_key({5, 6, 'x'}), definition:extract_key(box.tuple.new({5, 6, 'x', 7})))
show.try('missing field', definition.extract_key, definition, {5, 6})
show.try('type', definition.extract_key, definition, {'a', 6, 'x'})
show.fails('no tuple', definition.extract_key, definition, 5)
show.try('no argument', definition.extract_key, definition)
show('compare', definition:compare({1, 1, 'a'}, {1, 1, 'b'}), definition:compare({1, 1, 'b'}, {1, 1, 'a'}),
    definition:compare({1, 1, 'a'}, {1, 2, 'a'}), definition:compare({2, 1, 'a'}, box.tuple.new({10, 1, 'a'})) < 0)
show.try('missing field', definition.compare, definition, {1, 1}, {1, 2, 'a'})
show('compare_with_key', definition:compare_with_key({1, 1, 'a'}, {1}),
    definition:compare_with_key({1, 1, 'a'}, {1, 'b'}), definition:compare_with_key({1, 1, 'a'}, {}),
    definition:compare_with_key({2, 1, 'a'}, {1, 'z'}), definition:compare_with_key({2, 1, 'a'}, box.tuple.new({2})))
show.try('key', definition.compare_with_key, definition, {1, 1, 'a'}, 1)
show.try('type', definition.compare_with_key, definition, {2, 1, 'a'}, {'x'})

local mixed = key_def.new({{fieldno = 1, type = 'scalar', is_nullable = true}})
local values = {box.NULL, false, true, -1, 0.5, 1, 1.5, 2^60, 'a', 'b'}
local orders = {}
for left = 1, #values do
    for right = 1, #values do
        local order = mixed:compare({values[left]}, {values[right]})
        local expected = left < right and -1 or left > right and 1 or 0
        if order ~= expected then orders[#orders + 1] = {left, right, order} end
    end
end
show('out of order', orders)
show('nullable', mixed:extract_key({}), mixed:compare({}, {1}), mixed:compare({}, {box.NULL}))

local by_path = key_def.new({{field = 2, type = 'unsigned', path = 'a.b'}})
show('path', by_path:totable(), by_path:extract_key({1, {a = {b = 5}}}))
show('by path', by_path:compare({1, {a = {b = 5}}}, {1, {a = {b = 6}}}))

os.exit(0)
