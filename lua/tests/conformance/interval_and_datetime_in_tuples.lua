-- differs from 2.6: it has no such fields
local show = require('show')
local datetime = require('datetime')
local new, interval = datetime.new, datetime.interval.new

box.cfg{log_level = 0}
for _, kind in ipairs({'TREE', 'HASH'}) do
    local s = box.schema.space.create('d' .. kind, {format = {{'at', 'datetime'}, {'span', 'interval', is_nullable = true}}})
    s:create_index('pk', {type = kind})
    for _, year in ipairs({2024, 1960, 2000, -100, 9999}) do
        s:insert({new({year = year}), interval({day = year})})
    end
    s:insert({new({year = 2024, nsec = 1})})
    show.try(kind .. ' the same moment elsewhere', s.insert, s, {new({year = 2024, hour = 3, tzoffset = 180})})
    show.try(kind .. ' a number', s.insert, s, {5})
    show.try(kind .. ' no interval', s.insert, s, {new(), 5})
    show(kind .. ' get', s:get(new({year = 2024, hour = 3, tzoffset = 180})), s:get({new({year = 2024, nsec = 1})}), s:get(new()))
    show(kind .. ' fields', s:get(new({year = 2000})).at.year, s:get(new({year = 2000})).span.day)
    if kind == 'TREE' then
        for _, tuple in s:pairs(new({year = 1999}), {iterator = 'GE'}) do
            print(tuple)
        end
        show('reversed', s:select(nil, {iterator = 'LE', limit = 2}))
    end
    local key = new({year = 1960})
    show(kind .. ' add an interval', s:update(key, {{'+', 'span', interval({month = 1})}}), s:update(key, {{'-', 'span', interval({day = 60})}}))
    show.try(kind .. ' add a number to an interval', s.update, s, key, {{'+', 'span', 1}})
    show.try(kind .. ' change the key', s.update, s, key, {{'+', 'at', interval({day = 1})}})
end
local t = box.schema.space.create('t')
t:create_index('pk')
t:insert({1, new({year = 2024, month = 1, day = 31})})
show('move', t:update(1, {{'+', 2, interval({month = 1})}}), t:update(1, {{'-', 2, interval({sec = 1})}}))
show('difference', t:update(1, {{'-', 2, new({year = 2024})}}))
t:replace({1, new()})
show.try('add a datetime', t.update, t, 1, {{'+', 2, new()}})
show.try('add a number', t.update, t, 1, {{'+', 2, 1}})
show.try('number plus an interval', t.update, t, 1, {{'+', 1, interval()}})
show.try('too far', t.update, t, 1, {{'+', 2, interval({year = 6000000})}})
show.try('an index on an interval', t.create_index, t, 'wrong', {parts = {2, 'interval'}})
local scalar = box.schema.space.create('scalar', {format = {{'v', 'scalar'}}})
scalar:create_index('pk')
for _, value in ipairs({new(), 'text', 5, require('uuid').NULL, true, require('varbinary').new('bytes'), require('decimal').new('4.5')}) do
    scalar:insert({value})
end
show('scalars', scalar:select())
show.try('an interval is no scalar', scalar.insert, scalar, {interval()})
show('json', require('json').encode({new({tz = 'MSK'}), interval({day = 1}), at = 1}), require('json').encode(t:get(1)))
show('tuple', box.tuple.new({new({year = 2024}), interval()}), type(box.tuple.new({new()})[1]), #box.tuple.new({new(), interval()}))
local msgpack = require('msgpack')
local function hex(bytes)
    return (bytes:gsub('.', function(c) return ('%02x'):format(c:byte()) end))
end
show('msgpack', hex(msgpack.encode(new({timestamp = 1}))), hex(msgpack.encode(new({timestamp = 1, tz = 'MSK'}))))
for _, broken in ipairs({'d604aabbccdd', 'd704ffffffffffffff7f', 'd604', 'c7010601', 'd5060109'}) do
    show.fails(broken, msgpack.decode, (broken:gsub('..', function(byte) return string.char(tonumber(byte, 16)) end)))
end
os.exit(0)
