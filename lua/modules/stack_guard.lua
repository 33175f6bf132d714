-- Functions of LuaJIT's libraries that call Lua again from C, each on top of the caller's stack: deep
-- recursion through them would overflow a fiber's stack, which Lua's own limit knows nothing of. Here
-- they throw 'C stack overflow' instead. A check is one call that the compiler inlines into traces.

local native = ...
local ffi = require('ffi')

local error, type = error, type
local context = ffi.cast('void *', native.bridge)
local is_low = ffi.cast('bool (*)(void *)', native.stack_is_low)

local function check()
    if is_low(context) then
        error('C stack overflow', 3)
    end
end

-- All calls are tail calls: what the library says of wrong arguments names the function and the place
-- where the script called it.

local gsub = string.gsub
function string.gsub(...)
    local _, _, replacement = ...
    if type(replacement) == 'function' or type(replacement) == 'table' then
        check()
    end
    return gsub(...)
end

local format = string.format
function string.format(...)
    check()
    return format(...)
end

local sort = table.sort
function table.sort(...)
    check()
    return sort(...)
end

local foreach, foreachi = table.foreach, table.foreachi
function table.foreach(...)
    check()
    return foreach(...)
end

function table.foreachi(...)
    check()
    return foreachi(...)
end

local resume, wrap = coroutine.resume, coroutine.wrap
function coroutine.resume(...)
    if is_low(context) then
        return false, 'C stack overflow'
    end
    return resume(...)
end

function coroutine.wrap(...)
    if type((...)) ~= 'function' then
        return wrap(...)
    end
    local step = wrap(...)
    return function(...)
        check()
        return step(...)
    end
end

local load_chunk = load
function load(...)
    if type((...)) == 'function' then
        check()
    end
    return load_chunk(...)
end

local run_file = dofile
function dofile(...)
    check()
    return run_file(...)
end

local print_values = print
function print(...)
    check()
    return print_values(...)
end

return {is_low = function() return is_low(context) end}
