local show = require('show')
local fiber = require('fiber')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A read with a wrong key leaves a transaction untouched: a yield does not end it.
show.try('1', function() box.schema.space.create('s1', {format = {{'f1', 'scalar'}, {'f2', 'unsigned'}}}) end)
show.try('2', function() box.space.s1:create_index('i1', {parts = {{1, 'scalar'}, {2, 'unsigned'}}}) end)
show.try('3', function() box.space.s1:create_index('i2', {type = 'HASH', parts = {{2, 'unsigned'}}}) end)
local reads = {
    function() return box.space.s1.index.i1:select({{1}}, {iterator = 'EQ'}) end,
    function() return box.space.s1.index.i1:select({1, 2, 3}) end,
    function() return box.space.s1.index.i1:get({1}) end,
    function() return box.space.s1.index.i2:get({'x'}) end,
    function() return box.space.s1.index.i2:select({}, {iterator = 'EQ'}) end,
    function() return box.space.s1.index.i1:count({1, 'x'}) end,
    function() return box.space.s1.index.i2:min() end,
    function() return box.space.s1.index.i1:min({1, 2, 3}) end,
    function() return box.space.s1.index.i1:pairs({{}}) ~= nil end,
    function() return box.space.s1.index.i1:random(0) end,
    function() return box.space.s1.index.i1:select({1}) end,
}
for number, read in ipairs(reads) do
    box.begin()
    show.try('read ' .. number, read)
    fiber.yield()
    show.try('commit ' .. number, box.commit)
end

os.exit(0)
