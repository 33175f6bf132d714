-- differs from 2.6: there deleted tuples give their memory back later, not at once
local fiber = require('fiber')
local show = require('show')
box.cfg{memtx_memory = 64 * 1024 * 1024, log_level = 0, wal_mode = 'none'}

-- Thousands of statements without a yield are meant here.
if fiber.set_max_slice ~= nil then
    fiber.set_max_slice(1000)
end

-- What the quota refuses changes nothing, whatever the statement was.
local payload = ('x'):rep(10000)
local large = ('y'):rep(500000)

local function refusal(name, space, ...)
    local ok, err = pcall(space[name], space, ...)
    if ok then
        return name, 'done'
    end
    return name, err.type
end

for _, kind in ipairs({'TREE', 'HASH'}) do
    local space = box.schema.space.create('s')
    space:create_index('primary', {type = kind})
    local id = 0
    repeat
        id = id + 1
    until not pcall(space.insert, space, {id, payload})
    local held = space:len()

    show(kind, refusal('insert', space, {id, large}))
    show(refusal('replace', space, {1, large}))
    show(refusal('replace', space, {id, large}))
    show(refusal('update', space, 1, {{'=', 2, large}}))
    show(refusal('update', space, 1, {{'!', 3, large}}))
    show(refusal('upsert', space, {1, large}, {{'=', 2, large}}))
    show(refusal('upsert', space, {id, large}, {{'=', 2, large}}))
    show('unchanged', space:len() == held, space:get(1)[2] == payload, #space:get(1), space:get(id))
    show('reads go on', space:count() == held, #space:select({}, {limit = 3}))

    for number = 1, 400 do
        space:delete(number + 1)
    end
    show(refusal('replace', space, {1, large}))
    show(refusal('update', space, 1, {{'=', 2, payload}}))
    show(refusal('upsert', space, {id, payload}, {{'=', 2, payload}}))
    show('changed', space:len() == held - 399, space:get(1)[2] == payload, space:get(id)[1] == id)
    space:drop()
end

os.exit(0)
