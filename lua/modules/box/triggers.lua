-- Lists of functions that are called when something happens: `box.ctl.on_shutdown` and its like.

local Triggers = {}
Triggers.__index = Triggers

-- A list, empty.
local function new()
    return setmetatable({functions = {}}, Triggers)
end

local function is_callable(value)
    if type(value) == 'function' then
        return true
    end
    local metatable = type(value) == 'table' and getmetatable(value)
    return type(metatable) == 'table' and metatable.__call ~= nil
end

local function position_of(functions, wanted)
    for position, known in ipairs(functions) do
        if known == wanted then
            return position
        end
    end
    error('trigger reset: Trigger is not found', 4)
end

-- As Tarantool's `on_something(new, old)`: without arguments the list, newest first; else `new` is
-- added, takes the place of `old`, or `old` goes.
function Triggers:reset(count, new_function, old_function)
    local functions = self.functions
    if count == 0 then
        local result = {}
        for position, known in ipairs(functions) do
            result[position] = known
        end
        return result
    end
    local is_fine = (new_function == nil or is_callable(new_function))
        and (old_function == nil or is_callable(old_function))
        and (new_function ~= nil or old_function ~= nil)
    if not is_fine then
        error('trigger reset: incorrect arguments', 3)
    end
    if old_function == nil then
        table.insert(functions, 1, new_function)
    elseif new_function == nil then
        table.remove(functions, position_of(functions, old_function))
    else
        functions[position_of(functions, old_function)] = new_function
    end
    return new_function
end

-- The function that scripts call.
function Triggers:setter()
    return function(...)
        return self:reset(select('#', ...), ...)
    end
end

return {new = new}
