local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
show('outside', box.is_in_txn())
box.begin()
show('inside', box.is_in_txn())
s:insert{1}
s:insert{2}
show('visible', s:select{})
box.commit()
show('committed', s:select{}, box.is_in_txn())
box.begin()
s:replace{1, 'x'}
s:delete(2)
s:insert{3}
s:update(1, {{'=', 2, 'y'}})
s:upsert({4}, {})
show('visible', s:select{})
box.rollback()
show('rolled back', s:select{}, s:len(), box.is_in_txn())
show.try('commit without', box.commit)
show.try('rollback without', box.rollback)
box.begin()
show.try('begin in begin', box.begin)
show('still', box.is_in_txn())
box.rollback()
box.begin()
box.commit()
show('empty', s:len())

os.exit(0)
