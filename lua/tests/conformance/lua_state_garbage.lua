local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
for i = 1, 1000 do s:insert{i, ('x'):rep(100)} end
collectgarbage()
collectgarbage()
local before = collectgarbage('count')
for round = 1, 20 do
    for i = 1, 1000 do s:replace{i, ('x'):rep(100)} s:get(i) end
    for _ in s:pairs() do end
    for i = 1, 100 do pcall(s.insert, s, {1}) end
    s:select{}
    for i = 1, 50 do for _ in s:pairs(i) do break end end
    collectgarbage()
end
collectgarbage()
collectgarbage()
show('no growth', collectgarbage('count') < before * 2 + 2000)

os.exit(0)
