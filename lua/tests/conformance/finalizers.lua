-- differs from 2.6: there, finalizers overwrite the statement that they interrupt
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local ffi = require('ffi')
local s = box.schema.space.create('s')
s:create_index('pk')
local log = box.schema.space.create('log')
log:create_index('pk')
local made, ended = 0, 0
local function litter()
    made = made + 1
    local number = made
    ffi.gc(ffi.new('int[4]'), function()
        ended = ended + 1
        log:insert{number, 'finalized', ('z'):rep(number % 50)}
        log:get(number)
        for _, t in log:pairs(number, {iterator = 'GE'}) do break end
        log:select(number)
    end)
end
local wrong = 0
for i = 1, 50000 do
    if i % 5 == 0 then litter() end
    local t = s:insert{i, 'value ' .. i, i * 2}
    if t[1] ~= i or t[2] ~= 'value ' .. i or t[3] ~= i * 2 then wrong = wrong + 1 end
    t = s:get(i)
    if t[1] ~= i or t[2] ~= 'value ' .. i then wrong = wrong + 1 end
    t = s:update(i, {{'=', 2, 'changed ' .. i}})
    if t[1] ~= i or t[2] ~= 'changed ' .. i then wrong = wrong + 1 end
    t = s:select(i)[1]
    if t[1] ~= i or t[2] ~= 'changed ' .. i then wrong = wrong + 1 end
end
collectgarbage()
collectgarbage()
show('wrong', wrong, s:len(), ended == made, log:len() == made)
for i = 1, 50000 do
    local t = s:get(i)
    if t[1] ~= i or t[2] ~= 'changed ' .. i or t[3] ~= i * 2 then wrong = wrong + 1 end
end
show('stored', wrong)

os.exit(0)
