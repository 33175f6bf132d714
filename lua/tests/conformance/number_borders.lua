local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk', {parts = {1, 'integer'}})
local borders = {
    0, 1, 127, 128, 255, 256, 65535, 65536, 2147483647, 2147483648, 4294967295, 4294967296,
    2^53 - 1, 2^53, 99999999999999, 100000000000000, 9223372036854775807LL, 9223372036854775808ULL,
    18446744073709551615ULL, -1, -31, -32, -33, -127, -128, -129, -32767, -32768, -32769,
    -2147483647, -2147483648, -2147483649, -4294967296, -2^53, -99999999999999, -100000000000000,
    -9223372036854775807LL, -9223372036854775808LL,
}
for _, value in ipairs(borders) do
    local t = s:insert{value}
    show('value', value, t[1], type(t[1]), t:bsize(), s:get(value)[1] == value)
end
show('order', s:select{})
show.try('past the edge', s.insert, s, {2^64})
show.try('below the edge', s.insert, s, {-2^64})
show.try('nan', s.insert, s, {0/0})

os.exit(0)
