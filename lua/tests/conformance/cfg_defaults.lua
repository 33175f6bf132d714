-- differs from 2.6: options and defaults are those of 3.x; nothing is written to disk
local show = require('show')
box.cfg{log_level = 0}

show('memory', box.cfg.memtx_memory, box.cfg.memtx_max_tuple_size, box.cfg.memtx_min_tuple_size,
    box.cfg.memtx_allocator, box.cfg.slab_alloc_factor, box.cfg.slab_alloc_granularity)
show('memtx', box.cfg.memtx_use_mvcc_engine, box.cfg.memtx_use_sort_data, box.cfg.memtx_sort_threads)
show('wal', box.cfg.wal_mode, box.cfg.wal_dir, box.cfg.wal_max_size, box.cfg.wal_queue_max_size)
show('checkpoints', box.cfg.checkpoint_count, box.cfg.checkpoint_interval, box.cfg.checkpoint_wal_threshold)
show('log', box.cfg.log, box.cfg.log_format, box.cfg.log_nonblock, box.cfg.log_modules)
show('transactions', box.cfg.txn_timeout, box.cfg.txn_isolation, box.cfg.too_long_threshold)
show('network', box.cfg.listen, box.cfg.readahead, box.cfg.net_msg_max, box.cfg.iproto_threads)
show('replication', box.cfg.replication, box.cfg.replication_synchro_quorum, box.cfg.bootstrap_strategy)
show('election', box.cfg.election_mode, box.cfg.election_timeout, box.cfg.election_fencing_mode)
show('process', box.cfg.background, box.cfg.coredump, box.cfg.strip_core, box.cfg.pid_file, box.cfg.work_dir)
show('unknown', box.cfg.no_such_option)
local count = 0
for name, value in pairs(box.cfg) do
    count = count + (type(name) == 'string' and value ~= nil and 1 or 0)
end
show('pairs', count > 60)
show.fails('write', function() box.cfg.listen = 1 end)
show.fails('write anew', function() box.cfg.no_such_option = 1 end)
show('type', type(box.cfg), type(require('json').encode(box.cfg)))

os.exit(0)
