-- differs from 2.6: integers fit a double field
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'v', 'double'}}})
s:create_index('pk')
show.try('half', s.insert, s, {1, 1.5})
show.try('integral', s.insert, s, {2, 3})
show.try('text', s.insert, s, {3, 'x'})

os.exit(0)
