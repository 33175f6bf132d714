-- The module `msgpack`: values to bytes and back, as Lua strings.

local native = ...
local ffi = require('ffi')
local encoder = require('lycosa.msgpack_encoder')

local function encode(value)
    local length = native.encode_value(value)
    return ffi.string(encoder.scratch.data, length)
end

return {
    NULL = box.NULL,
    encode = encode,
    decode = native.decode,
}
