-- differs from 2.6: a part takes over the collation of its field, and errors have other codes
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s', {format = {
    {'id', 'unsigned'},
    {'name', 'string', collation = 'unicode_ci'},
    {'text', 'string', is_nullable = true},
}})
s:create_index('pk')
local by_name = s:create_index('name', {parts = {'name'}})
show('part of the format', by_name.parts[1].collation)
show('format', s:format()[2].collation)
local by_text = s:create_index('text', {
    parts = {{'text', 'string', collation = 'unicode', exclude_null = true}}, unique = false,
})
show('part', by_text.parts[1].collation, by_text.parts[1].exclude_null, by_text.parts[1].is_nullable)

s:insert{1, 'Ёлка', 'b'}
s:insert{2, 'apple', 'B'}
s:insert{3, 'Zoë', box.NULL}
s:insert{4, 'ähnlich', 'a'}
show.try('same under unicode_ci', s.insert, s, {5, 'ZOE', 'x'})
show('by name', by_name:select())
show('by text', by_text:select())
show('get', by_name:get('APPLE'))
show('GE', by_name:select('b', {iterator = 'GE'}))
show('case counts under unicode', by_text:select('b'))
show('lengths', s:len(), by_name:len(), by_text:len())
s:update(3, {{'=', 'text', 'c'}})
show('null no more', by_text:select())
s:update(1, {{'=', 'text', box.NULL}})
show('null again', by_text:select(), by_text:count())

local hash = s:create_index('hash', {type = 'HASH', parts = {{'name', 'string', collation = 'unicode_ci'}}})
show('hash', hash:get('ELKA'), hash:get('елка'))

show.try('unknown', s.create_index, s, 'x', {parts = {{2, 'string', collation = 'klingon'}}})
show('its text', box.error.last().message)
show.try('for a number', s.create_index, s, 'x', {parts = {{1, 'unsigned', collation = 'unicode'}}})
show('its text', box.error.last().message)
show.try('in the format', s.format, s, {{'id', 'unsigned', collation = 'unicode'}})
show.try('not nullable', s.create_index, s, 'x',
    {parts = {{3, 'string', exclude_null = true, is_nullable = false}}})
show('its text', box.error.last().message)
show.try('not in a primary', function()
    local t = box.schema.space.create('t')
    t:create_index('pk', {parts = {{1, 'string', exclude_null = true}}})
end)
show.try('not in a hash', s.create_index, s, 'x', {type = 'HASH', parts = {{3, 'string', exclude_null = true}}})

os.exit(0)
