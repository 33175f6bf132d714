local show = require('show')

local first = box.error.new{code = 1, reason = 'first'}
local second = box.error.new{code = 2, reason = 'second'}
local third = box.error.new{code = 3, reason = 'third'}
show('no cause', first.prev)
first:set_prev(second)
second:set_prev(third)
show('causes', first.prev == second, first.prev.prev == third, third.prev)
show('unpacked', first:unpack().prev == second)
show.try('cycle', third.set_prev, third, first)
show.try('of itself', first.set_prev, first, first)
show.try('text', first.set_prev, first, 'x')
show.try('nothing', first.set_prev)
show.try('no error', first.set_prev, 'x', first)
first:set_prev(box.NULL)
show('null takes it away', first.prev)
first:set_prev(third)
show('another', first.prev == third)
first:set_prev(nil)
show('nil takes it away', first.prev)

os.exit(0)
