-- Whether Lua code is compiled, and who wants to know: what is quick for compiled code (FFI calls) may
-- be slow for the interpreter, and has a second form for it.

local jit = require('jit')

local off, on = jit.off, jit.on
local listeners = {}

local function tell(is_compiled)
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
        listener((jit.status()))
    end,
}
