local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk', {parts = {1, 'scalar'}})
for _, key in ipairs{'b', 1, true, -1, 'a', false, 1.5, '', 'aa'} do s:insert{key} end
show('order', s:select{})
show('from true', s:select(true, {iterator = 'GT', limit = 2}))
show.try('null', s.insert, s, {box.NULL})
show.try('array', s.insert, s, {{1}})
show('text', s:get('a'), s:get(1), s:get(true))

os.exit(0)
