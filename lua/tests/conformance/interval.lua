-- differs from 2.6: it has no module datetime
local show = require('show')
local interval = require('datetime').interval
local new = interval.new

show('empty', new(), new({}), new({adjust = 'last'}))
show('units', new({year = 1}), new({month = -2}), new({week = 3}), new({day = 4}), new({hour = 5}), new({min = 6}), new({sec = 7}), new({nsec = 8}))
show('fractions', new({msec = 2}), new({usec = 3}), new({msec = 2}).msec, new({msec = 2}).usec, new({nsec = 1500}).usec)
show('all', new({year = 1, month = 2, week = 3, day = 4, hour = 5, min = 6, sec = 7, nsec = 8}))
show('totable', new({year = 1, day = -2}):totable(), new({adjust = 'excess'}):totable().adjust)
show('fields', new({year = 1}).year, new({day = 2}).day, new().foo)
show('sums', new({day = 1}) + new({day = 2, hour = 1}), new({day = 1}) - new({month = 1}), new({day = 1}) + {sec = 5})
show('order', new({day = 1}) < new({month = 1}), new({day = 100}) < new({month = 1}), new({day = 1}) <= new({day = 1}), new({day = 1}) == new({day = 1}), new({day = 1}) == new({hour = 24}))
show('equality with others', new() == 1, new() == nil, new() == box.NULL)
show('is_interval', interval.is_interval(new()), interval.is_interval({}), interval.is_interval(1))
for position, wrong in ipairs({
    {year = 'x'}, {year = 1e9}, {year = 1.5}, {month = 1e10}, {day = 1.5}, {sec = 0.5}, {sec = 1e18}, {nsec = 3e9}, {msec = 1e7}, {usec = 1e10}, {nsec = 1, usec = 1}, {day = 0 / 0},
}) do
    show.try('wrong ' .. position, new, wrong)
end
show.try('a number', new, 5)
show.try('less than a number', function() return new() < 5 end)
show.try('plus a number', function() return new() + 5 end)
show.try('sum out of range', function() return new({year = 11000000}) + {year = 11000000} end)
show.try('totable of a number', new().totable, 5)

local msgpack = require('msgpack')
local function hex(bytes)
    return (bytes:gsub('.', function(c) return ('%02x'):format(c:byte()) end))
end
show('msgpack', hex(msgpack.encode(new({year = 1, nsec = -1}))), (msgpack.decode(msgpack.encode(new({day = 5, sec = -300})))))
show('json', require('json').encode({new({day = 1})}))
