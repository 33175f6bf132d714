local show = require('show')
local fiber = require('fiber')

local cond = fiber.cond()
show('new', type(cond), tostring(cond))
show('timeout', cond:wait(0.001), cond:wait(0))
local woken = {}
for i = 1, 3 do
    fiber.create(function() woken[#woken + 1] = {i, cond:wait(10)} end)
end
cond:signal()
fiber.yield()
show('signal', woken)
cond:broadcast()
fiber.yield()
show('broadcast', #woken)
show('nobody waits', cond:signal(), cond:broadcast())
show.try('negative', cond.wait, cond, -1)
show.try('text', cond.wait, cond, 'x')
show.try('nothing', cond.wait)
show.try('signal nothing', cond.signal)
show.try('broadcast a number', cond.broadcast, 5)
local one = fiber.create(function() woken = cond:wait() end)
one:wakeup()
fiber.yield()
show('woken up', type(woken))

os.exit(0)
