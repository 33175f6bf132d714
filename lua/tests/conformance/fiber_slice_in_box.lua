-- differs from 2.6: slices came with 2.11
-- A fiber that works on spaces for too long without a yield is stopped.
local fiber = require('fiber')
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
for id = 1, 100 do
    s:insert({id, id})
end
local function endless(label, work)
    fiber.yield()
    fiber.set_max_slice({warn = 3600, err = 0.01})
    local ok, err = pcall(function()
        for i = 1, math.huge do
            work(i % 100 + 1)
        end
    end)
    fiber.set_max_slice(3600)
    show(label, ok, tostring(err), type(err) == 'cdata' and err.type)
end
endless('replace', function(id) s:replace({id, 1}) end)
endless('update', function(id) s:update(id, {{'=', 2, 2}}) end)
endless('upsert', function(id) s:upsert({id, 1}, {{'=', 2, 3}}) end)
endless('delete', function(id) s:delete(id + 1000) end)
endless('get', function(id) s:get(id) end)
endless('select', function(id) s:select(id) end)
endless('count', function(id) s:count(id) end)
endless('min', function() s.index.pk:min() end)
endless('pairs', function() for _ in s:pairs() do end end)
show('intact', s:len(), s:get(1))
os.exit(0)
