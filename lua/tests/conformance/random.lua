local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
show('empty', select('#', pk:random(1)))
for i = 1, 10 do s:insert{i} end
local seen = {}
for seed = 0, 99 do seen[pk:random(seed)[1]] = true end
local count = 0
for _ in pairs(seen) do count = count + 1 end
show('several rows', count > 3)

os.exit(0)
