local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Tuples of every shape against every kind of index.
local space = sweep.space()
local tuples = {
    'nil', '1', "'x'", '{}', '{1}', "{1, 'a'}", "{1, 'a', 1}", "{9, 'a', 1}", "{9, 'z', 1, 10}", "{9, 'z', 1, -5}",
    "{9, 'z', 1, box.NULL}", "{1, 'z', 1, 10}", "{'x', 'a', 1, 1}", '{9, 9, 9, 9}', "{9, 'z', 'z', 9}",
    "{9, 'z', 9, 'z'}", "{box.NULL, 'z', 9, 9}", "{9, 'z', 9, 9, 'more', {1}}", "box.tuple.new{9, 'q', 1, 99}",
    "{-1, 'a', 1, 1}", "{1.5, 'a', 1, 1}", "{a = 1}", '{{1}}',
}
for _, method in ipairs{'insert', 'replace', 'upsert'} do
    for _, text in ipairs(tuples) do
        box.begin()
        local result = sweep.result(space[method], space, sweep.value(text), method == 'upsert' and {{'=', 3, 0}} or nil)
        local rows = {}
        for _, name in ipairs(sweep.indexes) do
            rows[#rows + 1] = space.index[name]:len()
        end
        print(method, text, result, table.concat(rows, ' '), space:bsize())
        box.rollback()
    end
end
print(space:len(), space:bsize())

os.exit(0)
