local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
box.begin()
s:insert{1}
local first = box.savepoint()
s:insert{2}
local second = box.savepoint()
s:insert{3}
box.rollback_to_savepoint(second)
show('to the second', s:select{})
s:insert{4}
box.rollback_to_savepoint(first)
show('to the first', s:select{})
show.try('the second is gone', box.rollback_to_savepoint, second)
s:insert{5}
box.rollback_to_savepoint(first)
show('the first again', s:select{})
box.commit()
show('committed', s:select{})
show.try('outside', box.rollback_to_savepoint, first)
show.try('savepoint outside', box.savepoint)
box.begin()
s:insert{6}
show.try('of another transaction', box.rollback_to_savepoint, first)
box.rollback()
show.fails('not a savepoint', box.rollback_to_savepoint, 'x')

os.exit(0)
