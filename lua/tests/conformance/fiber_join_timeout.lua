-- differs from 2.6: join takes a timeout
local show = require('show')
local fiber = require('fiber')

local one = fiber.new(function() fiber.sleep(0.05) return 'done' end)
one:set_joinable(true)
local ok, err = one:join(0.001)
show('timeout', ok, err.type, err.message)
show('zero', (one:join(0)))
show('still there', one:status())
show('in time', one:join(10))
show.try('negative', one.join, fiber.self(), -1)
show.try('text', one.join, fiber.self(), 'x')
show('tostring of a dead one', (tostring(one):gsub('%d+', 'N')))

os.exit(0)
