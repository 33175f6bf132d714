-- `box.info`, `box.status`: what this instance is and does. There is one instance, without a log on
-- disk and without a network, so that much of it is constant; log sequence numbers stay 0.

local native = ...
local clock = require('clock')
local database = require('lycosa.database')
local cfg = require('lycosa.cfg')

local api, values = database.api, cfg.values
local uuid_of, is_read_only, status = cfg.uuid_of, cfg.is_read_only, cfg.status

-- A table that shows as an empty list and gives the details when it is called.
local function details(compute)
    return function()
        return setmetatable({}, {__call = compute})
    end
end

local function as_map(map)
    return setmetatable(map, {__serialize = 'map'})
end

local function memory()
    local used = native.memory()
    return {
        data = used.data_bytes, index = used.index_bytes, cache = 0, tx = 0, net = 0,
        lua = collectgarbage('count') * 1024,
    }
end

local function garbage_collection()
    return {
        vclock = as_map({}), signature = 0, checkpoint_is_in_progress = false,
        is_paused = false, checkpoints = {}, consumers = {}, wal_retention_vclock = as_map({}),
    }
end

local function sql()
    return {cache = {size = 0, stmt_count = 0}}
end

local function vinyl()
    return api.stat.vinyl()
end

local FIELDS = {
    version = function() return native.version end,
    package = function() return 'Lycosa' end,
    status = status,
    uptime = function() return math.floor(clock.monotonic() - cfg.started) end,
    pid = function() return native.pid end,
    hostname = function() return native.hostname() end,
    id = function() return cfg.is_configured() and 1 or 0 end,
    uuid = function() return uuid_of('instance_uuid') end,
    name = function() return values.instance_name end,
    ro = is_read_only,
    ro_reason = function() return is_read_only() and 'config' or nil end,
    lsn = function() return 0 end,
    signature = function() return 0 end,
    vclock = function() return as_map({}) end,
    listen = function() return values.listen end,
    schema_version = function() return database.schema_version(database.context) end,
    cluster = function() return as_map({name = values.cluster_name}) end,
    replicaset = function()
        return {uuid = uuid_of('replicaset_uuid'), name = values.replicaset_name}
    end,
    replication = function()
        return {{id = 1, uuid = uuid_of('instance_uuid'), name = values.instance_name, lsn = 0}}
    end,
    replication_anon = function()
        return setmetatable({count = 0}, {__call = function() return {} end})
    end,
    election = function()
        return {state = 'follower', vote = 0, leader = 0, term = 1}
    end,
    synchro = function()
        return {
            queue = {owner = 0, term = 0, len = 0, busy = false, confirm_lag = 0, age = 0, size = 0},
            quorum = 1,
        }
    end,
    config = function()
        return {status = 'uninitialized', alerts = {}, meta = {last = as_map({}), active = as_map({})}}
    end,
    memory = details(memory),
    gc = details(garbage_collection),
    sql = details(sql),
    vinyl = details(vinyl),
}

local function all()
    local result = {}
    for name, compute in pairs(FIELDS) do
        result[name] = compute()
    end
    return result
end

setmetatable(box.info, {
    __index = function(_, name)
        local compute = FIELDS[name]
        if compute ~= nil then
            return compute()
        end
    end,
    __newindex = function() error('Attempt to modify a read-only table', 2) end,
    __call = all,
    __serialize = all,
    __pairs = function() return pairs(all()) end,
})

return {}
