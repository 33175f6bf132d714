-- Whether and how Lua code is compiled, and who wants to know: what is quick for compiled code (FFI calls)
-- may be slow for the interpreter, and has a second form for it.

local native = ...
local jit = require('jit')
local opt = require('jit.opt')

-- On x86-64 LuaJIT may fuse a load with the instruction that uses the value, although a call of a C function
-- comes between that changes it: it looks for stores on the way only. So a field of a tuple was that of
-- the field that was read after it. Without fusing, an insert or a get takes as long as with it.
local start = opt.start

function opt.start(...)
    start(...)
    start('-fuse')
end

opt.start()

local off, on = jit.off, jit.on
local is_compiled, listeners = native.is_compiled, {}

local function tell(is_on)
    is_compiled = is_on
    for _, listener in ipairs(listeners) do
        listener(is_compiled)
    end
end

-- With an argument they are about one function.
function jit.off(...)
    if (...) == nil then
        tell(false)
    end
    return off(...)
end

function jit.on(...)
    if (...) == nil then
        tell(true)
    end
    return on(...)
end

return {
    -- For code that runs once: nobody is told.
    pause = function() off() end,
    resume = function() on() end,
    -- Calls `listener` with whether code is compiled: now, and when a script changes it.
    follow = function(listener)
        listeners[#listeners + 1] = listener
        listener(is_compiled)
    end,
}
