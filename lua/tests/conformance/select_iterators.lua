local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk', {parts = {1, 'unsigned', 2, 'string'}})
for _, row in ipairs{{1, 'a'}, {1, 'b'}, {2, 'a'}, {2, 'b'}, {2, 'c'}, {4, 'a'}} do s:insert(row) end
for _, iterator in ipairs{'EQ', 'REQ', 'GE', 'GT', 'LE', 'LT'} do
    for _, key in ipairs{{}, {2}, {3}, {2, 'b'}, {2, 'bb'}, {0}, {9}} do
        show(iterator .. ' ' .. show.text(key), pk:select(key, {iterator = iterator}))
    end
end
show('ALL', pk:select({}, {iterator = 'ALL'}))

os.exit(0)
