-- The module `fun`: iterators that generate, slice, filter, reduce and combine, with the interface of
-- the Lua Fun library.
--
-- An iterator is a generator function, a parameter that stays and a state that changes from element to
-- element: `gen(param, state)` answers with the next state, nil at the end, and the element's values.
-- Generators are plain functions over a parameter table and keep nothing else, so a state can be
-- returned to, and the compiler sees through a chain of them.

local iterators = require('lycosa.iterator')

local wrap, metatable = iterators.wrap, iterators.metatable
local error, getmetatable, type, tostring, select = error, getmetatable, type, tostring, select
local random = math.random

local fun, methods = {}, {}

local function check(condition, message)
    if not condition then
        error(message, 3)
    end
end

--- What can be iterated over.

local function nothing()
    return nil
end

local function each_character(text, position)
    position = position + 1
    if position > #text then
        return nil
    end
    return position, text:sub(position, position)
end

local function each_entry(map, last)
    local key, value = next(map, last)
    return key, key, value
end

local each_item = ipairs({})

local function open_table(object)
    local own = getmetatable(object)
    if own == metatable then
        return object.gen, object.param, object.state
    elseif type(own) == 'table' then
        local custom = own.__ipairs or own.__pairs
        if custom ~= nil then
            return custom(object)
        end
    end
    if #object > 0 then
        return each_item, object, 0
    end
    return each_entry, object, nil
end

-- The three parts of the iterator over whatever is given.
local function open(object, param, state)
    if object == nil then
        error('invalid iterator', 2)
    elseif type(object) == 'table' then
        return open_table(object)
    elseif type(object) == 'function' then
        return object, param, state
    elseif type(object) == 'string' then
        return each_character, object, 0
    end
    error(('object %s of type "%s" is not iterable'):format(tostring(object), type(object)), 2)
end

function fun.wrap(gen, param, state)
    return wrap(gen, param, state)
end

function fun.iter(object, param, state)
    return wrap(open(object, param, state))
end

function methods.unwrap(iterator)
    return iterator.gen, iterator.param, iterator.state
end

-- Makes `body` both a function and a method under each of the names. It takes `count` arguments, then
-- the three parts of an iterator.
local function define(names, count, body)
    local plain, method
    if count == 0 then
        function plain(object, param, state) return body(open(object, param, state)) end
        function method(it) return body(it.gen, it.param, it.state) end
    elseif count == 1 then
        function plain(a, object, param, state) return body(a, open(object, param, state)) end
        function method(it, a) return body(a, it.gen, it.param, it.state) end
    else
        function plain(a, b, object, param, state) return body(a, b, open(object, param, state)) end
        function method(it, a, b) return body(a, b, it.gen, it.param, it.state) end
    end
    for name in names:gmatch('%S+') do
        fun[name], methods[name] = plain, method
    end
end

--- Generators.

local function upwards(param, state)
    state = state + param[2]
    if state > param[1] then
        return nil
    end
    return state, state
end

local function downwards(param, state)
    state = state + param[2]
    if state < param[1] then
        return nil
    end
    return state, state
end

function fun.range(start, stop, step)
    check(type(start) == 'number', 'start must be a number')
    if stop == nil then
        if start == 0 then
            return wrap(nothing, nil, nil)
        end
        start, stop = start > 0 and 1 or -1, start
    end
    check(type(stop) == 'number', 'stop must be a number')
    step = step or (start <= stop and 1 or -1)
    check(type(step) == 'number', 'step must be a number')
    check(step ~= 0, 'step must not be zero')
    return wrap(step > 0 and upwards or downwards, {stop, step}, start - step)
end

local function same_values(param, state)
    return state + 1, unpack(param, 1, param.n)
end

local function same_value(param, state)
    return state + 1, param
end

function fun.duplicate(...)
    local count = select('#', ...)
    if count <= 1 then
        return wrap(same_value, (...), 0)
    end
    return wrap(same_values, {n = count, ...}, 0)
end
fun.replicate, fun.xrepeat = fun.duplicate, fun.duplicate

local function tabulated(f, state)
    return state + 1, f(state)
end

function fun.tabulate(f)
    return wrap(tabulated, f, 0)
end

function fun.zeros()
    return wrap(same_value, 0, 0)
end

function fun.ones()
    return wrap(same_value, 1, 0)
end

local function random_integer(param)
    return 0, random(param[1], param[2])
end

local function random_fraction()
    return 0, random()
end

-- Integers from `first` up to `last`, which is left out; fractions without either.
function fun.rands(first, last)
    if first == nil and last == nil then
        return wrap(random_fraction, 0, 0)
    end
    check(type(first) == 'number', 'invalid first arg to rands')
    if last == nil then
        first, last = 0, first
    end
    check(type(last) == 'number', 'invalid second arg to rands')
    check(first < last, 'empty interval')
    return wrap(random_integer, {first, last - 1}, 0)
end

-- What the other parts of the module stand on.
local core = {
    fun = fun,
    methods = methods,
    define = define,
    open = open,
    check = check,
    nothing = nothing,
    each_item = each_item,
    each_character = each_character,
}
require('lycosa.fun_slices')(core)
require('lycosa.fun_reductions')(core)
require('lycosa.fun_combinations')(core)

metatable.__index = methods

-- `require('fun')()` makes globals of all functions; those that there are stay, unless by wish.
return setmetatable(fun, {
    __call = function(_, overrides)
        for name, value in pairs(fun) do
            local is_taken = rawget(_G, name) ~= nil
            if is_taken then
                print(('%s: function %s already exists in global scope. %s.'):format(
                    overrides and 'WARNING' or 'NOTICE', name, overrides and 'Overwritten' or 'Skipped'))
            end
            if overrides or not is_taken then
                rawset(_G, name, value)
            end
        end
    end,
})
