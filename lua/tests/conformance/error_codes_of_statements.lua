local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local function code(f, ...)
    local ok, err = pcall(f, ...)
    if ok then return 0 end
    return type(err) == 'cdata' and err.code or 'Lua'
end
local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'name', 'string'}}})
s:create_index('pk')
s:create_index('name', {parts = {2, 'string'}})
s:insert{1, 'a'}
show('duplicate', code(s.insert, s, {1, 'b'}))
show('field type', code(s.insert, s, {'x', 'b'}))
show('field missing', code(s.insert, s, {2}))
show('key part type', code(s.get, s, 'x'))
show('exact match', code(s.get, s, {1, 2}))
show('key part count', code(s.select, s, {1, 2}))
show('iterator type', code(s.select, s, 1, {iterator = 'X'}))
show('primary key', code(s.update, s, 1, {{'=', 1, 3}}))
show('unknown operation', code(s.update, s, 1, {{'%', 2, 3}}))
show('splice', code(s.update, s, 1, {{':', 1, 1, 1, 'x'}}))
show('argument', code(s.update, s, 1, {{'+', 2, 1}}))
show('no field', code(s.update, s, 1, {{'+', 'nothing', 1}}))
show('no space', (pcall(function() return box.space.nothing:insert{1} end)))
show('active', code(function() box.begin() box.begin() end), box.rollback())
show('space exists', code(box.schema.space.create, 's'))
show('index exists', code(s.create_index, s, 'pk'))

os.exit(0)
