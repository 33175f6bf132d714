local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local u = s:create_index('u', {parts = {2, 'string'}})
local m = s:create_index('m', {parts = {3, 'unsigned'}, unique = false})
for i = 1, 50 do s:insert{i, 'k' .. i, i % 5} end
local before = {show.text(s:select{}), show.text(u:select{}), show.text(m:select{})}
box.begin()
for i = 1, 50 do
    if i % 3 == 0 then s:delete(i)
    elseif i % 3 == 1 then s:replace{i, 'new' .. i, i % 7}
    else u:update('k' .. i, {{'=', 2, 'up' .. i}, {'+', 3, 1}}) end
end
for i = 51, 80 do s:insert{i, 'k' .. i, 9} end
show('inside', s:len(), m:count(9), u:get('new1'))
box.rollback()
show('same', before[1] == show.text(s:select{}), before[2] == show.text(u:select{}), before[3] == show.text(m:select{}))

os.exit(0)
