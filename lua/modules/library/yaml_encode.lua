-- The encoder of the module `yaml`: from a value to the list of events that libyaml writes.
--
-- It walks a value twice: once for the tables that occur more than once, which get anchors, and once
-- for the events.

local ffi = require('ffi')

-- Deeper nesting than this is a mistake, and its indentation alone would fill the memory.
local MAX_DEPTH = 1000

local encode_value

-- How often each table occurs in `value`: true for those that do more than once.
local function count_references(value, seen, depth)
    if type(value) ~= 'table' or depth > MAX_DEPTH then
        return
    elseif seen[value] ~= nil then
        seen[value] = true
        return
    end
    seen[value] = false
    for key, item in next, value do
        count_references(key, seen, depth + 1)
        count_references(item, seen, depth + 1)
    end
end

local function put(events, kind, text, is_flow)
    local count = #events
    events[count + 1], events[count + 2], events[count + 3] = kind, text, is_flow or false
end

local function unsupported(events, value, config)
    if config.encode_use_tostring then
        put(events, 'string', tostring(value))
    elseif config.encode_invalid_as_nil then
        put(events, 'plain', 'null')
    else
        error(("unsupported Lua type '%s'"):format(type(value)), 0)
    end
end

local LOWEST, HIGHEST = -2 ^ 63, 2 ^ 64

local function encode_number(events, number, config)
    local text
    if number ~= number or number == math.huge or number == -math.huge then
        if not config.encode_invalid_numbers then
            if config.encode_invalid_as_nil then
                return put(events, 'plain', 'null')
            end
            error('number must not be NaN or Inf', 0)
        end
        text = number ~= number and 'nan' or number > 0 and 'inf' or '-inf'
    elseif number % 1 == 0 and number >= LOWEST and number < HIGHEST and math.abs(number) < 1e19 then
        local integer = number < 0 and ffi.cast('int64_t', number) or ffi.cast('uint64_t', number)
        text = tostring(integer):match('^-?%d+')
    else
        text = ('%.' .. config.encode_number_precision .. 'g'):format(number)
    end
    put(events, 'plain', text)
end

-- Whether the keys are 1 to some length with few gaps, and that length.
local function array_length(value, config)
    local count, largest = 0, 0
    for key in next, value do
        if type(key) ~= 'number' or key < 1 or key % 1 ~= 0 then
            return nil
        end
        count, largest = count + 1, math.max(largest, key)
    end
    local ratio = config.encode_sparse_ratio
    if ratio > 0 and largest > config.encode_sparse_safe and largest > count * ratio then
        if not config.encode_sparse_convert then
            error('excessively sparse array', 0)
        end
        return nil
    end
    return largest
end

-- The anchor of a new container, or nothing: then the event that stands for it is put.
local function anchor_of(context, value)
    local known = context.references[value]
    if known == true then
        local anchor = tostring(context.anchors)
        context.anchors = context.anchors + 1
        context.references[value] = anchor
        return anchor
    elseif known then
        put(context.events, 'alias', known)
        return nil
    end
    return false
end

local function encode_array(context, value, length, is_flow, depth)
    local anchor = anchor_of(context, value)
    if anchor == nil then
        return
    end
    put(context.events, '[', anchor, is_flow)
    for position = 1, length do
        encode_value(context, rawget(value, position), depth + 1)
    end
    put(context.events, ']', false)
end

local function encode_map(context, value, is_flow, depth)
    local anchor = anchor_of(context, value)
    if anchor == nil then
        return
    end
    put(context.events, '{', anchor, is_flow)
    for key, item in next, value do
        encode_value(context, key, depth + 1)
        encode_value(context, item, depth + 1)
    end
    put(context.events, '}', false)
end

local function encode_table(context, value, depth)
    if depth > MAX_DEPTH then
        error('Too high nest level', 0)
    end
    local config = context.config
    local metatable = config.encode_load_metatables and debug.getmetatable(value)
    local rule = type(metatable) == 'table' and rawget(metatable, '__serialize')
    if not rule then
        local length = array_length(value, config)
        if length ~= nil then
            return encode_array(context, value, length, false, depth)
        end
        return encode_map(context, value, false, depth)
    elseif type(rule) == 'function' then
        return encode_value(context, rule(value), depth + 1)
    elseif rule == 'seq' or rule == 'sequence' or rule == 'array' then
        local length = 0
        for key in next, value do
            length = type(key) == 'number' and math.max(length, key) or length
        end
        return encode_array(context, value, length, rule == 'seq', depth)
    elseif rule == 'map' or rule == 'mapping' then
        return encode_map(context, value, rule == 'map', depth)
    end
    error('invalid __serialize value', 0)
end

local function is_varbinary(value)
    local varbinary = package.loaded.varbinary
    return varbinary ~= nil and varbinary.is(value)
end

local function encode_cdata(context, value, depth)
    local events = context.events
    if value == nil then
        return put(events, 'plain', 'null')
    elseif box.tuple.is(value) then
        return encode_array(context, value:totable(), #value, true, depth)
    elseif box.error.is(value) then
        return put(events, 'string', tostring(value))
    elseif is_varbinary(value) then
        return put(events, 'binary', tostring(value))
    end
    local number = tonumber(value)
    local text = tostring(value)
    if number ~= nil and text:match('^-?%d+U?LL$') then
        put(events, 'plain', text:match('^-?%d+'))
    elseif number ~= nil and not text:find('^cdata') or ffi.istype('float', value) then
        put(events, 'plain', text)
    elseif number ~= nil and text:find('^cdata<') then
        encode_number(events, number, context.config)
    elseif text:find('^cdata<') then
        unsupported(events, value, context.config)
    else
        put(events, 'plain', text)
    end
end

function encode_value(context, value, depth)
    local kind = type(value)
    local events = context.events
    if kind == 'string' then
        put(events, tonumber(value) ~= nil and 'quoted' or 'string', value)
    elseif kind == 'number' then
        encode_number(events, value, context.config)
    elseif kind == 'table' then
        encode_table(context, value, depth)
    elseif kind == 'boolean' then
        put(events, 'plain', tostring(value))
    elseif kind == 'nil' then
        put(events, 'plain', 'null')
    elseif kind == 'cdata' then
        encode_cdata(context, value, depth)
    else
        local metatable = kind == 'userdata' and debug.getmetatable(value)
        local rule = type(metatable) == 'table' and rawget(metatable, '__serialize')
        if type(rule) == 'function' then
            encode_value(context, rule(value), depth + 1)
        else
            unsupported(events, value, context.config)
        end
    end
end

-- The events of `value` as `config` has them.
local function events_of(value, config)
    local context = {events = {}, references = {}, anchors = 0, config = config}
    count_references(value, context.references, 0)
    encode_value(context, value, 0)
    return context.events
end

return {events_of = events_of}
