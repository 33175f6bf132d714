-- differs from 2.6: ALL with a key means GE in count too, and offset skips there
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
for i = 1, 5 do s:insert{i} end
show('select', s:select(3, {iterator = 'ALL'}))
show('count', s:count(3, {iterator = 'ALL'}))
show('offset', s:select(2, {iterator = 'ALL', offset = 1}))

os.exit(0)
