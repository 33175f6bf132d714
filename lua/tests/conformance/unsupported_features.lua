-- differs from 2.6: what is not there is refused by name
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
show.try('upgrade', s.upgrade, s)
show.try('execute', box.execute, 'SELECT 1')
show('names it', box.error.last().message)
show.try('foreign key', box.schema.space.create, 'x', {foreign_key = {}})
show.try('rtree', s.create_index, s, 'r', {type = 'RTREE'})
show.try('path', s.create_index, s, 'p', {parts = {{2, 'string', path = 'a.b'}}})
show.try('bitset iterator', s.select, s, 1, {iterator = 'BITS_ALL_SET'})

-- Each is named by its error.
local function names(call, ...)
    local _, err = pcall(call, ...)
    print(err.code, err.message)
end
for _, name in ipairs({'quantile', 'insert_arrow', 'fselect', 'gselect', 'jselect', 'stat'}) do
    names(s[name], s)
end
names(s.index.pk.quantile, s.index.pk, 0.5)
names(s.index.pk.delete_range, s.index.pk, {1}, {2})
names(box.prepare, 'SELECT 1')
names(box.unprepare, 1)
names(box.backup.start)
names(box.iproto.send, 1)
names(box.lib.load, 'x')
names(function() return box.internal.something end)
names(box.schema.downgrade, '2.11.0')
names(box.read_view.open().space.s.quantile, box.read_view.open().space.s, 0.5)
names(s.create_index, s, 'c', {covers = {1}})
names(s.create_index, s, 'c', {layout = 'x'})
names(s.create_index, s, 'c', {aggregates = {}})
print(box.schema.upgrade())

os.exit(0)
