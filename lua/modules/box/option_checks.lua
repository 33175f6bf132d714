-- What may be said of the values of `box.cfg`'s options, and what options were called in older versions;
-- loaded by the first option that is given.

local MIB = 1024 * 1024

-- Checks of values: each answers with what is wrong, or with nothing.

local function at_least(least, message)
    return function(value)
        if not (value >= least) then
            return message
        end
    end
end

local function above(limit, message)
    return function(value)
        if not (value > limit) then
            return message
        end
    end
end

local function within(least, most, message)
    return function(value)
        if not (value >= least and value <= most) then
            return message
        end
    end
end

local function one_of(names, message)
    local known = {}
    for _, name in ipairs(names) do
        known[name] = true
    end
    return function(value)
        if not known[value] then
            return message or tostring(value)
        end
    end
end

local function is_uuid(value)
    local hex = '%x%x%x%x'
    local pattern = '^' .. hex .. hex .. ('%-' .. hex):rep(4) .. hex .. hex .. '$'
    if not value:find(pattern) then
        return value
    end
end

local function is_name(value)
    if not (#value <= 63 and value:find('^[a-z]') and not value:find('[^%w_-]') and not value:find('%u')) then
        return 'expected a valid name'
    end
end

-- As `box.txn_isolation_level`, but for the default itself.
local ISOLATION_LEVELS = {'best-effort', 'read-committed', 'read-confirmed', 'linearizable',
    'BEST_EFFORT', 'READ_COMMITTED', 'READ_CONFIRMED', 'LINEARIZABLE', 1, 2, 3, 4}

local MEMORY_MAX = 4398046510080
local LEAST_MEMORY = MIB
local TUPLE_MAX = 1048280
local THREADS_MAX = 1000
local SORT_THREADS_MAX = 256
local READAHEAD_MIN, READAHEAD_MAX = 128, 2147483648
local REPLICA_MAX = 32

local function check_memory(value)
    if not (value >= 0 and value <= MEMORY_MAX) then
        return ('must be >= 0 and <= %d, but it is %s'):format(MEMORY_MAX, tostring(value))
    elseif value < LEAST_MEMORY then
        return ('must be at least %d'):format(LEAST_MEMORY)
    end
end

local function check_granularity(value)
    if not (value >= 4) then
        return 'must be greater than or equal to 4'
    elseif value > 2 ^ 31 or 2 ^ math.floor(math.log(value) / math.log(2) + 0.5) ~= value then
        return 'must be exponent of two'
    end
end

local function check_quorum(value)
    if type(value) == 'number' and not (value > 0 and value < REPLICA_MAX) then
        return 'the value must be greater than zero and less than maximal number of replicas'
    elseif type(value) == 'string' and not value:find('^[%sN%d%+%-%*/%(%)]+$') then
        return ("the expression '%s' is not one of N and numbers"):format(value)
    end
end

local POSITIVE = above(0, 'the value must be greater than 0')
local THREADS = within(1, THREADS_MAX,
    ('must be greater than 0, less than or equal to %d'):format(THREADS_MAX))

local CHECKS = {
    memtx_memory = check_memory,
    memtx_max_tuple_size = at_least(0, 'must be non-negative'),
    memtx_min_tuple_size = within(8, TUPLE_MAX, 'specified value is out of bounds'),
    memtx_allocator = function(value)
        if value ~= 'small' and value ~= 'system' then
            return ('must be small or system, but was set to %s'):format(value)
        end
    end,
    memtx_sort_threads = within(1, SORT_THREADS_MAX,
        ('must be greater than 0 and less than or equal to %d'):format(SORT_THREADS_MAX)),
    slab_alloc_granularity = check_granularity,
    slab_alloc_factor = within(1.0000001, 2, 'specified value is out of bounds'),
    wal_mode = one_of({'none', 'write', 'fsync'}),
    wal_max_size = above(1, 'the value must be greater than one'),
    wal_queue_max_size = at_least(0, 'wal_queue_max_size must be >= 0'),
    wal_cleanup_delay = at_least(0, 'value must be >= 0'),
    checkpoint_count = at_least(1, 'the value must not be less than one'),
    readahead = within(READAHEAD_MIN, READAHEAD_MAX, 'specified value is out of bounds'),
    net_msg_max = at_least(2, 'minimal value is 2'),
    iproto_threads = THREADS,
    replication_threads = THREADS,
    sql_cache_size = at_least(0, 'must be non-negative'),
    txn_timeout = POSITIVE,
    txn_isolation = one_of(ISOLATION_LEVELS, 'must be one of box.txn_isolation_level (keys or values)'),
    auth_type = one_of({'chap-sha1'}),
    instance_uuid = is_uuid,
    replicaset_uuid = is_uuid,
    instance_name = is_name,
    replicaset_name = is_name,
    cluster_name = is_name,
    replication_timeout = POSITIVE,
    replication_reconnect_timeout = POSITIVE,
    replication_connect_timeout = POSITIVE,
    replication_sync_lag = POSITIVE,
    replication_synchro_timeout = above(0, 'the value must be greater than zero'),
    replication_connect_quorum = at_least(0, 'the value must be greater or equal to zero'),
    replication_synchro_quorum = check_quorum,
    replication_anon_ttl = POSITIVE,
    bootstrap_strategy = one_of({'auto', 'config', 'supervised', 'legacy', 'native'},
        "the value should be one of the following: 'auto', 'config', 'supervised', 'legacy', 'native'"),
    election_mode = one_of({'off', 'voter', 'candidate', 'manual'},
        "the value must be one of the following strings: 'off', 'voter', 'candidate', 'manual'"),
    election_timeout = above(0, 'the value must be a positive number'),
    election_fencing_mode = one_of({'off', 'soft', 'strict'},
        "the value must be one of the following strings: 'off', 'soft', 'strict'"),
    vinyl_read_threads = at_least(1, 'must be greater than or equal to 1'),
    vinyl_write_threads = at_least(2, 'must be greater than or equal to 2'),
    vinyl_run_count_per_level = above(0, 'must be greater than 0'),
    vinyl_run_size_ratio = above(1, 'must be greater than 1'),
    vinyl_page_size = above(0, 'must be greater than 0'),
    vinyl_bloom_fpr = function(value)
        if not (value > 0 and value <= 1) then
            return 'must be greater than 0 and less than or equal to 1'
        end
    end,
}

-- Names of older versions: the present one, and the function that gives the present value, or
-- none for the same one.
local OLD_NAMES = {
    snapshot_count = {'checkpoint_count'},
    snapshot_period = {'checkpoint_interval'},
    slab_alloc_arena = {'memtx_memory', function(gib) return math.floor(gib * 1024 * MIB) end, 'number'},
    slab_alloc_minimal = {'memtx_min_tuple_size'},
    slab_alloc_maximal = {'memtx_max_tuple_size'},
    snap_dir = {'memtx_dir'},
    logger = {'log'},
    logger_nonblock = {'log_nonblock'},
    panic_on_snap_error = {'force_recovery', function(panics) return not panics end, 'boolean'},
    panic_on_wal_error = {'force_recovery', function(panics) return not panics end, 'boolean'},
    replication_source = {'replication'},
    election_fencing_enabled = {'election_fencing_mode',
        function(enabled) return enabled and 'soft' or 'off' end, 'boolean'},
}

return {checks = CHECKS, old_names = OLD_NAMES}
