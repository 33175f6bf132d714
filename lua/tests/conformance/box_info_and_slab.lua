local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

show('info', box.info.status, box.info.ro, type(box.info.pid), type(box.info.uptime), type(box.info.version))
show('call', box.info().status, type(box.info().version), box.info.nothing)
local memory = box.info.memory()
show('memory', type(memory.data), type(memory.index), type(memory.lua), memory.data >= 0)
local slab = box.slab.info()
show('slab', type(slab.quota_size), slab.quota_used <= slab.quota_size, slab.arena_used <= slab.arena_size,
    slab.items_used <= slab.items_size, slab.quota_used_ratio:match('^[%d.]+%%$') ~= nil)
local s = box.schema.space.create('s')
s:create_index('pk')
local used = box.slab.info().items_used
for i = 1, 10000 do s:insert{i, ('x'):rep(100)} end
show('grows', box.slab.info().items_used > used + 1000000, s:bsize() > 1000000, s.index.pk:bsize() > 0)
for i = 1, 10000 do s:delete(i) end
show('shrinks', tonumber(s:bsize()))
show('bsize of a row', s:insert{1, 'abc'}:bsize() == s:bsize())

os.exit(0)
