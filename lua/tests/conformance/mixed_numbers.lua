local show = require('show')
local ffi = require('ffi')

-- 64-bit integers, numbers and null beside one another.
local values = {
    {'1', 1}, {'1LL', 1LL}, {'1ULL', 1ULL}, {'-1LL', -1LL}, {'2^53', 2 ^ 53}, {'2^53 as LL', 9007199254740992LL},
    {'largest LL', 9223372036854775807LL}, {'largest ULL', 18446744073709551615ULL}, {'1.5', 1.5},
}
for _, left in ipairs(values) do
    for _, right in ipairs(values) do
        if type(left[2]) == 'cdata' or type(right[2]) == 'cdata' then
            show(left[1] .. ' and ' .. right[1], left[2] == right[2], left[2] < right[2], left[2] <= right[2])
        end
    end
end
show('sums', 1LL + 1, 1ULL + 1LL, 1LL + 1.5, 9223372036854775807LL + 1LL)
show('division', 7LL / 2, -7LL / 2LL, 7LL % 4, 2LL ^ 10)
show('text', tostring(5LL), tostring(-5LL), tostring(5ULL), 'x' .. 5)
show('tonumber', tonumber(5LL), tonumber(18446744073709551615ULL), tonumber('5'))
show('null', box.NULL == nil, nil == box.NULL, box.NULL ~= nil, type(box.NULL), tostring(box.NULL), box.NULL == 0, box.NULL == false, not box.NULL)
show('keys of tables', ({[1LL] = 'cdata'})[1], ({[1] = 'number'})[1LL])

box.cfg{log_level = 0, wal_mode = 'none'}
local s = box.schema.space.create('s')
s:create_index('pk', {parts = {1, 'number'}})
for _, value in ipairs(values) do
    show.try('insert ' .. value[1], s.insert, s, {value[2]})
end
show('order', s:select())
show('found as another kind', s:get(1LL), s:get(9007199254740992ULL), s:get(ffi.new('float', 1.5)), s:get(ffi.new('uint8_t', 1)))
show('field types', type(s:get(2 ^ 53)[1]), type(s:get(1)[1]), s:get(18446744073709551615ULL)[1])
local t = box.tuple.new({1e14, 1e14 - 1, -1e14, -1e14 + 1, 2 ^ 63, box.NULL})
show('borders', t, t[1], t[2], t[3], t[4], t[5], t[6] == nil)
show('json', require('json').encode(t))
os.exit(0)
