-- Objects that hold MsgPack undecoded, and iterators over them. Both are userdata without memory of
-- their own; what they hold stands in tables with weak keys.

local values = require('lycosa.values')

local object_states = setmetatable({}, {__mode = 'k'})
local iterator_states = setmetatable({}, {__mode = 'k'})

local object_prototype, iterator_prototype = newproxy(true), newproxy(true)
local object_methods, iterator_methods = {}, {}

local native

local function state_of(states, value, name)
    local state = type(value) == 'userdata' and states[value]
    if not state then
        error(("bad argument #1 to '?' (%s expected, got %s)"):format(
            name, type(value) == 'nil' and 'no value' or type(value)), 3)
    end
    return state
end

-- An object of the bytes from `first` to `last` of a string.
local function make(bytes, first, last, decode)
    local object = newproxy(object_prototype)
    object_states[object] = {bytes = bytes, first = first, last = last, decode = decode}
    return object
end

local function object_state(value)
    return state_of(object_states, value, 'msgpack.object')
end

function object_methods.decode(object)
    local state = object_state(object)
    return (state.decode(state.bytes, state.first))
end

function object_methods.iterator(object)
    local state = object_state(object)
    local iterator = newproxy(iterator_prototype)
    iterator_states[iterator] = {source = state, position = state.first}
    return iterator
end

function object_methods.get(object, key)
    local state = object_state(object)
    if state.decoded == nil then
        local kind = native.kind(state.bytes, state.first)
        if kind ~= 'array' and kind ~= 'map' then
            error('not an array or map', 2)
        end
        state.decoded = state.decode(state.bytes, state.first)
    end
    return rawget(state.decoded, key)
end

local object_metatable = getmetatable(object_prototype)

function object_metatable.__index(object, key)
    local method = type(key) == 'string' and object_methods[key]
    if method then
        return method
    end
    return object_methods.get(object, key)
end

function object_metatable.__tostring()
    return 'msgpack.object'
end

local function iterator_state(value)
    return state_of(iterator_states, value, 'msgpack.iterator')
end

-- The position behind the value at `position`; throws at the end.
local function behind(source, position)
    if position > source.last then
        error('iteration ended', 3)
    end
    return position + native.measure(source.bytes, position)
end

local function header(kind)
    return function(iterator)
        local state = iterator_state(iterator)
        local source = state.source
        behind(source, state.position)
        if native.kind(source.bytes, state.position) ~= kind then
            error('unexpected msgpack type', 2)
        end
        local length, read = native.header(source.bytes, state.position)
        state.position = state.position + read
        return length
    end
end

iterator_methods.decode_array_header = header('array')
iterator_methods.decode_map_header = header('map')

function iterator_methods.decode(iterator)
    local state = iterator_state(iterator)
    local next_position = behind(state.source, state.position)
    local value = state.source.decode(state.source.bytes, state.position)
    state.position = next_position
    return value
end

function iterator_methods.take(iterator)
    local state = iterator_state(iterator)
    local first = state.position
    state.position = behind(state.source, first)
    return make(state.source.bytes, first, state.position - 1, state.source.decode)
end

function iterator_methods.take_array(...)
    if select('#', ...) ~= 2 then
        error('Usage: iter:take_array(count)', 2)
    end
    local iterator, count = ...
    local state = iterator_state(iterator)
    count = tonumber(count)
    if count == nil or count < 0 then
        error('count must be >= 0', 2)
    end
    local position = state.position
    for _ = 1, count do
        position = behind(state.source, position)
    end
    local bytes = native.array_header(count) .. state.source.bytes:sub(state.position, position - 1)
    state.position = position
    return make(bytes, 1, #bytes, state.source.decode)
end

function iterator_methods.skip(iterator)
    local state = iterator_state(iterator)
    state.position = behind(state.source, state.position)
end

local iterator_metatable = getmetatable(iterator_prototype)
iterator_metatable.__index = iterator_methods

function iterator_metatable.__tostring()
    return 'msgpack.iterator'
end

-- The bytes that an object stands for where it is encoded.
values.raw_of = function(value)
    local state = object_states[value]
    return state and state.bytes:sub(state.first, state.last)
end

return {
    new = function(bytes, decode)
        return make(bytes, 1, #bytes, decode)
    end,
    is = function(value)
        return type(value) == 'userdata' and object_states[value] ~= nil
    end,
    install = function(functions)
        native = functions
    end,
}
