local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local t = s:insert{1, 'a', {x = {1, 2}}, true, box.NULL, 1.5}
show('tuple', t, type(t), #t, t[3].x[2], t[5] == nil)
show.try('again', s.insert, s, {1, 'b'})
show('kept', s:get(1)[2])
show.try('no key', s.insert, s, {})
show.try('text key', s.insert, s, {'x'})
show.try('negative key', s.insert, s, {-1})
show.try('fraction key', s.insert, s, {1.5})
show.try('null key', s.insert, s, {box.NULL})
show.try('nil', s.insert, s, nil)
show.try('number', s.insert, s, 2)
show.try('string', s.insert, s, 'x')
show.try('map', s.insert, s, {a = 1})
show.try('function inside', s.insert, s, {2, print})
show.try('tuple', s.insert, s, box.tuple.new{3, 'c'})
show.fails('dot call', s.insert, {4})
show('rows', s:select{})

os.exit(0)
