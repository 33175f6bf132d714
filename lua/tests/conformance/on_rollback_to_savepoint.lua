-- differs from 2.6: there triggers do not hear of what a rollback to a savepoint undoes
local show = require('show')
local trigger = require('trigger')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local other = box.schema.space.create('other')
other:create_index('pk')
local function walk(label)
    return function(iterator)
        show(label, box.is_in_txn(), s:len())
        for number, old, new, space_id in iterator() do
            show('  statement', number, old, new, box.space[space_id].name)
        end
    end
end

show('of the transaction')
box.begin()
s:insert{1}
local first = box.savepoint()
box.on_rollback(walk('trigger'))
s:insert{2}
local second = box.savepoint()
s:replace{1, 'one'}
s:delete(2)
box.rollback_to_savepoint(second)
show('went on', s:select())
box.rollback_to_savepoint(first)
box.rollback_to_savepoint(first)
s:insert{3}
box.rollback()

show('a commit hears of the rest alone')
box.begin()
box.on_rollback(walk('on_rollback'))
box.on_commit(walk('on_commit'))
local saved = box.savepoint()
s:insert{1}
box.rollback_to_savepoint(saved)
s:insert{2}
box.commit()
s:truncate()

show('of all transactions, and of spaces')
trigger.set('box.on_rollback', 'all', walk('all'))
trigger.set('box.on_rollback.space.s', 'of s', walk('of s'))
trigger.set(('box.on_rollback.space[%d]'):format(other.id), 'of other', walk('of other'))
box.begin()
saved = box.savepoint()
s:insert{1}
other:insert{1}
s:insert{2}
box.rollback_to_savepoint(saved)
other:insert{3}
saved = box.savepoint()
s:insert{4}
box.rollback_to_savepoint(saved)
box.rollback()

show('failures')
trigger.set('box.on_rollback', 'all', function() error('wrong') end)
box.begin()
saved = box.savepoint()
s:insert{1}
show('a trigger that throws', pcall(box.rollback_to_savepoint, saved))
s:insert{2}
box.commit()
show.try('no transaction', box.rollback_to_savepoint, saved)
show('rows', s:select())
local kept
trigger.set('box.on_rollback', 'all', function(iterator) kept = iterator end)
box.begin()
saved = box.savepoint()
s:insert{3}
box.rollback_to_savepoint(saved)
show.try('the iterator later', function() return kept()() end)
box.commit()
os.exit(0)
