local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'string'}})
s:insert{1, 'a'}
sk:drop()
show('gone', s.index.sk, s.index[1])
show('free of it', s:insert{2, 'a'}, s:insert{3, 7})
show.try('get', sk.get, sk, 'a')
pk:drop()
show('no index', s.index[0])
show.try('insert', s.insert, s, {1})
show.try('get', s.get, s, 1)
show.try('select', s.select, s)
show.try('count', s.count, s)
show.try('len', s.len, s)
s:create_index('pk')
show('empty', s:select{}, s:len())

os.exit(0)
