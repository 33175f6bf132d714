local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

show.try('dynamic', box.cfg, {too_long_threshold = 1, readahead = 32640, checkpoint_interval = 60})
show('values', box.cfg.too_long_threshold, box.cfg.readahead, box.cfg.checkpoint_interval)
show.try('null is the default', box.cfg, {readahead = box.NULL})
show('default', box.cfg.readahead)
show.try('and so is nothing', box.cfg, {too_long_threshold = ''})
show('default', box.cfg.too_long_threshold)
for _, options in ipairs({
    {work_dir = '/'}, {pid_file = 'x'}, {background = true}, {hot_standby = true}, {coredump = true},
    {slab_alloc_factor = 2}, {wal_dir = '/'}, {wal_mode = 'write'}, {memtx_dir = '/'},
}) do
    local ok, err = pcall(box.cfg, options)
    show('static', ok, err.code, err.message)
end
show.try('static, the same value', box.cfg, {background = false, wal_mode = 'none'})
show.try('one wrong', box.cfg, {too_long_threshold = 3, no_such_option = 1})
show('nothing was changed', box.cfg.too_long_threshold)
show.try('deprecated', box.cfg, {snapshot_count = 3, slab_alloc_arena = 0.5})
show('present names', box.cfg.checkpoint_count, box.cfg.memtx_memory, box.cfg.snapshot_count)
show.try('deprecated against present', box.cfg, {snapshot_count = 4, checkpoint_count = 5})
show.try('deprecated and static', box.cfg, {snap_dir = '/'})
local called = 0
box.on_reload_configuration = function() called = called + 1 end
box.cfg{}
show('called on reload', called)

os.exit(0)
