-- Which tuple objects are equal: those of one stored tuple, whatever their bytes.
box.cfg({log_level = 2, wal_mode = 'none'})

local a = box.schema.space.create('a')
a:create_index('primary')
a:create_index('secondary', {parts = {{2, 'unsigned'}}})
local b = box.schema.space.create('b')
b:create_index('primary')

local t = a:insert({1, 2})
print('get', t == a:get(1), t == a.index.secondary:get(2))
print('select', t == a:select()[1], t == a:select(1)[1])
for _, each in a:pairs() do
    print('pairs', each == t)
end
print('extremes', a.index.primary:min() == t, a.index.secondary:max() == t, a.index.primary:random(1) == t)

local other = b:insert(t)
print('same bytes in another space', other == t, t == other, t ~= other)
local replaced = a:replace({1, 2})
print('replaced by the same bytes', replaced == t, replaced == a:get(1))
print('updated', a:update(1, {{'=', 2, 2}}) == replaced, a:update(1, {{'=', 2, 2}}) == a:get(1))

local made = box.tuple.new({3, 4})
print('made', made == made, box.tuple.new({1, 2}) == box.tuple.new({1, 2}), box.tuple.new(made) == made)
print('inserted', a:insert(made) == made, a:get(3) == made)
print('changed', made:update({}) == made, made:transform(1, 0) == made, made:transform(1, 1, 3) == made)
print('upserted', made:upsert({}) == made)

local read = a:get(3)
print('deleted', a:delete(3) == read)
box.begin()
local within = a:insert({5, 6})
print('in a transaction', within == a:get(5))
box.commit()
print('after it', within == a:get(5))
print('as keys', ({[within] = true})[within], ({[within] = true})[a:get(5)])

print('nil', made == nil, made ~= nil, made == box.NULL)
local ok, message = pcall(function() return made == {3, 4} end)
print('table', ok, (message:gsub('^.-: ', '')))
print('number', pcall(function() return made == 1 end))

local before, after
a:on_replace(function(old, new) before, after = old, new end)
read = a:get(5)
local result = a:replace({5, 7})
print('on_replace', before == read, after == result, after == a:get(5))
a:delete(5)
print('on_replace of a delete', before == result, after)
local seen
a:before_replace(function(old, new)
    seen = old
    return new
end)
a:insert({6, 8})
read = a:get(6)
a:replace({6, 9})
print('before_replace', seen == read)
os.exit(0)
