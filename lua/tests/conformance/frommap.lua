local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'name', 'string', is_nullable = true}, {'n', 'number', is_nullable = true}}})
s:create_index('pk')
show('tuple', s:frommap{id = 1, name = 'a', n = 5})
show('table', #s:frommap({id = 1, name = 'b', n = 5}, {table = true}))
show('gap', s:frommap{id = 1, n = 5})
show.try('unknown', function() local t, err = s:frommap{id = 1, wrong = 1} return t, err ~= nil end)
show('insert', s:insert(s:frommap{id = 2, name = 'b', n = 1}))

os.exit(0)
