-- differs from 2.6: it has no sized types
local show = require('show')
local decimal = require('decimal')

box.cfg{log_level = 0}
local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'small', 'int8'}, {'money', 'decimal64'}}})
s:create_index('pk')
s:create_index('small', {parts = {{'small'}}, unique = false})
show('wider index', pcall(s.create_index, s, 'wide', {parts = {{2, 'integer'}}, unique = false}))
show('number index', pcall(s.create_index, s, 'number', {parts = {{2, 'number'}}, unique = false}))
show('scalar index', pcall(s.create_index, s, 'scalar', {parts = {{3, 'scalar'}}, unique = false}))
show.try('other type', s.create_index, s, 'text', {parts = {{2, 'string'}}})
show.try('another size that shares nothing', s.create_index, s, 'narrow', {parts = {{1, 'int64'}}})
for id = 1, 5 do
    s:insert({id, (id * 37) % 50 - 25, decimal.new(id) / 4})
end
show('by small', s.index.small:select())
show('from', s.index.small:select(0, {iterator = 'GE'}))
show('below', s.index.small:select(-10, {iterator = 'LT'}))
show('money', s:get(3)[3], s.index.scalar:select(decimal.new('0.75')))
show.try('too large', s.insert, s, {6, 300, decimal.new(1)})
show.try('too many digits', s.insert, s, {6, 1, decimal.new('1234567890123456789')})
show.try('a double is no decimal', s.insert, s, {6, 1, 1.5})
show('all digits', s:insert({7, 1, decimal.new('123456789012345678')}))
for _, name in ipairs({'decimal32', 'decimal64', 'decimal128', 'decimal256'}) do
    local d = box.schema.space.create(name, {format = {{'n', name}}})
    d:create_index('pk')
    for _, text in ipairs({'999999999', '1234567890', '0.123456789', '1234567890.123456789', '99999999999999999999999999999999999999'}) do
        show(name .. ' ' .. text, pcall(d.insert, d, {decimal.new(text)}) and 'fits' or 'does not fit')
    end
end
os.exit(0)
