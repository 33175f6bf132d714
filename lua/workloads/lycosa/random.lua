-- Random numbers that are the same on every architecture, under Lycosa and under Tarantool.
--
-- The generator is SplitMix64: a counter and a hash of it, so that starting anew, for each operation of
-- a workload, costs a hash. A draw takes a few nanoseconds in compiled code and makes no garbage there.
-- Whole numbers are drawn without bias by integer arithmetic. Logarithms and exponentials are computed
-- here, from additions, multiplications, divisions and square roots alone, which IEEE 754 rounds in
-- one way; the last bits of the C library's differ between systems.

local bit = require('bit')
local ffi = require('ffi')

local bxor, rshift, lshift, band = bit.bxor, bit.rshift, bit.lshift, bit.band
local floor, sqrt = math.floor, math.sqrt

-- Lua's numbers hold every whole number up to here.
local WHOLE_MAX = 2 ^ 53
local TWO_32 = 2 ^ 32
local STRING_MAX = 2 ^ 27

local GAMMA = 0x9e3779b97f4a7c15ULL

local function mix(word)
    word = bxor(word, rshift(word, 30)) * 0xbf58476d1ce4e5b9ULL
    word = bxor(word, rshift(word, 27)) * 0x94d049bb133111ebULL
    return bxor(word, rshift(word, 31))
end

-- The bits of a floating-point number, low half first on little-endian systems.
local pun = ffi.new('union { double number; int32_t half[2]; }')
local HIGH = ffi.abi('le') and 1 or 0

-- Logarithm of a number near 1, by the series of 2 atanh((x - 1) / (x + 1)).
local function log_near_1(x)
    local f = (x - 1) / (x + 1)
    local sum = 0
    for power = 21, 1, -2 do
        sum = sum * (f * f) + 1 / power
    end
    return 2 * f * sum
end

local function exp_near_0(x)
    local sum = 1
    for term = 15, 1, -1 do
        sum = 1 + sum * x / term
    end
    return sum
end

-- The logarithm of 2, its high part with zeros at its end, so that multiples of it are exact.
local LN_2_HIGH, LN_2_LOW = 0x1.62e42feep-1, 0x1.a39ef35793c76p-33

-- Tables of 128 entries leave so short a rest that six terms of a series are enough. Fewer constants in a trace
-- matter more than fewer multiplications: a trace holds 250 of them, of all that is called in it.
local STEPS = 128
local EXP, LOG = ffi.new('double[?]', STEPS), ffi.new('double[?]', STEPS)
for step = 0, STEPS - 1 do
    EXP[step] = exp_near_0(step / STEPS * (LN_2_HIGH + LN_2_LOW))
    local x = 1 + (step + 0.5) / STEPS
    LOG[step] = x > 1.4 and log_near_1(x / 2) + LN_2_LOW + LN_2_HIGH or log_near_1(x)
end

-- log(1 + x) / x and (e^x - 1) / x for |x| up to 0.01, where what is left out is below 2^-52.
local function log1p_series(x)
    return 1 - x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * (1 / 5 - x * (1 / 6 - x * (1 / 7))))))
end

local function expm1_series(x)
    return 1 + x * (1 / 2) * (1 + x * (1 / 3) * (1 + x * (1 / 4) * (1 + x * (1 / 5) * (1 + x * (1 / 6)))))
end

-- Natural logarithm of a positive normal number: of its power of two, of the middle of one of 128 steps, and
-- of what is left.
local function log(x)
    pun.number = x
    local high = pun.half[HIGH]
    local exponent = rshift(high, 20) - 1023
    local step = band(rshift(high, 13), STEPS - 1)
    pun.half[HIGH] = bit.bor(band(high, 0xfffff), 0x3ff00000)
    local middle = 1 + (step + 0.5) * (1 / STEPS)
    local rest = (pun.number - middle) / middle
    return exponent * LN_2_HIGH + (exponent * LN_2_LOW + (LOG[step] + rest * log1p_series(rest)))
end

-- Exponential, for numbers beyond 700 that of 700, for those below -700 nothing.
local function exp(x)
    if x < -700 then
        return 0
    elseif x > 700 then
        x = 700
    end
    local steps = floor(x * (STEPS / (LN_2_HIGH + LN_2_LOW)) + 0.5)
    local rest = x - steps * (LN_2_HIGH / STEPS) - steps * (LN_2_LOW / STEPS)
    -- A power of two by its bits.
    pun.number = 0
    pun.half[HIGH] = lshift(bit.arshift(steps, 7) + 1023, 20)
    return EXP[band(steps, STEPS - 1)] * (1 + rest * expm1_series(rest)) * pun.number
