-- Latencies whose number is not known beforehand: counts of values by their 11 leading bits, which is
-- what a histogram with three decimal digits tells apart. 424 KiB each, whatever is recorded; to record
-- costs a store, a load and two additions. Runs under Tarantool too.

local bit = require('bit')
local ffi = require('ffi')

-- 53 doublings of 1,024 counts each. A double holds its exponent and its leading bits side by side,
-- which makes them the position.
local BUCKETS, FIRST_BUCKET = 53 * 1024, 1023 * 1024
local VALUE_MAX = 2 ^ 53 - 1
local split = ffi.new('union { double value; struct { uint32_t low, high; } words; }')

local histogram = {BUCKETS = BUCKETS}

-- An empty one: `counts` by bucket, `count` of all values, and the largest value, exact.
function histogram.new()
    return {counts = ffi.new('double[?]', BUCKETS), max = 0, count = 0}
end

-- Adds a value; 0 counts as 1. Answers with its bucket.
function histogram.record(self, value)
    split.value = math.min(math.max(value, 1), VALUE_MAX)
    local bucket = bit.rshift(split.words.high, 10) - FIRST_BUCKET
    self.counts[bucket] = self.counts[bucket] + 1
    self.count = self.count + 1
    self.max = math.max(self.max, value)
    return bucket
end

-- Takes all values out, which are in the buckets from `low` to `high`.
function histogram.clear(self, low, high)
    ffi.fill(self.counts + low, 8 * (high - low + 1))
    self.max, self.count = 0, 0
end

-- Smallest value of a bucket.
local function value_of(bucket)
    split.words.low, split.words.high = 0, bit.lshift(bucket + FIRST_BUCKET, 10)
    return math.floor(split.value)
end

local SHARES = {{'p50', 0.5}, {'p95', 0.95}, {'p99', 0.99}, {'p999', 0.999}}

-- Percentiles of values that are in the buckets from `low` to `high`.
function histogram.percentiles(self, low, high)
    local values = {max = self.max, count = self.count}
    local seen, position = 0, 1
    for bucket = low, high do
        seen = seen + self.counts[bucket]
        while position <= #SHARES and seen > 0 and seen >= SHARES[position][2] * self.count do
            values[SHARES[position][1]] = value_of(bucket)
            position = position + 1
        end
    end
    return values
end

-- Percentiles, and the counts as a list of {value, count}.
function histogram.summarize(self)
    local counts = {}
    for bucket = 0, BUCKETS - 1 do
        local count = self.counts[bucket]
        if count > 0 then
            table.insert(counts, {value_of(bucket), count})
        end
    end
    return histogram.percentiles(self, 0, BUCKETS - 1), counts
end

return histogram
