-- Iterator objects: a generator, its parameter and its state in one table. `pairs` of spaces, indexes
-- and tuples answers with one; their methods are those of the module `fun`, loaded when one is asked for.
--
-- A generic `for` calls the object for each element; the compiler makes that cost nothing.

local setmetatable = setmetatable

local metatable = {
    __call = function(iterator, param, state) return iterator.gen(param, state) end,
    __tostring = function() return '<generator>' end,
}

-- The module `fun` puts its table of methods here when it is loaded.
function metatable.__index(iterator, name)
    require('fun')
    return iterator[name]
end

-- Answers with what a generic `for` takes: the object comes first, so it has methods as well.
local function wrap(gen, param, state)
    return setmetatable({gen = gen, param = param, state = state}, metatable), param, state
end

return {wrap = wrap, metatable = metatable}
