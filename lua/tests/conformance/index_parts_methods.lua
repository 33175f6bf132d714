-- differs from 2.6: its parts have no methods.
--
-- The parts of an index take keys out of tuples and compare them, as a key definition does.

box.cfg({log_level = 1, wal_mode = 'none'})

local space = box.schema.space.create('s', {format = {{'a', 'unsigned'}, {'b', 'string'}, {'c', 'number'}}})
local primary = space:create_index('pk', {parts = {{'b'}, {'a'}}})
local descending = space:create_index('d', {parts = {{'c', sort_order = 'desc'}}, unique = false})
local folded = space:create_index('f', {parts = {{'b', collation = 'unicode_ci'}}, unique = false})

local tuple = space:insert({1, 'x', 10})
print(primary.parts:extract_key(tuple), primary.parts:extract_key({7, 'y', 1, 'more'}))
print(primary.parts:compare({1, 'a', 0}, {2, 'a', 0}), primary.parts:compare({1, 'b', 0}, {2, 'a', 0}),
    primary.parts:compare({1, 'a', 5}, {1, 'a', 6}))
print(primary.parts:compare_with_key(tuple, {'x'}), primary.parts:compare_with_key(tuple, {'x', 2}))
print(descending.parts:compare({0, '', 1}, {0, '', 2}))
print(folded.parts:compare({0, 'ABC', 1}, {0, 'abc', 1}), folded.parts:compare({0, 'ABC', 1}, {0, 'abd', 1}))

for _, part in ipairs(descending.parts:merge(primary.parts):totable()) do
    print(part.fieldno, part.type)
end

-- They remain a list of tables.
print(#primary.parts, primary.parts[1].fieldno, primary.parts[3], primary.parts.nothing)
for position, part in ipairs(primary.parts) do
    print(position, part.fieldno, part.type)
end
print(#require('json').decode(require('json').encode(primary)).parts)

print(pcall(primary.parts.extract_key, primary.parts))
print(pcall(primary.parts.compare, primary.parts, tuple))
print(pcall(primary.parts.compare_with_key, primary.parts, tuple))
print(pcall(primary.parts.merge, primary.parts))
print(pcall(primary.parts.merge, primary.parts, 5))
print(pcall(primary.parts.extract_key, primary.parts, {1, 2}))
print(pcall(primary.parts.extract_key, primary.parts, 5))
print(pcall(primary.parts.extract_key))

-- And say whether there are hints.
print(primary.hint, space:create_index('h', {hint = false}).hint, space:create_index('k', {type = 'HASH'}).hint)
space.index.h:alter({hint = true})
print(space.index.h.hint)
box.begin()
space.index.h:alter({hint = false})
print(space.index.h.hint)
box.rollback()
print(space.index.h.hint)

os.exit()
