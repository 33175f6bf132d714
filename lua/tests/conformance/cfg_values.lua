-- differs from 2.6: box.cfg cannot be written to
local show = require('show')
show.try('text', box.cfg, 'x')
show.try('nan', box.cfg, {memtx_memory = 0/0})
show.try('negative', box.cfg, {memtx_memory = -1})
show.try('infinite', box.cfg, {memtx_memory = 1/0})
show.try('still not configured', function() return box.space.s end)
box.cfg{log_level = 0}
show.fails('write', function() box.cfg.log_level = 5 end)
show('level', box.cfg.log_level)
show.try('grow', box.cfg, {memtx_memory = 512 * 1024 * 1024})
show('memory', box.cfg.memtx_memory, box.slab.info().quota_size)

os.exit(0)
