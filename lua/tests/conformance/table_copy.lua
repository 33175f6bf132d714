local show = require('show')
local inner = {3}
show('copy', table.copy({1, 2, a = {3}}))
show('copy shares', table.copy({inner})[1] == inner)
show('deepcopy does not', table.deepcopy({inner})[1] == inner, table.deepcopy({inner}))

local cycle = {}
cycle.itself = cycle
cycle[cycle] = 1
local copy = table.deepcopy(cycle)
show('cycle', copy.itself == copy, copy == cycle, copy[copy], copy[cycle])
local twice = table.deepcopy({inner, inner})
show('shared once', twice[1] == twice[2])
local key = {}
local keyed = table.deepcopy({[key] = 1})
show('keys too', keyed[key], next(keyed) == key)

local metatable = {__index = function() return 7 end}
local object = setmetatable({}, metatable)
show('metatables', getmetatable(table.copy(object)) == metatable,
    getmetatable(table.deepcopy(object)) == metatable, table.deepcopy(object).any)
local own = setmetatable({}, {
    __copy = function(original) return original and 'copied' end,
    __deepcopy = function() return 'not called' end,
})
show('own way', table.copy(own), table.deepcopy(own), table.deepcopy({own}))

for _, value in ipairs({5, 'text', true, box.NULL, 5ULL}) do
    show('as it is', table.copy(value), table.deepcopy(value))
end
show('nothing', table.copy(), table.deepcopy())
show('null', table.deepcopy(box.NULL) == nil, table.deepcopy({box.NULL}))
local deep = {}
for _ = 1, 50 do deep = {deep} end
local depth, level = 0, table.deepcopy(deep)
while level[1] do depth, level = depth + 1, level[1] end
show('depth', depth)
show('new', table.new(5, 5))
show.try('new', table.new)
show.try('new', table.new, 'x', 1)

os.exit(0)
