local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

show('values', box.cfg.memtx_memory, box.cfg.wal_mode, box.cfg.log_level, box.cfg.read_only)
show.try('unknown', box.cfg, {wrong = 1})
show.try('type', box.cfg, {memtx_memory = 'x'})
show.try('static', box.cfg, {wal_mode = 'write'})
show.try('shrink', box.cfg, {memtx_memory = 64 * 1024 * 1024})
show.try('again', box.cfg, {log_level = 1})
show('log_level', box.cfg.log_level)
show.try('empty', box.cfg, {})
show.try('none', box.cfg)

os.exit(0)
