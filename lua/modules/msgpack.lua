-- The module `msgpack`: values to bytes and back, as Lua strings.

local native = ...

return {
    NULL = box.NULL,
    encode = native.encode,
    decode = native.decode,
}
