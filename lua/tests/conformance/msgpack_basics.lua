local show = require('show')
local msgpack = require('msgpack')
local ffi = require('ffi')

local function hex(bytes)
    return (bytes:gsub('.', function(c) return ('%02x'):format(c:byte()) end))
end
for position, value in ipairs({0, 127, 128, 255, 256, 65535, 65536, 2 ^ 32 - 1, 2 ^ 32, 2 ^ 53, 2 ^ 63, 2 ^ 64, -1, -32, -33, -128,
    -129, -32769, -2 ^ 31, -2 ^ 31 - 1, -2 ^ 63, 1.5, 0.1, 1 / 0, 5LL, -5LL, 18446744073709551615ULL, true, false, '', 'a',
    ('x'):rep(31), ('x'):rep(32), ffi.new('float', 1.5), ffi.new('double', 1), ffi.new('int8_t', -3), ffi.new('uint16_t', 7)}) do
    local encoded = msgpack.encode(value)
    show(position, hex(encoded):sub(1, 40), (msgpack.decode(encoded)))
end
show('nil', hex(msgpack.encode(nil)), hex(msgpack.encode(box.NULL)), msgpack.decode('\192') == nil)
show('tables', hex(msgpack.encode({})), hex(msgpack.encode({1, {2}})), hex(msgpack.encode({a = 1})),
    hex(msgpack.encode(setmetatable({}, msgpack.map_mt))), hex(msgpack.encode(setmetatable({}, msgpack.array_mt))))
show('holes', hex(msgpack.encode({1, nil, 3})), hex(msgpack.encode({[1] = 1, [100] = 2})):len())
show('serialize', hex(msgpack.encode(setmetatable({}, {__serialize = function() return {1} end}))))
show('metatables', getmetatable(msgpack.decode('\144')).__serialize, getmetatable(msgpack.decode('\128')).__serialize)
show('offsets', msgpack.decode('\1\2\3'), msgpack.decode('\1\2\3', 3))
show('unchecked', msgpack.decode_unchecked('\1\2\3', 2))
for _, offset in ipairs({0, -1, 4, 100}) do
    show.try('offset ' .. offset, msgpack.decode, '\1\2\3', offset)
end
show.try('function', msgpack.encode, print)
show.try('thread', msgpack.encode, coroutine.create(print))
show.fails('unknown rule', msgpack.encode, setmetatable({}, {__serialize = 'other'}))
show.try('nothing', msgpack.encode)
show.try('decode nothing', msgpack.decode)
show.try('decode a number', msgpack.decode, 5)
show.try('decode a table', msgpack.decode, {})
for _, broken in ipairs({'', '\146\1', '\163ab', '\193', '\221\255\255\255\255', '\129'}) do
    show.fails('broken ' .. hex(broken), msgpack.decode, broken)
end
local own = msgpack.new()
own.cfg{encode_max_depth = 1, encode_deep_as_nil = true}
show('own', hex(own.encode({{1}})), hex(msgpack.encode({{1}})))
own.cfg{encode_deep_as_nil = false, encode_invalid_as_nil = true}
show.try('own depth', own.encode, {{1}})
show('own function', hex(own.encode(print)))
own.cfg{decode_save_metatables = false}
show('own metatables', getmetatable(own.decode('\144')))
show('cfg', own.cfg.encode_max_depth, msgpack.cfg.encode_max_depth, msgpack.cfg.encode_use_tostring)
