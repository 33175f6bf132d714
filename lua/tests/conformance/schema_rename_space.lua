local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('old')
s:create_index('pk')
s:insert{1}
s:rename('new')
show('names', s.name, box.space.new == s, box.space.old, s:get(1))
box.schema.space.create('taken')
show.fails('taken', s.rename, s, 'taken')
show.try('itself', s.rename, s, 'new')
show.try('number', s.rename, s, 1)
show('name', s.name)

os.exit(0)
