-- The module `errno`: the number of the last error of the system, its names and texts.

local native = ...
local ffi = require('ffi')

local names = native.names

local function number_of(value)
    local number = tonumber(value)
    if number == nil or number ~= number then
        error(("bad argument #1 to '?' (number expected, got %s)"):format(type(value)), 3)
    end
    return math.max(-2^31, math.min(2^31 - 1, number))
end

local errno = {}

function errno.strerror(number)
    local wanted = number == nil and ffi.errno() or number_of(number)
    return native.text(math.floor(wanted))
end

return setmetatable(errno, {
    __index = names,
    __newindex = function()
        error("Can't create new errno constants", 2)
    end,
    __call = function(_, number)
        if number == nil then
            return ffi.errno()
        end
        local wanted = number_of(number)
        return ffi.errno(wanted)
    end,
})
