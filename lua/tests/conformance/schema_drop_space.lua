local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
s:insert{1}
s:drop()
show('gone', box.space.s, box.space[s.id])
show.try('drop again', s.drop, s)
show.try('insert', s.insert, s, {1})
show.fails('get', s.get, s, 1)
show.fails('select', s.select, s)
show.try('index get', pk.get, pk, 1)
show.try('index count', pk.count, pk)
show.try('create_index', s.create_index, s, 'again')
local again = box.schema.space.create('s')
show('a new space', again ~= s, again.index[0])
show.try('drop by id', box.schema.space.drop, 99999)
show.try('drop by id if exists', box.schema.space.drop, 99999, 'x', {if_exists = true})
show.try('drop', box.schema.space.drop, again.id)
show('gone', box.space.s)

os.exit(0)
