-- Objects of spaces and indexes are numbers to the engine: those of a dropped space act on the space that
-- has its number by now, except where they look at their own indexes.
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s', {id = 600})
local primary = s:create_index('primary')
local second = s:create_index('second', {parts = {2, 'unsigned'}})
s:insert{1, 1}
s:drop()
local t = box.schema.space.create('t', {id = 600})
t:create_index('other')
t:insert{7, 7}
show('another object', t == s)
for _, name in ipairs({'get', 'select', 'delete', 'update'}) do
    show.try(name, s[name], s, {7}, {})
end
show('insert', s:insert{8, 8})
show('replace', s:replace{8, 9})
show('upsert', s:upsert({9, 9}, {}))
show('nothing of its own', s:len(), s:count())
show('indexes', primary:get(7), primary:update(7, {{'=', 2, 9}}), primary:len(), primary:min(), #primary:select())
show.try('absent index', second.get, second, 7)
s:rename('renamed')
show('rename', box.space.renamed == t, t.name)
s:format({{'id', 'unsigned'}})
show('format', #t:format())
s:create_index('new', {parts = {2, 'unsigned'}, unique = false})
show('create_index', t.index.new.name)
second:drop()
show('drop of an index', t.index.new)
s:truncate()
show('truncate', t:len())
s:drop()
show('drop', box.space.renamed)

-- An index object acts on the index of its number.
t = box.schema.space.create('t')
t:create_index('primary')
local old = t:create_index('old', {parts = {2, 'unsigned'}})
t:insert{1, 3}
t:insert{2, 2}
old:drop()
local new = t:create_index('new', {parts = {1, 'unsigned', 2, 'unsigned'}})
show('another index', old == new, old.id == new.id, old:min(), old:get({1, 3}))
os.exit(0)
