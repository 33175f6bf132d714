-- The values that Lua itself does not have: null, 64-bit integers, and the cdata of decimals, UUIDs and
-- their like, whose modules are compiled when the first such value appears; and the walk over objects
-- with `pairs`. Rust keeps references to what this module returns.

local native = ...
local ffi = require('ffi')

-- Members with underscores are written by Rust alone, which believes them. `struct tt_uuid`,
-- `struct datetime` and `struct interval` have the members that Tarantool's have.
ffi.cdef([[
struct lycosa_scratch { uint8_t *data; uint32_t capacity; int32_t serial; };
struct lycosa_jit_counters { uint64_t traces; uint64_t aborts; uint64_t flushes; };
struct decimal { const uint8_t __size; const uint8_t __payload[23]; };
struct tt_uuid {
    uint32_t time_low;
    uint16_t time_mid;
    uint16_t time_hi_and_version;
    uint8_t clock_seq_hi_and_reserved;
    uint8_t clock_seq_low;
    uint8_t node[6];
};
struct datetime { double epoch; int32_t nsec; int16_t tzoffset; int16_t tzindex; };
struct interval {
    double sec, min, hour, day;
    int32_t week, month, year, nsec, adjust;
};
struct varbinary { const uint32_t __size; const uint8_t __data[?]; };
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

-- What makes a value of the body of a MsgPack extension, by the extension's type; each is put here by
-- the module that knows the value.
local makers = {}
local module_names = {[1] = 'decimal', [2] = 'uuid', [3] = 'lycosa.error_msgpack', [4] = 'datetime', [6] = 'datetime'}

-- The type that stands for MsgPack's own binary strings.
local BINARY = 0
module_names[BINARY] = 'varbinary'

local function make_extension(kind, body)
    local make = makers[kind]
    if make == nil then
        require(module_names[kind])
        make = makers[kind]
    end
    return make(body)
end

local module = {}

local function serialize_member(value)
    return value.__serialize
end

-- What stands for a userdata or a cdata of unknown type where it is encoded: 2 and its MsgPack, 1 and
-- another value, or nothing.
local function substitute(value)
    local raw = module.raw_of and type(value) == 'userdata' and module.raw_of(value)
    if raw then
        return 2, raw
    end
    local has_member, serialize = pcall(serialize_member, value)
    if not has_member or serialize == nil then
        return 0
    elseif type(serialize) ~= 'function' then
        error('invalid __serialize value', 0)
    end
    return 1, (serialize(value))
end

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
    'float', 'double', 'bool', 'void *', 'struct tt_uuid', 'struct decimal',
    'struct datetime', 'struct interval', 'struct varbinary',
}) do
    type_ids[name] = tonumber(ffi.typeof(name))
end

for name, value in next, {
    -- Whether Lua is compiled, so that what is written for the compiler pays.
    is_compiled = native.is_compiled,
    null = null,
    serialize_name = '__serialize',
    sequence_metatable = sequence_metatable,
    map_metatable = map_metatable,
    make_integer = make_integer,
    make_extension = make_extension,
    makers = makers,
    substitute = substitute,
    type_ids = type_ids,
    layout_probe = ffi.new('int64_t', 0x123456789abcLL),
} do
    module[name] = value
end

return module
