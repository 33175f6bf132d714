-- differs from 2.6: what changes of the schema write is not the same in all rows
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Changes of the schema are changes of rows in system spaces.
local seen = {}
local function trigger(old, new, space_name, operation)
    local row = new or old
    seen[#seen + 1] = ('%s %s %s'):format(operation, space_name, row[3])
end
local function done(label)
    show(label, seen)
    seen = {}
end
box.space._space:on_replace(trigger)
box.space._index:on_replace(trigger)
local s = box.schema.space.create('s')
done('create')
s:create_index('pk')
s:create_index('second', {parts = {2, 'unsigned'}})
done('indexes')
s:format({{'id', 'unsigned'}})
done('format')
s:rename('renamed')
done('rename')
s:insert{1, 2}
done('a row of its own')
s.index.second:drop()
done('drop of an index')
-- One that fails undoes the change.
local refuses = function(_, new)
    if new ~= nil and new[3] == 'forbidden' then
        error('no', 0)
    end
end
box.space._space:on_replace(refuses)
show.try('create', box.schema.space.create, 'forbidden')
show('not there', box.space.forbidden, box.is_in_txn())
box.begin()
s:insert{2, 2}
show.try('create', box.schema.space.create, 'forbidden')
show('not there', box.space.forbidden, s:len())
box.commit()
box.space._space:on_replace(nil, refuses)
seen = {}
box.schema.space.create('forbidden')
done('allowed')
-- A failed change shows nothing.
show.fails('exists', box.schema.space.create, 'renamed')
done('nothing')
s:drop()
table.sort(seen)
done('drop')
-- Triggers that wait for a space, as modules do.
local waits
waits = function(_, new)
    if new ~= nil and new[3] == 'awaited' then
        box.on_commit(function()
            box.space.awaited:on_replace(function(_, row) show('row', row) end)
        end)
    end
end
box.space._space:on_replace(nil, trigger)
box.space._space:on_replace(waits)
box.space._index:on_replace(nil, trigger)
box.schema.space.create('awaited'):create_index('pk')
box.space.awaited:insert{1}
box.schema.func.create('f')
box.space._func:on_replace(function(old, new) show('function', old and old[3], new and new[3]) end)
box.schema.func.create('g')
box.schema.func.drop('f')

os.exit(0)
