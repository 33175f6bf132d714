local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A space without indexes counts nothing and walks over nothing; all else fails.
local space = box.schema.space.create('bare', {format = {{'id', 'unsigned'}, {'name', 'string'}}})
local calls = {
    'space:get(1)', 'space:select()', 'space:select(1)', 'space:count()', 'space:count(1)', 'space:len()',
    '#space', 'space:delete(1)', "space:update(1, {{'=', 2, 'x'}})", 'space:update(1, 1)',
    "space:insert{1, 'a'}", "space:replace{1, 'a'}", "space:insert{'x', 'a'}", 'space:insert{1}',
    "space:upsert({1, 'a'}, {{'=', 2, 'x'}})", "space:upsert({'x', 'a'}, {})", 'space:upsert({1}, {})',
    "space:upsert({1, 'a'}, {{'%', 2, 3}})", 'space:bsize()', 'space:truncate()',
}
for _, call in ipairs(calls) do
    local run = loadstring('local space = ... return ' .. call)
    print(call, sweep.result(run, space))
end
for _ in space:pairs() do print('a tuple') end

os.exit(0)
