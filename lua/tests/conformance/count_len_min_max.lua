local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
local pair = s:create_index('pair', {parts = {2, 'unsigned', 3, 'string'}, unique = false})
show('empty', s:len(), s:count(), select('#', pk:min()), select('#', pk:max()))
for i = 1, 20 do s:insert{i, i % 4, 'n' .. i} end
show('len', s:len(), pk:len())
show('count', s:count(), s:count(3), pair:count(1), pair:count{1, 'n5'}, pair:count(9))
show('count by iterator', s:count(5, {iterator = 'LT'}), s:count(5, {iterator = 'GE'}), pair:count({2}, 'GT'))
show('min', pk:min(), pair:min(), pair:min(2), pair:min(9))
show('max', pk:max(), pair:max(), pair:max(2))
show.try('min type', pk.min, pk, 'x')
show.try('count type', s.count, s, 'x')
show.try('too long', s.count, s, {1, 2})

os.exit(0)
