-- differs from 2.6: an object of a space that comes back is the same
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
s:insert{1}
box.begin()
s:drop()
show('inside', box.space.s, s.enabled, pcall(s.get, s, 1))
box.rollback()
show('back', box.space.s == s, s.enabled, s:get(1), s.index.pk.name, s:len())
box.begin()
s:drop()
local t = box.schema.space.create('s')
t:create_index('other')
show('another of its number', t.id == s.id, t == s, box.space.s == t)
box.rollback()
show('back', box.space.s.index.pk ~= nil, box.space.s:get(1), box.space.s.index.other)

os.exit(0)
