-- The module `uuid`: UUIDs of RFC 4122, as a cdata.

local native = ...
local ffi = require('ffi')
local values = require('lycosa.values')

local uuid_t = ffi.typeof('struct tt_uuid')
local bytes_t = ffi.typeof('uint8_t[16]')
local fill_random = ffi.cast('int32_t (*)(uint8_t *)', native.random)

-- The bytes of the machine's order against those of the network, by position.
local SWAPPED = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}

local function is_uuid(value)
    return type(value) == 'cdata' and ffi.istype(uuid_t, value)
end

-- A copy of sixteen bytes with the first three fields in the other order.
local function swap(bytes)
    local swapped = ffi.new(bytes_t)
    for position = 0, 15 do
        swapped[position] = bytes[SWAPPED[position + 1]]
    end
    return swapped
end

local function from_host(bytes)
    local uuid = ffi.new(uuid_t)
    ffi.copy(uuid, bytes, 16)
    return uuid
end

local function network_bytes(uuid)
    return swap(ffi.cast('const uint8_t *', uuid))
end

-- Whether an order of bytes is that of the network.
local function is_network(order)
    if order == nil or order == 'l' or order == 'h' or order == 'host' then
        return false
    elseif order == 'b' or order == 'n' or order == 'network' then
        return true
    end
    error('invalid byteorder, valid is l, b, h, n', 3)
end

local function new()
    local bytes = ffi.new(bytes_t)
    if fill_random(bytes) == 0 then
        error('uuid.new: the system has no random bytes to give', 2)
    end
    return from_host(swap(bytes))
end

local function text(uuid)
    if not is_uuid(uuid) then
        return error('Usage: uuid:str()')
    end
    local node = uuid.node
    return ('%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x'):format(
        uuid.time_low, uuid.time_mid, uuid.time_hi_and_version,
        uuid.clock_seq_hi_and_reserved, uuid.clock_seq_low,
        node[0], node[1], node[2], node[3], node[4], node[5])
end

local PATTERN = '^' .. ('%x'):rep(8) .. ('%-' .. ('%x'):rep(4)):rep(4) .. ('%x'):rep(8) .. '$'

local function parse(source)
    if #source ~= 36 or not source:find(PATTERN) then
        return nil
    end
    local digits = source:gsub('-', '')
    local bytes = ffi.new(bytes_t)
    for position = 0, 15 do
        bytes[position] = tonumber(digits:sub(2 * position + 1, 2 * position + 2), 16)
    end
    -- The variant: all ones are reserved.
    if bytes[8] >= 0xe0 then
        return nil
    end
    return from_host(swap(bytes))
end

local function from_string(source)
    if type(source) ~= 'string' then
        error('fromstr(str)', 2)
    end
    return parse(source)
end

local function binary(uuid, order)
    if not is_uuid(uuid) then
        return error('Usage: uuid:bin([byteorder])')
    end
    if is_network(order) then
        return ffi.string(network_bytes(uuid), 16)
    end
    return ffi.string(ffi.cast('const char *', uuid), 16)
end

local function from_binary(bytes, order)
    if type(bytes) ~= 'string' or #bytes ~= 16 then
        error('frombin(bin, [byteorder])', 2)
    end
    if is_network(order) then
        return from_host(swap(ffi.cast('const uint8_t *', bytes)))
    end
    return from_host(bytes)
end

local function is_nil(uuid)
    if not is_uuid(uuid) then
        return error('Usage: uuid:isnil()')
    end
    return binary(uuid) == ('\0'):rep(16)
end

-- A UUID, or the one that a string spells.
local function convert(value)
    if is_uuid(value) then
        return value
    end
    return type(value) == 'string' and parse(value) or nil
end

local function equals(left, right)
    left, right = convert(left), convert(right)
    return left and right and binary(left) == binary(right) or false
end

-- The bytes of two UUIDs in the order that they compare in.
local function both(left, right)
    local left_uuid, right_uuid = convert(left), convert(right)
    local wrong = not left_uuid and 1 or not right_uuid and 2
    if wrong then
        error(('incorrect value to convert to uuid as %d argument'):format(wrong), 3)
    end
    return binary(left_uuid, 'n'), binary(right_uuid, 'n')
end

ffi.metatype(uuid_t, {
    __tostring = text,
    __eq = equals,
    __lt = function(left, right)
        left, right = both(left, right)
        return left < right
    end,
    __le = function(left, right)
        left, right = both(left, right)
        return left <= right
    end,
    __index = {isnil = is_nil, bin = binary, str = text},
})

values.makers[2] = function(bytes)
    return from_host(swap(ffi.cast('const uint8_t *', bytes)))
end

return setmetatable({
    NULL = ffi.new(uuid_t),
    new = new,
    fromstr = from_string,
    frombin = from_binary,
    bin = function(order) return binary(new(), order) end,
    str = function() return text(new()) end,
    is_uuid = is_uuid,
}, {__call = new})
