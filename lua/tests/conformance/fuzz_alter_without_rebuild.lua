local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- An index that stays as it is may be altered late in a transaction; one that is built anew may not.
show.try('1', function() box.schema.space.create('s1', {format = {{'f1', 'string'}, {'f2', 'integer'}, {'f3', 'unsigned'}}}) end)
show.try('2', function() box.space.s1:create_index('i1', {parts = {{1, 'string'}}}) end)
show.try('3', function() box.space.s1:create_index('i2', {parts = {{2, 'integer'}}}) end)
show.try('4', function() box.space.s1:create_index('i3', {unique = false, parts = {{2, 'integer'}}}) end)
show.try('5', function() return box.space.s1:insert({'c', 1, 1}) end)
local alterations = {
    {'i2', {parts = {{2, 'integer'}}}}, {'i2', {unique = true}}, {'i2', {unique = false}}, {'i2', {type = 'TREE'}},
    {'i2', {type = 'HASH'}}, {'i2', {parts = {{3, 'unsigned'}}}}, {'i2', {parts = {{2, 'integer'}, {3, 'unsigned'}}}},
    {'i2', {parts = {{2, 'number'}}}}, {'i2', {parts = {{2, 'unsigned'}}}}, {'i3', {unique = true}},
    {'i3', {unique = false}}, {'i2', {name = 'other'}}, {'i1', {parts = {{1, 'string'}}}}, {'i1', {unique = true}},
    {'i1', {unique = false}},
}
for number, alteration in ipairs(alterations) do
    local name, options = unpack(alteration)
    show.try('alone ' .. number, function() box.begin() box.space.s1.index[name]:alter(options) end)
    show.try('rows ' .. number, function() return box.space.s1.index[1]:select() end)
    box.rollback()
    show.try('late ' .. number, function()
        box.begin()
        box.space.s1:replace({'d', 2, 2})
        box.space.s1.index[name]:alter(options)
    end)
    show.try('rows ' .. number, function() return box.space.s1.index[1]:select() end)
    box.rollback()
end

os.exit(0)
