local show = require('show')

show('cfg', type(box.cfg))
show.fails('space', function() return box.space.s end)
show.fails('begin', function() box.begin() end)
show.fails('schema', function() box.schema.space.create('s') end)
show('tuple works', box.tuple.new{1, 2})
show('error works', box.error.TUPLE_FOUND)
show('NULL', box.NULL == nil, type(box.NULL))
show.try('wrong option', box.cfg, {wrong = 1})
show.try('wrong type', box.cfg, {memtx_memory = 'x', log_level = 0})
box.cfg{log_level = 0, wal_mode = 'none', memtx_memory = 128 * 1024 * 1024}
show('configured', box.cfg.memtx_memory, box.space.nothing)

os.exit(0)
