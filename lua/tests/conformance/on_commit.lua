-- differs from 2.6: the iterator may be walked whatever the transaction did
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Triggers of a transaction's commit: the first added first.
local s = box.schema.space.create('s')
s:create_index('pk')
local other = box.schema.space.create('other')
other:create_index('pk')
local function walk(label)
    return function(iterator)
        show(label, s:len())
        for number, old, new, space_id in iterator() do
            show('  statement', number, old, new, box.space[space_id].name)
        end
    end
end
show.try('outside', box.on_commit, function() end)
s:insert{1, 'one'}
box.begin()
local first = walk('first')
show('set', box.on_commit(first) == first)
local gone = walk('gone')
box.on_commit(gone)
box.on_commit(walk('second'))
box.on_commit(nil, gone)
show('list', #box.on_commit())
box.on_rollback(walk('not this'))
s:replace{1, 'ONE'}
other:insert{1}
s:delete(1)
s:delete(1)
s:upsert({2}, {})
s:upsert({2, 'x'}, {{'!', 2, 'y'}})
box.commit()
-- They are gone with the transaction.
box.begin()
s:replace{3}
box.commit()
show('an empty one')
box.begin()
box.on_commit(walk('trigger'))
box.commit()
show('after a savepoint')
box.begin()
box.on_commit(walk('trigger'))
local saved = box.savepoint()
s:insert{4}
box.rollback_to_savepoint(saved)
s:insert{5}
box.commit()
show('walked again')
local kept
box.begin()
box.on_commit(function(iterator)
    kept = iterator
    for number in iterator() do show('once', number) end
    for number in iterator() do show('twice', number) end
end)
s:replace{6}
box.commit()
show.try('too late', function() for number in kept() do show('number', number) end end)
show('in the end', s:select(), box.is_in_txn())
show.try('wrong', box.atomic, function() box.on_commit(5) end)

os.exit(0)
