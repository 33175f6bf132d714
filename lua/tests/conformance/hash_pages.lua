local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Iterating a HASH index page by page with GT: every row once, in whatever order.
local space = box.schema.space.create('pages')
space:create_index('pk', {type = 'HASH', parts = {{1, 'unsigned'}, {2, 'string'}}})
for number = 1, 1000 do
    space:insert{number, 'row'}
end
for _, size in ipairs{1, 7, 100, 1000, 5000} do
    local seen, count, key = {}, 0, nil
    repeat
        local page = space:select(key, {iterator = 'GT', limit = size})
        for _, tuple in ipairs(page) do
            assert(not seen[tuple[1]])
            seen[tuple[1]], count = true, count + 1
        end
        local last = page[#page]
        key = last and {last[1], last[2]}
    until last == nil
    show('size', size, count)
end
show.try('absent', function() return space:select({5000, 'row'}, {iterator = 'GT'}) end)
show.try('partial', function() return space:select({5}, {iterator = 'GT'}) end)
show.try('too long', function() return space:select({5, 'row', 1}, {iterator = 'GT'}) end)
show.try('wrong', function() return space:select({'x', 'row'}, {iterator = 'GT'}) end)
show.try('count', function() return space:count(nil, {iterator = 'GT'}) end)
space:truncate()
show.try('empty', function() return space:select({5, 'row'}, {iterator = 'GT'}) end)

os.exit(0)
