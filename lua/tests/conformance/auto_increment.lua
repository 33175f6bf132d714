local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
show('first', s:auto_increment{'a'})
show('second', s:auto_increment{'b', 1})
s:insert{10, 'c'}
show('behind the greatest', s:auto_increment{'d'})

os.exit(0)
