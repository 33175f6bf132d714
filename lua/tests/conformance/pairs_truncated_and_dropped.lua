local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
for i = 1, 10 do s:insert{i} end
local gen, param, state = s:pairs()
local t
state, t = gen(param, state)
show('first', t)
s:truncate()
show.try('after truncate', function() local _, row = gen(param, state) return row end)
s:insert{100}
show.try('after an insert', function() local _, row = gen(param, state) return row end)
s:truncate()
for i = 1, 10 do s:insert{i} end
gen, param, state = s:pairs()
state, t = gen(param, state)
s:drop()
show.try('after drop', function() local _, row = gen(param, state) return row end)
show.try('again', function() local _, row = gen(param, state) return row end)

os.exit(0)
