-- differs from 2.6: an insert that changes nothing knows of no tuple in its place
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- With a trigger that changes the tuple, an insert replaces.
local s = box.schema.space.create('s')
s:create_index('pk')
s:create_index('second', {parts = {2, 'unsigned'}})
s:insert{1, 10}
s:insert{2, 20}
local changes = function(old, new, _, operation)
    show('before', old, new, operation)
    return new and new:update{{'!', -1, 'changed'}}
end
s:on_replace(function(old, new, _, operation) show('after', old, new, operation) end)
s:before_replace(changes)
show.try('insert over', s.insert, s, {1, 11})
show.try('clash in another index', s.insert, s, {1, 20})
show('rows', s:select())
s:before_replace(nil, changes)
local old_one = function(old) return old end
s:before_replace(old_one)
show.try('insert over, the old one is kept', s.insert, s, {1, 12})
show('rows', s:select())
s:before_replace(nil, old_one)
local none = function() return nil end
s:before_replace(none)
show.try('insert over, nothing is kept', s.insert, s, {1, 13})
show('rows', s:select())

os.exit(0)
