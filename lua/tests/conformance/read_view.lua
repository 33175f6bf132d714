-- differs from 2.6: its free edition has no read views
local fiber = require('fiber')
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'name', 'string'}, {'n', 'unsigned'}}})
local pk = s:create_index('pk')
local by_name = s:create_index('by_name', {type = 'HASH', parts = {'name'}})
local by_n = s:create_index('by_n', {parts = {'n'}, unique = false})
for i = 1, 5 do s:insert{i, 'name ' .. i, i % 2} end
local empty = box.schema.space.create('empty')
local without = box.schema.space.create('without an index')

show('none is open', box.read_view.list())
local rv = box.read_view.open()
show('what it is', rv.name, rv.status, rv.is_system, type(rv.id), rv.signature)
s:replace{1, 'changed', 7}
s:delete(2)
s:insert{6, 'name 6', 0}
local v = rv.space.s
show('get', v:get(1), v:get(2), v:get(6), s:get(1), s:get(6))
show('by other indexes', v.index.by_name:get('name 2'), v.index.by_name:get('changed'))
show('names of fields', v:get(2).name, v:get{2}.n)
show('select', v:select(), v:select({3}, {iterator = 'ge', limit = 2}))
show('select by another', v.index.by_n:select(1), v.index.by_n:select({1}, 'lt'))
local rows, position = v:select({}, {limit = 2, fetch_pos = true})
show('pages', rows, v:select({}, {after = position, limit = 2}), v:select({}, {after = {4}}))
show('position', v.index.pk:tuple_pos({2}) == position)
show('count', v:count(), v:count(3, 'ge'), v.index.by_n:count(1))
for _, tuple in v:pairs({4}, {iterator = 'le'}) do
    io.write(tuple.name, ' ')
end
print()
show('pairs as iterator', v:pairs():map(function(tuple) return tuple[1] end):totable())
show('by number', rv.space[s.id] == v, v.index[0] == v.index.pk, v.id == s.id, v.name)
show('nothing to read', rv.space.empty, pcall(rv.space['without an index'].get, rv.space['without an index'], 1))

-- What happens to a space does not matter to the view.
local named = box.read_view.open({name = 'named'})
show('second', named.name, named.id == rv.id + 1, named.space.s:get(1))
s:truncate()
by_name:drop()
show('truncated', s:count(), v:count(), v.index.by_name:get('name 1'), named.space.s:count())
s:drop()
show('dropped', v:get(3), named.space.s:select())
box.schema.space.create('late'):create_index('pk')
show('made later', rv.space.late, v.insert, v.index.pk.delete)

show('list', #box.read_view.list(), box.read_view.list()[1] == rv, box.read_view.list()[2] == named)
local open_iterator, param, state = v:pairs()
rv:close()
show('closed', rv.status, rv:info().status, named.status, #box.read_view.list())
for _, f in ipairs({
    function() return v:get(1) end, function() return v:select() end, function() return v:pairs() end,
    function() return v:count() end, function() return v.index.by_n:select(1) end,
    function() return rv:close() end, function() return open_iterator(param, state) end,
}) do
    local ok, err = pcall(f)
    print(ok, err.code == box.error.READ_VIEW_CLOSED, err)
end
show('the other goes on', named.space.s:get(6))

-- Fibers switch, and the view stays.
fiber.sleep(0.001)
show('after a yield', named.space.s:count())
named:close()

-- Values that are not options, and calls with a dot.
show('fails', pcall(box.read_view.open, 'x'))
show('fails', pcall(box.read_view.open, {name = 1}))
show('fails', pcall(box.read_view.open, {other = true}))
local third = box.read_view.open()
local late = third.space.late
show('fails', pcall(third.close))
show('fails', pcall(third.info))
show('fails', pcall(late.get))
show('fails', pcall(late.index.pk.select))
show('fails', pcall(late.get, late, 'text'))
show('fails', pcall(late.select, late, {}, {iterator = 'sideways'}))
show('fails', pcall(late.get, late))
third:close()

-- A transaction's own changes are nobody else's yet.
box.begin()
local within = box.read_view.open()
show('in a transaction', within.space.late:count())
box.space.late:insert{1}
show('fails', pcall(box.read_view.open))
box.commit()
show('it stays', within.space.late:count())
within:close()

-- A view that is forgotten is closed, and gives its memory back.
local data = box.schema.space.create('data')
data:create_index('pk')
for i = 1, 1000 do data:insert{i, ('x'):rep(1000)} end
local forgotten = box.read_view.open()
data:truncate()
local held = box.slab.info().items_used
forgotten = nil
collectgarbage()
collectgarbage()
show('given back', #box.read_view.list(), held - box.slab.info().items_used > 1000000)
os.exit()
