local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'name', 'string'}, {'data', 'map', is_nullable = true}}})
s:create_index('pk')
local t = s:insert{1, 'a', {x = {y = 5}}, 'extra'}
show('names', t.id, t.name, t.data, t.nothing)
show('path', t['data.x.y'], t['[3].x'], t['data.nothing'], t['data.x.y.z'])
show('tomap', t:tomap{names_only = true})
local map = t:tomap()
show('both', map[1], map.id, map[4], map.name)
show('of get', s:get(1).name, s:select{}[1].id)
for _, row in s:pairs() do show('of pairs', row.name) end
show('of update', s:update(1, {{'=', 'name', 'b'}}).name, s:delete(1).name)

os.exit(0)
