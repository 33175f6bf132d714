-- differs from 2.6: there deleted tuples give their memory back later, not at once
local fiber = require('fiber')
local show = require('show')
box.cfg{memtx_memory = 64 * 1024 * 1024, log_level = 0, wal_mode = 'none'}

-- Thousands of statements without a yield are meant here.
if fiber.set_max_slice ~= nil then
    fiber.set_max_slice(1000)
end

local payload = ('x'):rep(10000)

-- Inserts from `first` until the quota refuses one.
local function fill(space, first)
    local id = first
    while true do
        local ok, err = pcall(space.insert, space, {id, 'code ' .. id, payload})
        if not ok then
            return id, err.type
        end
        id = id + 1
    end
end

for _, kind in ipairs({'TREE', 'HASH'}) do
    local space = box.schema.space.create('s')
    space:create_index('primary', {type = kind})
    space:create_index('code', {type = kind, parts = {2, 'string'}})
    for id = 1, 1000 do
        space:insert({id, 'code ' .. id, payload})
    end

    box.begin()
    for id = 1, 500 do
        space:delete(id)
    end
    for id = 501, 600 do
        space:replace({id, 'new code ' .. id, 'short'})
    end
    local stop, code = fill(space, 1001)
    show(kind, 'refused', code, stop > 2000, 'still open', box.is_in_txn())
    show('what it did is there', space:get(1), space:get(501)[2], space:get(stop - 1)[1] == stop - 1)
    box.rollback()
    show('rolled back', space:len(), space.index.code:len(), space:get(1)[2], space:get(501)[2])
    show('no trace', space:get(1001), space.index.code:get('new code 501'), space.index.code:get('code 1')[1])

    box.begin()
    stop, code = fill(space, 1001)
    show('a refused statement is all that fails', code, box.is_in_txn())
    box.commit()
    show('committed', space:len() == stop - 1, space.index.code:len() == stop - 1)

    box.begin()
    space:delete(1)
    local savepoint = box.savepoint()
    for id = 1001, 1100 do
        space:delete(id)
    end
    local _, refused = pcall(space.insert, space, {1, 'code 1', ('y'):rep(2000000)})
    show('too large for any tuple', refused ~= nil)
    box.rollback_to_savepoint(savepoint)
    show('back to the savepoint', space:len() == stop - 2, space:get(1001)[2], space:get(1))
    box.commit()

    for id = 2, 200 do
        space:delete(id)
    end
    box.begin()
    for id = 2, 100 do
        space:insert({id, 'code ' .. id, payload})
    end
    box.commit()
    show('goes on', space:len() == stop - 1 - 101, space:get(2)[2], space:get(150))
    space:drop()
end

os.exit(0)
