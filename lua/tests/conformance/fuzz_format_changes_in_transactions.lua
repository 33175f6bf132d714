local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A format that takes all that the old one took needs no look at the rows, so it may come late.
local formats = {
    {{'f1', 'string'}, {'f2', 'integer'}, {'f3x', 'integer', is_nullable = true}},
    {{'f1', 'string'}, {'f2', 'number'}, {'f3', 'integer', is_nullable = true}},
    {{'f1', 'string'}, {'f2', 'unsigned'}, {'f3', 'integer', is_nullable = true}},
    {{'f1', 'string'}, {'f2', 'integer', is_nullable = true}, {'f3', 'integer', is_nullable = true}},
    {{'f1', 'string'}, {'f2', 'integer'}, {'f3', 'integer'}},
    {{'f1', 'string'}, {'f2', 'integer'}, {'f3', 'integer', is_nullable = true}, {'f4', 'any', is_nullable = true}},
    {{'f1', 'string'}, {'f2', 'integer'}, {'f3', 'integer', is_nullable = true}, {'f4', 'string', is_nullable = true}},
    {{'f1', 'string'}, {'f2', 'integer'}}, {}, {{'f1', 'scalar'}}, {{'f1', 'unsigned'}}, {{'f1', 'any'}},
    {{'f1', 'string'}, {'f1', 'integer'}},
}
show.try('1', function() box.schema.space.create('s1', {format = {{'f1', 'string'}, {'f2', 'integer'}, {'f3', 'integer', is_nullable = true}}}) end)
show.try('2', function() box.space.s1:create_index('i1', {parts = {{1, 'string'}}}) end)
for number, format in ipairs(formats) do
    show.try('empty ' .. number, function() box.begin() box.space.s1:format(format) end)
    box.rollback()
end
show.try('3', function() return box.space.s1:insert({'aa', 5, box.NULL}) end)
for number, format in ipairs(formats) do
    show.try('first ' .. number, function() box.begin() box.space.s1:format(format) end)
    box.rollback()
    show.try('late ' .. number, function()
        box.begin()
        box.space.s1:insert({'d', -1})
        box.space.s1:format(format)
    end)
    box.rollback()
end
show.try('4', function() return #box.space.s1:format(), box.space.s1:select() end)

os.exit(0)
