local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'string'}})
local many = s:create_index('many', {parts = {3, 'unsigned'}, unique = false})
for i = 1, 5 do s:insert{i, 'n' .. i, i % 2} end
show('deleted', s:delete(1))
show('nothing', select('#', s:delete(1)))
show('by secondary', sk:delete('n2'))
show.try('by non-unique', many.delete, many, 1)
show.try('partial', s.delete, s, {})
show.try('nil', s.delete, s)
show.try('type', s.delete, s, 'x')
show('rows', s:select{}, sk:select{}, many:select{})
show('again', s:insert{1, 'n1', 1})

os.exit(0)