end

-- (e^x - 1) / x and log(1 + x) / x, both 1 at 0.
local function expm1_over(x)
    if x > -0.01 and x < 0.01 then
        return expm1_series(x)
    end
    return (exp(x) - 1) / x
end

local function log1p_over(x)
    if x > -0.01 and x < 0.01 then
        return log1p_series(x)
    end
    return log(1 + x) / x
end

local generator_t = ffi.typeof([[struct {
    uint64_t state;
    double zipfian_n, zipfian_theta;
    double zipfian_first, zipfian_last, zipfian_squeeze;
}]])

local methods = {}

local function is_whole(number, most)
    return type(number) == 'number' and number >= -most and number <= most
        and floor(number) == number
end

-- Raised from the caller of the method, as are the other checks.
local function check_seed(what, number)
    if not is_whole(number, WHOLE_MAX) or number < 0 then
        error(('%s must be a whole number from 0 to 2^53, not %s'):format(what, tostring(number)), 3)
    end
end

-- Starts anew. Without a stream it is SplitMix64 with this seed. Streams of one seed are independent,
-- whatever numbers they have: a workload takes the number of the operation.
function methods.seed(self, seed, stream)
    check_seed('the seed', seed)
    if stream == nil then
        self.state = seed
    else
        check_seed('the stream', stream)
        self.state = mix(mix(ffi.cast('uint64_t', seed) + GAMMA) + ffi.cast('uint64_t', stream))
    end
    return self
end

-- 64 bits, as uint64_t.
function methods.next(self)
    local state = self.state + GAMMA
    self.state = state
    return mix(state)
end

local function next_32(self)
    local state = self.state + GAMMA
    self.state = state
    return rshift(mix(state), 32)
end

-- A number from 0 to below 1, in steps of 2^-53.
function methods.real(self)
    local state = self.state + GAMMA
    self.state = state
    return tonumber(ffi.cast('int64_t', rshift(mix(state), 11))) * 0x1p-53
end

-- Whole numbers below `range`, up to 2^32, by Lemire's method: the high half of a product, where the low
-- half says which few products would make some results more likely.
local function below(self, range)
    local product = next_32(self) * range
    local low = tonumber(ffi.cast('int64_t', band(product, 0xffffffffULL)))
    if low < range and low < (TWO_32 - range) % range then
        return below(self, range)
    end
    return tonumber(ffi.cast('int64_t', rshift(product, 32)))
end

-- Whole numbers below `range`, up to 2^53: as many bits as it has, drawn until they are below.
local function below_wide(self, range)
    local bits = TWO_32
    local shift = 32
    while bits < range do
        bits = bits * 2
        shift = shift - 1
    end
    local number
    repeat
        number = tonumber(ffi.cast('int64_t', rshift(self:next(), shift)))
    until number < range
    return number
end

local function check_range(low, high)
    if not is_whole(low, WHOLE_MAX) or not is_whole(high, WHOLE_MAX) or low > high
        or high - low >= WHOLE_MAX then
        error(('the range must be of whole numbers, low before high, at most 2^53 of them, not %s to %s')
            :format(tostring(low), tostring(high)), 3)
    end
end

-- A whole number from `low` to `high`, all equally likely.
function methods.uniform(self, low, high)
    check_range(low, high)
    local range = high - low + 1
    if range <= TWO_32 then
        return low + below(self, range)
    end
    return low + below_wide(self, range)
end

-- Zipf's distribution by rejection-inversion (Hoermann and Derflinger, 1996), exact for every exponent:
-- `h` is x^-theta, `h_integral` its integral from 1, `h_inverse` the inverse of that.
local function h(x, theta)
    return exp(-theta * log(x))
end

local function h_integral(x, theta)
    local log_x = log(x)
    return expm1_over((1 - theta) * log_x) * log_x
end

local function h_inverse(x, theta)
    local t = x * (1 - theta)
    if t < -1 then
        t = -1
    end
    return exp(log1p_over(t) * x)
end

-- What all draws with these parameters share; kept from one to the next.
local function prepare_zipfian(self, n, theta)
    if not is_whole(n, WHOLE_MAX) or n < 1 then
        error(('zipfian takes a whole number from 1 to 2^53, not %s'):format(tostring(n)), 3)
    elseif type(theta) ~= 'number' or not (theta >= 0 and theta <= 10) then
        error(('zipfian takes an exponent from 0 to 10, not %s'):format(tostring(theta)), 3)
    end
    self.zipfian_n, self.zipfian_theta = n, theta
    self.zipfian_first = h_integral(1.5, theta) - 1
    self.zipfian_last = h_integral(n + 0.5, theta)
    self.zipfian_squeeze = 2 - h_inverse(h_integral(2.5, theta) - h(2, theta), theta)
