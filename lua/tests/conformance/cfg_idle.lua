-- differs from 2.6: nothing listens, and options of 3.x are known
local show = require('show')
box.cfg{log = 'my.log', listen = '127.0.0.1:3301', checkpoint_count = 7, memtx_use_sort_data = true,
    replication = 'localhost:3302', replication_timeout = 5, vinyl_memory = 0, wal_mode = 'write'}

show('listen', box.info.listen, box.cfg.listen)
show('values', box.cfg.checkpoint_count, box.cfg.replication, box.cfg.vinyl_memory, box.cfg.wal_mode)
box.cfg{checkpoint_count = 8}
box.cfg{listen = {3301, 3302}}
show('listen', box.info.listen)
local warnings = {}
for line in io.lines('my.log') do
    local option = line:match("W> the option '([^']+)' has no effect") or line:match("W> (wal_mode) 'write' has no effect")
    if option then
        warnings[option] = (warnings[option] or 0) + 1
    end
end
show('told once each', warnings)
show('snapshot', box.snapshot(), box.snapshot())

os.exit(0)
