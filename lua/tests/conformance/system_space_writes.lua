-- differs from 2.6: what describes the engine is changed by box.schema only
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
for _, name in ipairs({'_space', '_index', '_truncate', '_sequence', '_space_sequence'}) do
    local space = box.space[name]
    show.try(name .. ' insert', space.insert, space, {1, 2, 'x'})
    show.try(name .. ' replace', space.replace, space, {1, 2, 'x'})
end
show.try('update', box.space._space.update, box.space._space, s.id, {{'=', 3, 'x'}})
show.try('delete', box.space._index.delete, box.space._index, {s.id, 0})
show.try('drop', box.space._space.drop, box.space._space)
show.try('rename', box.space._space.rename, box.space._space, 'x')
show.try('truncate', box.space._schema.truncate, box.space._schema)
show.try('create_index', box.space._schema.create_index, box.space._schema, 'x')
show.try('drop index', function() box.space._schema.index.primary:drop() end)
show.try('alter without a change', box.space._space.alter, box.space._space, {})
show('still there', box.space.s == s, s.index.pk.name)
show('own rows', box.space._schema:replace{'mine', {1, 2}}, box.space._schema:get('mine'), box.space._schema:delete('mine'))
show.try('wrong type', box.space._schema.insert, box.space._schema, {1})
show('second row', box.space._cluster:insert{2, 'a9b8c7d6-0000-4000-8000-000000000000'})

os.exit(0)
