-- Error objects as the MsgPack extension 3: the error and its causes, each a map from numbers to its
-- type, place, message, numbers and details. Loaded with the first one that is encoded or decoded.

local errors = require('lycosa.error')
local encoder = require('lycosa.msgpack_encoder')
local msgpack = require('msgpack')
local values = require('lycosa.values')

local pack_value, char = encoder.pack, string.char

-- Keys of the parts of an error.
local TYPE, FILE, LINE, MESSAGE, ERRNO, CODE, FIELDS = 0, 1, 2, 3, 4, 5, 6
local EXTENSION = 3

-- Errors among the details of errors deeper than this are their text: the reader takes no more.
local NESTING_MAX = 8
local nesting = 0

local function with_32_bits(tag, count)
    return char(tag, bit.rshift(count, 24), bit.band(bit.rshift(count, 16), 0xff),
        bit.band(bit.rshift(count, 8), 0xff), bit.band(count, 0xff))
end

local function array_header(count)
    return count < 16 and char(0x90 + count) or with_32_bits(0xdd, count)
end

local function map_header(count)
    return count < 16 and char(0x80 + count) or with_32_bits(0xdf, count)
end

-- The details in the order of their names; what has no MsgPack form is left out.
local function pack_fields(detail)
    local fields = {}
    for name, value in pairs(detail.payload) do
        local ok, bytes = pcall(pack_value, value)
        if ok then
            fields[#fields + 1] = {name, bytes}
        end
    end
    if detail.custom_type ~= nil then
        fields[#fields + 1] = {'custom_type', pack_value(detail.custom_type)}
    end
    table.sort(fields, function(left, right) return left[1] < right[1] end)
    local parts = {}
    for position, field in ipairs(fields) do
        parts[position] = pack_value(field[1]) .. field[2]
    end
    return table.concat(parts), #parts
end

local function pack_one(detail)
    local fields, field_count = pack_fields(detail)
    local place = detail.trace[1] or {file = '', line = 0}
    local parts = {
        map_header(field_count > 0 and 7 or 6),
        char(TYPE), pack_value(detail.base_type), char(LINE), pack_value(place.line),
        char(FILE), pack_value(place.file), char(MESSAGE), pack_value(detail.message),
        char(ERRNO), pack_value(detail.errno or 0), char(CODE), pack_value(detail.code or 0),
    }
    if field_count > 0 then
        parts[#parts + 1] = char(FIELDS) .. map_header(field_count) .. fields
    end
    return table.concat(parts)
end

local function pack_stack(object)
    local stack = {}
    while object ~= nil do
        local detail = errors.detail_of(object)
        stack[#stack + 1] = pack_one(detail)
        object = detail.prev
    end
    local body = map_header(1) .. char(0) .. array_header(#stack) .. table.concat(stack)
    if #body < 256 then
        return char(0xc7, #body, EXTENSION) .. body
    elseif #body < 65536 then
        return char(0xc8, bit.rshift(#body, 8), bit.band(#body, 0xff), EXTENSION) .. body
    end
    return with_32_bits(0xc9, #body) .. char(EXTENSION) .. body
end

local function pack(object)
    if nesting == NESTING_MAX then
        return pack_value(object.message)
    end
    nesting = nesting + 1
    local ok, bytes = pcall(pack_stack, object)
    nesting = nesting - 1
    if not ok then
        error(bytes, 0)
    end
    return bytes
end

-- What else a stack may name becomes a ClientError.
local KNOWN_TYPES = {}
for name in ([[ClientError CustomError AccessDeniedError XlogError XlogGapError SystemError SocketError
    OutOfMemory TimedOut ChannelIsClosed FiberIsCancelled LuajitError IllegalParams CollationError
    SwimError CryptoError SSLError HandleIsClosed]]):gmatch('%S+') do
    KNOWN_TYPES[name] = true
end

local function unpack_one(parts)
    local kind = KNOWN_TYPES[parts[TYPE]] and parts[TYPE] or 'ClientError'
    local payload = {}
    for name, value in pairs(parts[FIELDS] or {}) do
        payload[name] = value
    end
    local custom_type
    if kind == 'CustomError' then
        custom_type, payload.custom_type = payload.custom_type, nil
    end
    local errno = tonumber(parts[ERRNO] or 0)
    return {
        code = tonumber(parts[CODE] or 0),
        type = custom_type or kind,
        base_type = kind,
        custom_type = custom_type,
        message = parts[MESSAGE],
        trace = {{file = parts[FILE], line = tonumber(parts[LINE] or 0)}},
        payload = payload,
        errno = errno ~= 0 and errno or nil,
    }
end

-- The body has been checked.
values.makers[EXTENSION] = function(body)
    local effect
    local stack = msgpack.decode(body)[0]
    for position = #stack, 1, -1 do
        local detail = unpack_one(stack[position])
        detail.prev = effect
        effect = errors.restore(detail)
    end
    return effect
end

return {pack = pack}
