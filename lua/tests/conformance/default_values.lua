-- differs from 2.6: defaults are newer
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local function message(label, callable, ...)
    local ok, err = pcall(callable, ...)
    show(label, ok, ok or err.code)
    if not ok then
        print('  ' .. err.message)
    end
end
local s = box.schema.space.create('s', {format = {
    {name = 'id', type = 'unsigned'},
    {name = 'number', type = 'integer', default = -7},
    {name = 'text', type = 'string', is_nullable = true, default = 'text'},
    {name = 'free', type = 'any', is_nullable = true},
    {name = 'list', type = 'array', default = {1, {2, 'three'}}},
    {name = 'flag', type = 'boolean', default = false},
}})
s:create_index('pk')
show('all', s:insert{1})
show('some', s:insert{2, 5})
show('nulls', s:insert{3, box.NULL, box.NULL, box.NULL, box.NULL, box.NULL})
show('none', s:insert{4, 1, 'x', 2, {}, true, 'more'})
show('more fields', s:insert{5, box.NULL, 'x', box.NULL, box.NULL, box.NULL, 'more', box.NULL})
show('replace', s:replace{4})
show('put', s:put{4, 9})
show('upsert', s:upsert({6}, {{'+', 2, 1}}))
show('upsert', s:upsert({6}, {{'+', 2, 1}}))
show('rows', s:get(6))
show('update applies none', s:update(1, {{'=', 'text', box.NULL}}))
show('auto_increment', s:auto_increment{})
show('frommap', s:insert(s:frommap({id = 100, flag = true})))
message('wrong type', s.insert, s, {7, 'x'})
message('clash', s.insert, s, {1})
show('format', s:format()[2].default, s:format()[5].default)
-- The literal must be of the field's type.
local function field(kind, default)
    return function()
        return box.schema.space.create('new', {format = {{'id', 'unsigned'}, {'f', kind, default = default}}})
    end
end
message('integer', field('integer', 'x'))
message('unsigned', field('unsigned', -1))
message('string', field('string', 5))
message('boolean', field('boolean', 'true'))
message('array', field('array', {a = 1}))
message('map', field('map', {1}))
message('any', field('any', {1}))
-- A format that changes.
s:format({{'id', 'unsigned'}, {'number', 'integer', is_nullable = true}})
show('none any more', s:insert{8})
box.begin()
s:format({{'id', 'unsigned'}, {'number', 'integer', is_nullable = true, default = 1}})
box.rollback()
show('none', s:insert{9})
s:format({{'id', 'unsigned'}, {'number', 'integer', is_nullable = true, default = 2}})
show('another', s:insert{10})
-- Triggers see the tuple with its defaults.
s:before_replace(function(_, new) show('before', new) end)
s:on_replace(function(_, new) show('after', new) end)
s:insert{11}
-- An index over such a field.
local other = box.schema.space.create('other', {format = {{'id', 'unsigned', default = 1}, {'x', 'unsigned', default = 2}}})
other:create_index('pk')
other:create_index('x', {parts = {'x'}})
show('key', other:insert{})
message('again', other.insert, other, {})
show('found', other.index.x:select{2})

os.exit(0)
