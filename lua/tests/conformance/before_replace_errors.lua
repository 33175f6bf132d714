-- differs from 2.6: the tuple is checked before triggers see it, and after each of them
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'name', 'string'}}})
s:create_index('pk')
s:insert{1, 'one'}
local function attempt(label, choose)
    local trigger = function(old, new) return choose(old, new) end
    s:before_replace(trigger)
    for _, statement in ipairs({
        {'insert', s.insert, {2, 'two'}}, {'replace', s.replace, {1, 'ONE'}},
        {'update', s.update, 1, {{'=', 2, 'x'}}}, {'delete', s.delete, 1},
    }) do
        local ok, err = pcall(statement[2], s, statement[3], statement[4])
        show(label, statement[1], ok, ok or err.code, ok or err.message)
    end
    show('rows', s:select())
    s:before_replace(nil, trigger)
end
attempt('table', function() return {1, 'x'} end)
attempt('number', function() return 5 end)
attempt('string', function() return 'x' end)
attempt('false', function() return false end)
attempt('wrong type', function() return box.tuple.new{1, 2} end)
attempt('too short', function() return box.tuple.new{1} end)
attempt('another key', function() return box.tuple.new{7, 'seven'} end)
attempt('throws', function() error('no', 0) end)
-- What does not fit the space is not shown to triggers.
local seen = function(old, new) show('seen', old, new) end
s:truncate()
s:before_replace(seen)
show.try('wrong type', s.insert, s, {'x', 'y'})
show.try('too short', s.insert, s, {1})
show.try('no array', s.insert, s, {a = 1})
show.try('no tuple', s.insert, s, 5)
show.try('wrong key', s.delete, s, 'x')
show.try('long key', s.delete, s, {1, 2})
show.try('wrong operation', s.upsert, s, {1, 'x'}, {{'?', 2, 1}})
s:insert{1, 'one'}
show.try('update of the key', s.update, s, 1, {{'=', 1, 2}})
show.try('update to a wrong type', s.update, s, 1, {{'=', 2, 2}})
show('rows', s:select())

os.exit(0)
