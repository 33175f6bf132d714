local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk', {parts = {1, 'unsigned', 2, 'string'}})
local many = s:create_index('many', {parts = {3, 'unsigned'}, unique = false})
s:insert{1, 'a', 10}
s:insert{1, 'b', 10}
show('found', s:get{1, 'b'}, pk:get{1, 'a'})
show('nothing', select('#', s:get{9, 'x'}))
show.try('tostring of nothing', function() return tostring(s:get{9, 'x'}) end)
show.try('partial', s.get, s, {1})
show.try('scalar', s.get, s, 1)
show.try('too long', s.get, s, {1, 'a', 3})
show.try('wrong type', s.get, s, {1, 2})
show.try('null', s.get, s, {1, box.NULL})
show.try('none', s.get, s)
show.try('empty', s.get, s, {})
show.try('non-unique', many.get, many, 10)
show.try('tuple key', s.get, s, box.tuple.new{1, 'a'})
show.fails('map key', s.get, s, {a = 1})
show.try('NULL key', s.get, s, box.NULL)

os.exit(0)
