local show = require('show')
local elements = require('elements')
local fun = require('fun')

show('map', elements(fun.map(function(x) return x * 2 end, {1, 2})),
    elements(fun.range(2):map(function(x) return x, -x end)), elements(fun.map(print, {})))
show('map of a map', elements(fun.map(function(k, v) return v, k end, {a = 1})))
show.fails('map by a number', function() return fun.map(5, {1}):totable() end)
show('enumerate', elements(fun.enumerate({'a', 'b'})), elements(fun.enumerate({a = 'b'})))
show('intersperse', elements(fun.intersperse('x', {1, 2})), elements(fun.intersperse('x', {})))
show('zip', elements(fun.zip('ab', {1, 2, 3})), elements(fun.zip({1}, {2}, 'c', fun.range(5))),
    elements(fun.range(2):zip({3, 4})), elements(fun.zip({1, 2})), fun.zip():is_null())
show('cycle', elements(fun.cycle({1, 2}):take(5)), elements(fun.range(2):cycle():take(3)),
    elements(fun.cycle({})))
show('chain', elements(fun.chain({1}, {2, 3}, 'x', {})), elements(fun.range(2):chain({}, fun.range(2))),
    elements(fun.chain({a = 1}, fun.zip({1}, {2}))), fun.chain():is_null())
show('a chain of chains', elements(fun.chain(fun.chain({1}, {2}), fun.chain({3}))))
show('long', fun.range(100):map(function(x) return x % 10 end):filter(function(x) return x > 5 end)
    :enumerate():map(function(i, x) return i * x end):take(10):sum())

local op = fun.op
show('same', op == fun.operator)
show('compare', op.lt(1, 2), op.le(2, 2), op.eq(1, 2), op.ne(1, 2), op.ge(1, 2), op.gt(2, 1))
show('arithmetic', op.add(1, 2), op.sub(1, 2), op.mul(2, 3), op.div(5, 2), op.truediv(1, 2),
    op.floordiv(-5, 2), op.intdiv(-5, 2), op.intdiv(5, 2), op.mod(5, 3), op.unm(1), op.pow(2, 3))
show('text', op.concat('a', 'b'), op.len({1}), op.length('ab'))
show('logic', op.land(1, 2), op.lor(false, 2), op.lnot(1), op.truth(0))
show('in use', fun.foldl(op.add, 0, {1, 2, 3}), fun.range(3):map(op.unm):totable())

os.exit(0)
