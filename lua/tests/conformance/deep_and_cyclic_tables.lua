local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local cycle = {1}
cycle[2] = cycle
show.fails('cycle as tuple', s.insert, s, cycle)
local deep = {}
local at = deep
for i = 1, 100 do at[1] = {} at = at[1] end
local ok, t = pcall(s.insert, s, {2, deep})
local depth = 0
local cursor = ok and t[2]
while type(cursor) == 'table' and cursor[1] ~= nil do depth = depth + 1 cursor = cursor[1] end
show('alive', s:len() <= 2)

os.exit(0)
