-- differs from 2.6: reads in an aborted transaction fail
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local fiber = require('fiber')
local s = box.schema.space.create('s')
s:create_index('pk')
s:insert{1}
box.begin()
s:get(1)
fiber.yield()
show.try('insert', s.insert, s, {2})
show.try('get', s.get, s, 1)
show.try('select', s.select, s)
show.try('savepoint', box.savepoint)
show.try('commit', box.commit)
show('out', box.is_in_txn())

os.exit(0)
