-- A limit and an offset are 32 bits without a sign: -1 is no limit, and an offset of -1 is behind the end.
local show = require('show')
box.cfg{wal_mode = 'none', log_level = 0}

local s = box.schema.space.create('s')
s:create_index('pk')
for i = 1, 5 do
    s:insert{i}
end
show('limit -1', s:select({}, {limit = -1}))
show('limit 0', s:select({}, {limit = 0}))
show('limit 2^32 - 1', #s:select({}, {limit = 4294967295}))
show('offset -1', s:select({}, {offset = -1}))
show('offset 4', s:select({}, {offset = 4}))
show('offset 5', s:select({}, {offset = 5}))
show('both', s:select({}, {offset = 1, limit = -1, iterator = 'REQ'}))
show('absent', #s:select({}, {offset = nil, limit = nil, iterator = nil}))
show.fails('limit of another type', s.select, s, {}, {limit = 'all'})
show.fails('offset of another type', s.select, s, {}, {offset = {}})
os.exit()
