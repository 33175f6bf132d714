local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'name', 'string'}, {'data', 'any', is_nullable = true}}})
s:create_index('pk')
s:insert{1, 'a', {x = {1, 2, {y = 'deep'}}, n = 5}}
show('name', s:update(1, {{'=', 'name', 'b'}})[2])
show('path', s:update(1, {{'=', 'data.x[1]', 'first'}})[3].x)
show('deep', s:update(1, {{'=', 'data.x[3].y', 'changed'}})[3].x[3])
show('add', s:update(1, {{'+', 'data.n', 10}})[3].n)
show('by number', s:update(1, {{'=', '[3].n', 0}})[3].n)
show('new key', s:update(1, {{'=', 'data.z', true}})[3].z)
show('delete key', s:update(1, {{'#', 'data.z', 1}})[3].z)
show('insert in array', s:update(1, {{'!', 'data.x[1]', 'zeroth'}})[3].x[1])
show.try('no such key', s.update, s, 1, {{'+', 'data.nothing', 1}})
show.try('no such field', s.update, s, 1, {{'=', 'unknown', 1}})
show.try('broken path', s.update, s, 1, {{'=', 'data[', 1}})
show.try('against the format', s.update, s, 1, {{'=', 'name', 1}})

os.exit(0)
