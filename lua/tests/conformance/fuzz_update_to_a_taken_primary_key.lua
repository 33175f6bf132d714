local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A free key cannot be moved to; a taken one is named first. An upsert says neither.
show.try('1', function() box.schema.space.create('s1', {format = {{'f1', 'unsigned'}, {'f2', 'unsigned', is_nullable = true}}}) end)
show.try('2', function() box.space.s1:create_index('i1', {parts = {{1, 'unsigned'}}}) end)
show.try('3', function() box.space.s1:create_index('i2', {parts = {{2, 'unsigned', is_nullable = true}}}) end)
show.try('4', function() return box.space.s1:insert({0, 0}) end)
show.try('5', function() return box.space.s1:insert({1, 6}) end)
show.try('6', function() return box.space.s1:update(0, {{'+', 1, 1}}) end)
show.try('7', function() return box.space.s1:update(0, {{'+', 1, 2}}) end)
show.try('8', function() return box.space.s1:update(0, {{'+', 1, 1}, {'=', 2, 6}}) end)
show.try('9', function() return box.space.s1:update(0, {{'+', 1, 2}, {'=', 2, 6}}) end)
show.try('10', function() return box.space.s1.index.i2:update(6, {{'=', 1, 0}}) end)
show.try('11', function() return box.space.s1:upsert({0, 1}, {{'+', 1, 1}}) end)
show.try('12', function() return box.space.s1:upsert({0, 1}, {{'+', 1, 2}}) end)
show.try('13', function() return box.space.s1:select() end)

os.exit(0)
