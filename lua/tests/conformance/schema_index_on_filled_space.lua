local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
for i = 1, 100 do
    s:insert{i, i % 10, ('n%02d'):format(100 - i)}
end
show.try('unique, with equals', s.create_index, s, 'u', {parts = {2, 'unsigned'}})
show('not made', s.index.u)
show.try('wrong type', s.create_index, s, 'w', {parts = {3, 'unsigned'}})
show.try('field missing', s.create_index, s, 'm', {parts = {4, 'unsigned'}})
local many = s:create_index('many', {parts = {2, 'unsigned'}, unique = false})
local name = s:create_index('name', {parts = {3, 'string'}})
show('counts', many:count(3), name:count(), many:len())
show('first by name', name:min(), name:max())
show('order', many:select({9}, {limit = 3}))

os.exit(0)
