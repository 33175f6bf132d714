-- The fast half of the encoder: flat tables of numbers, strings, booleans and nulls, written into
-- the scratch buffer by code that the JIT compiles. All else goes to the full half in Rust; both
-- write the same bytes. A table `{i, 'payload'}` costs about 15 ns.
--
-- A finalizer may run between any two steps, and may encode values of its own. So each encoding
-- takes a serial number and returns it behind the length; the engine refuses bytes of a number that
-- is not the last one, and the caller begins anew.
--
-- What keeps it compiled: no loop and no closure on the way, one `next` for each field as straight
-- code (which also proves that the table has the keys 1 to n and no other), and stores through
-- pointers to packed structs.

local native = ...
local ffi = require('ffi')
local bit = require('bit')

ffi.cdef([[
struct lycosa_int32 { uint8_t tag; int32_t value; } __attribute__((packed));
]])

local scratch = ffi.cast('struct lycosa_scratch *', native.scratch)
local int32_p = ffi.typeof('struct lycosa_int32 *')
local put_number = ffi.cast('uint32_t (*)(uint8_t *, double)', native.put_number)
local null = box.NULL

local next, type, rawequal, getmetatable = next, type, rawequal, getmetatable
local bswap, tobit, rshift, band = bit.bswap, bit.tobit, bit.rshift, bit.band
local cast, copy = ffi.cast, ffi.copy

-- Room that stays free behind a string, for the numbers of the longest flat table or operations.
local RESERVE = 256

-- Tables with more fields go to the full half: their header takes more than a byte.
local MAX_FIELDS = 15

assert(ffi.abi('le'), 'the encoder writes on little-endian machines only')

local function put_int32(data, at, value)
    if value >= 0 then
        if value <= 0x7f then
            data[at] = value
            return at + 1
        elseif value <= 0xff then
            data[at] = 0xcc
            data[at + 1] = value
            return at + 2
        elseif value <= 0xffff then
            data[at] = 0xcd
            data[at + 1] = rshift(value, 8)
            data[at + 2] = band(value, 0xff)
            return at + 3
        end
        local target = cast(int32_p, data + at)
        target.tag = 0xce
        target.value = bswap(value)
        return at + 5
    elseif value >= -32 then
        data[at] = band(value, 0xff)
        return at + 1
    elseif value >= -128 then
        data[at] = 0xd0
        data[at + 1] = band(value, 0xff)
        return at + 2
    elseif value >= -32768 then
        data[at] = 0xd1
        data[at + 1] = band(rshift(value, 8), 0xff)
        data[at + 2] = band(value, 0xff)
        return at + 3
    end
    local target = cast(int32_p, data + at)
    target.tag = 0xd2
    target.value = bswap(value)
    return at + 5
end

-- Writes `value` at the offset `at` and returns the offset behind it, or 0 when the value is one
-- for the full half.
local function put(data, at, limit, value)
    local kind = type(value)
    if kind == 'number' then
        -- For a large value compiled code may find other low bits than the interpreter, so the
        -- bits count only when they are the whole value.
        local small = tobit(value)
        if small == value then
            return put_int32(data, at, small)
        end
        return at + put_number(data + at, value)
    elseif kind == 'string' then
        local size = #value
        if at + size > limit then
            return 0
        elseif size < 32 then
            data[at] = 0xa0 + size
            at = at + 1
        elseif size < 256 then
            data[at] = 0xd9
            data[at + 1] = size
            at = at + 2
        elseif size < 65536 then
            data[at] = 0xda
            data[at + 1] = rshift(size, 8)
            data[at + 2] = band(size, 0xff)
            at = at + 3
        else
            return 0
        end
        copy(data + at, value, size)
        return at + size
    elseif kind == 'boolean' then
        data[at] = value and 0xc3 or 0xc2
        return at + 1
    elseif rawequal(value, null) then
        data[at] = 0xc0
        return at + 1
    end
    return 0
end

local encode_full = native.encode_tuple

