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

-- With code of the user's around the statements, and values from a sequence.
local hooked = box.schema.space.create('hooked')
hooked:create_index('pk')
local trigger = hooked:on_replace(function() end)
endless('on_replace', function(id) hooked:replace({id, 1}) end)
endless('update with on_replace', function(id) hooked:update(id, {{'=', 2, 2}}) end)
endless('upsert with on_replace', function(id) hooked:upsert({id, 1}, {{'=', 2, 3}}) end)
endless('delete with on_replace', function(id) hooked:delete(id + 1000) end)
hooked:on_replace(nil, trigger)
hooked:before_replace(function(_, new) return new end)
endless('before_replace', function(id) hooked:replace({id, 1}) end)
local nested = box.schema.space.create('nested')
nested:create_index('pk')
nested:on_replace(function() while true do s:get(1) end end)
endless('within a trigger', function(id) nested:replace({id, 1}) end)
show('undone', nested:len())
box.schema.func.create('fits', {language = 'LUA', is_deterministic = true,
    body = 'function(value) return value > 0 end'})
local ruled = box.schema.space.create('ruled', {format = {
    {'id', 'unsigned', constraint = 'fits'}, {'name', 'string', default = 'none'}}})
ruled:create_index('pk')
endless('constraint and default', function(id) ruled:replace({id}) end)
local numbered = box.schema.space.create('numbered')
numbered:create_index('pk', {sequence = true})
endless('sequence', function() numbered:insert({box.NULL}) end)
show('intact', s:len(), s:get(1))
os.exit(0)
