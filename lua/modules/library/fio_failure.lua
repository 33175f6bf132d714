-- Errors of the system as the modules `fio` and `popen` give them.

local ffi = require('ffi')
local errors = require('lycosa.error')

local function make(module, number)
    local message = ('%s: %s'):format(module, require('errno').strerror(number))
    local object = errors.make_system(message, number)
    ffi.errno(number)
    return object
end

return {
    make = make,
    fail = function(number) return make('fio', number) end,
}
