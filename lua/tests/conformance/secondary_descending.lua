-- differs from 2.6: sort_order came with 3.1
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local d = s:create_index('d', {parts = {{2, 'unsigned', sort_order = 'desc'}, {1, 'unsigned'}}})
for i = 1, 6 do s:insert{i, i % 3} end
show('order', d:select{})
show('parts', d.parts[1].sort_order, d.parts[2].sort_order)
show('eq', d:select(1))
show('GT', d:select(1, {iterator = 'GT'}))
show('LT', d:select(1, {iterator = 'LT'}))
show('min', d:min(), d:max())

os.exit(0)
