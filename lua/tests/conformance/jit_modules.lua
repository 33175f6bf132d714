-- LuaJIT's own modules: bytecode, traces and the profiler.

local function lines_of(name)
    local file = assert(io.open(name))
    local text = file:read('*a')
    file:close()
    return text
end

for _, name in ipairs({'bc', 'dump', 'p', 'v', 'vmdef', 'zone', 'opt', 'util', 'profile'}) do
    print(name, type(require('jit.' .. name)))
end

-- The names of the virtual machine that runs.
local vmdef = require('jit.vmdef')
print(#vmdef.bcnames % 6, vmdef.bcnames:find('ADDVN', 1, true) ~= nil, type(vmdef.traceerr[0]))

local bytecode = {}
require('jit.bc').dump(function(value) return value + 1 end, {
    write = function(_, ...) bytecode[#bytecode + 1] = table.concat({...}) end,
    flush = function() end,
    close = function() end,
})
print(table.concat(bytecode):match('ADDVN') ~= nil, table.concat(bytecode):match('RET1') ~= nil)

-- What a loop becomes.
local function sum(count)
    local total = 0
    for number = 1, count do
        total = total + number % 7
    end
    return total
end
local function traced(module, ...)
    jit.flush()
    module.on(...)
    sum(10000)
    module.off()
end
if jit.status() then
    traced(require('jit.v'), 'verbose.txt')
    print(lines_of('verbose.txt'):match('TRACE %s*%d+ jit_modules.lua:%d+ loop') ~= nil)
    traced(require('jit.dump'), 'tbim', 'dump.txt')
    local dump = lines_of('dump.txt')
    print(dump:match('%-%-%-%- TRACE %d+ start') ~= nil, dump:match('%-%-%-%- TRACE %d+ IR') ~= nil,
        dump:match('%-%-%-%- TRACE %d+ mcode') ~= nil)
end

local profiler = require('jit.p')
profiler.start('f', 'profile.txt')
local began = os.clock()
while os.clock() - began < 0.2 do
    sum(10000)
end
profiler.stop()
print(type(lines_of('profile.txt')))

local zone = require('jit.zone')
zone('first')
zone('second')
print(zone:get(), zone(), zone:get(), zone())

os.exit()
