local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

jit.off()
local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'name', 'string'}, {'n', 'integer'}}})
s:create_index('pk')
local sk = s:create_index('sk', {parts = {3, 'integer'}, unique = false})
for i = 1, 2000 do s:insert{i, 'n' .. i, i % 7} end
local sum = 0
for i = 1, 2000 do local t = s:get(i) sum = sum + t.id + t.n end
show('sum', sum, s:len(), sk:count(3))
for i = 1, 2000 do s:update(i, {{'+', 'n', 100}}) end
show('updated', s:get(7), sk:min(), sk:max())
for i = 1, 2000, 2 do s:delete(i) end
show('left', s:len(), #s:select({}, {limit = 10}))
for _, t in s:pairs(1990, {iterator = 'GE'}) do show('row', t.name) end
box.begin() s:truncate() box.rollback()
show('rolled back', s:len())
jit.on()
for i = 1, 2000 do s:replace{i, 'again', i} end
show('on again', s:len(), s:get(2000))

os.exit(0)