end

-- A whole number from 1 to `n`; `k` is as likely as k^-theta.
function methods.zipfian(self, n, theta)
    if self.zipfian_n ~= n or self.zipfian_theta ~= theta then
        prepare_zipfian(self, n, theta)
    end
    local first, last = self.zipfian_first, self.zipfian_last
    local u = last + self:real() * (first - last)
    local x = h_inverse(u, theta)
    local k = floor(x + 0.5)
    k = k < 1 and 1 or k > n and n or k
    if k - x <= self.zipfian_squeeze or u >= h_integral(k + 0.5, theta) - h(k, theta) then
        return k
    end
    return self:zipfian(n, theta)
end

-- The whole number at a share of the range, which may be rounded up to 1.
local function at(low, high, share)
    local number = low + floor((high - low + 1) * share)
    return number > high and high or number
end

local function check_parameter(name, parameter, low, high)
    if type(parameter) ~= 'number' or not (parameter >= low and parameter <= high) then
        error(('%s takes a parameter from %s to %s, not %s'):format(
            name, tostring(low), tostring(high), tostring(parameter)), 3)
    end
end

-- A whole number from `low` to `high`: a normal distribution around their middle, cut off at `parameter`
-- standard deviations, as pgbench's random_gaussian. Marsaglia's polar method.
function methods.gaussian(self, low, high, parameter)
    check_range(low, high)
    check_parameter('gaussian', parameter, 2, 1000)
    local x, y = 2 * self:real() - 1, 2 * self:real() - 1
    local square = x * x + y * y
    if square < 1 and square > 0 then
        local z = x * sqrt(-2 * log(square) / square)
        if z >= -parameter and z < parameter then
            return at(low, high, (z + parameter) / (2 * parameter))
        end
    end
    return self:gaussian(low, high, parameter)
end

-- A whole number from `low` to `high`, small ones more likely: the density falls by e^-parameter over the
-- range, as in pgbench's random_exponential.
function methods.exponential(self, low, high, parameter)
    check_range(low, high)
    check_parameter('exponential', parameter, 0.001, 700)
    local cut = exp(-parameter)
    local u = 1 - self:real()
    return at(low, high, -log(cut + (1 - cut) * u) / parameter)
end

-- A whole number from `low` to `high`, small ones more likely: all but a share `share` of the draws fall into
-- the first `share` of the range, 0.2 for 80 and 20 of a hundred.
function methods.pareto(self, low, high, share)
    check_range(low, high)
    check_parameter('pareto', share, 0.001, 0.5)
    local power = log(share) / log(1 - share)
    return at(low, high, exp(power * log(1 - self:real())))
end

-- Eight characters of a string at once, from '0' to 'o' in ASCII.
local SIX_BITS, FIRST = 0x3f3f3f3f3f3f3f3fULL, 0x3030303030303030ULL
local is_little_endian = ffi.abi('le')
local characters, capacity = ffi.new('uint64_t[?]', 128), 1024

-- Not compiled: the compiler must not keep an array of variable length from being made.
local function reserve(length)
    capacity = 8 * math.ceil(length / 8)
    characters = ffi.new('uint64_t[?]', capacity / 8)
end
jit.off(reserve)

-- A string of `length` printable characters of ASCII.
function methods.string(self, length)
    if not is_whole(length, STRING_MAX) or length < 0 then
        error(('string takes a length from 0 to %d, not %s'):format(STRING_MAX, tostring(length)), 2)
    end
    if length > capacity then
        reserve(length)
    end
    for position = 0, floor((length - 1) / 8) do
        local word = band(self:next(), SIX_BITS) + FIRST
        characters[position] = is_little_endian and word or bit.bswap(word)
    end
    return ffi.string(characters, length)
end

-- Puts the elements of a list into a random order, each order equally likely; answers with the list.
function methods.shuffle(self, list)
    if type(list) ~= 'table' then
        error(('shuffle takes a list, not a %s'):format(type(list)), 2)
    end
    for position = #list, 2, -1 do
        local other = self:uniform(1, position)
        list[position], list[other] = list[other], list[position]
    end
    return list
end

local new_generator = ffi.metatype(generator_t, {__index = methods})

local random = {}

-- A generator; `stream` tells generators of one seed apart.
function random.generator(seed, stream)
    check_seed('the seed', seed)
    -- Unlike every number of ranks: nothing is prepared.
    return new_generator(0, 0 / 0):seed(seed, stream)
end

return random
