-- The options of `box.cfg`: for each its type and its default. `option_checks.lua` looks at values.
--
-- An entry is {type, default, dynamic = whether it may change later, idle = why it has no effect
-- here}. Idle options are checked, kept and readable; the first value that is not the default is
-- told of in one warning.

local MIB = 1024 * 1024

local NETWORK = 'there is no network'
local LOG = 'nothing is written to disk'
local REPLICATION = 'there is one instance'
local VINYL = 'there is no vinyl engine'
local MEMORY = 'memory is laid out in another way'
local PROCESS = 'the process is left as it was started'
local FEEDBACK = 'nothing is reported to anyone'

local OPTIONS = {
    memtx_memory = {'number', 256 * MIB, dynamic = true},
    memtx_max_tuple_size = {'number', MIB, dynamic = true},
    memtx_min_tuple_size = {'number', 16, idle = MEMORY},
    memtx_allocator = {'string', 'small', idle = MEMORY},
    memtx_dir = {'string', '.', idle = LOG},
    memtx_use_mvcc_engine = {'boolean', false, idle = 'a yield aborts a transaction'},
    memtx_use_sort_data = {'boolean', false, dynamic = true, idle = LOG},
    memtx_sort_threads = {'number', idle = 'indexes are built by one thread'},
    slab_alloc_factor = {'number', 1.05, idle = MEMORY},
    slab_alloc_granularity = {'number', 8, idle = MEMORY},

    log = {'string', dynamic = true},
    log_level = {'number, string', 5, dynamic = true},
    log_modules = {'table', dynamic = true},
    log_format = {'string', 'plain', dynamic = true},
    log_nonblock = {'boolean', dynamic = true},

    work_dir = {'string'},
    pid_file = {'string'},
    background = {'boolean', false, idle = PROCESS},
    username = {'string', idle = PROCESS},
    coredump = {'boolean', false, idle = PROCESS},
    strip_core = {'boolean', true, idle = PROCESS},
    custom_proc_title = {'string', dynamic = true, idle = PROCESS},
    worker_pool_threads = {'number', 4, dynamic = true, idle = PROCESS},
    io_collect_interval = {'number', dynamic = true, idle = PROCESS},
    app_threads = {'number', 0, idle = 'there is one thread'},
    metrics = {'table', dynamic = true, idle = FEEDBACK},

    read_only = {'boolean', false, dynamic = true},
    hot_standby = {'boolean', false, idle = REPLICATION},
    force_recovery = {'boolean', false, dynamic = true, idle = LOG},
    too_long_threshold = {'number', 0.5, dynamic = true, idle = 'requests are not timed one by one'},
    txn_timeout = {'number', 365 * 100 * 86400, dynamic = true, idle = 'a yield aborts a transaction'},
    txn_isolation = {'string, number', 'best-effort', dynamic = true,
        idle = 'a yield aborts a transaction'},
    txn_synchro_timeout = {'number', 5, dynamic = true, idle = REPLICATION},
    sql_cache_size = {'number', 5 * MIB, dynamic = true, idle = 'there is no SQL'},
    auth_type = {'string', 'chap-sha1', dynamic = true, idle = NETWORK},

    listen = {'string, number, table', dynamic = true, idle = NETWORK},
    readahead = {'number', 16320, dynamic = true, idle = NETWORK},
    net_msg_max = {'number', 768, dynamic = true, idle = NETWORK},
    iproto_threads = {'number', 1, idle = NETWORK},

    wal_mode = {'string', 'none'},
    wal_dir = {'string', '.', idle = LOG},
    wal_max_size = {'number', 256 * MIB, idle = LOG},
    wal_dir_rescan_delay = {'number', 2, dynamic = true, idle = LOG},
    wal_queue_max_size = {'number', 16 * MIB, dynamic = true, idle = LOG},
    wal_cleanup_delay = {'number', 4 * 3600, dynamic = true, idle = LOG},
    snap_io_rate_limit = {'number', dynamic = true, idle = LOG},
    checkpoint_interval = {'number', 3600, dynamic = true, idle = LOG},
    checkpoint_wal_threshold = {'number', 1e18, dynamic = true, idle = LOG},
    checkpoint_count = {'number', 2, dynamic = true, idle = LOG},

    instance_uuid = {'string', dynamic = true},
    instance_name = {'string', dynamic = true},
    replicaset_uuid = {'string', dynamic = true},
    replicaset_name = {'string', dynamic = true},
    cluster_name = {'string', dynamic = true},
    replication = {'string, number, table', dynamic = true, idle = REPLICATION},
    replication_timeout = {'number', 1, dynamic = true, idle = REPLICATION},
    replication_reconnect_timeout = {'number', dynamic = true, idle = REPLICATION},
    replication_sync_lag = {'number', 10, dynamic = true, idle = REPLICATION},
    replication_sync_timeout = {'number', 0, dynamic = true, idle = REPLICATION},
    replication_synchro_quorum = {'string, number', 'N / 2 + 1', dynamic = true, idle = REPLICATION},
    replication_synchro_timeout = {'number', 5, dynamic = true, idle = REPLICATION},
    replication_synchro_queue_max_size = {'number', 16 * MIB, dynamic = true, idle = REPLICATION},
    replication_connect_timeout = {'number', 30, dynamic = true, idle = REPLICATION},
    replication_connect_quorum = {'number', dynamic = true, idle = REPLICATION},
    replication_skip_conflict = {'boolean', false, dynamic = true, idle = REPLICATION},
    replication_anon = {'boolean', false, dynamic = true, idle = REPLICATION},
    replication_anon_ttl = {'number', 3600, dynamic = true, idle = REPLICATION},
    replication_threads = {'number', 1, idle = REPLICATION},
    bootstrap_strategy = {'string', 'auto', dynamic = true, idle = REPLICATION},
    bootstrap_leader = {'string, number, table', dynamic = true, idle = REPLICATION},
    election_mode = {'string', 'off', dynamic = true, idle = REPLICATION},
    election_timeout = {'number', 5, dynamic = true, idle = REPLICATION},
    election_fencing_mode = {'string', 'soft', dynamic = true, idle = REPLICATION},

    feedback_enabled = {'boolean', true, dynamic = true},
    feedback_crashinfo = {'boolean', true, dynamic = true},
    feedback_host = {'string', 'https://feedback.tarantool.io', dynamic = true, idle = FEEDBACK},
    feedback_interval = {'number', 3600, dynamic = true, idle = FEEDBACK},
    feedback_send_metrics = {'boolean', true, dynamic = true},
    feedback_metrics_collect_interval = {'number', 60, dynamic = true, idle = FEEDBACK},
    feedback_metrics_limit = {'number', MIB, dynamic = true, idle = FEEDBACK},

    vinyl_dir = {'string', '.', idle = VINYL},
    vinyl_memory = {'number', 128 * MIB, dynamic = true, idle = VINYL},
    vinyl_cache = {'number', 128 * MIB, dynamic = true, idle = VINYL},
    vinyl_max_tuple_size = {'number', MIB, dynamic = true, idle = VINYL},
    vinyl_read_threads = {'number', 1, idle = VINYL},
    vinyl_write_threads = {'number', 4, idle = VINYL},
    vinyl_timeout = {'number', 60, dynamic = true, idle = VINYL},
    vinyl_defer_deletes = {'boolean', false, dynamic = true, idle = VINYL},
    vinyl_run_count_per_level = {'number', 2, idle = VINYL},
    vinyl_run_size_ratio = {'number', 3.5, idle = VINYL},
    vinyl_range_size = {'number', idle = VINYL},
    vinyl_page_size = {'number', 8 * 1024, idle = VINYL},
    vinyl_bloom_fpr = {'number', 0.05, idle = VINYL},
}

return OPTIONS
