local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A statement that fails is undone alone; the transaction goes on, whatever failed.
local space = sweep.space()
local failing = {
    "space:insert{1, 'z', 1}", "space:insert{9, 'z', 1, 10}", "space:insert{9, 'z'}", 'space:insert(1)',
    "space:replace{9, 'z', 'x'}", "space:replace{9, 'q', 1, -5}", 'space:delete{}', "space:delete{'x'}",
    "space.index.text:delete{'a'}", "space:update(1, {{'=', 1, 8}})", "space:update(1, {{'=', 1, 2}})",
    "space:update(1, {{'+', 2, 1}})", "space:update(1, {{'=', 4, -5}})", "space:update({}, {})",
    "space:upsert({9, 'z'}, {})", "space:upsert({1, 'a', 1}, {{'=', 4, -5}})", "space:upsert({1, 'a', 1}, {{'=', 2, 9}})",
    "space:upsert({1, 'a', 1}, {{'%', 1, 1}})", "space:get{'x'}", "space:select{{}}", "space.index.text:get{'a'}",
    'box.begin()', "box.schema.space.create('sweep')", "space:create_index('tree')", "space:create_index('late')",
    "space.index.tree:drop()",
}
for number, text in ipairs(failing) do
    box.begin()
    space:insert{100, 'before', 1, 100}
    local result = sweep.result(loadstring('local space = ... return ' .. text), space)
    space:insert{101, 'after', 1, 101}
    local ok = pcall(box.commit)
    local rows = {}
    for _, name in ipairs(sweep.indexes) do rows[#rows + 1] = space.index[name]:len() end
    print(text, result, ok, table.concat(rows, ' '), box.is_in_txn())
    space:delete{100}
    space:delete{101}
end
print(sweep.result(space.select, space))

os.exit(0)
