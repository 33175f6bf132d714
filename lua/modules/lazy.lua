-- Tables that a module fills when they are first touched, so that a script pays neither time nor memory
-- for the parts of `box` that it leaves alone. A filled table is an ordinary one again.

local require, loaded = require, package.loaded

-- Tables that wait, with their metatables, by the name of the module that fills them; it may fill several.
local waiting = {}

local function fill(module)
    local tables = waiting[module]
    if tables == nil then
        return
    end
    waiting[module] = nil
    for shell in next, tables do
        setmetatable(shell, nil)
    end
    -- A module that another one has required is on its way to fill its tables.
    if loaded[module] ~= nil then
        return
    end
    local is_loaded, reason = pcall(require, module)
    if not is_loaded then
        -- For want of stack or memory: the next touch tries again.
        loaded[module], waiting[module] = nil, tables
        for shell, metatable in next, tables do
            setmetatable(shell, metatable)
        end
        error(reason, 0)
    end
end

-- What a filled table shows of itself to `json`, `yaml` and the like.
local function serialized(shell)
    local metatable = getmetatable(shell)
    if metatable ~= nil and metatable.__serialize ~= nil then
        return metatable.__serialize(shell)
    end
    local copy = {}
    for key, value in next, shell do
        copy[key] = value
    end
    return copy
end

-- The table's own metamethod, as the last call, so that its errors name the same place.
local function assign(shell, key, value)
    local metatable = getmetatable(shell)
    if metatable ~= nil and metatable.__newindex ~= nil then
        return metatable.__newindex(shell, key, value)
    end
    shell[key] = value
end

local function new_shell(module)
    local metatable = {
        __index = function(shell, key)
            fill(module)
            return shell[key]
        end,
        __newindex = function(shell, key, value)
            fill(module)
            return assign(shell, key, value)
        end,
        __call = function(shell, ...)
            fill(module)
            return shell(...)
        end,
        __pairs = function(shell)
            fill(module)
            return pairs(shell)
        end,
        __serialize = function(shell)
            fill(module)
            return serialized(shell)
        end,
    }
    local shell = setmetatable({}, metatable)
    waiting[module] = waiting[module] or {}
    waiting[module][shell] = metatable
    return shell
end

return {
    table = new_shell,
    -- A function of a module that is loaded by the first call.
    call = function(module, name)
        return function(...) return require(module)[name](...) end
    end,
}
