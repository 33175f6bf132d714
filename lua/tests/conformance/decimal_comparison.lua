local show = require('show')
local new = require('decimal').new

local values = {new(1), new('1.0'), new('1.00'), new(2), 1, 2, 1LL, 2ULL, '1', '2.0', 1.5}
for left = 1, #values do
    for right = 1, #values do
        if type(values[left]) == 'cdata' and tostring(values[left]):find('LL') == nil then
            local a, b = values[left], values[right]
            show(('%s and %s'):format(tostring(a), tostring(b)), a == b, a < b, a <= b, a > b, a >= b, a ~= b)
        end
    end
end
local one = new(1)
show('nil', one == nil, one ~= nil, one == box.NULL)
show.try('less than nil', function() return one < nil end)
show.try('nil less', function() return nil < one end)
show.try('less than null', function() return one < box.NULL end)
show.try('equal to a table', function() return one == {} end)
show.try('equal to text', function() return one == 'x' end)
show.try('less than a table', function() return one < {} end)
show.try('less than text', function() return one < 'x' end)
show.try('equal to true', function() return one == true end)
show.try('NaN', function() return one == 0 / 0 end)
show.try('infinity', function() return one < 1 / 0 end)
show('far apart', new('1e37') > new('1e-38'), new('-1e37') < new('1e-38'))
local list = {new(3), new('-1.5'), new(2), new('2.0'), new(0)}
table.sort(list, function(a, b) return a < b end)
show('sorted', unpack(list))
-- A table does not find a decimal by its value.
local map = {[one] = 'one'}
show('keys', map[one], map[new(1)])
