-- differs from 2.6: 3.9 has _vspace_sequence and _gc_consumers, other first rows and no max_id
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local ids = {}
for key, space in pairs(box.space) do
    if type(key) == 'number' then
        ids[#ids + 1] = key
        assert(box.space[space.name] == space and space.id == key)
    end
end
table.sort(ids)
for _, id in ipairs(ids) do
    local space = box.space[id]
    local names = {}
    for number = 0, 3 do
        if space.index[number] ~= nil then names[#names + 1] = space.index[number].name end
    end
    show(space.name, id, space.engine, space:len(), names)
end
show('users', box.space._user:select())
show('grants', box.space._priv:select())
show('functions', box.space._func.index.name:get('LUA'):totable(1, 6), box.space._func:get(1).name)
show('settings', box.space._session_settings:select())
show('collations', box.space._collation:select({}, {limit = 5}), box.space._collation.index.name:get('unicode_sv__reformed_s2'))
show('version', box.space._schema:get('version'):totable())
show('uuids', #box.space._cluster:get(1).uuid, #box.space._schema:get('replicaset_uuid').value)
show('format', box.space._truncate:format())

os.exit(0)
