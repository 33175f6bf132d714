local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local fiber = require('fiber')
local s = box.schema.space.create('s')
s:create_index('pk')
local produce = coroutine.wrap(function()
    for i = 1, 10 do
        s:insert{i}
        fiber.yield()
        coroutine.yield(i)
    end
    return 'end'
end)
local got = {}
for i = 1, 11 do got[i] = produce() end
show('wrap', got, s:len())
local inside = coroutine.create(function()
    box.begin()
    s:insert{100}
    coroutine.yield()
    box.commit()
end)
coroutine.resume(inside)
show('in the same transaction', box.is_in_txn(), s:get(100))
coroutine.resume(inside)
show('committed', box.is_in_txn(), s:get(100))
local sorted = {5, 3, 9, 1, 7}
table.sort(sorted, function(a, b) s:get(a) return a < b end)
show('sorted', sorted)
show('gsub', (('a1b2'):gsub('%d', function(d) return s:get(tonumber(d))[1] * 2 end)))
show('pcall yields', pcall(function() fiber.yield() s:insert{200} fiber.yield() return s:get(200) end))

os.exit(0)
