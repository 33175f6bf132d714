-- The generator's published outputs, and draws of every kind: the same on every architecture, compiled or not.

local random = require('lycosa.random')
local show = require('show')

-- SplitMix64 with the seeds of its reference outputs.
for _, seed in ipairs({1234567, 0}) do
    local generator = random.generator(seed)
    for _ = 1, 5 do
        show('seed ' .. seed, generator:next())
    end
end

local generator = random.generator(7, 1)
local KINDS = {
    {'real', function() return generator:real() end},
    {'uniform die', function() return generator:uniform(1, 6) end},
    {'uniform delta', function() return generator:uniform(-5000, 5000) end},
    {'uniform 2^32', function() return generator:uniform(1, 2 ^ 32) end},
    {'uniform 2^32 + 1', function() return generator:uniform(0, 2 ^ 32) end},
    {'uniform 2^53', function() return generator:uniform(-2 ^ 53, -1) end},
    {'zipfian 1', function() return generator:zipfian(1, 0.99) end},
    {'zipfian 2', function() return generator:zipfian(2, 0.99) end},
    {'zipfian 10^6', function() return generator:zipfian(1e6, 0.99) end},
    {'zipfian 10^10', function() return generator:zipfian(1e10, 0.99) end},
    {'zipfian 2^53', function() return generator:zipfian(2 ^ 53, 1) end},
    {'zipfian of 0', function() return generator:zipfian(1000, 0) end},
    {'zipfian of 1', function() return generator:zipfian(1000, 1) end},
    {'zipfian of 10', function() return generator:zipfian(1000, 10) end},
    {'gaussian', function() return generator:gaussian(1, 1000, 2.5) end},
    {'exponential', function() return generator:exponential(1, 1000, 5) end},
    {'pareto', function() return generator:pareto(1, 1000, 0.2) end},
}

-- Sums of draws and of their squares, modulo a prime, so that one bit in one draw shows.
local function summary(draw)
    local sum = 0
    for position = 1, 20000 do
        local number = draw()
        -- A real number is a whole number of 2^-53.
        number = number % 1 == 0 and number or number * 2 ^ 53
        sum = (sum * 31 + number % 1000003 + position) % 1000003
    end
    return sum
end

for _, kind in ipairs(KINDS) do
    local name, draw = unpack(kind)
    generator:seed(11, 3)
    show(name, draw(), draw(), draw(), draw())
    generator:seed(11, 5)
    show(name .. ', all', summary(draw))
end

-- Without the compiler: the same.
jit.off()
jit.flush()
for _, kind in ipairs(KINDS) do
    generator:seed(11, 5)
    show(kind[1] .. ', interpreted', summary(kind[2]))
end
jit.on()

generator:seed(1, 1)
for _, length in ipairs({0, 1, 7, 8, 9, 40}) do
    show('string', generator:string(length))
end
show('long string', #generator:string(100000), generator:string(2000):byte(1, 4))
show('shuffle', generator:shuffle({1, 2, 3, 4, 5, 6, 7, 8}))
show('shuffle of nothing', generator:shuffle({}), generator:shuffle({1}))

-- Streams are a matter of numbers alone.
show('streams', random.generator(1, 2):next() == generator:seed(1, 2):next(),
    random.generator(1, 2):next() == random.generator(2, 1):next(),
    random.generator(1, 0):next() == random.generator(1):next())
os.exit(0)
