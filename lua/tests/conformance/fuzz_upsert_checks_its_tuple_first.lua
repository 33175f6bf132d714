local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

show.try('1', function() box.schema.space.create('s1', {format = {{'f1', 'integer'}, {'f2', 'scalar', is_nullable = true}, {'f3', 'scalar'}}}) end)
show.try('2', function() return box.space.s1:upsert({1, box.NULL}, {{'=', 'f3', 1}}) end)
show.try('3', function() return box.space.s1:upsert({1, {1}, 1}, {{'=', 'f3', 1}}) end)
show.try('4', function() return box.space.s1:upsert({1, 2, 3}, {{'%', 'f3', 1}}) end)
show.try('5', function() return box.space.s1:upsert({1, 2, 3}, 1) end)
show.try('6', function() return box.space.s1:upsert(1, {}) end)
show.try('7', function() return box.space.s1:update({1}, 1) end)
show.try('8', function() return box.space.s1:update(box.NULL, {{'&', 3, 1}}) end)

os.exit(0)
