-- differs from 2.6: what is not there is refused by name
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
show.try('upgrade', s.upgrade, s)
show.try('execute', box.execute, 'SELECT 1')
show('names it', box.error.last().message)
show.try('foreign key', box.schema.space.create, 'x', {foreign_key = {}})
show.try('rtree', s.create_index, s, 'r', {type = 'RTREE'})
show.try('path', s.create_index, s, 'p', {parts = {{2, 'string', path = 'a.b'}}})
show.try('bitset iterator', s.select, s, 1, {iterator = 'BITS_ALL_SET'})

os.exit(0)
