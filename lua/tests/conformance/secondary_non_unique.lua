local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'string'}, unique = false})
for i = 1, 9 do s:insert{i, ({'x', 'y', 'z'})[i % 3 + 1]} end
show('eq', sk:select('x'))
show('order within', sk:select('y', {iterator = 'REQ'}))
show('gt', sk:select('x', {iterator = 'GT', limit = 2}))
show('replace moves', s:replace{3, 'z'}, sk:count('x'), sk:count('z'))
show('delete', s:delete(4), sk:select('y'))
show('min', sk:min('z'), sk:max('x'))

os.exit(0)
