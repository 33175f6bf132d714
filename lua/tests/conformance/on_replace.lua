local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Every kind of statement runs the triggers; one that finds nothing, or a truncate, does not.
local s = box.schema.space.create('s')
s:create_index('pk')
s:create_index('second', {parts = {2, 'unsigned'}})
local trigger = function(old, new, name, operation)
    show('trigger', old, new, name, operation, box.is_in_txn())
end
show('set', s:on_replace(trigger) == trigger)
show('insert', s:insert{1, 1})
show('replace', s:replace{1, 2})
show('put', s:put{1, 3})
show('update', s:update(1, {{'=', 2, 4}}))
show('update by another index', s.index.second:update(4, {{'=', 2, 5}}))
show('upsert that inserts', s:upsert({2, 20}, {{'+', 2, 1}}))
show('upsert that updates', s:upsert({2, 20}, {{'+', 2, 1}}))
show('auto_increment', s:auto_increment{30})
show('delete', s:delete(1))
show('delete by another index', s.index.second:delete(21))
show('delete of nothing', s:delete(100))
show('update of nothing', s:update(100, {{'=', 2, 1}}))
show.try('failed insert', s.insert, s, {3, 40})
show('truncate', s:truncate())
box.begin()
s:insert{7, 7}
box.rollback()
show('in the end', s:select())

os.exit(0)
