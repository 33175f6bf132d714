local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local schema = box.schema
show('numbers', schema.SYSTEM_ID_MIN, schema.SYSTEM_ID_MAX, schema.SPACE_MAX, schema.FIELD_MAX, schema.INDEX_FIELD_MAX,
    schema.NAME_MAX, schema.FORMAT_ID_MAX, schema.INDEX_MAX, schema.INDEX_PART_MAX)
show('ids', schema.SCHEMA_ID, schema.SPACE_ID, schema.VSPACE_ID, schema.INDEX_ID, schema.USER_ID, schema.PRIV_ID,
    schema.SEQUENCE_ID, schema.SEQUENCE_DATA_ID, schema.SPACE_SEQUENCE_ID, schema.TRUNCATE_ID)
local s = box.schema.space.create('s')
show.try('too many indexes', function()
    for number = 0, 128 do s:create_index('i' .. number, {parts = {1, 'unsigned'}}) end
end)
show('as many as may be', box.space._index:count(s.id), s.index[127].name)
s.index.i5:drop()
show.try('a gap is not used', s.create_index, s, 'x', {parts = {1, 'unsigned'}})
show('unless it is named', s:create_index('x', {id = 5, parts = {1, 'unsigned'}}).id)

local t = box.schema.space.create('t')
local parts = {}
for number = 1, 256 do parts[number] = {number, 'unsigned'} end
show.try('too many parts', t.create_index, t, 'pk', {parts = parts})
parts[256] = nil
show('as many as may be', #t:create_index('pk', {parts = parts}).parts)
show.try('index name too long', t.create_index, t, ('x'):rep(65001), {parts = {1, 'unsigned'}})
show('longest', #t:create_index(('x'):rep(65000), {parts = {1, 'unsigned'}}).name)
show.try('rename too long', t.rename, t, ('x'):rep(65001))
local u = box.schema.space.create('u')
show('last field', u:create_index('pk', {parts = {32768, 'unsigned'}}).parts[1].fieldno)
show.try('behind the last', u.create_index, u, 'x', {parts = {32770, 'unsigned'}})

os.exit(0)
