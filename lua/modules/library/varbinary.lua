-- The module `varbinary`: bytes that are no text, as a cdata. MsgPack's binary strings come back from
-- tuples as such objects.

local native = ...
local ffi = require('ffi')
local values = require('lycosa.values')

local varbinary_t = ffi.typeof('struct varbinary')
local bytes_t = ffi.typeof('const uint8_t *')
local fill = ffi.cast('void (*)(struct varbinary *, const uint8_t *, uint32_t)', native.fill)
local equal = ffi.cast(
    'int32_t (*)(const uint8_t *, uint32_t, const uint8_t *, uint32_t)', native.equal)

local USAGE = 'Usage: varbinary.new(str) or varbinary.new(ptr, size)'

local function is_varbinary(value)
    return type(value) == 'cdata' and ffi.istype(varbinary_t, value)
end

local function make(bytes, size)
    local object = ffi.new(varbinary_t, size)
    fill(object, ffi.cast(bytes_t, bytes), size)
    return object
end

-- Not compiled: see `from_bytes` in tuple.lua.
jit.off(make)

local function bytes_of(value)
    if type(value) == 'string' then
        return ffi.cast(bytes_t, value), #value
    elseif is_varbinary(value) then
        return value.__data, value.__size
    end
end

local function new(value, size)
    if value == nil then
        return make('', 0)
    end
    local bytes, known_size = bytes_of(value)
    if bytes == nil then
        if not ffi.istype('const char *', value) or type(size) ~= 'number' or size < 0
            or size >= 4294967296 then
            error(USAGE, 2)
        end
        bytes, known_size = value, size
    end
    return make(bytes, known_size)
end

local function equals(left, right)
    local left_bytes, left_size = bytes_of(left)
    local right_bytes, right_size = bytes_of(right)
    return left_bytes ~= nil and right_bytes ~= nil
        and equal(left_bytes, left_size, right_bytes, right_size) == 1
end

ffi.metatype(varbinary_t, {
    __len = function(value) return value.__size end,
    __tostring = function(value) return ffi.string(value.__data, value.__size) end,
    __eq = equals,
})

values.makers[0] = function(bytes)
    return make(bytes, #bytes)
end

return {is = is_varbinary, new = new}
