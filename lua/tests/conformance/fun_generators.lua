local show = require('show')
local elements = require('elements')
local fun = require('fun')

for _, arguments in ipairs({
    {3}, {2, 4}, {4, 2}, {1, 10, 4}, {10, 1, -3}, {1, 10, -1}, {0.5, 2, 0.5}, {-1, 1}, {1, 1}, {-3},
}) do
    show('range ' .. show.text(arguments), elements(fun.range(unpack(arguments))))
end
show.try('step of zero', fun.range, 1, 5, 0)
show.fails('no start', fun.range)
show.fails('start', fun.range, 'a')
show('duplicate', elements(fun.duplicate('z'):take(2)), elements(fun.duplicate(1, 2):take(2)))
show('names', fun.replicate == fun.duplicate, fun.xrepeat == fun.duplicate)
show('tabulate', elements(fun.tabulate(function(x) return x, x * 2 end):take(3)))
show('zeros and ones', elements(fun.zeros():take(2)), elements(fun.ones():take(3)))
local in_range = fun.rands(5, 8):take(100):all(function(x) return x >= 5 and x < 8 and x % 1 == 0 end)
show('rands', in_range, elements(fun.rands(1, 2):take(2)), elements(fun.rands(1):take(2)))
show('fractions', fun.rands():take(100):all(function(x) return x >= 0 and x < 1 end))
show.try('empty interval', fun.rands, 5, 5)
show.try('no number', fun.rands, 'x')
show.try('no first', fun.rands, nil, 5)

show('object', tostring(fun.range(3)), type(fun.range(3)), select('#', fun.range(3)))
local gen, param, state = fun.range(3):unwrap()
show('unwrap', type(gen), type(param), state)
show('call', fun.range(3)(param, 1))
show('wrap', elements(fun.wrap(gen, param, state)), elements(fun.wrap(fun.range(2))))
local sum = 0
for _, value in fun.range(4) do sum = sum + value end
for _, value in fun.range(4):unwrap() do sum = sum + value end
show('generic for', sum)
-- A state can be returned to: it holds all that changes.
local taken = fun.range(10):drop(2):take(3)
show('again', elements(taken), elements(taken), taken:sum())

os.exit(0)
