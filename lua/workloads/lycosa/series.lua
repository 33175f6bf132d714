-- The course of a run: what each interval brought. One ends with the first transaction that ends
-- behind it, so that no other fiber and no timer disturbs the run. For a transaction this costs one
-- more entry in a histogram; for an interval the reading of the process's resources. Runs under
-- Tarantool too.

local histogram = require('lycosa.histogram')

-- Samples of a run at most, so that an interval far too short fills no memory; the last one holds
-- all the rest.
local SAMPLES_MAX = 10000

local series = {}

-- Memory by kind, in bytes.
function series.memory_levels()
    local slab = box.slab.info()
    local used, tuples = tonumber(slab.arena_used), tonumber(slab.items_used)
    return {
        lua_heap_bytes = math.floor(collectgarbage('count') * 1024),
        quota_used_bytes = tonumber(slab.quota_used),
        index_bytes = used - tuples,
        tuple_bytes = tuples,
    }
end

-- Hands a sample and the memory to `tell` whenever an interval has ended.
function series.new(interval_s, tell)
    local interval_ns = interval_s * 1e9
    local latencies, low, high = histogram.new(), histogram.BUCKETS, -1
    local began_ns, from_ns, until_ns, ops, samples = 0, 0, math.huge, 0, 0
    local self = {}

    local function sample(now_ns)
        tell({
            t_s = (now_ns - began_ns) / 1e9, interval_s = (now_ns - from_ns) / 1e9, ops = ops,
            txn_latency_ns = histogram.percentiles(latencies, low, high),
        }, series.memory_levels())
        histogram.clear(latencies, low, high)
        low, high = histogram.BUCKETS, -1
        ops, samples, from_ns = 0, samples + 1, now_ns
        local passed = math.floor((now_ns - began_ns) / interval_ns)
        until_ns = samples < SAMPLES_MAX - 1 and began_ns + (passed + 1) * interval_ns or math.huge
    end

    function self.begin(now_ns)
        began_ns, from_ns, until_ns = now_ns, now_ns, now_ns + interval_ns
    end

    function self.observe(latency_ns, count, now_ns)
        local bucket = histogram.record(latencies, latency_ns)
        low, high = math.min(low, bucket), math.max(high, bucket)
        ops = ops + count
        if now_ns >= until_ns then
            sample(now_ns)
        end
    end

    function self.finish(now_ns)
        if ops > 0 then
            sample(now_ns)
        end
    end

    return self
end

return series
