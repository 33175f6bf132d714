local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'unsigned'}})
s:insert{1, 1}
box.begin()
s:insert{2, 2}
show.try('clash', s.insert, s, {1, 5})
show.try('secondary clash', s.replace, s, {3, 1})
show.try('type', s.insert, s, {'x'})
s:insert{3, 3}
box.commit()
show('the rest stays', s:select{}, sk:select{})

os.exit(0)
