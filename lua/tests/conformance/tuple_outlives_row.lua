local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local kept = {}
for i = 1, 100 do kept[i] = s:insert{i, ('v%d'):format(i)} end
local selected = s:select{}
for i = 1, 100 do s:replace{i, 'changed'} end
s:truncate()
s:drop()
collectgarbage()
collectgarbage()
local same = true
for i = 1, 100 do
    same = same and kept[i][2] == 'v' .. i and selected[i][1] == i
end
show('same', same, kept[100], selected[1])

os.exit(0)
