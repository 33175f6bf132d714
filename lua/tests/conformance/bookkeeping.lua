local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local names = {}
s:create_index('pk')
s:create_index('a', {parts = {2, 'unsigned'}})
s:create_index('b', {parts = {3, 'unsigned'}})
local b = s.index.b
s.index.a:drop()
show('left', s.index.a, s.index[1], s.index.b == b, s.index[2] == b, b.id)
show('again', s:create_index('c', {parts = {2, 'unsigned'}}).id, s.index.c.name)
for key in pairs(s.index) do names[#names + 1] = tostring(key) end
table.sort(names)
show('keys', names)
show('enabled', s.enabled, s.is_local, s.temporary)

os.exit(0)
