local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Triggers see the value that a sequence gives.
local s = box.schema.space.create('s')
s:create_index('pk', {sequence = true})
s:before_replace(function(old, new, _, operation) show('before', old, new, operation) end)
s:on_replace(function(old, new, _, operation) show('after', old, new, operation) end)
show('insert', s:insert{box.NULL, 'a'})
show('replace', s:replace{box.NULL, 'b'})
show('a value of its own', s:insert{10, 'c'})
show('insert', s:insert{box.NULL, 'd'})
show('update', s:update(11, {{'=', 2, 'e'}}))
show.fails('clash', s.insert, s, {10})
show('rows', s:select())

os.exit(0)
