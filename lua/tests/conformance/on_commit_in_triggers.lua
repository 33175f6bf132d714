-- differs from 2.6: the iterator may be walked whatever the transaction did
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A statement outside a transaction is one of its own.
local s = box.schema.space.create('s')
s:create_index('pk')
local function walk(label)
    return function(iterator)
        show(label)
        for number, old, new in iterator() do
            show('  statement', number, old, new)
        end
    end
end
local fails = false
local trigger = function(old, new)
    box.on_commit(walk('committed'))
    box.on_rollback(walk('rolled back'))
    if fails then
        error('no', 0)
    end
end
s:on_replace(trigger)
show('insert', s:insert{1})
show('update', s:update(1, {{'=', 2, 'x'}}))
fails = true
show.try('insert', s.insert, s, {2})
fails = false
box.begin()
s:insert{3}
s:insert{4}
show('not yet')
box.commit()
box.begin()
s:insert{5}
fails = true
show.try('insert', s.insert, s, {6})
fails = false
show('not yet')
box.rollback()
show('rows', s:select())
-- A trigger that fails when all is done changes nothing.
s:on_replace(nil, trigger)
box.begin()
box.on_commit(function() error('no') end)
box.on_commit(walk('after the one that failed'))
s:insert{7}
show.try('commit', box.commit)
box.begin()
box.on_rollback(walk('after the one that failed'))
box.on_rollback(function() error('no') end)
s:insert{8}
show.try('rollback', box.rollback)
show('rows', s:select())

os.exit(0)
