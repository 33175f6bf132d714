-- The values that Lua itself does not have: null, 64-bit integers, uuid, decimal; and the walk over
-- objects with `pairs`. Rust keeps references to what this module returns.

local native = ...
local ffi = require('ffi')

ffi.cdef([[
struct lycosa_scratch { uint8_t *data; uint32_t capacity; int32_t serial; };
struct lycosa_jit_counters { uint64_t traces; uint64_t aborts; uint64_t flushes; };
struct uuid { uint8_t bytes[16]; };
struct decimal { uint8_t size; uint8_t payload[?]; };
]])

local null = ffi.cast('void *', 0)
box.NULL = null

local sequence_metatable = {__serialize = 'seq'}
local map_metatable = {__serialize = 'map'}

local int64_t = ffi.typeof('int64_t')
local uint64_t = ffi.typeof('uint64_t')

-- Makes a 64-bit integer of its upper and lower half.
local function make_integer(upper, lower, signed)
    local value = ffi.cast(uint64_t, upper) * 0x100000000ULL + ffi.cast(uint64_t, lower)
    return signed and ffi.cast(int64_t, value) or value
end

local uuid_t = ffi.typeof('struct uuid')
local decimal_t = ffi.typeof('struct decimal')

local function make_uuid(payload)
    local uuid = ffi.new(uuid_t)
    ffi.copy(uuid.bytes, payload, 16)
    return uuid
end

local function make_decimal(payload)
    local decimal = ffi.new(decimal_t, #payload)
    decimal.size = #payload
    ffi.copy(decimal.payload, payload, #payload)
    return decimal
end

-- Not compiled: see `from_bytes_compiled` in tuple.lua.
jit.off(make_decimal)

local function uuid_text(uuid)
    local hex = {}
    for position = 0, 15 do
        hex[position + 1] = ('%02x'):format(uuid.bytes[position])
    end
    return (table.concat(hex):gsub('^(%x%x%x%x%x%x%x%x)(%x%x%x%x)(%x%x%x%x)(%x%x%x%x)', '%1-%2-%3-%4-'))
end

local function uuid_equals(left, right)
    return ffi.istype(uuid_t, left) and ffi.istype(uuid_t, right)
        and ffi.string(left.bytes, 16) == ffi.string(right.bytes, 16)
end

local function uuid_is_less(left, right)
    return uuid_text(left) < uuid_text(right)
end

ffi.metatype(uuid_t, {
    __tostring = uuid_text,
    __eq = uuid_equals,
    __lt = uuid_is_less,
    __le = function(left, right) return not uuid_is_less(right, left) end,
    __index = {str = uuid_text},
})

local function decimal_text(decimal)
    return native.decimal_text(ffi.string(decimal.payload, decimal.size))
end

-- The text without the zeros that only tell the scale: equal for equal numbers.
local function decimal_canon(decimal)
    local text = decimal_text(decimal)
    if text:find('.', 1, true) then
        text = text:gsub('0+$', ''):gsub('%.$', '')
    end
    return text == '-0' and '0' or text
end

ffi.metatype(decimal_t, {
    __tostring = decimal_text,
    __eq = function(left, right)
        return ffi.istype(decimal_t, left) and ffi.istype(decimal_t, right)
            and decimal_canon(left) == decimal_canon(right)
    end,
})

-- `pairs` and `ipairs` also walk cdata that have methods of these names, and `pairs` honours
-- `__pairs`, as in Tarantool.
local plain_pairs, plain_ipairs = pairs, ipairs

function pairs(object)
    if type(object) == 'cdata' then
        return object:pairs()
    end
    local metatable = getmetatable(object)
    local custom = type(metatable) == 'table' and rawget(metatable, '__pairs')
    if custom then
        return custom(object)
    end
    return plain_pairs(object)
end

function ipairs(object)
    if type(object) == 'cdata' then
        return object:ipairs()
    end
    return plain_ipairs(object)
end

-- The compiler's events are counted where Rust reads them.
local counters = ffi.cast('struct lycosa_jit_counters *', native.jit_counters)

local function count(event)
    if event == 'stop' then
        counters.traces = counters.traces + 1
    elseif event == 'abort' then
        counters.aborts = counters.aborts + 1
    elseif event == 'flush' then
        counters.flushes = counters.flushes + 1
    end
end
jit.off(count)
jit.attach(count, 'trace')

local type_ids = {}
for _, name in plain_ipairs({
    'int8_t', 'int16_t', 'int32_t', 'int64_t', 'uint8_t', 'uint16_t', 'uint32_t', 'uint64_t',
    'float', 'double', 'bool', 'void *', 'struct uuid', 'struct decimal',
}) do
    type_ids[name] = tonumber(ffi.typeof(name))
end

return {
    null = null,
    serialize_name = '__serialize',
    sequence_metatable = sequence_metatable,
    map_metatable = map_metatable,
    make_integer = make_integer,
    make_uuid = make_uuid,
    make_decimal = make_decimal,
    type_ids = type_ids,
    layout_probe = ffi.new('int64_t', 0x123456789abcLL),
}
