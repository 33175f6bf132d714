-- Which fibers take the time, while that is measured.
local fiber = require('fiber')
local show = require('show')

local function work(steps)
    local sum = 0
    for step = 1, steps do
        sum = sum + step % 7
    end
    return sum
end

local function fibers(rounds)
    local hard = fiber.new(function() for _ = 1, rounds do work(1000000) fiber.sleep(0.0001) end end)
    local easy = fiber.new(function() for _ = 1, rounds do work(10000) fiber.sleep(0.0001) end end)
    hard:name('hard')
    easy:name('easy')
    return hard, easy
end

show.fails('off at first', fiber.top)
fiber.top_enable()
fiber.top_enable()
local hard, easy = fibers(1000000)
local top, of_hard, of_easy
repeat
    fiber.sleep(0.01)
    top = fiber.top()
    of_hard, of_easy = top.cpu[hard:id() .. '/hard'], top.cpu[easy:id() .. '/easy']
until of_hard ~= nil and of_easy ~= nil and of_hard.time > 0.3
show('the hard one takes more', of_hard.time > of_easy.time, of_hard.average > of_easy.average)
local taken = of_hard.time
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
while hard:status() ~= 'dead' or easy:status() ~= 'dead' do
    fiber.sleep(0.001)
end
local time = 0
for _, figures in pairs(fiber.top().cpu) do
    time = time + figures.time
end
show('anew', time < taken)
fiber.top_disable()
os.exit(0)
