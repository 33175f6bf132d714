local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- What an upsert leaves behind: operations that do not fit are passed over, one by one.
local space = box.schema.space.create('upserts', {format = {{'id', 'unsigned'}, {'n', 'integer'},
    {'s', 'string'}, {'any', 'any', is_nullable = true}}})
space:create_index('pk')
space:create_index('s', {parts = {{3, 'string'}}})
local lists = {
    '{}', "{{'=', 2, 7}}", "{{'=', 'n', 7}}", "{{'+', 2, 1}}", "{{'-', 2, 1}}", "{{'+', 2, 0.5}}",
    "{{'+', 2, 18446744073709551615ULL}}", "{{'+', 3, 1}}", "{{'+', 'nothing', 1}}", "{{'+', 9, 1}}", "{{'+', 0, 1}}",
    "{{'&', 2, 4}}", "{{'|', 2, 8}}", "{{'^', 2, 12}}", "{{'&', 2, -1}}", "{{'&', 3, 1}}", "{{':', 3, 1, 1, 'X'}}",
    "{{':', 2, 1, 1, 'X'}}", "{{':', 3, 100, 1, 'X'}}", "{{':', 3, 0, 1, 'X'}}", "{{'!', 4, 'put in'}}", "{{'#', 4, 1}}",
    "{{'#', 4, 0}}", "{{'#', 2, 1}}", "{{'=', 1, 2}}", "{{'=', 1, 1}}", "{{'+', 1, 1}}", "{{'=', 2, 'x'}}",
    "{{'=', 3, 'other'}}", "{{'=', 2, box.NULL}}", "{{'=', 4, box.NULL}}", "{{'%', 2, 1}}", "{{'=', 2}}", "{{'='}}",
    '{{}}', '{1}', "{'=', 2, 1}", "{{1, 2, 3}}", "{{'+', 2, 1}, {'+', 'nothing', 1}, {'=', 4, 'last'}}",
    "{{'+', 3, 1}, {'-', 2, 5}}", "{{'+', 2, 1}, {'=', 1, 5}}", "{{'+', 4, 1}}", "{{'=', -1, 'end'}}",
    "{{'=', 'any.deep', 1}}", "{{'=', '[4]', 1}}",
}
for _, list in ipairs(lists) do
    space:replace{1, 5, 'text', 'rest'}
    space:replace{2, 6, 'other', 'rest'}
    local result = sweep.result(space.upsert, space, {1, 0, 'new'}, sweep.value(list))
    print(list, result, sweep.result(space.get, space, 1))
end
for _, list in ipairs(lists) do
    space:truncate()
    local result = sweep.result(space.upsert, space, {3, 0, 'new'}, sweep.value(list))
    print(list, result, sweep.result(space.get, space, 3))
end

os.exit(0)
