local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk', {type = 'HASH', parts = {1, 'unsigned', 2, 'string'}})
for i = 1, 100 do s:insert{i, 'x', i} end
show('eq', s:select{7, 'x'}, s:get{7, 'x'}, s:get{7, 'y'})
show('all', #s:select{}, s:len(), s:count())
show.try('partial', s.select, s, {7})
show.try('partial count', s.count, s, {7})
show.try('LT', s.select, s, {7, 'x'}, {iterator = 'LT'})
show.try('min', pk.min, pk)
show.try('max', pk.max, pk)
show('delete', s:delete{7, 'x'}, s:len())
show('update', s:update({8, 'x'}, {{'=', 3, 0}}))
local sum = 0
for _, t in pk:pairs() do sum = sum + t[1] end
show('sum', sum)

os.exit(0)
