-- differs from 2.6: options of reads that are box.NULL are as absent ones
local show = require('show')
box.cfg{wal_mode = 'none', log_level = 0}

local s = box.schema.space.create('s')
s:create_index('pk')
for i = 1, 5 do
    s:insert{i}
end
show('select', #s:select({}, {offset = box.NULL, limit = box.NULL, iterator = box.NULL, after = box.NULL}))
show('select by null options', #s:select({}, box.NULL))
show('pairs', s:pairs(2, {iterator = box.NULL}):totable())
show('count', s:count({}, {iterator = box.NULL}), s:count(2, box.NULL))
os.exit()
