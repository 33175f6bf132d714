local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Every statement after every other one in a transaction: what it gives, and that both are undone.
local space = box.schema.space.create('pairs', {format = {{'id', 'unsigned'}, {'name', 'string'}}})
space:create_index('pk')
space:create_index('name', {parts = {'name'}})
space:insert{1, 'one'}
space:insert{2, 'two'}
local statements = {
    "space:insert{3, 'three'}", "space:insert{1, 'new'}", "space:replace{1, 'new'}", "space:replace{2, 'one'}",
    'space:delete{1}', "space.index.name:delete{'two'}", "space:update(1, {{'=', 2, 'up'}})",
    "space:update(1, {{'=', 2, 'two'}})", "space:upsert({1, 'x'}, {{'=', 2, 'ups'}})",
    "space:upsert({4, 'one'}, {})", 'space:truncate()',
}
for _, first in ipairs(statements) do
    for _, second in ipairs(statements) do
        box.begin()
        local results = {}
        for position, text in ipairs{first, second} do
            results[position] = sweep.result(loadstring('local space = ... return ' .. text), space)
        end
        local rows = {}
        for _, tuple in space.index.name:pairs() do
            rows[#rows + 1] = tuple[1] .. tuple[2]
        end
        box.rollback()
        print(first, second, results[2], table.concat(rows, ' '))
    end
end
print(sweep.result(space.select, space))
print(sweep.result(space.index.name.select, space.index.name))

os.exit(0)
