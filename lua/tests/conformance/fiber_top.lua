-- Which fibers take the time, while that is measured.
local clock = require('clock')
local fiber = require('fiber')
local show = require('show')

-- Of the processor's time, so that other processes do not matter.
local function work(seconds)
    local deadline = clock.thread() + seconds
    while clock.thread() < deadline do end
end

local rounds
local function fibers()
    rounds = 0
    local hard = fiber.new(function()
        while true do
            work(0.004)
            rounds = rounds + 1
            fiber.sleep(0.0001)
        end
    end)
    local easy = fiber.new(function()
        while true do
            work(0.0004)
            fiber.sleep(0.0001)
        end
    end)
    hard:name('hard')
    easy:name('easy')
    return hard, easy
end

local function wait(count)
    while rounds < count do
        fiber.sleep(0.001)
    end
end

show.fails('off at first', fiber.top)
fiber.top_enable()
fiber.top_enable()
local hard, easy = fibers()
wait(30)
local top = fiber.top()
local of_hard, of_easy = top.cpu[hard:id() .. '/hard'], top.cpu[easy:id() .. '/easy']
show('the hard one takes more', of_hard.time > of_easy.time, of_hard.average > 0, of_hard.average < 101)
show('seconds', of_hard.time > 0.05)
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
hard = fibers()
wait(2)
local anew = fiber.top().cpu[hard:id() .. '/hard'].time
show('anew', anew < of_hard.time)
fiber.top_disable()
os.exit(0)
