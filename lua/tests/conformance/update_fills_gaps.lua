-- differs from 2.6: gaps behind the end are filled with nulls, and operations may meet in one field
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
s:insert{1}
show('gap', s:update(1, {{'=', 4, 'x'}}))
show('twice one field', s:update(1, {{'=', 2, 1}, {'+', 2, 1}}))

os.exit(0)
