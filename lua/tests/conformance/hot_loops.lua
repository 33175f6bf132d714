local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'unsigned'}, unique = false})
local count = 100000
for i = 1, count do s:insert{i, i % 100, 'payload'} end
show('insert', s:len(), sk:len(), s:get(count))
local sum = 0
for i = 1, count do sum = sum + s:get(i)[1] end
show('get', sum)
for i = 1, count do s:replace{i, i % 50, i} end
show('replace', s:len(), sk:count(49), s:get(5))
for i = 1, count do s:update(i, {{'+', 3, 1}}) end
sum = 0
for _, t in s:pairs() do sum = sum + t[3] end
show('update', sum)
for i = 1, count do s:upsert({i, 0, 0}, {{'+', 3, 1}}) end
show('upsert', s:get(1), s:get(count))
sum = 0
for i = 1, count do sum = sum + #s:select(i) + s:count(i) end
show('select', sum)
sum = 0
for i = 1, count do sum = sum + pk:min()[1] + pk:max()[1] end
show('min max', sum)
for i = 1, count, 2 do s:delete(i) end
show('delete', s:len(), sk:len(), s:get(1), s:get(2))
local refused = 0
for i = 2, count do if not pcall(s.insert, s, {i - i % 2, 1, 1}) then refused = refused + 1 end end
show('duplicates', refused)
for i = 1, 1000 do
    box.begin()
    for j = 1, 10 do s:replace{i * 10 + j, 0, j} end
    if i % 2 == 0 then box.commit() else box.rollback() end
end
show('transactions', s:len())

os.exit(0)
