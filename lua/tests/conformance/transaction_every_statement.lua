local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Each statement, its undoing by rollback, and by a rollback to a savepoint, over every index.
local space = sweep.space()
local statements = {
    "space:insert{9, 'z', 1, 77}", "space:insert{1, 'z', 1, 77}", "space:insert{9, 'z', 1, 10}",
    "space:replace{1, 'moved', 2, 11}", "space:replace{2, 'b', 0, 10}", "space:replace{9, 'z', 1}",
    'space:delete{1}', 'space:delete{9}', "space.index.pair:delete{'a', 3}", 'space.index.maybe:delete{10}',
    "space:update(1, {{'=', 2, 'moved'}, {'=', 4, box.NULL}})", "space:update(2, {{'=', 4, -5}})",
    "space:update(1, {{'=', 1, 5}})", "space:update(9, {{'=', 2, 'x'}})", "space:update(1, {{'=', 2, 5}})",
    "space:upsert({1, 'q', 1}, {{'+', 3, 1}})", "space:upsert({9, 'q', 1}, {{'+', 3, 1}})",
    "space:upsert({1, 'q', 1}, {{'=', 1, 3}})", 'space:truncate()', "space:update(1, {{'!', 5, 'more'}})",
}
local function contents()
    local parts = {}
    for _, name in ipairs(sweep.indexes) do
        local index = space.index[name]
        local list = {}
        for position, tuple in ipairs(index:select()) do
            list[position] = tuple[1]
        end
        if index.type == 'HASH' then
            table.sort(list)
        end
        parts[#parts + 1] = table.concat(list, '')
    end
    return table.concat(parts, ' ') .. ' ' .. tostring(space:bsize())
end
local before = contents()
print(before)
for _, text in ipairs(statements) do
    local run = loadstring('local space = ... return ' .. text)
    box.begin()
    local result = sweep.result(run, space)
    local during = contents()
    box.rollback()
    print(text, result, during, contents() == before)
    box.begin()
    space:insert{50, 'first', 50, 50}
    local middle = contents()
    local savepoint = box.savepoint()
    local again = sweep.result(run, space)
    box.rollback_to_savepoint(savepoint)
    print('', again == result, contents() == middle)
    box.rollback()
    print('', contents() == before)
end

os.exit(0)
