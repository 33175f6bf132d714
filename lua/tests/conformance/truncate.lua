local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'unsigned'}})
for i = 1, 1000 do s:insert{i, i} end
s:truncate()
show('empty', s:len(), sk:len(), s:count(), s:select{}, tonumber(s:bsize()))
s:insert{1, 1}
show('again', s:select{}, sk:select{})
s:truncate()
s:truncate()
show('twice', s:len())
local bare = box.schema.space.create('bare')
show.try('no index', bare.truncate, bare)

os.exit(0)
