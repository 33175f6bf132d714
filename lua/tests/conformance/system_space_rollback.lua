local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local _space, _index = box.space._space, box.space._index
local s = box.schema.space.create('s')
s:create_index('pk')
s:insert{1}
local before = {_space:count(), _index:count()}
local function unchanged()
    return _space:count() == before[1], _index:count() == before[2], _space:get(s.id).name, s:len()
end
box.begin()
s:create_index('second', {parts = {1, 'unsigned'}})
show('inside', _index:count() - before[2])
box.rollback()
show('index', unchanged())

box.begin()
local t = box.schema.space.create('t')
t:create_index('pk')
t:insert{1}
show('inside', _space:count() - before[1], _index:count() - before[2], t:len())
box.rollback()
show('space', box.space.t, unchanged())

box.begin()
s:rename('other')
show('inside', _space:get(s.id).name)
box.rollback()
show('rename', box.space.other, unchanged())

box.begin()
s:drop()
show('inside', _space:count() - before[1], _index:count() - before[2], box.space.s)
box.rollback()
s = box.space.s
show('drop', unchanged())

box.begin()
s:truncate()
show('inside', s:len())
box.rollback()
show('truncate', box.space._truncate:get(s.id), unchanged())

show.try('failed', s.create_index, s, 'pk')
show.try('failed', box.schema.space.create, 's')
show('failures leave no rows', unchanged())

os.exit(0)
