local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local other = box.schema.space.create('other')
other:create_index('pk')
s:on_replace(function(_, new) show('on', new) end)
s:before_replace(function(_, new) show('before', new) end)
other:on_replace(function(_, new) show('other', new) end)
s:replace{1}
s:run_triggers(false)
s:replace{2}
other:replace{2}
s:update(1, {{'=', 2, 'x'}})
s:delete(2)
s:run_triggers(true)
s:replace{3}
-- Methods that were taken before the first trigger see it too.
local third = box.schema.space.create('third')
local index = third:create_index('pk')
local insert, update, delete = third.insert, index.update, index.delete
insert(third, {1, 1})
third:on_replace(function(old, new) show('third', old, new) end)
insert(third, {2, 2})
update(index, 1, {{'=', 2, 2}})
delete(index, 1)
for i = 1, 100 do
    third:run_triggers(i > 98)
    insert(third, {i + 10, i})
end
show('rows', third:len())
show.fails('no space', s.run_triggers)
-- Triggers end with their space.
local id = third.id
third:drop()
third = box.schema.space.create('third', {id = id})
third:create_index('pk')
show('none', #third:on_replace(), third:insert{1})
show.fails('of a space that is gone', function() local gone = box.schema.space.create('gone') gone:drop() gone:on_replace() end)

os.exit(0)
