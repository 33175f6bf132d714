local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local function totals()
    local stat = box.stat()
    return {stat.INSERT.total, stat.REPLACE.total, stat.UPDATE.total, stat.DELETE.total, stat.UPSERT.total, stat.SELECT.total}
end
local before = totals()
for i = 1, 10 do s:insert{i} end
for i = 1, 9 do s:replace{i, 1} end
for i = 1, 8 do s:update(i, {{'=', 2, 2}}) end
for i = 1, 7 do s:delete(i) end
for i = 1, 6 do s:upsert({i}, {}) end
for i = 1, 5 do s:select(i) end
for i = 1, 4 do s:get(i) end
local after = totals()
for i = 1, 6 do after[i] = after[i] - before[i] end
show('counted', after)
show('indexed', box.stat.INSERT.total > 0, type(box.stat.INSERT.rps), box.stat.NOTHING)
box.stat.reset()
show('reset', box.stat.INSERT.total, box.stat().UPDATE.total)

os.exit(0)
