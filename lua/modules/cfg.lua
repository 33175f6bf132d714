-- `box.cfg`, and what it opens: `box.stat`, `box.info`, `box.slab`. Before the first call of
-- `box.cfg` the rest of `box` only says that it must be called.

local native = ...
local clock = require('clock')
local database = require('lycosa.database')
local errors = require('lycosa.error')
local log = require('log')

local api = database.api

-- Options: type and default. What has no effect in one process without files is taken and kept.
local OPTIONS = {
    memtx_memory = {'number', 256 * 1024 * 1024},
    memtx_max_tuple_size = {'number', 1024 * 1024, dynamic = true},
    memtx_min_tuple_size = {'number', 16},
    memtx_use_mvcc_engine = {'boolean', false},
    memtx_dir = {'string', '.'},
    slab_alloc_factor = {'number', 1.05},
    slab_alloc_granularity = {'number', 8},
    wal_mode = {'string', 'none'},
    wal_dir = {'string', '.'},
    wal_max_size = {'number', 256 * 1024 * 1024},
    work_dir = {'string'},
    pid_file = {'string'},
    background = {'boolean', false},
    listen = {'number, string'},
    read_only = {'boolean', false, dynamic = true},
    checkpoint_interval = {'number', 3600, dynamic = true},
    checkpoint_count = {'number', 2, dynamic = true},
    log = {'string'},
    log_level = {'number, string', 5, dynamic = true},
    log_format = {'string', 'plain', dynamic = true},
    log_nonblock = {'boolean', false},
    too_long_threshold = {'number', 0.5, dynamic = true},
    readahead = {'number', 16320, dynamic = true},
    net_msg_max = {'number', 768, dynamic = true},
}

local values, is_configured = {}, false

local function wrong(name, reason)
    box.error(box.error.CFG, name, reason)
end

local function check_value(name, value)
    local option = OPTIONS[name]
    if option == nil then
        wrong(tostring(name), 'unexpected option')
    elseif not (', ' .. option[1] .. ','):find(', ' .. type(value) .. ',', 1, true) then
        wrong(name, (option[1]:find(',') and 'should be one of types ' or 'should be of type ') .. option[1])
    end
    if is_configured and value ~= values[name] and not option.dynamic and name ~= 'memtx_memory' then
        box.error(box.error.RELOAD_CFG, name)
    end
end

local LEAST_MEMORY = 1024 * 1024

local function apply_memory(bytes)
    if not (bytes >= LEAST_MEMORY and bytes < math.huge) then
        wrong('memtx_memory', ('must be at least %d'):format(LEAST_MEMORY))
    elseif is_configured and bytes < values.memtx_memory then
        wrong('memtx_memory', 'cannot decrease memory size at runtime')
    end
    native.set_memory_limit(bytes)
end

local WAL_MODES = {none = true, write = true, fsync = true}

local function apply(name, value)
    if name == 'memtx_memory' then
        apply_memory(value)
    elseif name == 'memtx_max_tuple_size' then
        native.set_max_tuple_bytes(value)
    elseif name == 'log_level' then
        log.level(value)
    elseif name == 'wal_mode' then
        if not WAL_MODES[value] then
            wrong(name, tostring(value))
        elseif value ~= 'none' then
            log.warn("wal_mode '%s' has no effect: no log is written to disk", value)
        end
    end
end

local guard = getmetatable(box)

local function open_box()
    setmetatable(box, nil)
    for name, value in pairs(api) do
        box[name] = value
    end
end

local configure

local cfg_table = setmetatable({}, {
    __index = values,
    __newindex = function() error('Attempt to modify a read-only table', 2) end,
    __call = function(_, options) configure(options) end,
    __pairs = function() return pairs(values) end,
    __serialize = function() return values end,
})

function configure(options)
    options = options or {}
    if type(options) ~= 'table' then
        error('Usage: box.cfg({...})', 2)
    end
    for name, value in pairs(options) do
        check_value(name, value)
    end
    if not is_configured then
        for name, option in pairs(OPTIONS) do
            values[name] = option[2]
        end
        apply('memtx_memory', options.memtx_memory or values.memtx_memory)
    end
    for name, value in pairs(options) do
        if is_configured or name ~= 'memtx_memory' then
            apply(name, value)
        end
        values[name] = value
    end
    if not is_configured then
        is_configured = true
        require('lycosa.schema').bootstrap()
        open_box()
        box.cfg = cfg_table
    end
end

box.cfg = configure

setmetatable(box, {
    __index = function(_, name)
        if api[name] ~= nil then
            box.error(box.error.UNCONFIGURED)
        end
        return guard ~= nil and guard.__index ~= nil and guard.__index[name] or nil
    end,
})

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

local errors_before = errors.made()

local function statistics()
    local totals = native.statistics()
    totals.ERROR = errors.made() - errors_before
    for _, name in ipairs(ALWAYS_ZERO) do
        totals[name] = 0
    end
    return rates(totals)
end

api.stat = setmetatable({
    reset = function()
        native.reset_statistics()
        errors_before = errors.made()
        samples = {}
    end,
}, {
    __call = statistics,
    __index = function(_, name) return statistics()[name] end,
    __serialize = statistics,
})

local function ratio(part, whole)
    return ('%.2f%%'):format(whole > 0 and 100 * part / whole or 0)
end

api.slab = {}

function api.slab.info()
    local memory = native.memory()
    return {
        quota_size = memory.limit_bytes,
        quota_used = memory.arena_bytes,
        quota_used_ratio = ratio(memory.arena_bytes, memory.limit_bytes),
        arena_size = memory.arena_bytes,
        arena_used = memory.used_bytes,
        arena_used_ratio = ratio(memory.used_bytes, memory.arena_bytes),
        items_size = memory.arena_bytes - memory.index_bytes,
        items_used = memory.used_bytes - memory.index_bytes,
        items_used_ratio = ratio(memory.used_bytes - memory.index_bytes,
            memory.arena_bytes - memory.index_bytes),
    }
end

local started = clock.monotonic()

local INFO = {
    version = function() return native.version end,
    package = function() return 'Lycosa' end,
    status = function() return 'running' end,
    uptime = function() return math.floor(clock.monotonic() - started) end,
    pid = function() return native.pid end,
    id = function() return 1 end,
    ro = function() return values.read_only end,
    lsn = function() return 0 end,
    signature = function() return 0 end,
    vclock = function() return {} end,
    listen = function() return nil end,
    replication = function() return {{id = 1, lsn = 0}} end,
    schema_version = function() return database.schema_version(database.context) end,
    memory = function()
        return function()
            local memory = native.memory()
            return {
                data = memory.data_bytes, index = memory.index_bytes, cache = 0, tx = 0, net = 0,
                lua = collectgarbage('count') * 1024,
            }
        end
    end,
}

local function all_info()
    local result = {}
    for name, compute in pairs(INFO) do
        result[name] = compute()
    end
    return result
end

api.info = setmetatable({}, {
    __index = function(_, name)
        local compute = INFO[name]
        if compute ~= nil then
            return compute()
        end
    end,
    __call = all_info,
    __serialize = all_info,
})

return {is_configured = function() return is_configured end}
