local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- The rows of a space and its indexes, less the numbers that depend on what was made before.
local _space, _index = box.space._space, box.space._index
local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {name = 'name', type = 'string', is_nullable = true, note = 'kept'}, 'rest'}})
local function row() return _space:get(s.id):totable(2) end
local function index_rows()
    local rows = {}
    for _, t in _index:pairs(s.id) do rows[#rows + 1] = t:totable(2) end
    return rows
end
show('created', row())
s:create_index('pk')
s:create_index('name', {parts = {{'name'}}, unique = false})
s:create_index('both', {type = 'hash', parts = {{3, 'string'}, {1, 'unsigned'}}})
show('indexes', index_rows())
show('by name', _space.index.name:get('s').id == s.id, _index.index.name:get({s.id, 'both'}).iid)
show('by owner', _space.index.owner:count(1) > 20)
s.index.name:rename('called')
s:rename('renamed')
s:format({{'id', 'unsigned'}})
show('changed', row(), index_rows()[2])
s.index.both:drop()
show('dropped index', #index_rows())
s.index.called:alter({unique = true, parts = {2, 'string', 1, 'unsigned'}})
show('altered index', index_rows()[2])
s:insert{1, 'a'}
s:truncate()
s:truncate()
show('truncations', box.space._truncate:get(s.id)[2])
local id = s.id
s:drop()
show('gone', _space:get(id), _index:count(id), box.space._truncate:get(id))

os.exit(0)
