local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A wrong key is told before an iterator that the index lacks.
show.try('1', function() box.schema.space.create('s1', {format = {{'f1', 'unsigned'}, {'f2', 'string'}}}) end)
show.try('2', function() box.space.s1:create_index('i1', {parts = {{1, 'unsigned'}}}) end)
show.try('3', function() box.space.s1:create_index('i2', {type = 'HASH', parts = {{2, 'string'}, {1, 'unsigned'}}}) end)
for _, iterator in ipairs{'BITS_ALL_SET', 'BITS_ANY_SET', 'BITS_ALL_NOT_SET', 'OVERLAPS', 'NEIGHBOR'} do
    for _, name in ipairs{'i1', 'i2'} do
        local index = box.space.s1.index[name]
        for number, key in ipairs{{}, {1}, {'a'}, {'a', 1}, {{}}, {1, 2}, {'a', 1, 1}} do
            local label = iterator .. ' ' .. name .. ' ' .. number
            show.try(label, function() return index:select(key, {iterator = iterator}) end)
            show.try(label, function() return index:count(key, {iterator = iterator}) end)
            show.try(label, function() return #index:pairs(key, {iterator = iterator}) end)
        end
    end
end

os.exit(0)
