local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Of several things that are wrong with an index, one is told.
show.try('1', function() box.schema.space.create('s1', {format = {{'f1', 'string'}, {'f2', 'any'}, {'f3', 'double', is_nullable = true}}}) end)
show.try('2', function() box.space.s1:create_index('i1', {parts = {{1, 'string'}, {3, 'double'}, {1, 'string'}}}) end)
show.try('3', function() box.space.s1:create_index('i1', {unique = false, parts = {{1, 'string'}, {3, 'double'}}}) end)
show.try('4', function() box.space.s1:create_index('i1', {type = 'HASH', unique = false, parts = {{3, 'double', is_nullable = true}}}) end)
show.try('5', function() box.space.s1:create_index('i1', {parts = {{1, 'string'}}}) end)
show.try('6', function() box.space.s1:create_index('i2', {type = 'HASH', unique = false, parts = {{3, 'double', is_nullable = true}}}) end)
show.try('7', function() box.space.s1:create_index('i2', {unique = false, parts = {{3, 'double', is_nullable = true}}}) end)
show.try('8', function() return box.space.s1.index.i2:alter({type = 'HASH'}) end)
show.try('9', function() box.space.s1:create_index('i3', {parts = {{1, 'unsigned'}}}) end)
show.try('10', function() box.space.s1:create_index('i3', {parts = {{1, 'unsigned'}, {1, 'string'}}}) end)

os.exit(0)
