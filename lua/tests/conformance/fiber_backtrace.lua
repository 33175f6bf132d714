-- differs from 2.6: frames there are those of C as well
local fiber = require('fiber')
local show = require('show')

local function lines(frames)
    local list = {}
    for position, frame in ipairs(frames) do
        list[position] = frame.L:gsub('@.*/', '@')
    end
    return list
end

local function inner(channel)
    local value = channel:get()
    return value
end
local function outer(channel)
    local value = inner(channel)
    return value
end
local channel = fiber.channel()
local one = fiber.new(outer, channel)
one:name('one')
show('not yet', lines(one:info().backtrace))
fiber.yield()
show('waits', lines(one:info().backtrace))
show('the same among all', lines(fiber.info()[one:id()].backtrace))
show('without', one:info({backtrace = false}).backtrace, one:info({bt = false}).backtrace,
    fiber.info({backtrace = false})[one:id()].backtrace)
local main = fiber.self()
local function ask()
    return lines(main:info().backtrace)[1]:match('^[^@]*'), #main:info().backtrace
end
local asker = fiber.new(ask)
asker:set_joinable(true)
show('main', asker:join())
local own = lines(fiber.self():info().backtrace)
show('its own', #own > 0)

-- In a coroutine, what resumed it is seen.
local function resume(routine)
    coroutine.resume(routine)
end
local two = fiber.new(resume, coroutine.create(function() outer(channel) end))
fiber.yield()
show('a coroutine', lines(two:info().backtrace))

-- Thousands are looked at in no time, and none is harmed.
local many = {}
for position = 1, 1000 do
    many[position] = fiber.new(outer, channel)
end
fiber.yield()
local frames = 0
for _, entry in pairs(fiber.info()) do
    frames = frames + #entry.backtrace
end
show('many', frames > 2000)
for _ = 1, 1002 do
    channel:put('go', 1)
end
fiber.yield()
show('ended', one:status(), many[1]:status(), many[1000]:status())
os.exit(0)
