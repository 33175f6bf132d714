local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:format{{'id', 'unsigned'}, {name = 'name', type = 'string', is_nullable = true}, {'rest'}}
s:create_index('pk')
show('format', s:format())
local t = s:insert{1, 'a', {1, 2}, 'more'}
show('by name', t.id, t.name, t.rest, t[4], t.nothing)
show.try('wrong type', s.insert, s, {'x'})
show.try('wrong type of second', s.insert, s, {2, 3, 4})
show.try('nil in nullable', s.insert, s, {3, box.NULL, 4})
show.try('missing', s.insert, s, {4, 'b'})
show.try('too short', s.insert, s, {4})
show.try('bad name', s.format, s, {{1, 'unsigned'}})
show.fails('bad type', s.format, s, {{'id', 'strange'}})
show.try('twice', s.format, s, {{'id', 'unsigned'}, {'id', 'string'}})
show.try('not a table', s.format, s, 'x')
show.try('narrower than rows', s.format, s, {{'id', 'unsigned'}, {'name', 'unsigned'}})
s:format{}
show('empty', s:format(), s:insert{5, 6})

os.exit(0)
