local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

box.begin()
local s = box.schema.space.create('s')
s:create_index('pk')
s:insert{1}
box.rollback()
show('undone', box.space.s, box.space[s.id])
show.try('insert', s.insert, s, {1})
box.begin()
s = box.schema.space.create('s')
s:create_index('pk')
s:insert{1}
box.commit()
show('done', box.space.s:select{})
box.begin()
s:truncate()
s:insert{2}
show('inside', s:select{})
box.rollback()
show('truncate undone', s:select{})
box.begin()
s:create_index('sk', {parts = {1, 'unsigned'}})
show('index inside', s.index.sk ~= nil)
box.rollback()
show('index undone', s.index.sk)
box.begin()
s:drop()
show('drop inside', box.space.s)
box.rollback()
show('drop undone', box.space.s ~= nil, box.space.s:select{})

os.exit(0)
