local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local u = s:create_index('u', {parts = {{2, 'unsigned', is_nullable = true}}})
local n = s:create_index('n', {parts = {{3, 'string', is_nullable = true}}, unique = false})
s:insert{1, box.NULL, 'a'}
s:insert{2, box.NULL}
s:insert{3}
s:insert{4, 7, box.NULL}
show.try('clash', s.insert, s, {5, 7})
show('all', u:select{}, n:select{})
show('null', u:select{box.NULL}, n:select{box.NULL})
show('count', u:count{box.NULL}, n:count{box.NULL})
show.try('get null', u.get, u, {box.NULL})
show('nil key', #u:select(box.NULL), #u:select())
show('GT null', u:select({box.NULL}, {iterator = 'GT'}))
show('delete', s:delete(2), u:count{box.NULL})

os.exit(0)
