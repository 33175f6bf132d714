-- Draws against their distributions by chi-square tests. Seeds are fixed: a test that passes does so always.

local random = require('lycosa.random')

local DRAWS = 200000
local generator = random.generator(20240229)

-- The value that chi-square with these degrees of freedom exceeds once in a thousand times (Wilson and Hilferty).
local function critical_value(degrees)
    local spread = 2 / (9 * degrees)
    return degrees * (1 - spread + 3.0902 * math.sqrt(spread)) ^ 3
end

-- Compares counts with probabilities, both by class from 1 on; classes of less than 10 expected draws go together.
local function check(name, probabilities, class_of_draw, draws)
    draws = draws or DRAWS
    local counts = {}
    for class = 1, #probabilities do
        counts[class] = 0
    end
    for draw = 1, draws do
        local class = class_of_draw(draw)
        if counts[class] == nil then
            print(name, 'outside', class)
            return
        end
        counts[class] = counts[class] + 1
    end
    local statistic, classes, total, expected, count = 0, 0, 0, 0, 0
    for class, probability in ipairs(probabilities) do
        total = total + probability
        expected, count = expected + draws * probability, count + counts[class]
        local left = draws * (1 - total)
        if expected >= 10 and (left >= 10 or class == #probabilities) then
            statistic = statistic + (count - expected) ^ 2 / expected
            classes = classes + 1
            expected, count = 0, 0
        end
    end
    if expected > 0.001 then
        statistic = statistic + (count - expected) ^ 2 / expected
        classes = classes + 1
    end
    local passes = statistic < critical_value(classes - 1)
    print(name, passes and 'passes' or ('statistic %.1f'):format(statistic),
        math.abs(total - 1) < 1e-9 and 'of 1' or total)
end

local function even(classes)
    local probabilities = {}
    for class = 1, classes do
        probabilities[class] = 1 / classes
    end
    return probabilities
end

check('real', even(100), function() return math.floor(generator:real() * 100) + 1 end)
check('uniform, a die', even(6), function() return generator:uniform(1, 6) end)
check('uniform, 1,000', even(1000), function() return generator:uniform(1, 1000) end)
-- Three quarters of 2^32: the method's bias, were there any, would be largest here.
check('uniform, large', even(96), function()
    return math.floor((generator:uniform(1, 3 * 2 ^ 30) - 1) / 2 ^ 25) + 1
end)
check('uniform, 2^50', even(128), function()
    return math.floor(generator:uniform(0, 2 ^ 50 - 1) / 2 ^ 43) + 1
end)

-- Streams: the first draws of consecutive ones, and pairs of neighbours.
check('first of streams', even(100), function(draw)
    return generator:seed(1, draw):uniform(1, 100)
end)
check('first of seeds', even(100), function(draw)
    return generator:seed(draw, 1):uniform(1, 100)
end)
check('neighbours', even(100), function(draw)
    return generator:seed(5, draw):uniform(0, 9) * 10 + generator:seed(5, draw + 1):uniform(1, 10)
end)
generator:seed(3)
check('successors', even(100), function()
    return generator:uniform(0, 9) * 10 + generator:uniform(1, 10)
end)

local function zipfian(n, theta)
    local probabilities, sum = {}, 0
    for rank = 1, n do
        probabilities[rank] = rank ^ -theta
        sum = sum + probabilities[rank]
    end
    for rank = 1, n do
        probabilities[rank] = probabilities[rank] / sum
    end
    return probabilities
end

for _, n in ipairs({2, 3, 10, 1000}) do
    for _, theta in ipairs({0, 0.001, 0.5, 0.99, 1, 1.001, 2, 10}) do
        check(('zipfian of %d, %.3f'):format(n, theta), zipfian(n, theta), function()
            return generator:zipfian(n, theta)
        end)
    end
end
for _, theta in ipairs({0.01, 0.99, 1}) do
    check(('zipfian of 10^6, %.2f'):format(theta), zipfian(1000000, theta), function()
        return generator:zipfian(1000000, theta)
    end)
end

-- The distribution function of the normal distribution, by Simpson's rule.
local function normal_up_to(z)
    local sum, steps = 0, 200
    local function density(x)
        return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    end
    for step = 0, steps - 1 do
        local left, right = z * step / steps, z * (step + 1) / steps
        sum = sum + (right - left) / 6
            * (density(left) + 4 * density((left + right) / 2) + density(right))
    end
    return 0.5 + sum
end

-- Probabilities of the classes from the share of draws below a share of the range.
local function of_shares(classes, below)
    local probabilities = {}
    for class = 1, classes do
        probabilities[class] = below(class / classes) - below((class - 1) / classes)
    end
    return probabilities
end

for _, parameter in ipairs({2, 2.5, 5, 20}) do
    local outside = normal_up_to(-parameter)
    local probabilities = of_shares(100, function(share)
        return (normal_up_to(2 * parameter * share - parameter) - outside) / (1 - 2 * outside)
    end)
    check(('gaussian of %.1f'):format(parameter), probabilities, function()
        return generator:gaussian(1, 100, parameter)
    end)
end
for _, parameter in ipairs({0.001, 1, 5, 50}) do
    local probabilities = of_shares(100, function(share)
        return (1 - math.exp(-parameter * share)) / (1 - math.exp(-parameter))
    end)
    check(('exponential of %.3f'):format(parameter), probabilities, function()
        return generator:exponential(-49, 50, parameter) + 50
    end)
end
for _, share in ipairs({0.01, 0.2, 0.5}) do
    local power = math.log(1 - share) / math.log(share)
    check(('pareto of %.2f'):format(share), of_shares(100, function(part) return part ^ power end), function()
        return generator:pareto(1, 100, share)
    end)
end

check('characters', even(64), function() return generator:string(1):byte() - ('0'):byte() + 1 end)
-- The last of a dozen is in another word than the first.
check('last characters', even(64), function()
    return generator:string(12):byte(12) - ('0'):byte() + 1
end)
local orders, known = {}, 0
check('shuffles', even(24), function()
    local order = table.concat(generator:shuffle({1, 2, 3, 4}))
    if orders[order] == nil then
        known = known + 1
        orders[order] = known
    end
    return orders[order]
end)
os.exit(0)
