-- differs from 2.6: there deleted tuples give their memory back later, not at once
local fiber = require('fiber')
local show = require('show')
box.cfg{memtx_memory = 64 * 1024 * 1024, log_level = 0, wal_mode = 'none'}

-- Thousands of statements without a yield are meant here.
if fiber.set_max_slice ~= nil then
    fiber.set_max_slice(1000)
end

local payload = ('x'):rep(10000)

-- Every index holds as many tuples as the space, and finds the same ones.
local function agree(space, ids)
    local held = space:len()
    for number = 0, #space.index do
        if space.index[number]:len() ~= held then
            return false, number
        end
    end
    for _, id in ipairs(ids) do
        local tuple = space:get(id)
        local by_code = space.index.code:get('code ' .. id)
        if (tuple == nil) ~= (by_code == nil) or tuple ~= nil and tuple[1] ~= by_code[1] then
            return false, id
        end
    end
    return true
end

local function fill(space, first)
    local id = first
    while true do
        local ok, err = pcall(space.insert, space, {id, 'code ' .. id, id % 7, payload})
        if not ok then
            return id, err
        end
        id = id + 1
    end
end

for _, primary in ipairs({'TREE', 'HASH'}) do
    for _, secondary in ipairs({'TREE', 'HASH'}) do
        local space = box.schema.space.create('s')
        space:create_index('primary', {type = primary, parts = {1, 'unsigned'}})
        space:create_index('code', {type = secondary, parts = {2, 'string'}})
        space:create_index('group', {unique = false, parts = {3, 'unsigned'}})

        local stop, err = fill(space, 1)
        show(primary, secondary, 'refused', err.type, stop > 1000, space:len() == stop - 1)
        show('nothing of it is left', space:get(stop), space.index.code:get('code ' .. stop), agree(space, {1, stop}))

        local quarter = math.floor(stop / 4)
        for id = 1, quarter do
            space:delete(id)
        end
        show('deleted', space:len() == stop - 1 - quarter, agree(space, {1, quarter, quarter + 1, stop - 1}))

        local again = fill(space, stop)
        show('goes on', again - stop > quarter * 0.95, again - stop < quarter * 1.05, agree(space, {stop, again - 1, again}))

        local ok, duplicate = pcall(space.insert, space, {again, 'code ' .. stop, 0})
        show('a small clash is found', ok, duplicate.code == box.error.TUPLE_FOUND)
        show('grouped', space.index.group:count(3) > 100, space.index.group:count(9))
        space:drop()
    end
end

os.exit(0)
