-- The module `msgpackffi`: what scripts use of `msgpack` under its other name.

local msgpack = require('msgpack')

return {
    NULL = msgpack.NULL,
    array_mt = msgpack.array_mt,
    map_mt = msgpack.map_mt,
    encode = msgpack.encode,
    decode = msgpack.decode,
    decode_unchecked = msgpack.decode_unchecked,
}
