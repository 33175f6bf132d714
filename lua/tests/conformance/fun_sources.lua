local show = require('show')
local elements = require('elements')
local fun = require('fun')

show('list', elements(fun.iter({'a', 'b', 'c'})))
show('list with a hole', elements(fun.iter({1, nil, 3}):take(1)))
show('map', elements(fun.iter({key = 'value'})))
show('empty', elements(fun.iter({})), elements(fun.iter('')))
show('string', elements(fun.iter('abc')))
show('iterator', elements(fun.iter(fun.range(2))))
show('triple', elements(fun.iter(ipairs({5, 6}))))
show('function', elements(fun.iter(function(limit, at) if at < limit then return at + 1, at * 10 end end, 3, 0)))
show('pairs metamethod', elements(fun.iter(setmetatable({}, {
    __pairs = function() return next, {a = 1}, nil end,
}))))
show('ipairs metamethod', elements(fun.iter(setmetatable({}, {
    __ipairs = function() return ipairs({'own'}) end,
}))))
for _, value in ipairs({5, true, 5ULL, box.tuple.new({1, 2})}) do
    show.try('not iterable', fun.iter, value)
end
show.try('null', fun.iter, box.NULL)
show.try('nothing', fun.iter)
show.try('in a chain', fun.chain, {1}, 5)
show.try('in a zip', fun.zip, {1}, 5)
show.try('as the iterator of map', fun.map, print, 5)

local metatable = getmetatable(fun.range(1))
show('metatable', type(metatable.__call), type(metatable.__index), type(metatable.__tostring))
local names = {}
for _, name in ipairs({
    'nth', 'head', 'car', 'tail', 'cdr', 'take_n', 'take_while', 'take', 'drop_n', 'drop_while', 'drop',
    'span', 'split', 'split_at', 'index', 'index_of', 'elem_index', 'indexes', 'indices',
    'elem_indexes', 'elem_indices', 'filter', 'remove_if', 'grep', 'partition', 'foldl', 'reduce',
    'length', 'is_null', 'is_prefix_of', 'all', 'every', 'any', 'some', 'sum', 'product', 'min',
    'minimum', 'min_by', 'minimum_by', 'max', 'maximum', 'max_by', 'totable', 'tomap', 'map',
    'enumerate', 'intersperse', 'zip', 'cycle', 'chain', 'each', 'for_each', 'foreach',
}) do
    if type(fun[name]) ~= 'function' or type(fun.range(1)[name]) ~= 'function' then
        names[#names + 1] = name
    end
end
show('missing', names)
head = 'mine'
fun()
show('exported', head, type(tail), type(range), elements(take(2, {5, 6, 7})))

os.exit(0)
