-- differs from 2.6: there, finalizers may overwrite the statement that they interrupt
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local ffi = require('ffi')
jit.off()
local s = box.schema.space.create('s')
s:create_index('pk')
local other = box.schema.space.create('other')
other:create_index('pk')
local made = 0
local function litter()
    made = made + 1
    local number = made
    ffi.gc(ffi.new('int[4]'), function()
        other:replace{number, 'finalized'}
        other:delete(number)
    end)
end
collectgarbage('setpause', 100)
collectgarbage('setstepmul', 1000)
local wrong = 0
for i = 1, 20000 do
    litter()
    local t = s:insert{i, 'value ' .. i, i * 2}
    if t[1] ~= i or t[2] ~= 'value ' .. i or t[3] ~= i * 2 then wrong = wrong + 1 end
    t = s:update(i, {{'=', 2, 'changed ' .. i}})
    if t[1] ~= i or t[2] ~= 'changed ' .. i then wrong = wrong + 1 end
    t = s:delete(i)
    if t[1] ~= i or t[2] ~= 'changed ' .. i then wrong = wrong + 1 end
end
collectgarbage()
show('wrong', wrong, s:len(), other:len())

os.exit(0)
