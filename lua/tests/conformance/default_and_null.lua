-- differs from 2.6: defaults are newer
-- A default stands in for null in what is put. An update, or a trigger, may leave null all the same.
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local function message(label, callable, ...)
    local ok, result = pcall(callable, ...)
    show(label, ok, ok and result or result.code)
    if not ok then
        print('  ' .. result.message)
    end
end
box.schema.func.create('seven', {language = 'LUA', is_deterministic = true, body = 'function() return 7 end'})
local s = box.schema.space.create('s', {format = {
    {'id', 'unsigned'},
    {'number', 'integer', default = 5},
    {'computed', 'integer', default_func = 'seven'},
    {'strict', 'string'},
    {'last', 'string', default = 'z'},
}})
s:create_index('pk')
show('put', s:insert{1, box.NULL, box.NULL, 'x', box.NULL})
show('update', s:update(1, {{'=', 'number', box.NULL}}))
show('update of a computed one', s:update(1, {{'=', 'computed', box.NULL}}))
message('without a default', s.update, s, 1, {{'=', 'strict', box.NULL}})
message('another type', s.update, s, 1, {{'=', 'number', 'five'}})
message('nothing at all', s.update, s, 1, {{'#', 'last', 1}})
show('replace', s:replace(s:get(1)))
show('upsert', s:upsert({1, 1, 1, 'y', 'w'}, {{'=', 'number', box.NULL}}), s:get(1))
local trigger = s:before_replace(function(_, new) return new and new:update({{'=', 2, box.NULL}}) end)
show('trigger', s:replace{2, 1, 1, 'x', 'y'})
s:before_replace(nil, trigger)
-- An index without nulls takes none.
s:create_index('by_computed', {parts = {'computed'}, unique = false})
message('indexed', s.update, s, 1, {{'=', 'computed', box.NULL}})
-- Without the default, null is none of the type.
s:update(2, {{'=', 'number', 3}})
message('null is there', s.format, s, {{'id', 'unsigned'}, {'number', 'integer'}})
s:update(1, {{'=', 'number', 3}})
s:format({{'id', 'unsigned'}, {'number', 'integer'}})
message('no default any more', s.update, s, 1, {{'=', 'number', box.NULL}})
os.exit(0)
