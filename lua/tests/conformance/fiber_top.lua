-- Which fibers take the time, while that is measured.
local clock = require('clock')
local fiber = require('fiber')
local show = require('show')

local function work(seconds)
    local deadline = clock.monotonic() + seconds
    while clock.monotonic() < deadline do end
end

local function fibers(rounds)
    local hard = fiber.new(function() for _ = 1, rounds do work(0.002) fiber.sleep(0.0001) end end)
    local easy = fiber.new(function() for _ = 1, rounds do work(0.0002) fiber.sleep(0.0001) end end)
    hard:name('hard')
    easy:name('easy')
    return hard, easy
end

show.fails('off at first', fiber.top)
fiber.top_enable()
fiber.top_enable()
local hard, easy = fibers(1000)
fiber.sleep(0.1)
local top = fiber.top()
local of_hard, of_easy = top.cpu[hard:id() .. '/hard'], top.cpu[easy:id() .. '/easy']
show('the hard one takes more', of_hard.time > 2 * of_easy.time, of_hard.average > of_easy.average)
show('seconds', of_hard.time > 0.02, of_hard.time < 2)
local sum, count = 0, 0
for name, figures in pairs(top.cpu) do
    sum, count = sum + figures.instant, count + 1
    assert(name:match('^%d+/.+$') and type(figures.average) == 'number' and type(figures.time) == 'number')
end
show('percentages', sum > 99 and sum < 101, count >= 4)
show('the scheduler', type(top.cpu['1/sched']), type(top.cpu_misses))
hard:cancel()
easy:cancel()
fiber.sleep(0.01)
show('ended', fiber.top().cpu[hard:id() .. '/hard'])

-- Begun anew, it counts anew.
fiber.top_disable()
fiber.top_disable()
show.fails('off', fiber.top)
fiber.top_enable()
hard, easy = fibers(3)
fiber.sleep(0.05)
local time = 0
for _, figures in pairs(fiber.top().cpu) do
    time = time + figures.time
end
show('anew', time < 0.05)
fiber.top_disable()
os.exit(0)
