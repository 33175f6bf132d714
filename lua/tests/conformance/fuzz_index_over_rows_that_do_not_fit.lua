local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Rows are checked and put in one by one: the first that is wrong decides what is told.
show.try('1', function() box.schema.space.create('s1') end)
show.try('2', function() box.space.s1:create_index('i1', {parts = {{1, 'unsigned'}}}) end)
show.try('3', function() return box.space.s1:insert({3, 1, 1, 'a', 'b'}) end)
show.try('4', function() return box.space.s1:insert({5, 1, 2, 'a', 'b'}) end)
show.try('5', function() return box.space.s1:insert({6, 2, 3, 5, box.NULL}) end)
show.try('6', function() return box.space.s1:insert({7, 'x', 3}) end)
for _, kind in ipairs{'TREE', 'HASH'} do
    for field = 2, 6 do
        for _, type_name in ipairs{'unsigned', 'string', 'scalar'} do
            show.try(kind .. ' ' .. field .. ' ' .. type_name, function()
                box.space.s1:create_index('i2', {type = kind, parts = {{field, type_name}}})
                box.space.s1.index.i2:drop()
            end)
        end
    end
end
show.try('7', function() return box.space.s1.index[1] end)
show.try('8', function() return box.space.s1:len(), box.space.s1:bsize() end)

os.exit(0)
