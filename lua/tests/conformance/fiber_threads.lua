-- Each fiber runs on a Lua thread of its own, fresh to the script.
local fiber = require('fiber')

local seen, count = {}, 0

local function look()
    local thread = coroutine.running()
    print(type(thread), coroutine.status(thread), seen[thread])
    count = count + 1
    seen[thread] = count
    return thread
end

for _ = 1, 3 do
    fiber.create(look)
end

-- Fibers that end one after the other, that yield, that fail.
for _ = 1, 3 do
    fiber.create(function() end)
end
local queued = {}
for number = 1, 3 do
    queued[number] = fiber.new(function()
        fiber.yield()
        look()
    end)
    queued[number]:set_joinable(true)
end
for number = 1, 3 do
    queued[number]:join()
end
local failing = fiber.new(function()
    look()
    error('failed', 0)
end)
failing:set_joinable(true)
print(failing:join())
fiber.create(look)

-- A coroutine in a fiber has a thread of its own, the fiber's is not taken for it.
fiber.create(function()
    local outer = coroutine.running()
    coroutine.wrap(function()
        print('the same', outer == coroutine.running())
    end)()
    print('the same', outer == coroutine.running())
end)
fiber.create(function()
    coroutine.wrap(function() seen[coroutine.running()] = true end)()
end)
fiber.create(look)

-- What a fiber sets for its thread ends with it.
fiber.create(function()
    setfenv(0, setmetatable({marker = 'set'}, {__index = _G}))
    print(getfenv(0).marker)
end)
fiber.create(function()
    print(getfenv(0).marker, getfenv(0) == _G)
end)

-- Arguments, results and locals of one fiber are not those of the next.
fiber.create(function(...) print(select('#', ...), ...) return 1, 2, 3 end, 'a', nil, 'b', nil)
fiber.create(function(...) print(select('#', ...), ...) end)
fiber.create(function(...) local a, b, c print(a, b, c) end)

-- A deep fiber, then one at its place.
local function sum(n) return n == 0 and 0 or n + sum(n - 1) end
fiber.create(function() print(sum(10000)) end)
fiber.create(function() print(sum(10)) end)

-- A fiber object stands for one fiber, whatever ran on the same thread.
local first = fiber.create(function() end)
local second = fiber.create(function() fiber.yield() end)
print(first == second, first:status(), second:status(), first:id() < second:id())
print(fiber.find(first:id()), fiber.find(second:id()) == second)
second.storage.key = 'value'
print(second.storage.key)
fiber.yield()
fiber.yield()
print(second:status(), (pcall(function() return second.storage end)))
local third = fiber.create(function() fiber.yield() end)
print(third.storage.key)
os.exit(0)
