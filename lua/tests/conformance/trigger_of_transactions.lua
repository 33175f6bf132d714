-- differs from 2.6: the module is newer
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local trigger = require('trigger')
local s = box.schema.space.create('s')
s:create_index('pk')
local other = box.schema.space.create('other')
other:create_index('pk')
local function walk(label)
    return function(iterator)
        show(label)
        for number, old, new, space_id in iterator() do
            show('  statement', number, old, new, box.space[space_id].name)
        end
    end
end
-- Every transaction, those of one statement too.
trigger.set('box.on_commit', 'all', walk('on_commit'))
trigger.set('box.on_rollback', 'all', walk('on_rollback'))
trigger.set('box.before_commit', 'all', walk('before_commit'))
s:insert{1}
show.try('insert that fails', s.insert, s, {1})
box.begin()
s:insert{2}
other:insert{2}
box.commit()
box.begin()
s:insert{3}
other:insert{3}
box.rollback()
trigger.del('box.on_commit', 'all')
trigger.del('box.on_rollback', 'all')
trigger.del('box.before_commit', 'all')
s:insert{4}
-- Those that change one space.
trigger.set('box.on_commit.space.s', 'named', walk('on_commit of s'))
trigger.set(('box.before_commit.space[%d]'):format(other.id), 'numbered', walk('before_commit of other'))
trigger.set('box.on_rollback.space.s', 'named', walk('on_rollback of s'))
box.begin()
s:insert{5}
other:insert{5}
s:delete(5)
box.commit()
other:insert{6}
box.begin()
other:insert{7}
box.rollback()
box.begin()
s:insert{7}
other:insert{7}
box.rollback()
-- A trigger before the commit may refuse it.
trigger.set('box.before_commit', 'refuses', function() error('refused', 0) end)
show.try('insert', s.insert, s, {8})
box.begin()
s:insert{9}
other:insert{9}
show.try('commit', box.commit)
show('undone', box.is_in_txn(), s:get(9), other:get(9))
-- Or add to it.
trigger.set('box.before_commit', 'refuses', function()
    trigger.del('box.before_commit', 'refuses')
    other:insert{100}
end)
s:insert{10}
show('added', other:get(100))
for event, list in pairs(trigger.info()) do
    trigger.del(event, list[1][1])
end
show('none are left', trigger.info())

os.exit(0)
