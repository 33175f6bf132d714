-- differs from 2.6: it has no table.equals, and table.clear only after require('table.clear')
local show = require('show')
local function equals(left, right)
    show(show.text(left) .. ' ' .. show.text(right), table.equals(left, right),
        table.equals(right, left))
end
equals({}, {})
equals({1, {2}}, {1, {2}})
equals({1, {2}}, {1, {3}})
equals({1, {2}}, {1, {2}, 3})
equals({a = {b = {c = 1}}}, {a = {b = {c = 1}}})
equals({a = false}, {a = false})
equals({a = false}, {})
equals({a = box.NULL}, {})
equals({a = box.NULL}, {a = box.NULL})
equals({1ULL}, {1ULL})
equals({1ULL}, {1})
equals(1, 1)
equals(1, '1')
equals('a', 'a')
equals({}, nil)
equals(nil, nil)
equals(box.NULL, nil)
show('nothing', table.equals())

local always = {__eq = function() return true end}
show('metamethod', table.equals(setmetatable({1}, always), setmetatable({2}, always)))
show('of one', table.equals(setmetatable({1}, always), {1}))
show('other metatables', table.equals(setmetatable({1}, {}), {1}))

local list = {1, 2, a = 3}
table.clear(list)
show('clear', list, require('table.clear') == table.clear, require('table.new') == table.new)
show.fails('clear', table.clear, 5)
show.fails('clear', table.clear)

os.exit(0)
