local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Triggers of a transaction's rollback: the last added first, statements from the last on.
local fiber = require('fiber')
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
show.fails('outside', box.on_rollback, function() end)
s:insert{1, 'one'}
box.begin()
local first = walk('first')
show('set', box.on_rollback(first) == first)
box.on_rollback(walk('second'))
show('list', #box.on_rollback())
s:replace{1, 'ONE'}
other:insert{1}
s:delete(1)
s:upsert({2}, {})
box.rollback()
-- They are gone with the transaction.
box.begin()
s:replace{3}
box.rollback()
show('after a yield')
box.begin()
box.on_rollback(walk('trigger'))
s:insert{3}
fiber.yield()
show('yielded')
show.try('commit', box.commit)
show('at the end of a fiber')
local f = fiber.new(function()
    box.begin()
    box.on_rollback(walk('trigger'))
    s:insert{3}
end)
f:set_joinable(true)
f:join()
show('of an error in a fiber')
f = fiber.new(function()
    box.begin()
    box.on_rollback(walk('trigger'))
    s:insert{3}
    error('no')
end)
f:set_joinable(true)
show('joined', (f:join()))
show('by atomic')
show.fails('atomic', box.atomic, function()
    box.on_rollback(walk('trigger'))
    s:insert{3}
    error('no')
end)
show('in the end', s:select(), box.is_in_txn())

os.exit(0)
