local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local fiber = require('fiber')
local s = box.schema.space.create('s')
s:create_index('pk')
local fibers = {}
for f = 1, 10 do
    fibers[f] = fiber.new(function()
        for batch = 0, 9 do
            box.begin()
            for i = 1, 10 do s:insert{f * 1000 + batch * 10 + i, f} end
            box.commit()
            fiber.yield()
        end
        return f
    end)
    fibers[f]:set_joinable(true)
end
local sum = 0
for f = 1, 10 do
    local ok, value = fibers[f]:join()
    sum = sum + value
end
show('sum', sum, s:len())
local seen
box.begin()
s:insert{1}
local other = fiber.create(function()
    seen = box.is_in_txn()
end)
show('not in the other', seen)
show('own', box.is_in_txn())
box.rollback()
local left = fiber.new(function() box.begin() s:insert{2} end)
left:set_joinable(true)
left:join()
show('a fiber that ends rolls back', s:get(2), box.is_in_txn())

os.exit(0)