-- The straight-line code for a flat table, written out field by field: a loop here would end the
-- trace of the caller's loop.
local function flat_source(fields_max)
    local lines = {[[
local next, put, full, scratch, RESERVE, tobit = ...
return function(values)
    local serial = tobit(scratch.serial + 1)
    scratch.serial = serial
    local data = scratch.data
    local limit = scratch.capacity - RESERVE
    local key, value = next(values)
    if key ~= 1 then return full(values) end
    local at = put(data, 1, limit, value)
    if at == 0 then return full(values) end]]}
    for count = 1, fields_max do
        local step = [[
    key, value = next(values, COUNT)
    if key == nil then data[0] = 0x90 + COUNT return at, serial end]]
        if count < fields_max then
            step = step .. [[

    if key ~= COUNT + 1 then return full(values) end
    at = put(data, at, limit, value)
    if at == 0 then return full(values) end]]
        end
        lines[#lines + 1] = (step:gsub('COUNT', tostring(count)))
    end
    lines[#lines + 1] = '    return full(values)\nend'
    return table.concat(lines, '\n')
end

local encode_flat = assert(loadstring(flat_source(MAX_FIELDS), '=lycosa/msgpack_encoder.lua (flat)'))(
    next, put, encode_full, scratch, RESERVE, tobit)

-- Operations of an update: `OPERATIONS_MAX` lists of `OPERAND_MAX` scalars at most, written out as a flat
-- table is; others go to the full half.
local OPERATIONS_MAX, OPERAND_MAX = 4, 5

-- Writes one operation as `put` writes a value.
local function operation_source()
    local lines = {[[
local next, type, getmetatable, put = ...
return function(data, start, limit, operation)
    if type(operation) ~= 'table' or getmetatable(operation) ~= nil then return 0 end
    local key, value = next(operation)
    if key ~= 1 then return 0 end
    local at = put(data, start + 1, limit, value)
    if at == 0 then return 0 end]]}
    for count = 1, OPERAND_MAX do
        local step = [[
    key, value = next(operation, COUNT)
    if key == nil then data[start] = 0x90 + COUNT return at end]]
        if count < OPERAND_MAX then
            step = step .. [[

    if key ~= COUNT + 1 then return 0 end
    at = put(data, at, limit, value)
    if at == 0 then return 0 end]]
        end
        lines[#lines + 1] = (step:gsub('COUNT', tostring(count)))
    end
    lines[#lines + 1] = '    return 0\nend'
    return table.concat(lines, '\n')
end

local put_operation = assert(loadstring(operation_source(),
    '=lycosa/msgpack_encoder.lua (operation)'))(next, type, getmetatable, put)

local encode_flat_operations = assert(loadstring(flat_source(OPERATIONS_MAX),
    '=lycosa/msgpack_encoder.lua (operations)'))(
    next, put_operation, encode_full, scratch, RESERVE, tobit)

-- As `encode_compiled`, for the operations of an update.
local function encode_operations_compiled(operations)
    if type(operations) == 'table' and getmetatable(operations) == nil then
        return encode_flat_operations(operations)
    end
    return encode_full(operations)
end

local is_tuple

-- Encodes what must become an array; returns its length in the scratch buffer and the number of the
-- encoding, or nil when it is none. Throws for values that have no MsgPack form.
local function encode_compiled(value)
    if type(value) == 'table' and getmetatable(value) == nil then
        return encode_flat(value)
    elseif is_tuple and is_tuple(value) and value.__size <= scratch.capacity then
        local size, serial = value.__size, tobit(scratch.serial + 1)
        scratch.serial = serial
        copy(scratch.data, value.__data, size)
        return size, serial
    end
    return encode_full(value)
end

-- Encodes a key: nil is the empty key, a scalar a key of one part.
local function encode_key_compiled(key)
    local kind = type(key)
    if kind == 'number' or kind == 'string' or kind == 'boolean' then
        local serial = tobit(scratch.serial + 1)
        scratch.serial = serial
        local data = scratch.data
        local at = put(data, 1, scratch.capacity - RESERVE, key)
        if at ~= 0 then
            data[0] = 0x91
            return at, serial
        end
    elseif key == nil then
        local serial = tobit(scratch.serial + 1)
        scratch.serial = serial
        scratch.data[0] = 0x90
        return 1, serial
    elseif kind == 'table' then
        return encode_compiled(key)
    end
    return native.encode_key(key)
end

-- The MsgPack of a value as a string. A finalizer may encode something else meanwhile.
local function bytes_of(encode, value)
    local size, encoding, bytes
    repeat
        size, encoding = encode(value)
        if size == nil then
            box.error(box.error.TUPLE_NOT_ARRAY)
        end
        bytes = ffi.string(scratch.data, size)
    until scratch.serial == encoding
    return bytes
end

local compiled = require('lycosa.values').is_compiled

return {
    scratch = scratch,
    encode = compiled and encode_compiled or encode_full,
    encode_key = compiled and encode_key_compiled or native.encode_key,
    encode_operations = compiled and encode_operations_compiled or encode_full,
    encode_full = encode_full,
    encode_compiled = encode_compiled,
    encode_key_full = native.encode_key,
    encode_key_compiled = encode_key_compiled,
    encode_operations_compiled = encode_operations_compiled,
    bytes_of = bytes_of,
    -- The MsgPack of any value as a string.
    pack = function(value) return bytes_of(native.encode_value, value) end,
    -- Tells the encoder how to know a tuple.
    set_is_tuple = function(test) is_tuple = test end,
}
