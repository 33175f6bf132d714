local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
local second = s:create_index('second', {parts = {2, 'unsigned'}})
s:insert{1, 1}
second:drop()
show.try('index again', second.drop, second)
show.try('rename', second.rename, second, 'x')
for _, method in ipairs({'get', 'select', 'min', 'count', 'len', 'bsize', 'delete'}) do
    show.try('index ' .. method, second[method], second, {1})
end
show.try('alter', second.alter, second, {unique = true})
show.try('primary of another', box.schema.index.drop, s.id, 7)
s:drop()
for _, method in ipairs({'get', 'select', 'delete', 'update', 'insert', 'replace', 'upsert', 'len', 'count', 'bsize', 'truncate', 'drop'}) do
    show.try('space ' .. method, s[method], s, {1}, {})
end
show.try('rename', s.rename, s, 'x')
show.try('create_index', s.create_index, s, 'x')
show('pairs', #s, s.enabled, s.index[0], s.index.pk)
for _, method in ipairs({'get', 'select', 'min', 'count', 'len', 'drop', 'delete'}) do
    show.try('primary ' .. method, pk[method], pk, {1})
end
for _, name in ipairs({'drop', 'rename', 'format'}) do
    show.try('by number: ' .. name, box.schema.space[name], 7777, name ~= 'format' and 'x' or nil)
end
show.try('by number if exists', box.schema.space.drop, 7777, 'x', {if_exists = true})
for _, name in ipairs({'drop', 'rename', 'alter', 'create'}) do
    show.try('index by number: ' .. name, box.schema.index[name], 7777, name == 'create' and 'x' or 0, name == 'rename' and 'x' or {})
end

os.exit(0)
