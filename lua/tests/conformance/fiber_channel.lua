local show = require('show')
local fiber = require('fiber')

local channel = fiber.channel(2)
show('new', type(channel), tostring(channel), channel:size(), channel:count(), channel:is_empty(), channel:is_full(),
    channel:has_readers(), channel:has_writers(), channel:is_closed())
show('put', channel:put(1), channel:put(nil, 1), channel:put(3, 0), channel:put(4, 0.001))
show('full', channel:count(), channel:is_full(), tostring(channel))
show('get', channel:get(), channel:get(1), channel:get(0), channel:get(0.001))
local order = {}
local writer = fiber.create(function()
    for i = 1, 4 do channel:put(i) order[#order + 1] = 'put ' .. i end
end)
show('writer waits', channel:has_writers(), order)
for _ = 1, 4 do order[#order + 1] = 'got ' .. channel:get() end
fiber.yield()
show('in order', #order, writer:status())
local got
fiber.create(function() got = {channel:get()} end)
show('reader waits', channel:has_readers())
channel:put({key = 'table'})
fiber.yield()
show('a table', got)
local outcome = {}
fiber.create(function() outcome.get = {n = select('#', channel:get()), channel:get()} end)
channel:close()
fiber.yield()
show('closed', channel:is_closed(), tostring(channel), channel:put(1), channel:get(), outcome)
show.try('close again', channel.close, channel)
show.try('negative size', fiber.channel, -1)
show.fails('put nothing', channel.put, channel)
show.fails('put to nothing', channel.put)
show.fails('negative timeout', fiber.channel().get, fiber.channel(), -1)
show.fails('text timeout', fiber.channel().get, fiber.channel(), 'x')
local direct = fiber.channel()
show('no buffer', direct:size(), direct:put(1, 0), direct:get(0))
fiber.create(function() direct:put('handed over') end)
show('direct', direct:get())

os.exit(0)
