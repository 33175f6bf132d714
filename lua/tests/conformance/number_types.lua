-- differs from 2.6: it has no sized types
local show = require('show')

box.cfg{log_level = 0}
local cases = {
    {'int8', {-128, 127, 0}, {-129, 128, 1.5, 'x'}},
    {'int16', {-32768, 32767}, {-32769, 32768}},
    {'int32', {-2147483648, 2147483647}, {-2147483649, 2147483648}},
    {'int64', {-9223372036854775807LL - 1, 9223372036854775807LL}, {9223372036854775808ULL}},
    {'uint8', {0, 255}, {-1, 256, 0.5}},
    {'uint16', {0, 65535}, {-1, 65536}},
    {'uint32', {0, 4294967295}, {-1, 4294967296}},
    {'uint64', {0, 18446744073709551615ULL}, {-1, 1.5, 'x'}},
}
for _, case in ipairs(cases) do
    local name, right, wrong = unpack(case)
    for _, kind in ipairs({'TREE', 'HASH'}) do
        local s = box.schema.space.create(name .. kind, {format = {{'n', name}}})
        s:create_index('pk', {type = kind})
        for _, value in ipairs(right) do
            show(name .. ' ' .. kind, s:insert({value}), s:get(value))
        end
        if kind == 'TREE' then
            show(name .. ' order', s:select())
            for _, value in ipairs(wrong) do
                local ok, err = pcall(s.insert, s, {value})
                print(ok, err.code, err)
            end
        end
    end
end
local s = box.schema.space.create('s', {format = {{'id', 'uint16'}, {'f', 'float32'}, {'d', 'float64'}}})
s:create_index('pk')
show('floats', s:insert({1, 1.5, 2.5}), s:insert({2, 3, 4}))
show.fails('float32 has no room', s.insert, s, {3, 1e300, 1})
show.fails('float64 takes no text', s.insert, s, {3, 1, 'x'})
show('nullable', pcall(s.insert, s, {4, box.NULL, 1}))
show('update', s:update(1, {{'+', 'id', 0}, {'+', 'f', 1}}))
show.try('update out of range', s.update, s, 1, {{'+', 1, 70000}})
show('formats', s:format()[1].type, s.index.pk.parts[1].type)
os.exit(0)
