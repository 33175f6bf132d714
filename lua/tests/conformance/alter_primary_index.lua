local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
for n = 1, 5 do s:insert{n, 10 - n, 'v' .. n} end
pk:alter({parts = {2, 'unsigned'}})
show('by another field', s:select(), s:get(9), box.space._index:get({s.id, 0}):totable(2))
pk:alter({type = 'hash'})
show('hash', pk.type, s:get(5), s:len())
pk:alter({type = 'tree', parts = {{1, 'unsigned'}, {2, 'unsigned'}}})
show('back', pk.type, s:select(), s:get({5, 5}))
show('same object', s.index.pk == pk, s.index[0] == pk, #pk.parts)

s:insert{6, 1}
s:insert{7, 1}
show.try('duplicates', pk.alter, pk, {parts = {2, 'unsigned'}})
show.try('wrong type', pk.alter, pk, {parts = {3, 'unsigned'}})
show.try('nullable', pk.alter, pk, {parts = {{1, 'unsigned', is_nullable = true}}})
show.try('not unique', pk.alter, pk, {unique = false})
show.try('no parts', pk.alter, pk, {parts = {}})
show.try('unknown option', pk.alter, pk, {other = 1})
show('as it was', #pk.parts, s:len(), s:get({6, 1}))

local second = s:create_index('second', {parts = {2, 'unsigned'}, unique = false})
pk:alter({parts = {1, 'unsigned'}})
show('secondary', second:select(1), second:select(), s:get(7))
s:replace{7, 2}
s:delete(6)
show('kept in step', second:select({}, {limit = 2}), s:len())

box.begin()
pk:alter({parts = {{1, 'unsigned'}, {2, 'unsigned'}}})
show('inside', #pk.parts, s:get({7, 2}))
box.rollback()
show('rolled back', #pk.parts, s:get(7), second:select(2))
box.begin()
s:insert{8, 8}
show.try('second statement', pk.alter, pk, {parts = {2, 'unsigned'}})
box.rollback()

show('nothing', pk:alter({}), pk:alter())
pk:alter({name = 'main', type = 'hash'})
show('name and type', s.index.main == pk, s.index.pk, pk.type)

os.exit(0)
