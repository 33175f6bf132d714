-- differs from 2.6: it prints a decimal or a UUID in a tuple as null
local show = require('show')
local decimal = require('decimal')
local new = decimal.new

box.cfg{log_level = 0, wal_mode = 'none'}
local s = box.schema.space.create('money', {format = {{'id', 'decimal'}, {'any', 'any', is_nullable = true}}})
s:create_index('pk')
for _, text in ipairs({'1.5', '-3', '0', '1e20', '2', '0.0001', '1.50001'}) do
    s:insert({new(text), text})
end
show.try('equal by value', s.insert, s, {new('1.500')})
show.try('an integer is none', s.insert, s, {7})
show.try('a double is none', s.insert, s, {1.5})
show.try('nor is text', s.insert, s, {'7'})
for _, tuple in s:pairs() do
    print(tuple)
end
show('get', s:get(new('2.000')), s:get(new('1e20')))
show('range', s:select(new(0), {iterator = 'GT', limit = 2}))
show('field', s:get(new('1.5'))[1], type(s:get(new('1.5')).id))
show('delete', s:delete(new('0.00')))
show.try('key of another type', s.get, s, 'x')

local a = box.schema.space.create('accounts')
a:create_index('pk')
a:insert({1, new('10.50'), 5, 1.5})
show('plus', a:update(1, {{'+', 2, new('0.25')}}))
show('minus a number', a:update(1, {{'-', 2, 1}}))
show('minus a fraction', a:update(1, {{'-', 2, 0.5}}))
show('integer plus decimal', a:update(1, {{'+', 3, new('0.5')}}))
show('double plus decimal', a:update(1, {{'+', 4, new('0.5')}}))
show.try('overflow', a.update, a, 1, {{'+', 2, new('99999999999999999999999999999999999999')}})
show.try('text', a.update, a, 1, {{'+', 2, 'x'}})
show('upsert', a:upsert({1, new(0)}, {{'+', 2, new(100)}}), a:get(1))

local n = box.schema.space.create('numbers', {format = {{'n', 'number'}}})
n:create_index('pk')
for _, value in ipairs({1, new('1.5'), 2.5, new(3), -1, new('-0.5'), 1e10}) do
    n:insert({value})
end
show.try('decimal equal to a number', n.insert, n, {new('1.0')})
show.try('number equal to a decimal', n.insert, n, {3})
show('order', n:select())
show('found by another kind', n:get(3), n:get(new('2.5')))
show('json', require('json').encode({new('1.5'), {a = new('-2')}}))
show('tuple', box.tuple.new({new('1.50'), {new('2')}}), box.tuple.new({new('1.50')})[1])
show('msgpack', (require('msgpack').encode(new('-12.34')):gsub('.', function(c) return ('%02x'):format(c:byte()) end)),
    (require('msgpack').decode(require('msgpack').encode(new('1e-10')))))
os.exit(0)
