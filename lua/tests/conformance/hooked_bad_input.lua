-- differs from 2.6: some messages are newer
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Statements of a space with triggers refuse what others refuse.
local function spaces(name)
    local s = box.schema.space.create(name)
    s:create_index('pk')
    s:create_index('many', {parts = {2, 'unsigned'}, unique = false})
    s:insert{1, 1}
    return s
end
local plain, hooked = spaces('plain'), spaces('hooked')
hooked:on_replace(function() end)
hooked:before_replace(function() end)
local deep, cyclic = {}, {}
local inner = deep
for _ = 1, 200 do
    inner[1] = {}
    inner = inner[1]
end
cyclic[1] = cyclic
local function attempt(method, ...)
    local results = {}
    for position, s in ipairs({plain, hooked}) do
        local ok, err = pcall(s[method], s, ...)
        results[position] = ok and 'fine' or type(err) == 'cdata' and err.code
            or err:gsub('^.-:%d+: ', '')
    end
    show(method, results[1], results[1] == results[2] or results[2])
end
for _, method in ipairs({'insert', 'replace'}) do
    for _, value in ipairs({5, 'x', true, {a = 1}, {}, {'x'}, {1}, {-1, 1}, {2, 'x'}, {1, 1}, {print}, deep,
        {1, deep}, cyclic}) do
        attempt(method, value)
    end
    attempt(method)
end
for _, key in ipairs({'x', {}, {1, 2}, {a = 1}, print, deep}) do
    attempt('delete', key)
    attempt('update', key, {{'=', 2, 1}})
end
attempt('delete')
attempt('update')
attempt('update', 1)
for _, operations in ipairs({{}, {5}, {{}}, {{'?', 2, 1}}, {{'=', 'x', 1}}, {{'+', 2, 'x'}}, {{'=', 1, 7}},
    {{'=', 2, 'x'}}, {{'=', 99, 1}}, {{'=', 2}}, 'x', {{'!', 0, 1}}}) do
    attempt('update', 1, operations)
    attempt('upsert', {1, 1}, operations)
    attempt('upsert', {50, 1}, operations)
    plain:delete(50)
    hooked:delete(50)
end
attempt('upsert', {1}, {})
attempt('upsert', {'x', 1}, {})
for _, s in ipairs({plain, hooked}) do
    show.try('not unique', s.index.many.delete, s.index.many, 1)
    show.try('not unique', s.index.many.update, s.index.many, 1, {{'=', 3, 1}})
end
local bare = box.schema.space.create('bare')
bare:on_replace(function() end)
show.try('no index', bare.insert, bare, {1})
show.try('no index', bare.delete, bare, 1)
bare:before_replace(function() end)
show.try('no index', bare.insert, bare, {1})
show.try('no index', bare.upsert, bare, {1}, {})
show('the same rows', plain:select(), hooked:select(), box.is_in_txn())

os.exit(0)
