local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- What a trigger returns takes the place of the new tuple.
local s = box.schema.space.create('s')
s:create_index('pk')
s:on_replace(function(old, new, _, operation) show('  changed', old, new, operation) end)
local function attempt(label, choose)
    show(label)
    s:truncate()
    s:run_triggers(false)
    s:insert{1, 'one'}
    s:insert{2, 'two'}
    s:run_triggers(true)
    local trigger = function(old, new, name, operation)
        show('  trigger', old, new, name, operation)
        return choose(old, new)
    end
    s:before_replace(trigger)
    show.try('  insert', s.insert, s, {5, 'five'})
    show.try('  replace', s.replace, s, {1, 'ONE'})
    show.try('  update', s.update, s, 1, {{'=', 2, 'updated'}})
    show.try('  upsert', s.upsert, s, {1, 'x'}, {{'=', 2, 'upserted'}})
    show.try('  upsert of a new one', s.upsert, s, {6, 'six'}, {{'=', 2, 'upserted'}})
    show.try('  delete', s.delete, s, 2)
    show.try('  delete of nothing', s.delete, s, 100)
    show.try('  update of nothing', s.update, s, 100, {{'=', 2, 'x'}})
    show('  rows', s:select())
    s:before_replace(nil, trigger)
end
attempt('nothing', function() end)
attempt('new', function(_, new) return new end)
attempt('old', function(old) return old end)
attempt('nil', function() return nil end)
attempt('null', function() return box.NULL end)
attempt('a changed one', function(_, new) return new and new:update{{'!', -1, 'more'}} end)
attempt('more values', function(_, new) return new, 1, 2 end)

os.exit(0)
