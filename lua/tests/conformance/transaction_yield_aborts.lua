local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local fiber = require('fiber')
local s = box.schema.space.create('s')
s:create_index('pk')
box.begin()
s:insert{1}
fiber.yield()
show.try('commit', box.commit)
show('gone', s:len(), box.is_in_txn())
box.begin()
s:insert{1}
fiber.sleep(0)
show('still in', box.is_in_txn())
box.rollback()
show('gone', s:len(), box.is_in_txn())
show.try('atomic', box.atomic, function() s:insert{1} fiber.yield() end)
show('gone', s:len(), box.is_in_txn())
box.begin()
fiber.yield()
show.try('nothing done', box.commit)

os.exit(0)
