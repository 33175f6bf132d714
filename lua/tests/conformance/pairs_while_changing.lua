local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
for i = 1, 10 do s:insert{i} end
local seen = {}
for _, t in s:pairs() do
    seen[#seen + 1] = t[1]
    s:delete(t[1])
end
show('delete each', seen, s:len())
for i = 1, 10 do s:insert{i} end
seen = {}
for _, t in s:pairs() do
    seen[#seen + 1] = t[1]
    if t[1] <= 20 then s:replace{t[1] + 10} end
end
show('add behind', #seen, seen[#seen])
seen = {}
for _, t in s:pairs({}, {iterator = 'LE'}) do
    seen[#seen + 1] = t[1]
    s:delete(t[1] - 1)
end
show('delete the next', seen)
s:truncate()
for i = 1, 10 do s:insert{i * 2} end
seen = {}
for _, t in s:pairs() do
    seen[#seen + 1] = t[1]
    s:update(t[1], {{'=', 2, 'touched'}})
    if t[1] == 4 then s:insert{5} end
end
show('insert between', seen, s:count())

os.exit(0)
