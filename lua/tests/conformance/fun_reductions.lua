local show = require('show')
local fun = require('fun')
local function add(left, right) return left + right end
local function is_positive(x) return x > 0 end

show('foldl', fun.foldl(add, 0, {1, 2, 3}), fun.range(5):reduce(add, 100))
show('foldl of pairs', fun.foldl(function(sum, x, y) return sum + x * y end, 0, fun.zip({1, 2}, {3, 4})))
show('foldl of nothing', fun.foldl(add, 'start', {}))
show('length', fun.length({1, 2}), fun.length('abc'), fun.length({a = 1, b = 2}), fun.range(10):length(),
    fun.length({}))
show('is_null', fun.is_null({}), fun.is_null({0}), fun.range(3):drop(3):is_null())
show('is_prefix_of', fun.is_prefix_of({1, 2}, {1, 2, 3}), fun.is_prefix_of({1, 2, 3}, {1, 2}),
    fun.is_prefix_of('', 'x'), fun.range(2):is_prefix_of({1, 2}))
show('all', fun.all(is_positive, {1, 2}), fun.every(is_positive, {1, -2}), fun.all(is_positive, {}))
show('any', fun.any(is_positive, {-1, 2}), fun.some(is_positive, {-1}), fun.any(is_positive, {}))
show('sum and product', fun.sum({1, 2}), fun.sum({}), fun.product({3, 4}), fun.product({}))
show('min and max', fun.min({3, 1, 2}), fun.maximum({3, 1, 2}), fun.min({'b', 'a'}), fun.max('xyz'))
for _, name in ipairs({'min', 'max', 'minimum', 'maximum'}) do
    show.try(name .. ' of nothing', fun[name], {})
    show.fails(name .. ' of a mixture', fun[name], {1, 'a'})
end
local function shorter(left, right) return #left < #right and left or right end
show('by', fun.min_by(shorter, {'abc', 'a', 'ab'}), fun.max_by(shorter, {'abc', 'a'}))
show.try('by of nothing', fun.minimum_by, shorter, {})
show('totable', fun.totable('abc'), fun.totable({a = 1}), fun.range(3):totable())
show('totable drops nil', fun.map(function(x) if x ~= 2 then return x end end, {1, 2, 3}):totable())
show('totable keeps null', #fun.totable({box.NULL, 1}))
show('tomap', fun.tomap({a = 1}), fun.tomap(fun.zip(fun.range(1, 3), 'abc')), fun.tomap({5, 6}))
local seen = {}
fun.each(function(...) seen[#seen + 1] = {...} end, {a = 1})
fun.range(2):for_each(function(x) seen[#seen + 1] = x end)
show('each', seen, fun.each == fun.for_each, fun.each == fun.foreach)

os.exit(0)
