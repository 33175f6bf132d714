-- `box.stat`, `box.slab`, `box.runtime`, `box.malloc`: counters and memory figures. Tables have
-- Tarantool's shape; what does not exist here (network, SQL, vinyl) counts zero.

local native = ...
local clock = require('clock')
local database = require('lycosa.database')
local errors = require('lycosa.error')

local api = database.api

-- Requests a second are the mean of the last seconds between two looks.
local RATE_WINDOW_S = 5
local samples = {}

local function rates(totals)
    local now = clock.monotonic()
    samples[#samples + 1] = {at = now, totals = totals}
    while #samples > 2 and samples[2].at <= now - RATE_WINDOW_S do
        table.remove(samples, 1)
    end
    local first = samples[1]
    local elapsed = math.max(now - first.at, 1)
    local result = {}
    for name, total in pairs(totals) do
        result[name] = {
            total = total,
            rps = math.floor((total - first.totals[name]) / elapsed),
        }
    end
    return result
end

-- Statements of the network and SQL, which there are none of.
local ALWAYS_ZERO = {'CALL', 'EVAL', 'EXECUTE', 'PREPARE', 'AUTH'}

local errors_before = 0

local function statistics()
    local totals = native.statistics()
    totals.ERROR = errors.made() - errors_before
    for _, name in ipairs(ALWAYS_ZERO) do
        totals[name] = 0
    end
    return rates(totals)
end

-- A table of figures that are asked for by call or by name.
local function figures(compute, members)
    return setmetatable(members or {}, {
        __call = function() return compute() end,
        __index = function(_, name) return compute()[name] end,
        __serialize = function() return compute() end,
        __pairs = function() return pairs(compute()) end,
    })
end

local function zeros(names)
    local result = {}
    for _, name in ipairs(names) do
        result[name] = 0
    end
    return result
end

local function network()
    return {
        SENT = {total = 0, rps = 0},
        RECEIVED = {total = 0, rps = 0},
        CONNECTIONS = {total = 0, rps = 0, current = 0},
        REQUESTS = {total = 0, rps = 0, current = 0},
        REQUESTS_IN_PROGRESS = {total = 0, rps = 0, current = 0},
        REQUESTS_IN_STREAM_QUEUE = {total = 0, rps = 0, current = 0},
        STREAMS = {total = 0, rps = 0, current = 0},
    }
end

local function vinyl()
    return {
        tx = zeros({'conflict', 'commit', 'rollback', 'statements', 'transactions', 'gap_locks',
            'read_views'}),
        regulator = zeros({'dump_bandwidth', 'rate_limit', 'dump_watermark', 'write_rate',
            'blocked_writers'}),
        memory = zeros({'tuple_cache', 'tx', 'level0', 'page_index', 'bloom_filter', 'tuple'}),
        disk = zeros({'data_compacted', 'data', 'index'}),
        scheduler = zeros({'dump_time', 'tasks_inprogress', 'dump_output', 'compaction_queue',
            'compaction_output', 'compaction_time', 'dump_count', 'tasks_failed', 'tasks_completed',
            'dump_input', 'compaction_input'}),
    }
end

-- Transactions keep no versions here, so that their memory is not counted.
local function transaction_memory()
    local function class()
        return {total = 0, avg = 0, max = 0}
    end
    local function stories()
        return {stories = {count = 0, total = 0}, retained = {count = 0, total = 0}}
    end
    return {
        txn = {statements = class(), user = class(), system = class()},
        mvcc = {
            trackers = class(), conflicts = class(),
            tuples = {tracking = stories(), used = stories(), read_view = stories()},
        },
    }
end

local function memtx()
    local memory = native.memory()
    return {
        data = {total = memory.data_bytes, garbage = 0, read_view = 0},
        index = {total = memory.index_bytes, read_view = 0},
        tx = transaction_memory(),
    }
end

local stat = api.stat

stat.net = figures(network, {thread = figures(function() return {network()} end)})
stat.vinyl = vinyl
stat.memtx = figures(memtx, {tx = figures(transaction_memory)})

function stat.sql()
    return {sql_found_count = 0, sql_search_count = 0}
end

function stat.reset()
    native.reset_statistics()
    errors_before = errors.made()
    samples = {}
end

setmetatable(stat, {
    __call = statistics,
    __index = function(_, name) return statistics()[name] end,
    __serialize = statistics,
    __pairs = function() return pairs(statistics()) end,
})

local function ratio(part, whole)
    return ('%.2f%%'):format(whole > 0 and 100 * part / whole or 0)
end

function api.slab.info()
    local memory = native.memory()
    local items_size = memory.arena_bytes - memory.index_bytes
    local items_used = memory.used_bytes - memory.index_bytes
    return {
        quota_size = memory.limit_bytes,
        quota_used = memory.arena_bytes,
        quota_used_ratio = ratio(memory.arena_bytes, memory.limit_bytes),
        arena_size = memory.arena_bytes,
        arena_used = memory.used_bytes,
        arena_used_ratio = ratio(memory.used_bytes, memory.arena_bytes),
        items_size = items_size,
        items_used = items_used,
        items_used_ratio = ratio(items_used, items_size),
    }
end

-- One entry for each size of item that has slabs.
function api.slab.stats()
    return native.slab_statistics()
end

-- The arena checks itself in tests; there is nothing to walk over at run time.
function api.slab.check()
end

local function lua_bytes()
    return collectgarbage('count') * 1024
end

function box.runtime.info()
    return {lua = lua_bytes(), tuple = 0, used = lua_bytes(), maxalloc = 4398046510080}
end

function box.malloc.info()
    return {size = native.memory().arena_bytes, used = native.memory().used_bytes}
end

return {}
