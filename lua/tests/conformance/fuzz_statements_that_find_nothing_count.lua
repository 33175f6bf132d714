local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A statement that finds nothing is a statement all the same: an index build must come before it. One
-- that fails is none, and neither is a read.
show.try('1', function() box.schema.space.create('s1') end)
show.try('2', function() box.space.s1:create_index('i1', {parts = {{1, 'integer'}}}) end)
show.try('3', function() return box.space.s1:insert({2147483647, 3}) end)
local steps = {
    function() return box.space.s1:update({4}, {{'=', 2, 6}}) end,
    function() return box.space.s1:delete({4}) end,
    function() return box.space.s1:upsert({2147483647, 1}, {{'=', 1, 5}}) end,
    function() return box.space.s1:insert({2147483647}) end,
    function() return box.space.s1:insert({'x'}) end,
    function() return box.space.s1:delete({'x'}) end,
    function() return box.space.s1:get({4}) end,
    function() return box.space.s1:select() end,
    function() return box.space.s1:replace({4}) end,
    function() box.schema.space.create('s2') end,
    function() return box.savepoint() ~= nil end,
}
for number, step in ipairs(steps) do
    box.begin()
    show.try('step ' .. number, step)
    show.try('build ' .. number, function() box.space.s1:create_index('i2', {unique = false, parts = {{2, 'integer', is_nullable = true}}}) end)
    box.rollback()
end
show.try('4', function() return box.space.s1.index.i2 end)

os.exit(0)
